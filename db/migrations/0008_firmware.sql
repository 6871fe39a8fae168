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

-- A run of firmware shows its workloads, since its tenants are address spaces without an application.
DROP VIEW runs;
CREATE VIEW runs AS
SELECT run.id AS run, started, experiment, status,
    CASE WHEN EXISTS (SELECT 1 FROM firmware WHERE firmware.run = run.id)
        THEN (SELECT group_concat(workload || '=' || app, ' ')
              FROM (SELECT workload, ifnull(app, '?') AS app FROM workload w WHERE w.run = run.id ORDER BY workload))
        ELSE (SELECT group_concat(app || '/' || slices || 'g', ' ')
              FROM (SELECT ifnull(app, '?') AS app, slices FROM tenant WHERE tenant.run = run.id ORDER BY tenant))
    END AS apps,
    cycles, seconds, accesses_per_second, translations_per_second, substr(revision, 1, 12) AS revision, host, error
FROM run;
