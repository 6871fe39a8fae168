-- SPDX-License-Identifier: Apache-2.0
-- Pointer chases on a machine (mempath chase).

CREATE TABLE chase_point (
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    stride INTEGER NOT NULL,                  -- bytes between addresses
    page_bytes INTEGER NOT NULL,
    sm INTEGER NOT NULL,                      -- of the thread
    footprint INTEGER NOT NULL,               -- bytes
    cycles REAL NOT NULL,                     -- of a load, the mean
    measured REAL,                            -- the same on a GPU; NULL: not compared
    PRIMARY KEY (run, stride, page_bytes, sm, footprint)
) STRICT, WITHOUT ROWID;
