-- SPDX-License-Identifier: Apache-2.0
-- dynamic energy by structure, and its share of the run's; part: translation or data
WITH spent AS (
    SELECT run, part, structure, access, sum(count) AS count, nanojoules, sum(count * nanojoules) / 1000 AS microjoules
    FROM energy WHERE run = :run
    GROUP BY run, part, structure, access
), answer AS (
    SELECT run, 0 AS rank, part, structure, access, count, nanojoules, microjoules FROM spent
    UNION ALL SELECT run, 1, part, structure, 'all', NULL, NULL, sum(microjoules) FROM spent GROUP BY run, part, structure
    UNION ALL SELECT run, 2, part, 'all', 'all', NULL, NULL, sum(microjoules) FROM spent GROUP BY run, part
    UNION ALL SELECT run, 3, 'all', 'all', 'all', NULL, NULL, sum(microjoules) FROM spent GROUP BY run
)
SELECT run, part, structure, access, count, round(nanojoules, 8) AS nanojoules, round(microjoules, 6) AS microjoules,
    round(100 * microjoules / max(microjoules) OVER (PARTITION BY run), 3) AS percent
FROM answer
ORDER BY run, part = 'all', part DESC, structure = 'all', structure, rank, access;
