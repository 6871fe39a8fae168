-- SPDX-License-Identifier: Apache-2.0
-- Lists of all runs. A row of `run` holds the configuration's text, so that 100,000 rows are 400 MB: what lists show is in
-- an index of a tenth of that. SQLite reads an index only if a query names stored columns, thus the quotients here.
CREATE INDEX run_listing ON run (id, status, experiment, machine_hash, revision, started, seed, changes, cut_at, detail,
    cycles, accesses, translations, seconds, peak_memory, build_type, compiler, host, cpu, cores, error);
DROP INDEX run_by_machine;
CREATE INDEX run_by_machine ON run (machine_hash, status, revision);

-- The values of one parameter in all runs lie together; those of all parameters are 6 KB a run.
DROP INDEX parameter_by_path;
CREATE UNIQUE INDEX parameter_by_path ON parameter (path, run, value);
