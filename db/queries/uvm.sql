-- SPDX-License-Identifier: Apache-2.0
-- managed memory by tenant: faults, batches, pages that moved, evictions, use of the link
SELECT * FROM managed_memory WHERE run = :run ORDER BY tenant;
