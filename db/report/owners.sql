-- SPDX-License-Identifier: Apache-2.0
-- The owners of the walkers in those windows.
SELECT o.run, c.path AS system, cycle, walker, tenant
FROM walker_owner o JOIN component c ON c.run = o.run AND c.id = o.component
WHERE o.run IN (SELECT DISTINCT run FROM walk_window WHERE run BETWEEN :first AND :last ORDER BY run DESC LIMIT 3)
ORDER BY o.run DESC, o.component, walker, cycle LIMIT 4000;
