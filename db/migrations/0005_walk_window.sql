-- SPDX-License-Identifier: Apache-2.0
-- What the walkers did in a window of a run, walk by walk (mempath run --trace-window).

CREATE TABLE walk_window (
    run INTEGER NOT NULL,
    component INTEGER NOT NULL,               -- a page-walk system
    first INTEGER NOT NULL,                   -- cycle; those of the window are first to last - 1
    last INTEGER NOT NULL,
    walkers INTEGER NOT NULL,
    PRIMARY KEY (run, component),
    FOREIGN KEY (run, component) REFERENCES component (run, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Walks with cycles in the window; where they begin or end outside, that is said as it was.
CREATE TABLE walk (
    run INTEGER NOT NULL,
    component INTEGER NOT NULL,
    walker INTEGER NOT NULL,
    started INTEGER NOT NULL,                 -- cycle
    arrived INTEGER NOT NULL,
    ended INTEGER,                            -- NULL: the run was over before
    tenant INTEGER NOT NULL,
    asid INTEGER NOT NULL,
    page INTEGER NOT NULL,                    -- virtual address
    levels INTEGER NOT NULL,                  -- page table entries read
    owner INTEGER,                            -- tenant that the walker belonged to; NULL: to none
    stolen INTEGER NOT NULL GENERATED ALWAYS AS (ifnull(owner <> tenant, 0)) VIRTUAL,
    PRIMARY KEY (run, component, walker, started),
    FOREIGN KEY (run, component) REFERENCES walk_window ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- From this cycle on so many walks of the tenant wait.
CREATE TABLE walk_waiting (
    run INTEGER NOT NULL,
    component INTEGER NOT NULL,
    cycle INTEGER NOT NULL,
    tenant INTEGER NOT NULL,
    walks INTEGER NOT NULL,
    PRIMARY KEY (run, component, cycle, tenant),
    FOREIGN KEY (run, component) REFERENCES walk_window ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- From this cycle on the walker belongs to the tenant.
CREATE TABLE walker_owner (
    run INTEGER NOT NULL,
    component INTEGER NOT NULL,
    cycle INTEGER NOT NULL,
    walker INTEGER NOT NULL,
    tenant INTEGER NOT NULL,
    PRIMARY KEY (run, component, cycle, walker),
    FOREIGN KEY (run, component) REFERENCES walk_window ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
