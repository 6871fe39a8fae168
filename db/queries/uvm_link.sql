-- SPDX-License-Identifier: Apache-2.0
-- the link to the host in twentieths of the window of run --trace-window: share of the time, and GB/s, in each direction
WITH RECURSIVE part (run, component, number, first, last, page_bytes) AS (
        SELECT run, component, 0, first, last, page_bytes FROM managed_window WHERE run = :run
        UNION ALL SELECT run, component, number + 1, first, last, page_bytes FROM part WHERE number < 19),
    span AS (SELECT run, component, number, page_bytes, first + (last - first) * number / 20 AS began,
        first + (last - first) * (number + 1) / 20 AS ended FROM part),
    copied AS (SELECT s.component, s.began, s.ended, s.page_bytes, a.kind, a.pages, a.ended - a.began AS takes,
            max(0, min(a.ended, s.ended) - max(a.began, s.began)) AS busy
        FROM span s LEFT JOIN managed_action a ON a.run = s.run AND a.component = s.component
            AND a.kind IN ('copy in', 'copy out') AND a.began < s.ended AND a.ended > s.began),
    total AS (SELECT component, began, ended,
            total(iif(kind = 'copy in', busy, 0)) AS busy_in, total(iif(kind = 'copy out', busy, 0)) AS busy_out,
            total(iif(kind = 'copy in', 1.0 * page_bytes * pages * busy / takes, 0)) AS bytes_in,
            total(iif(kind = 'copy out', 1.0 * page_bytes * pages * busy / takes, 0)) AS bytes_out
        FROM copied GROUP BY component, began, ended)
SELECT c.path AS server, began AS "from", ended AS "to", round(busy_in / (ended - began), 4) AS "in",
    round(busy_out / (ended - began), 4) AS "out", round(bytes_in / (ended - began) * p.value / 1000, 3) AS "GB/s in",
    round(bytes_out / (ended - began) * p.value / 1000, 3) AS "GB/s out"
FROM total t
JOIN component c ON c.run = :run AND c.id = t.component
LEFT JOIN parameter p ON p.run = :run AND p.path = 'machine.clock_mhz'
WHERE ended > began
ORDER BY t.component, began;
