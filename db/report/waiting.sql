-- SPDX-License-Identifier: Apache-2.0
-- The number of waiting walks of each tenant in those windows.
SELECT o.run, c.path AS system, cycle, tenant, walks
FROM walk_waiting o JOIN component c ON c.run = o.run AND c.id = o.component
WHERE o.run IN (SELECT DISTINCT run FROM walk_window WHERE run BETWEEN :first AND :last ORDER BY run DESC LIMIT 3)
ORDER BY o.run DESC, o.component, cycle, tenant LIMIT 6000;
