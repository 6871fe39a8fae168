-- SPDX-License-Identifier: Apache-2.0
-- simulation speed of each run, and the host
SELECT run, experiment, accesses, translations, round(seconds, 3) AS seconds,
    round(accesses_per_second) AS accesses_per_second, round(translations_per_second) AS translations_per_second,
    round(cycles_per_second) AS cycles_per_second, round(peak_memory_mib, 1) AS peak_memory_mib, build_type, revision,
    host
FROM simulation_speed ORDER BY run DESC;
