-- SPDX-License-Identifier: Apache-2.0
-- The runs of the page, the latest first.
SELECT run, replace(substr(started, 1, 19), 'T', ' ') AS "started (UTC)", experiment, status, apps AS tenants,
    (SELECT round(sum(ipc), 4) FROM ipc i WHERE i.run = runs.run) AS "IPC (sum)",
    nullif(changes, '') AS changes, cycles, round(seconds, 3) AS "simulation (s)",
    round(accesses_per_second) AS "accesses (per second)",
    round(translations_per_second) AS "translations (per second)",
    printf('%u', seed) AS seed, revision, host, error
FROM runs WHERE run BETWEEN :first AND :last ORDER BY run DESC;
