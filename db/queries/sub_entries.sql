-- SPDX-License-Identifier: Apache-2.0
-- how many sub-entries were in use when an entry was evicted (the latest finished run, or :run)
SELECT * FROM sub_entry_use WHERE run = :run ORDER BY level, tenant, sub_entries;
