-- SPDX-License-Identifier: Apache-2.0
-- co-simulations of RTL and its model, the latest first: amount, speed, result, coverage
SELECT id, block, mode, options, coalesce(stimuli, 'random') AS stimuli, printf('%u', seed) AS seed, status, transactions,
    round(transactions_per_minute / 1e6, 1) AS million_per_minute, points_taken || '/' || points AS coverage, difference
FROM cosim ORDER BY id DESC;
