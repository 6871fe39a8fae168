-- SPDX-License-Identifier: Apache-2.0
-- Results of each tenant of a run, and those of the run, whose tenant is NULL. A metric's place on the page is the
-- order of the statements, so those that are asked for most come first. A view is evaluated once for all its columns.
SELECT run, tenant, iif(k = 1, 'IPC', 'cycles') AS metric, iif(k = 1, 'warp instructions per cycle', 'cycles') AS unit,
    iif(k = 1, ipc, cycles) AS value
FROM ipc CROSS JOIN (SELECT 1 AS k UNION ALL SELECT 2) WHERE run = :run
UNION ALL
SELECT run, tenant, 'relative performance', 'of alone', relative_performance FROM slowdown WHERE run = :run
UNION ALL
SELECT run, NULL, CASE k WHEN 1 THEN 'harmonic mean' WHEN 2 THEN 'weighted speedup' ELSE 'fairness' END,
    iif(k < 3, 'of alone', 'smallest slowdown over largest'),
    CASE k WHEN 1 THEN harmonic_mean WHEN 2 THEN weighted_speedup ELSE fairness END
FROM workload_performance CROSS JOIN (SELECT 1 AS k UNION ALL SELECT 2 UNION ALL SELECT 3) WHERE run = :run
UNION ALL
SELECT run, tenant, level || iif(k = 1, ' hit rate', ' MPKI'),
    iif(k = 1, 'of look-ups', 'misses per 1000 warp instructions'),
    iif(k = 1, hit_rate, mpki)
FROM (SELECT h.run, h.tenant, h.level, h.hit_rate, 1000.0 * h.misses / nullif(t.instructions, 0) AS mpki
    FROM tlb_hit_rate h JOIN tenant t ON t.run = h.run AND t.tenant = h.tenant WHERE h.run = :run)
CROSS JOIN (SELECT 1 AS k UNION ALL SELECT 2)
UNION ALL
SELECT run, tenant, CASE k WHEN 1 THEN 'walk latency' WHEN 2 THEN 'walk queueing' ELSE 'walk latency p99' END,
    iif(k < 3, 'cycles, mean', 'cycles, within ' || error_percent || ' %'), CASE k WHEN 1 THEN mean_cycles WHEN 2 THEN mean_queueing ELSE p99 END
FROM walk_latency CROSS JOIN (SELECT 1 AS k UNION ALL SELECT 2 UNION ALL SELECT 3) WHERE run = :run
UNION ALL
SELECT run, tenant, 'page walk cache hit rate', 'of look-ups', hit_rate FROM page_walk_cache WHERE run = :run
UNION ALL
SELECT run, tenant, level || ' hit rate', 'of look-ups', hit_rate FROM cache_hit_rate WHERE run = :run
UNION ALL
SELECT run, tenant, iif(k = 1, 'DRAM row hit rate', 'DRAM utilisation'), iif(k = 1, 'of accesses', 'of cycles'),
    iif(k = 1, row_hit_rate, utilisation)
FROM dram_use CROSS JOIN (SELECT 1 AS k UNION ALL SELECT 2) WHERE run = :run
UNION ALL
SELECT run, tenant, 'access latency', 'cycles, mean', mean_access_cycles FROM sm_activity WHERE run = :run
UNION ALL
SELECT run, tenant, level || ' stalls', 'per 1000 look-ups', stalls_per_1000 FROM back_pressure WHERE run = :run
UNION ALL
SELECT id, NULL, 'simulation speed', 'translations per second', translations_per_second FROM run WHERE id = :run;
