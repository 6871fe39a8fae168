-- SPDX-License-Identifier: Apache-2.0
-- reuse distance of translations at the last TLB level
SELECT * FROM reuse_distance WHERE run = :run ORDER BY tenant, from_pages;
