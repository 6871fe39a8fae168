-- SPDX-License-Identifier: Apache-2.0
-- Host instructions and cache misses per translation (mempath bench --counts).
SELECT run, experiment, changes, cut_at AS "cut at (cycle)", translations,
    instructions_per_translation AS "instructions (per translation)",
    l1_misses_per_translation AS "L1 misses (per translation)",
    l2_misses_per_translation AS "L2 misses (per translation)",
    revision
FROM simulation_cost WHERE run BETWEEN :first AND :last ORDER BY run DESC LIMIT 200;
