-- SPDX-License-Identifier: Apache-2.0
-- Runs that `run --until` ended at a cycle, and the engine's events. Such a run has the status 'interrupted', so that no
-- view takes it for a finished one; cut_at distinguishes it from one that the user stopped.

ALTER TABLE run ADD COLUMN cut_at INTEGER;    -- cycle; NULL: the run was not cut
ALTER TABLE run ADD COLUMN events INTEGER;    -- executed by the engine; NULL: unknown

DROP VIEW runs;
CREATE VIEW runs AS
SELECT run.id AS run, started, experiment, CASE WHEN cut_at IS NULL THEN status ELSE 'cut' END AS status,
    CASE WHEN EXISTS (SELECT 1 FROM firmware WHERE firmware.run = run.id)
        THEN (SELECT group_concat(workload || '=' || app, ' ')
              FROM (SELECT workload, ifnull(app, '?') AS app FROM workload w WHERE w.run = run.id ORDER BY workload))
        ELSE (SELECT group_concat(app || CASE WHEN slices THEN '/' || slices || 'g' ELSE '' END, ' ')
              FROM (SELECT coalesce(app, replace(trace, rtrim(trace, replace(trace, '/', '')), ''), '?') AS app, slices
                    FROM tenant LEFT JOIN run_input USING (run, tenant)
                    WHERE tenant.run = run.id ORDER BY tenant.tenant))
    END AS apps,
    cycles, seconds, accesses_per_second, translations_per_second, substr(revision, 1, 12) AS revision, host, error,
    seed, changes
FROM run;
