-- SPDX-License-Identifier: Apache-2.0
-- lines of RTL that a co-simulation with --coverage took (default: the latest), by file
SELECT file, count(*) AS lines, sum(taken > 0) AS taken, sum(taken = 0 AND reason IS NOT NULL) AS explained,
    round(100.0 * sum(taken > 0) / count(*), 1) AS percent,
    coalesce(group_concat(CASE WHEN taken = 0 AND reason IS NULL THEN line END, ' '), '') AS not_taken
FROM cosim_line
WHERE cosim = coalesce(:cosim, (SELECT max(cosim) FROM cosim_line)) GROUP BY file ORDER BY file;
