-- SPDX-License-Identifier: Apache-2.0
-- Shows what distinguishes runs of one experiment: the seed, and the differences from the shipped configuration. A
-- trace that is not of an application appears by its file name. Without an instance, a tenant has no number of slices.

ALTER TABLE run ADD COLUMN changes TEXT NOT NULL DEFAULT ''; -- "l3_tlb.entries=2048 tenants.0.size=small"

DROP VIEW runs;
CREATE VIEW runs AS
SELECT run.id AS run, started, experiment, status,
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
