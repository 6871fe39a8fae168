-- SPDX-License-Identifier: Apache-2.0
-- A co-simulation can end in more ways than by a difference, it counts resets, and the stimuli of a file are driven
-- from a seed, too. SQLite changes no CHECK, so the table is made anew; its coverage would go with the old one.

CREATE TEMP TABLE saved_point AS SELECT * FROM cosim_point;
CREATE TEMP TABLE saved_line AS SELECT * FROM cosim_line;

CREATE TABLE cosim_new (
    id INTEGER PRIMARY KEY,
    block TEXT NOT NULL,                      -- star
    mode TEXT NOT NULL,                       -- star4, or drawn
    options TEXT NOT NULL,                    -- what else was chosen; after a failure, what the failing session ran with
    seed INTEGER,                             -- of random stimuli and of how ports are driven (64 bits, seen as signed)
    stimuli TEXT,                             -- a file; NULL: random
    -- broken: the RTL broke a rule of its ports, failed an assertion, or ended the simulation
    status TEXT NOT NULL CHECK (status IN ('equal', 'different', 'broken', 'hung', 'crashed', 'interrupted')),
    transactions INTEGER NOT NULL,            -- the last one is the one after which they differ
    clocks INTEGER NOT NULL,                  -- of the RTL
    resets INTEGER NOT NULL DEFAULT 0,        -- in the middle of transactions
    seconds REAL NOT NULL,
    transactions_per_minute REAL GENERATED ALWAYS AS (60 * transactions / nullif(seconds, 0)) VIRTUAL,
    points INTEGER NOT NULL,                  -- of coverage
    points_taken INTEGER NOT NULL,
    difference TEXT,                          -- the first, or what the RTL did, in a line
    report TEXT,                              -- and what differs, field by field
    replay TEXT NOT NULL,                     -- the command that does it again
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
