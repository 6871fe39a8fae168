-- SPDX-License-Identifier: Apache-2.0
-- Runs of firmware. The end of a long console says more than its begin.
SELECT f.run, replace(substr(r.started, 1, 19), 'T', ' ') AS "started (UTC)",
    replace(f.image, rtrim(f.image, replace(f.image, '/', '')), '') AS image, r.status, f.outcome,
    f.exit_code AS "exit code",
    f.instructions, f.exceptions, f.interrupts, round(f.nanoseconds / 1e6, 3) AS "simulated time (ms)",
    (SELECT apps FROM runs WHERE runs.run = f.run) AS workloads, r.instructions AS "GPU instructions (of warps)",
    substr(f.console, -2000) AS console, r.error
FROM firmware f JOIN run r ON r.id = f.run WHERE f.run BETWEEN :first AND :last ORDER BY f.run DESC LIMIT 50;
