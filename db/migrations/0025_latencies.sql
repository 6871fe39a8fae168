-- SPDX-License-Identifier: Apache-2.0
-- Histograms of latencies have bins of at most 3.2 % and their largest value. Those of earlier runs have bins that double
-- in width, and no largest value.

ALTER TABLE histogram ADD COLUMN maximum INTEGER; -- the largest value; NULL if it is not known

-- A further kind of histogram. SQLite cannot change a CHECK, and no row changes.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, '''histogram_log2''', '''histogram_log2'', ''histogram_log_linear''')
WHERE type = 'table' AND name = 'metric';
PRAGMA writable_schema = RESET;
