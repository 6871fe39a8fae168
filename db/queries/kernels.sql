-- SPDX-License-Identifier: Apache-2.0
-- each launch of a kernel: when it ran, and what was counted since the launch before
SELECT k.*, round(e.translation, 6) AS translation_microjoules, round(e.data, 6) AS data_microjoules
FROM kernels k
LEFT JOIN (SELECT tenant, launch, sum(iif(part = 'translation', count * nanojoules, 0)) / 1000 AS translation,
        sum(iif(part = 'data', count * nanojoules, 0)) / 1000 AS data
    FROM launch_energy WHERE run = :run
    GROUP BY tenant, launch) e ON e.tenant = k.tenant AND e.launch = k.launch
WHERE k.run = :run
ORDER BY k.run, k.tenant, k.launch;
