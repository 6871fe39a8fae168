-- SPDX-License-Identifier: Apache-2.0
-- lookups, hits and hit rate of each TLB level, by tenant
SELECT * FROM tlb_hit_rate WHERE run = :run ORDER BY level, tenant;
