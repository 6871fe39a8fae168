-- SPDX-License-Identifier: Apache-2.0
-- Runs of `run --estimate`. Such a run has the status 'interrupted', so that no view takes it for a finished one, and no
-- counters; `detail` distinguishes it from one that the user stopped.

ALTER TABLE run ADD COLUMN detail REAL;       -- share of the cycles simulated in detail; NULL: the run is no estimate

CREATE TABLE estimate (
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    tenant INTEGER NOT NULL,
    name TEXT NOT NULL,                       -- ipc, l3_tlb_hit_rate, walk_latency
    unit TEXT,                                -- NULL: a ratio
    value REAL NOT NULL,
    half_width REAL,                          -- of the 95 % interval; NULL: too few windows
    windows INTEGER NOT NULL,                 -- measured in detail
    PRIMARY KEY (run, tenant, name)
) STRICT;
