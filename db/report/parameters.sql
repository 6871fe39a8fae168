-- SPDX-License-Identifier: Apache-2.0
-- The configuration of each run.
SELECT run, path, value, unit FROM parameter WHERE run BETWEEN :first AND :last ORDER BY path, run;
