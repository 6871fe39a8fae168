-- SPDX-License-Identifier: Apache-2.0
-- lookups, hits and hit rate of the data caches, by tenant
SELECT * FROM cache_hit_rate WHERE run = :run ORDER BY level, tenant;
