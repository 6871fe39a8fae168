-- SPDX-License-Identifier: Apache-2.0
-- hit rate of the page walk cache, by tenant
SELECT * FROM page_walk_cache WHERE run = :run ORDER BY tenant;
