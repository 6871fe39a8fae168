-- SPDX-License-Identifier: Apache-2.0
-- warp instructions per cycle by tenant (the latest finished run, or :run)
SELECT * FROM ipc WHERE run = :run ORDER BY tenant;
