-- SPDX-License-Identifier: Apache-2.0
-- page walk cache hit rate by tenant (the latest finished run, or :run)
SELECT * FROM page_walk_cache WHERE run = :run ORDER BY tenant;
