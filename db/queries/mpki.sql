-- SPDX-License-Identifier: Apache-2.0
-- L2 TLB misses per thousand instructions, by tenant
SELECT * FROM l2_tlb_mpki WHERE run = :run ORDER BY tenant;
