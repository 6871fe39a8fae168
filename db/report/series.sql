-- SPDX-License-Identifier: Apache-2.0
-- Counters over time, of the latest run with epochs: what TLBs hold and miss, and how many walks there were.
SELECT e.run, e.kind || '.' || e.metric AS metric, e.tenant, e.cycle, e.unit, CASE WHEN e.metric = 'held' THEN e.value
    ELSE e.value - lag(e.value, 1, 0) OVER (PARTITION BY e.kind, e.metric, e.tenant ORDER BY e.cycle) END AS value
FROM (SELECT run, kind, metric, tenant, cycle, unit, sum(value) AS value FROM epochs
    WHERE run = (SELECT max(run) FROM epoch_batch WHERE run BETWEEN :first AND :last)
        AND (metric IN ('held', 'misses') AND kind IN (SELECT name FROM component_kind WHERE kind = 'tlb') OR metric = 'walks')
    GROUP BY kind, metric, tenant, cycle LIMIT 6000) e
ORDER BY metric, e.tenant, e.cycle;
