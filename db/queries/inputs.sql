-- SPDX-License-Identifier: Apache-2.0
-- the traces that a run replayed
SELECT i.run, i.tenant, t.app, t.size, t.slices, i.trace, i.hash, i.bytes
FROM run_input i JOIN tenant t ON t.run = i.run AND t.tenant = i.tenant
WHERE i.run = :run ORDER BY i.tenant;
