-- SPDX-License-Identifier: Apache-2.0
-- reuse distance of translations at the L3 TLB (the latest finished run, or :run)
SELECT * FROM reuse_distance WHERE run = :run ORDER BY tenant, from_pages;
