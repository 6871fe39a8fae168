-- SPDX-License-Identifier: Apache-2.0
-- Pairs of runs of two revisions (mempath bench --against): what each takes of the host for the same case.

CREATE TABLE host_pair (
    id INTEGER PRIMARY KEY,
    measured_at TEXT NOT NULL DEFAULT (datetime('now')),
    "case" TEXT NOT NULL,                     -- w2; 14 SMs
    experiment TEXT NOT NULL,
    cut_at INTEGER,                           -- NULL: a whole run with small inputs
    revision TEXT NOT NULL,
    against TEXT NOT NULL,
    pairs INTEGER NOT NULL,
    ratio REAL NOT NULL,                      -- seconds of against by seconds of revision, the median of all pairs
    lowest REAL NOT NULL,
    highest REAL NOT NULL,
    seconds REAL NOT NULL,                    -- of processors in user mode, the median; likewise against
    seconds_against REAL NOT NULL,
    event_ns REAL,                            -- of processors, per event of the engine
    event_ns_against REAL,
    instructions REAL,                        -- of the simulation loop, per translation
    instructions_against REAL,
    l1_misses REAL,                           -- of data, in simulated caches, per translation
    l1_misses_against REAL,
    l2_misses REAL,
    l2_misses_against REAL,
    same_results INTEGER NOT NULL             -- 1: the digests are the same
) STRICT;
