-- SPDX-License-Identifier: Apache-2.0
-- each line of RTL that a co-simulation with --coverage did not take (the latest, or :cosim), and why not
SELECT file, line, text, reason FROM cosim_line
WHERE taken = 0 AND cosim = coalesce(:cosim, (SELECT max(cosim) FROM cosim_line)) ORDER BY file, line;
