-- SPDX-License-Identifier: Apache-2.0
-- requests held back for want of an MSHR, by level and tenant (the latest finished run, or :run)
SELECT * FROM back_pressure WHERE run = :run ORDER BY level, tenant;
