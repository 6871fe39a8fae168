-- SPDX-License-Identifier: Apache-2.0
-- pages of each 2 MB that are in the GPU's memory, from a cycle on, in the window of run --trace-window
SELECT r.tenant, t.app, printf('0x%x', r.block) AS block, r.cycle, r.pages
FROM managed_resident r
LEFT JOIN tenant t ON t.run = r.run AND t.tenant = r.tenant
WHERE r.run = :run
ORDER BY r.cycle, r.tenant, r.block;
