-- SPDX-License-Identifier: Apache-2.0
-- Tables. Times are UTC, ISO 8601 with milliseconds. Hashes are XXH3-128, 32 hex digits, as xxhsum -H2 prints.

CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,                -- stays the same if databases are merged; id does not
    experiment TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('running', 'done', 'failed', 'interrupted', 'killed')),
    error TEXT,
    command_line TEXT NOT NULL,
    revision TEXT NOT NULL,
    build_type TEXT NOT NULL,
    compiler TEXT NOT NULL,
    seed INTEGER NOT NULL,                    -- unsigned 64 bits, stored as signed
    config_hash TEXT NOT NULL,
    machine_hash TEXT NOT NULL,               -- hash of the configuration without its name and tenants
    host TEXT NOT NULL,
    cpu TEXT NOT NULL,
    cores INTEGER NOT NULL,
    started TEXT NOT NULL,
    ended TEXT,
    cycles INTEGER,                           -- totals include applications that started again
    instructions INTEGER,                     -- warp instructions
    accesses INTEGER,                         -- warp memory instructions
    translations INTEGER,                     -- page-level requests to L1 TLBs
    seconds REAL,                             -- spent in simulation
    accesses_per_second REAL GENERATED ALWAYS AS (accesses / nullif(seconds, 0)) VIRTUAL,
    translations_per_second REAL GENERATED ALWAYS AS (translations / nullif(seconds, 0)) VIRTUAL,
    cycles_per_second REAL GENERATED ALWAYS AS (cycles / nullif(seconds, 0)) VIRTUAL,
    peak_memory INTEGER,                      -- bytes
    digest TEXT,                              -- hash over the results
    boot TEXT NOT NULL,                       -- machine, boot, pid namespace and file, which with the
    pid INTEGER NOT NULL,                     -- process identify a run that was killed
    pid_started INTEGER NOT NULL,
    config TEXT NOT NULL
) STRICT;
CREATE INDEX run_by_config ON run (config_hash, revision);
CREATE INDEX run_by_machine ON run (machine_hash);

-- A tenant of a run, with the results of its first complete run.
CREATE TABLE tenant (
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    tenant INTEGER NOT NULL CHECK (tenant >= 0),
    app TEXT,
    size TEXT,
    slices INTEGER NOT NULL,
    cycles INTEGER,
    instructions INTEGER,
    thread_instructions INTEGER,
    accesses INTEGER,
    translations INTEGER,
    completions INTEGER,
    PRIMARY KEY (run, tenant)
) STRICT, WITHOUT ROWID;

CREATE TABLE run_input (
    run INTEGER NOT NULL,
    tenant INTEGER NOT NULL,
    trace TEXT NOT NULL,                      -- path
    hash TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    PRIMARY KEY (run, tenant),
    FOREIGN KEY (run, tenant) REFERENCES tenant ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX run_input_by_hash ON run_input (hash);

CREATE TABLE component (
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    id INTEGER NOT NULL,
    parent INTEGER,
    path TEXT NOT NULL,                       -- gpu.gpc0.l2_tlb
    kind TEXT NOT NULL,                       -- l2_tlb
    PRIMARY KEY (run, id),
    UNIQUE (run, path),
    FOREIGN KEY (run, parent) REFERENCES component (run, id) DEFERRABLE INITIALLY DEFERRED
) STRICT, WITHOUT ROWID;

-- The dictionary of numbers. An entry with another unit or kind is a new entry.
CREATE TABLE metric (
    id INTEGER PRIMARY KEY,
    component_kind TEXT NOT NULL,
    name TEXT NOT NULL,
    unit TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('counter', 'gauge', 'histogram_linear', 'histogram_log2')),
    description TEXT NOT NULL,
    UNIQUE (component_kind, name, unit, kind)
) STRICT;

-- In these tables, tenant is NULL if a number belongs to no tenant.
CREATE TABLE value (
    run INTEGER NOT NULL,
    metric INTEGER NOT NULL REFERENCES metric,
    component INTEGER NOT NULL,
    tenant INTEGER,
    value INTEGER NOT NULL,
    FOREIGN KEY (run, component) REFERENCES component (run, id) ON DELETE CASCADE,
    FOREIGN KEY (run, tenant) REFERENCES tenant
) STRICT;
CREATE UNIQUE INDEX value_key ON value (run, metric, component, ifnull(tenant, -1));

CREATE TABLE histogram (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL,
    metric INTEGER NOT NULL REFERENCES metric,
    component INTEGER NOT NULL,
    tenant INTEGER,
    bins INTEGER NOT NULL,                    -- number of bins; the last one counts all higher values, too
    total INTEGER NOT NULL,                   -- sum of the counts
    FOREIGN KEY (run, component) REFERENCES component (run, id) ON DELETE CASCADE,
    FOREIGN KEY (run, tenant) REFERENCES tenant
) STRICT;
CREATE UNIQUE INDEX histogram_key ON histogram (run, metric, component, ifnull(tenant, -1));

CREATE TABLE histogram_bin (                  -- bins that are not empty
    histogram INTEGER NOT NULL REFERENCES histogram ON DELETE CASCADE,
    bin INTEGER NOT NULL,
    low INTEGER NOT NULL,                     -- smallest and largest value counted
    high INTEGER NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (histogram, bin)
) STRICT, WITHOUT ROWID;

-- Epoch snapshots come by the million. They are appended by rowid without index and foreign key, which is twice as
-- fast. The rows of one transaction are consecutive, and a row of epoch_batch names them and their run.
CREATE TABLE epoch_batch (
    first INTEGER PRIMARY KEY,                -- ids of rows of epoch
    last INTEGER NOT NULL,
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE
) STRICT;
CREATE INDEX epoch_batch_by_run ON epoch_batch (run);

CREATE TABLE epoch (
    id INTEGER PRIMARY KEY,
    cycle INTEGER NOT NULL,                   -- start of the epoch
    component INTEGER NOT NULL,
    tenant INTEGER,
    metric INTEGER NOT NULL,
    value INTEGER NOT NULL
) STRICT;

CREATE TRIGGER epoch_batch_delete AFTER DELETE ON epoch_batch BEGIN
    DELETE FROM epoch WHERE id BETWEEN old.first AND old.last;
END;

CREATE TABLE paper_point (
    paper TEXT NOT NULL,
    figure TEXT NOT NULL,
    series TEXT NOT NULL,
    x TEXT NOT NULL,
    value REAL,                               -- NULL: the figure prints no number
    unit TEXT NOT NULL,
    note TEXT NOT NULL,
    position INTEGER NOT NULL,                -- in the order of the figure
    PRIMARY KEY (paper, figure, series, x)
) STRICT, WITHOUT ROWID;

CREATE TABLE measured_point (
    id INTEGER PRIMARY KEY,
    paper TEXT NOT NULL,
    figure TEXT NOT NULL,
    series TEXT NOT NULL,
    x TEXT NOT NULL,
    value REAL NOT NULL,
    revision TEXT NOT NULL,
    measured TEXT NOT NULL,
    FOREIGN KEY (paper, figure, series, x) REFERENCES paper_point ON DELETE CASCADE
) STRICT;
CREATE INDEX measured_point_by_point ON measured_point (paper, figure, series, x);

CREATE TABLE measured_run (                   -- the runs behind a measured point
    point INTEGER NOT NULL REFERENCES measured_point ON DELETE CASCADE,
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    PRIMARY KEY (point, run)
) STRICT, WITHOUT ROWID;
CREATE INDEX measured_run_by_run ON measured_run (run);
