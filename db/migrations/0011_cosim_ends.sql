-- SPDX-License-Identifier: Apache-2.0
-- A co-simulation can end in more ways than by a difference; it counts resets; and a seed drives the ports when the
-- stimuli are a file, too. SQLite cannot change a CHECK, so a new table replaces the old one. The coverage is saved
-- first, because it is deleted together with the old table.

CREATE TEMP TABLE saved_point AS SELECT * FROM cosim_point;
CREATE TEMP TABLE saved_line AS SELECT * FROM cosim_line;

CREATE TABLE cosim_new (
    id INTEGER PRIMARY KEY,
    block TEXT NOT NULL,                      -- star
    mode TEXT NOT NULL,                       -- star4, or drawn
    options TEXT NOT NULL,                    -- other options; after a failure, those of the failing session
    seed INTEGER,                             -- of random stimuli and of the port drivers (stored as signed)
    stimuli TEXT,                             -- a file; NULL: random
    -- broken: the RTL broke a rule of its ports, failed an assertion, or ended the simulation
    status TEXT NOT NULL CHECK (status IN ('equal', 'different', 'broken', 'hung', 'crashed', 'interrupted')),
    transactions INTEGER NOT NULL,            -- if they differ, up to and including the first difference
    clocks INTEGER NOT NULL,                  -- of the RTL
    resets INTEGER NOT NULL DEFAULT 0,        -- in the middle of a transaction
    seconds REAL NOT NULL,
    transactions_per_minute REAL GENERATED ALWAYS AS (60 * transactions / nullif(seconds, 0)) VIRTUAL,
    points INTEGER NOT NULL,                  -- of coverage
    points_taken INTEGER NOT NULL,
    difference TEXT,                          -- the first one, or what the RTL did, in one line
    report TEXT,                              -- what differs, field by field
    replay TEXT NOT NULL,                     -- the command that repeats it
    tools TEXT NOT NULL,                      -- verilator 5.006
    revision TEXT NOT NULL,
    host TEXT NOT NULL,
    started TEXT NOT NULL,
    CHECK (seed IS NOT NULL OR stimuli IS NOT NULL),
    CHECK ((status IN ('equal', 'interrupted')) = (difference IS NULL))
) STRICT;

INSERT INTO cosim_new (id, block, mode, options, seed, stimuli, status, transactions, clocks, seconds, points,
    points_taken, difference, report, replay, tools, revision, host, started)
SELECT id, block, mode, options, seed, stimuli, status, transactions, clocks, seconds, points,
    points_taken, difference, report, replay, tools, revision, host, started FROM cosim;
DROP TABLE cosim;
ALTER TABLE cosim_new RENAME TO cosim;
INSERT INTO cosim_point SELECT * FROM saved_point;
INSERT INTO cosim_line SELECT * FROM saved_line;
DROP TABLE saved_point;
DROP TABLE saved_line;
