-- SPDX-License-Identifier: Apache-2.0
-- address functions that were found by time alone (mempath reveal), and whether they are the machine's
SELECT f.resource, f.number, f.bits, CASE f.equal WHEN 1 THEN 'equal' ELSE 'different' END AS span
FROM reveal_function f WHERE f.run = :run
ORDER BY CASE f.resource WHEN 'bank' THEN 0 WHEN 'set' THEN 1 ELSE 2 END, f.number;
