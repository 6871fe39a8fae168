-- SPDX-License-Identifier: Apache-2.0
-- page walk latency by tenant: mean, queueing, walking, percentiles
SELECT * FROM walk_latency WHERE run = :run ORDER BY tenant;
