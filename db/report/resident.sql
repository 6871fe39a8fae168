-- SPDX-License-Identifier: Apache-2.0
-- Pages on the GPU from a cycle on, by tenant, of the latest run with a window of managed memory; evenly thinned.
WITH change AS (SELECT run, tenant, cycle, pages - lag(pages, 1, 0) OVER (PARTITION BY tenant, block ORDER BY cycle) AS pages
        FROM managed_resident
        WHERE run = (SELECT max(run) FROM managed_window WHERE run BETWEEN :first AND :last)),
    held AS (SELECT DISTINCT run, tenant, cycle, sum(pages) OVER (PARTITION BY tenant ORDER BY cycle) AS pages FROM change),
    numbered AS (SELECT *, row_number() OVER (ORDER BY cycle, tenant) - 1 AS place, count(*) OVER () AS n FROM held)
SELECT run, tenant, cycle, pages FROM numbered WHERE place % (n / 2000 + 1) = 0 ORDER BY tenant, cycle;
