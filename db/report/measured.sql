-- SPDX-License-Identifier: Apache-2.0
-- Measured points of papers in this database, each next to what the paper prints.
SELECT paper, figure, series, x, measured, substr(revision, 1, 12) AS revision, paper_value, unit, note, derived
FROM figures WHERE measured IS NOT NULL ORDER BY paper, figure, position;
