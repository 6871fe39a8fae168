-- SPDX-License-Identifier: Apache-2.0
-- requests held back because all MSHRs were in use, by level and tenant
SELECT * FROM back_pressure WHERE run = :run ORDER BY level, tenant;
