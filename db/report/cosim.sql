-- SPDX-License-Identifier: Apache-2.0
-- Co-simulations of RTL and its model, the latest of each block, mode and options first.
SELECT id, block, mode, nullif(options, '') AS options,
    coalesce(stimuli, 'random, seed ' || printf('%u', seed)) AS stimuli,
    status, transactions, round(transactions_per_minute) AS "speed (transactions per minute)",
    points_taken AS "arrows taken", points AS arrows, difference, substr(revision, 1, 12) AS revision
FROM cosim ORDER BY id DESC LIMIT 100;
