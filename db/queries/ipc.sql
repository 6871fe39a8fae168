-- SPDX-License-Identifier: Apache-2.0
-- warp instructions per cycle, by tenant
SELECT * FROM ipc WHERE run = :run ORDER BY tenant;
