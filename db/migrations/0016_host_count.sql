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
