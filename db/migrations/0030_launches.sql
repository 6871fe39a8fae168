-- SPDX-License-Identifier: Apache-2.0
-- Kernels: a row for each launch of a tenant's first run, and what the machine counted for the tenant between the end of
-- the launch before and its own end.

CREATE TABLE launch (
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    tenant INTEGER NOT NULL,
    number INTEGER NOT NULL,                  -- from 1
    kernel TEXT NOT NULL,
    began INTEGER NOT NULL,                   -- cycles
    ended INTEGER NOT NULL,
    PRIMARY KEY (run, tenant, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE launch_count (
    run INTEGER NOT NULL,
    tenant INTEGER NOT NULL,
    number INTEGER NOT NULL,
    metric INTEGER NOT NULL REFERENCES metric,
    value INTEGER NOT NULL,                   -- the sum over the components
    PRIMARY KEY (run, tenant, number, metric),
    FOREIGN KEY (run, tenant, number) REFERENCES launch ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
