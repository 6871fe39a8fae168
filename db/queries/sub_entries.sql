-- SPDX-License-Identifier: Apache-2.0
-- number of sub-entries in use when an entry was evicted
SELECT * FROM sub_entry_use WHERE run = :run ORDER BY level, tenant, sub_entries;
