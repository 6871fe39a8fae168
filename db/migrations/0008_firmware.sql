-- SPDX-License-Identifier: Apache-2.0
-- Runs of firmware on the management core. Their tenants are the address spaces of the GPU that it manages.

CREATE TABLE firmware (
    run INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE,
    image TEXT NOT NULL,                      -- path
    hash TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    outcome TEXT CHECK (outcome IN ('finished', 'limit', 'stuck', 'interrupted')), -- NULL: it is running, or was killed
    exit_code INTEGER,                        -- given by the firmware when it finished
    instructions INTEGER,
    exceptions INTEGER,
    interrupts INTEGER,
    nanoseconds INTEGER,                      -- simulated
    console TEXT                              -- output of the UART, at most its first megabyte
) STRICT;

-- What launches run, by the workload's number in the GPU's registers.
CREATE TABLE workload (
    run INTEGER NOT NULL REFERENCES firmware ON DELETE CASCADE,
    workload INTEGER NOT NULL,
    app TEXT,
    size TEXT,
    trace TEXT NOT NULL,                      -- path
    hash TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    PRIMARY KEY (run, workload)
) STRICT, WITHOUT ROWID;
