-- SPDX-License-Identifier: Apache-2.0
-- RTL compared with its reference model, transaction by transaction (mempath cosim).

CREATE TABLE cosim (
    id INTEGER PRIMARY KEY,
    block TEXT NOT NULL,                      -- star
    mode TEXT NOT NULL,                       -- star4
    options TEXT NOT NULL,                    -- other options: stride=2
    seed INTEGER,                             -- of random stimuli (unsigned 64 bits, stored as signed), or
    stimuli TEXT,                             -- file of stimuli
    status TEXT NOT NULL CHECK (status IN ('equal', 'different', 'interrupted')),
    transactions INTEGER NOT NULL,            -- if they differ, up to and including the first difference
    clocks INTEGER NOT NULL,                  -- of the RTL
    seconds REAL NOT NULL,
    transactions_per_minute REAL GENERATED ALWAYS AS (60 * transactions / nullif(seconds, 0)) VIRTUAL,
    points INTEGER NOT NULL,                  -- of coverage
    points_taken INTEGER NOT NULL,
    difference TEXT,                          -- the first one, in one line
    report TEXT,                              -- both states, field by field
    replay TEXT NOT NULL,                     -- the command that repeats it
    tools TEXT NOT NULL,                      -- verilator 5.006
    revision TEXT NOT NULL,
    host TEXT NOT NULL,
    started TEXT NOT NULL,
    CHECK ((seed IS NULL) <> (stimuli IS NULL)),
    CHECK ((status = 'different') = (difference IS NOT NULL))
) STRICT;

-- Coverage: how often each arrow or boundary was taken.
CREATE TABLE cosim_point (
    cosim INTEGER NOT NULL REFERENCES cosim ON DELETE CASCADE,
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    taken INTEGER NOT NULL,
    PRIMARY KEY (cosim, position)
) STRICT, WITHOUT ROWID;
