-- SPDX-License-Identifier: Apache-2.0
-- every run, the latest first: status, who ran, how long, how fast
SELECT run, started, experiment, status, apps, cycles, round(seconds, 2) AS seconds,
    round(accesses_per_second) AS accesses_per_second, error
FROM runs ORDER BY run DESC;
