-- SPDX-License-Identifier: Apache-2.0
-- Lists of all runs. A row of `run` holds the configuration's text, so that 100,000 rows are 400 MB: what lists show is in
-- an index of a tenth of that. SQLite reads an index only if a query names stored columns, thus the quotients here.
CREATE INDEX run_listing ON run (id, status, experiment, machine_hash, revision, started, seed, changes, cut_at, detail,
    cycles, accesses, translations, seconds, peak_memory, build_type, compiler, host, cpu, cores, error);
DROP INDEX run_by_machine;
CREATE INDEX run_by_machine ON run (machine_hash, status, revision);

-- The values of one parameter in all runs lie together; those of all parameters are 6 KB a run.
DROP INDEX parameter_by_path;
CREATE UNIQUE INDEX parameter_by_path ON parameter (path, run, value);

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
    cycles, seconds, accesses / nullif(seconds, 0) AS accesses_per_second,
    translations / nullif(seconds, 0) AS translations_per_second, substr(revision, 1, 12) AS revision, host, error,
    seed, changes
FROM run;

DROP VIEW simulation_speed;
CREATE VIEW simulation_speed AS
SELECT id AS run, experiment, accesses, translations, cycles, seconds,
    accesses / nullif(seconds, 0) AS accesses_per_second, translations / nullif(seconds, 0) AS translations_per_second,
    cycles / nullif(seconds, 0) AS cycles_per_second, peak_memory / 1048576.0 AS peak_memory_mib, build_type, compiler,
    substr(revision, 1, 12) AS revision, host, cpu, cores
FROM run WHERE status = 'done';

-- The experiment is looked up where a query asks for it.
DROP VIEW ipc;
CREATE VIEW ipc AS
SELECT t.run, (SELECT r.experiment FROM run r WHERE r.id = t.run) AS experiment, t.tenant, t.app, t.size, t.slices,
    t.instructions, t.cycles, 1.0 * t.instructions / nullif(t.cycles, 0) AS ipc,
    1.0 * t.thread_instructions / nullif(t.cycles, 0) AS thread_ipc
FROM tenant t
WHERE t.cycles IS NOT NULL;

-- Runs come first, from their index; CROSS JOIN is SQLite's order of joins as written.
DROP VIEW alone;
CREATE VIEW alone AS
SELECT r.id AS run, r.machine_hash, r.revision, i.hash, t.slices, t.cycles
FROM run r
CROSS JOIN run_input i ON i.run = r.id
CROSS JOIN tenant t ON t.run = i.run AND t.tenant = i.tenant
WHERE r.status = 'done' AND (SELECT count(*) FROM tenant x WHERE x.run = i.run) = 1;

DROP VIEW slowdown;
CREATE VIEW slowdown AS
SELECT t.run, t.experiment, t.tenant, t.app, t.size, t.slices, t.cycles, t.alone_run, a.cycles AS alone_cycles,
    1.0 * a.cycles / nullif(t.cycles, 0) * t.instructions / nullif(a.instructions, 0) AS relative_performance,
    1.0 * t.cycles / nullif(a.cycles, 0) * a.instructions / nullif(t.instructions, 0) AS slowdown
FROM (SELECT t.run AS run, r.experiment AS experiment, t.tenant AS tenant, t.app AS app, t.size AS size,
        t.slices AS slices, t.cycles AS cycles, t.instructions AS instructions,
        ifnull((SELECT max(run) FROM alone WHERE alone.hash = i.hash AND alone.slices = t.slices
                AND alone.machine_hash = r.machine_hash AND alone.revision = r.revision),
            (SELECT max(run) FROM alone WHERE alone.hash = i.hash AND alone.slices = t.slices
                AND alone.machine_hash = r.machine_hash)) AS alone_run
    FROM run r
    CROSS JOIN tenant t ON t.run = r.id
    CROSS JOIN run_input i ON i.run = t.run AND i.tenant = t.tenant
    WHERE r.status = 'done' AND (SELECT count(*) FROM tenant x WHERE x.run = t.run) > 1) t
LEFT JOIN tenant a ON a.run = t.alone_run;
