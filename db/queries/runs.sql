-- SPDX-License-Identifier: Apache-2.0
-- every run, the latest first: changes from the experiment, status, tenants, cycles, speed
SELECT run, started, experiment, printf('%u', seed) AS seed, nullif(trim(changes || ' ' || ifnull(plugins, '')), '') AS changes, status,
    apps, cycles, round(seconds, 2) AS seconds, round(accesses_per_second) AS accesses_per_second, error
FROM runs ORDER BY run DESC;
