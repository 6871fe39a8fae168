-- SPDX-License-Identifier: Apache-2.0
-- coverage of firmware's recovery: faults on purpose by image and kind, and what became of them
SELECT f.image, i.fault, count(*) AS faults,
    sum(i.outcome = 'recovered') AS recovered, sum(i.outcome = 'detected') AS detected,
    sum(i.outcome = 'wrong result') AS "wrong result", sum(i.outcome = 'undetected') AS undetected,
    sum(i.outcome = 'not reached') AS "not reached",
    round(100.0 * sum(i.outcome = 'recovered') / nullif(sum(i.outcome <> 'not reached'), 0), 1) AS "recovered %"
FROM injection i JOIN firmware f ON f.run = i.run GROUP BY f.image, i.fault ORDER BY f.image, i.fault;
