-- SPDX-License-Identifier: Apache-2.0
-- The configuration of each run, in the order of the page's runs.
SELECT run, path, value, unit FROM parameter WHERE run BETWEEN :first AND :last ORDER BY path, run DESC;
