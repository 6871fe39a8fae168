-- SPDX-License-Identifier: Apache-2.0
-- mean of the sub-entries in use at eviction
SELECT * FROM sub_entry_use_mean WHERE run = :run ORDER BY level, tenant;
