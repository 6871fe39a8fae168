-- SPDX-License-Identifier: Apache-2.0
-- host instructions and cache misses of the simulation loop, per translation and per event
SELECT run, experiment, cut_at, translations, events, round(instructions_per_translation, 1) AS instructions,
    round(l1_misses_per_translation, 2) AS l1_misses, round(l2_misses_per_translation, 2) AS l2_misses,
    round(instructions_per_event, 1) AS instructions_per_event, round(l1_misses_per_event, 2) AS l1_misses_per_event,
    round(l2_misses_per_event, 2) AS l2_misses_per_event, revision
FROM simulation_cost ORDER BY run DESC;
