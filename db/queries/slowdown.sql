-- SPDX-License-Identifier: Apache-2.0
-- each tenant compared with running alone on the same machine
SELECT * FROM slowdown WHERE run = :run ORDER BY run, tenant;
