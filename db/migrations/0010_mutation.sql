-- SPDX-License-Identifier: Apache-2.0
-- Small faults in the RTL, and which of them the comparison with the model finds (mempath cosim --mutants).

CREATE TABLE mutation (
    id INTEGER PRIMARY KEY,
    block TEXT NOT NULL,                      -- star
    mode TEXT NOT NULL,                       -- whose RTL it is; every mode of that RTL was tried
    seed INTEGER NOT NULL,                    -- of the transactions (unsigned 64 bits seen as signed)
    transactions INTEGER NOT NULL,            -- in each mode, at most
    mutants INTEGER NOT NULL,
    killed INTEGER NOT NULL,
    equivalent INTEGER NOT NULL,              -- proven to be no fault
    survived INTEGER GENERATED ALWAYS AS (mutants - killed - equivalent) VIRTUAL,
    score REAL GENERATED ALWAYS AS (100.0 * killed / nullif(mutants - equivalent, 0)) VIRTUAL,
    seconds REAL NOT NULL,
    tools TEXT NOT NULL,                      -- verilator 5.006
    revision TEXT NOT NULL,
    host TEXT NOT NULL,
    started TEXT NOT NULL
) STRICT;

CREATE TABLE mutant (
    mutation INTEGER NOT NULL REFERENCES mutation ON DELETE CASCADE,
    number INTEGER NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('killed', 'equivalent', 'survived')),
    fault TEXT NOT NULL,                      -- inv, const0, const1; cnot0, cnot1: inverted while another bit is 0, 1
    cell TEXT NOT NULL,                       -- what yosys made of the line: add, mux, dff
    port TEXT NOT NULL,                       -- its port and the bit of it
    bit INTEGER NOT NULL,
    source TEXT NOT NULL,                     -- star_tlb_set.sv:620
    mode TEXT,                                -- in which it was killed
    stride INTEGER,
    transactions INTEGER,                     -- after how many
    difference TEXT,                          -- the first, in a line
    PRIMARY KEY (mutation, number),
    CHECK ((outcome = 'killed') = (difference IS NOT NULL))
) STRICT, WITHOUT ROWID;
