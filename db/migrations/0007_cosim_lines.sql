-- SPDX-License-Identifier: Apache-2.0
-- Lines of the RTL that a co-simulation took (mempath cosim --coverage).

CREATE TABLE cosim_line (
    cosim INTEGER NOT NULL REFERENCES cosim ON DELETE CASCADE,
    file TEXT NOT NULL,                       -- of rtl/
    line INTEGER NOT NULL,
    taken INTEGER NOT NULL,                   -- how often, that of its branches which was taken least
    text TEXT NOT NULL,
    reason TEXT,                              -- why this mode need not take it
    PRIMARY KEY (cosim, file, line)
) STRICT, WITHOUT ROWID;
