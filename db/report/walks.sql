-- SPDX-License-Identifier: Apache-2.0
-- The walks of those windows.
SELECT w.run, c.path AS system, walker, started, ended - started AS duration, started - arrived AS queueing, tenant,
    levels, owner, printf('0x%x', page) AS page
FROM (SELECT *, row_number() OVER (PARTITION BY run ORDER BY started, component, walker) AS place FROM walk
    WHERE run IN (SELECT DISTINCT run FROM walk_window WHERE run BETWEEN :first AND :last ORDER BY run DESC LIMIT 3)) w
JOIN component c ON c.run = w.run AND c.id = w.component
WHERE place <= 1500 ORDER BY w.run DESC, w.component, walker, started;
