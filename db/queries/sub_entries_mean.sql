-- SPDX-License-Identifier: Apache-2.0
-- mean of the sub-entries in use at eviction (the latest finished run, or :run)
SELECT * FROM sub_entry_use_mean WHERE run = :run ORDER BY level, tenant;
