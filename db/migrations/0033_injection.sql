-- SPDX-License-Identifier: Apache-2.0
-- Faults on purpose in runs of firmware (mempath firmware run --inject).

CREATE TABLE injection (
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    number INTEGER NOT NULL,                  -- in the plan, from 1
    fault TEXT NOT NULL,                      -- kind: interrupt-lost
    place TEXT NOT NULL,                      -- where, and how long it lasts: gpu-queue; empty if there is one place
    planned TEXT NOT NULL,                    -- event N or cycle N
    seed INTEGER,                             -- that it was drawn with; NULL: the plan names it
    cycle INTEGER,                            -- of the GPU, in which it happened; NULL: never
    outcome TEXT NOT NULL
        CHECK (outcome IN ('recovered', 'detected', 'undetected', 'wrong result', 'not reached')),
    PRIMARY KEY (run, number)
) STRICT, WITHOUT ROWID;
