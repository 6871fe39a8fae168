-- SPDX-License-Identifier: Apache-2.0
-- each tenant against running alone on the same machine (the latest finished run, or :run)
SELECT * FROM slowdown WHERE run = :run ORDER BY run, tenant;
