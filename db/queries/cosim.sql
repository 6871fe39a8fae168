-- SPDX-License-Identifier: Apache-2.0
-- RTL beside its model (mempath cosim), the latest first: how much, how fast, whether equal, coverage
SELECT id, block, mode, options, coalesce(stimuli, 'random') AS stimuli, printf('%u', seed) AS seed, status, transactions,
    round(transactions_per_minute / 1e6, 1) AS million_per_minute, points_taken || '/' || points AS coverage, difference
FROM cosim ORDER BY id DESC;
