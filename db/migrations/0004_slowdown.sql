-- SPDX-License-Identifier: Apache-2.0
-- A tenant can complete more runs than it did alone (stats.runs), so the ratio is per instruction.

DROP VIEW slowdown;

-- Compares a tenant with the same program (the trace's hash) alone on the same number of slices of an equal machine:
-- the latest such run of the same revision, or of any revision if there is none.
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
    FROM tenant t
    JOIN run r ON r.id = t.run
    JOIN run_input i ON i.run = t.run AND i.tenant = t.tenant
    WHERE r.status = 'done' AND (SELECT count(*) FROM tenant x WHERE x.run = t.run) > 1) t
LEFT JOIN tenant a ON a.run = t.alone_run;
