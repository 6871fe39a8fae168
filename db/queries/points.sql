-- SPDX-License-Identifier: Apache-2.0
-- the points of a study (study=N; default: the latest) with the latest run of each: sum of IPC, and comparison with running alone
SELECT number, label, run, status, apps, cycles, round(ipc, 4) AS ipc, round(weighted_speedup, 4) AS weighted_speedup,
    round(harmonic_mean, 4) AS harmonic_mean, round(max_slowdown, 4) AS max_slowdown, round(fairness, 4) AS fairness, alone
FROM points WHERE study = coalesce(:study, (SELECT max(id) FROM study)) ORDER BY number;
