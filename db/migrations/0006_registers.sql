-- SPDX-License-Identifier: Apache-2.0
-- The management core's registers, as its firmware sees them (mempath firmware regs --record). Numbers of 64 bits are
-- unsigned, stored as signed: printf('0x%x', reset).

CREATE TABLE register (
    block TEXT NOT NULL,                      -- GPU
    name TEXT NOT NULL,                       -- AS_ROOT
    address INTEGER NOT NULL,                 -- of the first of `count` registers, `stride` bytes apart
    count INTEGER NOT NULL,
    stride INTEGER NOT NULL,
    bytes INTEGER NOT NULL,                   -- width of an access
    access TEXT NOT NULL CHECK (access IN ('RO', 'RW', 'WO', 'W1C')),
    reset INTEGER NOT NULL,
    reserved INTEGER NOT NULL,                -- bits that read as zero and ignore writes
    effects TEXT NOT NULL,                    -- r: reads have one, w: writes have one, *: changes by itself
    description TEXT NOT NULL,
    PRIMARY KEY (block, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE register_field (
    block TEXT NOT NULL,
    register TEXT NOT NULL,
    name TEXT NOT NULL,
    low INTEGER NOT NULL,                     -- lowest bit
    bits INTEGER NOT NULL,
    description TEXT NOT NULL,
    PRIMARY KEY (block, register, name),
    FOREIGN KEY (block, register) REFERENCES register ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
