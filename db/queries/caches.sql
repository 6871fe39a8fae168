-- SPDX-License-Identifier: Apache-2.0
-- lookups, hits and hit rate of the data caches by tenant (the latest finished run, or :run)
SELECT * FROM cache_hit_rate WHERE run = :run ORDER BY level, tenant;
