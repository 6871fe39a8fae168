-- SPDX-License-Identifier: Apache-2.0
-- The latest runs with a window of page walks. walks.sql has at most 1500 walks of each.
SELECT w.run, r.experiment, c.path AS system, w.first, w.last, w.walkers,
    (SELECT count(*) FROM walk WHERE walk.run = w.run AND walk.component = w.component) AS walks
FROM walk_window w JOIN component c ON c.run = w.run AND c.id = w.component JOIN run r ON r.id = w.run
WHERE w.run IN (SELECT DISTINCT run FROM walk_window WHERE run BETWEEN :first AND :last ORDER BY run DESC LIMIT 3)
ORDER BY w.run DESC, w.component;
