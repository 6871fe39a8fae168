-- SPDX-License-Identifier: Apache-2.0
-- Runs of `run --estimate`. Such a run has the status 'interrupted', so that no view takes it for a finished one, and no
-- counters; `detail` distinguishes it from one that the user stopped.

ALTER TABLE run ADD COLUMN detail REAL;       -- share of the cycles simulated in detail; NULL: the run is no estimate

CREATE TABLE estimate (
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    tenant INTEGER NOT NULL,
    name TEXT NOT NULL,                       -- ipc, l3_tlb_hit_rate, walk_latency
    unit TEXT,                                -- NULL: a ratio
    value REAL NOT NULL,
    half_width REAL,                          -- of the 95 % interval; NULL: too few windows
    windows INTEGER NOT NULL,                 -- measured in detail
    PRIMARY KEY (run, tenant, name)
) STRICT;

DROP VIEW runs;
CREATE VIEW runs AS
SELECT run.id AS run, started, experiment,
    CASE WHEN detail IS NOT NULL THEN 'estimate' WHEN cut_at IS NOT NULL THEN 'cut' ELSE status END AS status,
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

CREATE VIEW estimates AS
SELECT e.run, r.experiment, r.changes, e.tenant, t.app, t.size, e.name, e.value, e.half_width, e.unit, e.windows,
    r.detail, substr(r.revision, 1, 12) AS revision
FROM estimate e JOIN run r ON r.id = e.run LEFT JOIN tenant t ON t.run = e.run AND t.tenant = e.tenant;
