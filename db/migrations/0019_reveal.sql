-- SPDX-License-Identifier: Apache-2.0
-- Runs that find a GPU's address functions by time alone (mempath reveal).

CREATE TABLE reveal (
    run INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE,
    machine TEXT NOT NULL,                    -- gtx1080
    hidden_seed INTEGER,                      -- of its functions (unsigned 64 bits, stored as signed); NULL: as published
    jitter INTEGER NOT NULL,                  -- cycles added to a reading, at most
    line_bytes INTEGER NOT NULL,
    row_bytes INTEGER NOT NULL,
    ways INTEGER NOT NULL,
    pair_limit INTEGER NOT NULL,              -- cycles from which two loads are of one bank and two rows
    hit_limit INTEGER NOT NULL,               -- cycles from which a load misses
    readings INTEGER NOT NULL
) STRICT;

-- The functions that were found, as a basis in reduced form.
CREATE TABLE reveal_function (
    run INTEGER NOT NULL REFERENCES reveal ON DELETE CASCADE,
    resource TEXT NOT NULL CHECK (resource IN ('bank', 'set', 'module')),
    number INTEGER NOT NULL,
    bits TEXT NOT NULL,                       -- address bits whose XOR it is: 10 12 16
    equal INTEGER NOT NULL CHECK (equal IN (0, 1)), -- the resource's functions span what the machine's do
    PRIMARY KEY (run, resource, number)
) STRICT, WITHOUT ROWID;

-- How many pairs of loads took a number of cycles.
CREATE TABLE reveal_pair (
    run INTEGER NOT NULL REFERENCES reveal ON DELETE CASCADE,
    cycles INTEGER NOT NULL,
    readings INTEGER NOT NULL,
    PRIMARY KEY (run, cycles)
) STRICT, WITHOUT ROWID;
