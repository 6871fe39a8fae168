-- SPDX-License-Identifier: Apache-2.0
-- Faults injected into the RTL, and which of them the comparison with the model finds (mempath cosim --mutants).

CREATE TABLE mutation (
    id INTEGER PRIMARY KEY,
    block TEXT NOT NULL,                      -- star
    mode TEXT NOT NULL,                       -- names the RTL; all modes of that RTL were tried
    seed INTEGER NOT NULL,                    -- of the transactions (unsigned 64 bits, stored as signed)
    transactions INTEGER NOT NULL,            -- in each mode, at most
    mutants INTEGER NOT NULL,
    killed INTEGER NOT NULL,
    equivalent INTEGER NOT NULL,              -- proven to have no effect
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
    cell TEXT NOT NULL,                       -- the cell that yosys made of the line: add, mux, dff
    port TEXT NOT NULL,                       -- port of the cell, and the bit of the port
    bit INTEGER NOT NULL,
    source TEXT NOT NULL,                     -- star_tlb_set.sv:620
    mode TEXT,                                -- mode in which it was killed
    stride INTEGER,
    transactions INTEGER,                     -- until it was killed
    difference TEXT,                          -- the first one, in one line
    PRIMARY KEY (mutation, number),
    CHECK ((outcome = 'killed') = (difference IS NOT NULL))
) STRICT, WITHOUT ROWID;
