-- SPDX-License-Identifier: Apache-2.0
-- instructions issued, latency of memory instructions and LSU stalls of the SMs, by tenant
SELECT * FROM sm_activity WHERE run = :run ORDER BY tenant;
