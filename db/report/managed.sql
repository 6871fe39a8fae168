-- SPDX-License-Identifier: Apache-2.0
-- Managed memory of each tenant of the runs that have it.
SELECT run, tenant, app, faults, batches, round(faults_per_batch, 1) AS "faults per batch", faulted, prefetched,
    round(coverage, 3) AS coverage, zeroed, copied, refetched, evictions, round(fault_us, 2) AS "mean of a fault (us)",
    round(batch_us, 2) AS "mean of a batch (us)", round(mb_in, 3) AS "in (MB)", round(mb_out, 3) AS "out (MB)",
    round(gbps_in, 2) AS "copies in (GB/s)", round(gbps_out, 2) AS "copies out (GB/s)",
    round(use_in, 4) AS "link in (of the time)", round(use_out, 4) AS "link out (of the time)"
FROM managed_memory WHERE run BETWEEN :first AND :last ORDER BY run DESC, tenant LIMIT 200;
