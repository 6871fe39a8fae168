-- SPDX-License-Identifier: Apache-2.0
-- Kernels of the latest runs.
SELECT run, tenant, app, launch, kernel, began, ended, cycles, instructions, accesses, l1_tlb_misses AS "L1 TLB misses",
    l2_tlb_misses AS "L2 TLB misses", l3_tlb_misses AS "L3 TLB misses", walks, l1_cache_misses AS "L1 misses",
    l2_cache_misses AS "L2 misses", dram_lines AS "DRAM lines"
FROM kernels WHERE run IN (SELECT DISTINCT run FROM launch WHERE run BETWEEN :first AND :last ORDER BY run DESC LIMIT 3)
ORDER BY run DESC, tenant, launch LIMIT 600;
