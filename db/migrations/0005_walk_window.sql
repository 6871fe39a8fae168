-- SPDX-License-Identifier: Apache-2.0
-- The page walks in a window of a run (mempath run --trace-window).

CREATE TABLE walk_window (
    run INTEGER NOT NULL,
    component INTEGER NOT NULL,               -- a page-walk system
    first INTEGER NOT NULL,                   -- the window is the cycles first to last - 1
    last INTEGER NOT NULL,
    walkers INTEGER NOT NULL,
    PRIMARY KEY (run, component),
    FOREIGN KEY (run, component) REFERENCES component (run, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Walks with cycles in the window. A walk that begins or ends outside has its real times.
CREATE TABLE walk (
    run INTEGER NOT NULL,
    component INTEGER NOT NULL,
    walker INTEGER NOT NULL,
    started INTEGER NOT NULL,                 -- cycle
    arrived INTEGER NOT NULL,
    ended INTEGER,                            -- NULL: the run ended first
    tenant INTEGER NOT NULL,
    asid INTEGER NOT NULL,
    page INTEGER NOT NULL,                    -- virtual address
    levels INTEGER NOT NULL,                  -- page table entries read
    owner INTEGER,                            -- tenant that owned the walker; NULL: none
    stolen INTEGER NOT NULL GENERATED ALWAYS AS (ifnull(owner <> tenant, 0)) VIRTUAL,
    PRIMARY KEY (run, component, walker, started),
    FOREIGN KEY (run, component) REFERENCES walk_window ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Number of waiting walks of a tenant, from this cycle on.
CREATE TABLE walk_waiting (
    run INTEGER NOT NULL,
    component INTEGER NOT NULL,
    cycle INTEGER NOT NULL,
    tenant INTEGER NOT NULL,
    walks INTEGER NOT NULL,
    PRIMARY KEY (run, component, cycle, tenant),
    FOREIGN KEY (run, component) REFERENCES walk_window ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- A walker's owner, from this cycle on.
CREATE TABLE walker_owner (
    run INTEGER NOT NULL,
    component INTEGER NOT NULL,
    cycle INTEGER NOT NULL,
    walker INTEGER NOT NULL,
    tenant INTEGER NOT NULL,
    PRIMARY KEY (run, component, cycle, walker),
    FOREIGN KEY (run, component) REFERENCES walk_window ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
