-- SPDX-License-Identifier: Apache-2.0
-- numbers of papers and their measurements
SELECT paper, figure, series, x, paper_value, measured, unit, ratio, note, runs FROM figures
WHERE (:paper IS NULL OR paper = :paper) AND (:figure IS NULL OR figure = :figure)
ORDER BY paper, figure, position;
