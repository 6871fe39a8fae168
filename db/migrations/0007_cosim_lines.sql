-- SPDX-License-Identifier: Apache-2.0
-- Lines of the RTL that a co-simulation took (mempath cosim --coverage).

CREATE TABLE cosim_line (
    cosim INTEGER NOT NULL REFERENCES cosim ON DELETE CASCADE,
    file TEXT NOT NULL,                       -- in rtl/
    line INTEGER NOT NULL,
    taken INTEGER NOT NULL,                   -- how often its least taken branch was taken
    text TEXT NOT NULL,
    reason TEXT,                              -- why this mode does not take it
    PRIMARY KEY (cosim, file, line)
) STRICT, WITHOUT ROWID;
