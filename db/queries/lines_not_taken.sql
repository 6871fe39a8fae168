-- SPDX-License-Identifier: Apache-2.0
-- lines of RTL that a co-simulation with --coverage did not take, and the reasons
SELECT file, line, text, reason FROM cosim_line
WHERE taken = 0 AND cosim = coalesce(:cosim, (SELECT max(cosim) FROM cosim_line)) ORDER BY file, line;
