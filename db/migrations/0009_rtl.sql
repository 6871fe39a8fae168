-- SPDX-License-Identifier: Apache-2.0
-- The cost of the RTL: area, period, equivalence of the netlist (mempath rtl).

CREATE TABLE rtl (
    id INTEGER PRIMARY KEY,
    -- held: within the committed bounds; outside: not within; updated: the bounds were replaced; failed: see error
    status TEXT NOT NULL CHECK (status IN ('held', 'outside', 'updated', 'failed')),
    technology TEXT NOT NULL,                 -- library, corner, wires
    seconds REAL NOT NULL,
    error TEXT,
    tools TEXT NOT NULL,                      -- yosys 0.23, sta 2.0.17
    revision TEXT NOT NULL,
    host TEXT NOT NULL,
    started TEXT NOT NULL,
    CHECK ((status = 'failed') = (error IS NOT NULL))
) STRICT;

CREATE TABLE rtl_figure (
    rtl INTEGER NOT NULL REFERENCES rtl ON DELETE CASCADE,
    position INTEGER NOT NULL,
    design TEXT NOT NULL,                     -- star4
    name TEXT NOT NULL,                       -- area
    unit TEXT NOT NULL,                       -- um2
    value REAL NOT NULL,
    bound REAL,                               -- the committed value, if there is one
    verdict TEXT CHECK (verdict IN ('held', 'grew', 'shrank', 'changed')),
    paper REAL,                               -- the paper's figure, by the paper's method
    CHECK ((bound IS NULL) = (verdict IS NULL)),
    PRIMARY KEY (rtl, position)
) STRICT, WITHOUT ROWID;
