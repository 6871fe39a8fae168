-- SPDX-License-Identifier: Apache-2.0
-- Runs of firmware on the management core. Their tenants are the address spaces of the GPU that it manages.

CREATE TABLE firmware (
    run INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE,
    image TEXT NOT NULL,                      -- path
    hash TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    outcome TEXT CHECK (outcome IN ('finished', 'limit', 'stuck', 'interrupted')), -- NULL: it runs, or was killed
    exit_code INTEGER,                        -- that the firmware gave when it finished
    instructions INTEGER,
    exceptions INTEGER,
    interrupts INTEGER,
    nanoseconds INTEGER,                      -- simulated
    console TEXT                              -- what went to the UART, at most its first megabyte
) STRICT;

-- What launches ran, by its number in the GPU's registers.
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

-- Nobody's address spaces are not worth a mention: what stands there are the workloads.
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
