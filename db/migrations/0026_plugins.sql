-- SPDX-License-Identifier: Apache-2.0
-- The shared objects of the user's that added designs to the program of a run. Their hashes are part of the run's
-- config_hash and machine_hash.

CREATE TABLE run_plugin (
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    name TEXT NOT NULL,
    path TEXT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (run, name)
) STRICT, WITHOUT ROWID;
