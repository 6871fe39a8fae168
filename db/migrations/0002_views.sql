-- SPDX-License-Identifier: Apache-2.0
-- The run list, and the recorded numbers with their names beside them. README.md explains each view.

CREATE VIEW runs AS
SELECT run.id AS run, started, experiment, status,
    (SELECT group_concat(app || '/' || slices || 'g', ' ')
     FROM (SELECT ifnull(app, '?') AS app, slices FROM tenant WHERE tenant.run = run.id ORDER BY tenant)) AS apps,
    cycles, seconds, accesses_per_second, translations_per_second, substr(revision, 1, 12) AS revision, host, error
FROM run;
