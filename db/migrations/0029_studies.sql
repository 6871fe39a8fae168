-- SPDX-License-Identifier: Apache-2.0
-- A study is what a sweep's file describes: axes, and points with a value of each. Its hash is that of axes and points,
-- so that all databases know the study by it.

CREATE TABLE study (
    id INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    description TEXT NOT NULL DEFAULT '',
    started TEXT NOT NULL
) STRICT;

-- Paths with equal positions vary together.
CREATE TABLE axis (
    study INTEGER NOT NULL REFERENCES study ON DELETE CASCADE,
    position INTEGER NOT NULL,
    path TEXT NOT NULL,
    varies INTEGER NOT NULL,                  -- 0: all points have one value
    PRIMARY KEY (study, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE point (
    study INTEGER NOT NULL REFERENCES study ON DELETE CASCADE,
    number INTEGER NOT NULL,                  -- from 1, in the order of the file
    label TEXT NOT NULL,                      -- the values that vary
    PRIMARY KEY (study, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE point_value (
    study INTEGER NOT NULL,
    number INTEGER NOT NULL,
    path TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (study, number, path),
    FOREIGN KEY (study, number) REFERENCES point ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Runs of a point. A run may belong to points of several studies.
CREATE TABLE point_run (
    study INTEGER NOT NULL,
    number INTEGER NOT NULL,
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    PRIMARY KEY (study, number, run),
    FOREIGN KEY (study, number) REFERENCES point ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX point_run_run ON point_run (run);

-- The run alone with which a tenant of a run is compared, and how its machine differs.
CREATE TABLE reference (
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    tenant INTEGER NOT NULL,
    alone INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    settings TEXT NOT NULL,                   -- '': the same machine
    PRIMARY KEY (run, tenant)
) STRICT, WITHOUT ROWID;

-- What a run is for. An 'alone' run is one that only others are compared with; when it is asked for, it is 'requested'.
-- 'cut': it was ended at a cycle. parent: of an 'alone' run, the first run that was compared with it.
ALTER TABLE run ADD COLUMN role TEXT NOT NULL DEFAULT 'requested' CHECK (role IN ('requested', 'alone', 'cut'));
ALTER TABLE run ADD COLUMN parent INTEGER;
UPDATE run SET role = 'alone' WHERE (experiment GLOB '* alone [0-9]*g' OR experiment GLOB '* alone [0-9]* SMs')
    AND (SELECT count(*) FROM tenant WHERE tenant.run = run.id) = 1;
UPDATE run SET role = 'cut' WHERE cut_at IS NOT NULL;

-- The time at which the process of a running run was last known to be alive; other hosts cannot ask the process.
ALTER TABLE run ADD COLUMN beat TEXT;
