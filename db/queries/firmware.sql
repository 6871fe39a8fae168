-- SPDX-License-Identifier: Apache-2.0
-- runs of firmware, the latest first: outcome, work of the core, use of the GPU
SELECT f.run, r.started, f.image, r.status, f.outcome, f.exit_code, f.instructions, f.exceptions, f.interrupts,
    round(f.nanoseconds / 1e6, 3) AS milliseconds, (SELECT apps FROM runs WHERE runs.run = f.run) AS workloads,
    r.instructions AS warp_instructions, r.accesses AS warp_accesses, r.error
FROM firmware f JOIN run r ON r.id = f.run ORDER BY f.run DESC;
