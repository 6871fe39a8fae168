-- SPDX-License-Identifier: Apache-2.0
-- dynamic energy of each tenant by structure, and its share of the run's
SELECT run, tenant, app, part, structure, round(sum(count * nanojoules) / 1000, 6) AS microjoules,
    round(100 * sum(count * nanojoules) / sum(sum(count * nanojoules)) OVER (PARTITION BY run), 3) AS percent
FROM energy WHERE run = :run
GROUP BY run, tenant, part, structure
ORDER BY run, tenant, part DESC, structure;
