-- SPDX-License-Identifier: Apache-2.0
-- What the simulation loop takes of the host (mempath bench --counts): unlike times, the same at every run.

CREATE TABLE host_count (
    run INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE,
    instructions INTEGER NOT NULL,
    l1_misses INTEGER NOT NULL,               -- of data, in simulated caches
    l2_misses INTEGER NOT NULL,
    caches TEXT NOT NULL,                     -- 48 KiB L1 data, 1 MiB L2
    tool TEXT NOT NULL                        -- valgrind-3.19.0
) STRICT;

CREATE VIEW simulation_cost AS
SELECT r.id AS run, r.experiment, r.changes, r.cut_at, r.translations, r.events, c.instructions, c.l1_misses, c.l2_misses,
    1.0 * c.instructions / nullif(r.translations, 0) AS instructions_per_translation,
    1.0 * c.l1_misses / nullif(r.translations, 0) AS l1_misses_per_translation,
    1.0 * c.l2_misses / nullif(r.translations, 0) AS l2_misses_per_translation,
    1.0 * c.instructions / nullif(r.events, 0) AS instructions_per_event,
    1.0 * c.l1_misses / nullif(r.events, 0) AS l1_misses_per_event,
    1.0 * c.l2_misses / nullif(r.events, 0) AS l2_misses_per_event,
    substr(r.revision, 1, 12) AS revision, r.compiler, c.caches, c.tool
FROM host_count c JOIN run r ON r.id = c.run;
