-- SPDX-License-Identifier: Apache-2.0
-- a counter over time and its growth, summed over the components of a kind (kind=l3_tlb metric=misses)
SELECT cycle, tenant, value, value - lag(value, 1, 0) OVER (PARTITION BY tenant ORDER BY cycle) AS growth, unit
FROM (SELECT cycle, tenant, sum(value) AS value, unit FROM epochs
    WHERE run = :run AND kind IN (SELECT name FROM component_kind WHERE name = :kind OR kind = :kind) AND metric = :metric
    GROUP BY cycle, tenant)
ORDER BY cycle, tenant;
