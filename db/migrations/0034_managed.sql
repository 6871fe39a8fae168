-- SPDX-License-Identifier: Apache-2.0
-- What servers of page faults do in a window of a run with managed memory (mempath run --trace-window).

CREATE TABLE managed_window (
    run INTEGER NOT NULL,
    component INTEGER NOT NULL,               -- the first one of the server's counters
    first INTEGER NOT NULL,                   -- the window is the cycles first to last - 1
    last INTEGER NOT NULL,
    page_bytes INTEGER NOT NULL,
    PRIMARY KEY (run, component),
    FOREIGN KEY (run, component) REFERENCES component (run, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Actions with cycles in the window. One that begins or ends outside has its real times.
CREATE TABLE managed_action (
    run INTEGER NOT NULL,
    component INTEGER NOT NULL,
    number INTEGER NOT NULL,                  -- in the order in which they became known
    kind TEXT NOT NULL CHECK (kind IN
        ('fault', 'batch', 'service', 'victim', 'invalidation', 'copy in', 'copy out', 'zeroing', 'replay')),
    tenant INTEGER NOT NULL,                  -- of a batch and a replay: the first that was served
    began INTEGER NOT NULL,                   -- cycle
    ended INTEGER NOT NULL,
    page INTEGER,                             -- virtual address of the first; NULL: of a batch or replay
    pages INTEGER NOT NULL,                   -- of a batch: its faults
    PRIMARY KEY (run, component, number),
    FOREIGN KEY (run, component) REFERENCES managed_window ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- The pages of an aligned 2 MB that the GPU's memory has, from this cycle on.
CREATE TABLE managed_resident (
    run INTEGER NOT NULL,
    component INTEGER NOT NULL,
    tenant INTEGER NOT NULL,
    block INTEGER NOT NULL,                   -- virtual address
    cycle INTEGER NOT NULL,
    pages INTEGER NOT NULL,
    PRIMARY KEY (run, component, tenant, block, cycle),
    FOREIGN KEY (run, component) REFERENCES managed_window ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
