-- SPDX-License-Identifier: Apache-2.0
-- Kernels of the latest runs.
WITH latest AS (SELECT DISTINCT run FROM launch WHERE run BETWEEN :first AND :last ORDER BY run DESC LIMIT 3),
    spent AS (SELECT run, tenant, launch, sum(count * nanojoules) / 1000 AS microjoules FROM launch_energy
        WHERE run IN (SELECT run FROM latest) GROUP BY run, tenant, launch)
SELECT run, tenant, app, launch, kernel, began, ended, cycles, instructions, accesses, l1_tlb_misses AS "L1 TLB misses",
    l2_tlb_misses AS "L2 TLB misses", l3_tlb_misses AS "L3 TLB misses", walks, l1_cache_misses AS "L1 misses",
    l2_cache_misses AS "L2 misses", dram_lines AS "DRAM lines", round(microjoules, 3) AS "energy (uJ)"
FROM kernels LEFT JOIN spent USING (run, tenant, launch)
WHERE run IN (SELECT run FROM latest)
ORDER BY run DESC, tenant, launch LIMIT 600;
