#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How good estimates are: runs W1 to W18 and the 20 pairs of DWS with MM and LIB, which run longest, in full and as
# estimates, prints the share of full values that lie in the intervals, and how much faster the estimates are. The biases
# of models/gpu/estimate.c were chosen on the first, third, fifth ... of the workloads and of the pairs; `chosen` is 0 for
# the others.
#   estimates.sh MEMPATH DB [quick]
# Full runs and estimates that DB has already are not repeated. quick: two short workloads. Times are the processor's,
# for all of a command, so that they compare on a busy machine.
set -eu
mempath=$1 db=$2 set=${3:-all}
pairs="3DS.MM BLK.MM FFT256.MM GUPS.MM HS.MM JPEG.MM LIB.MM LPS.MM QTC.MM RAY.MM
    SAD.MM SRAD.MM 3DS.LIB FFT256.LIB GUPS.LIB HS.LIB JPEG.LIB SAD.LIB RAY.LIB LPS.LIB"
workloads="10 11 6 4 5 9 3 7 8 15 16 2 12 13 1 14 17 18"
[ "$set" = all ] || { pairs="GUPS.MM RAY.LIB" workloads=; }

ask() { sqlite3 "$db" ".timeout 60000" "$1"; }

# Runs, and keeps the processor's seconds of the run.
run() {
    { time -p "$mempath" run "$@" --jobs 1 --db "$db" --quiet >"$db.out"; } 2>"$db.time" || { cat "$db.out" "$db.time"; exit 1; }
    ask "INSERT INTO processor SELECT max(id), $(sed -n 's/^user //p' "$db.time") FROM run"
}

# What changes the machine, as the database has it.
has() { # a condition, an experiment, and its changes
    [ -n "$(ask "SELECT 1 FROM run WHERE $1 AND experiment = '$2' AND changes = '$3' LIMIT 1")" ]
}

both() { # changes, as the database has them, and the arguments
    changes=$1
    shift
    has 'detail IS NOT NULL' "$1" "$changes" || run "$@" --estimate
    has "status = 'done'" "$1" "$changes" || run "$@"
}

"$mempath" query runs --db "$db" >"$db.out" 2>&1 || "$mempath" run demo --db "$db" --quiet >"$db.out"
ask "CREATE TABLE IF NOT EXISTS processor (run INTEGER PRIMARY KEY, seconds REAL)"

for i in $workloads; do
    both "$(ask "SELECT changes FROM run WHERE experiment = 'star/w$i' LIMIT 1")" "star/w$i" --set tenants.size=medium
done
for pair in $pairs; do
    a=${pair%.*} b=${pair#*.}
    both "walk.scheduler=dws tenants.0.app=$a tenants.0.size=paper tenants.0.sms=15 tenants.1.app=$b tenants.1.size=paper tenants.1.sms=15" \
        dws-30sm --set "tenants.0.app=$a" --set tenants.0.sms=15 --set "tenants.1.app=$b" \
        --set tenants.1.sms=15 --set tenants.size=paper --set walk.scheduler=dws
done

sqlite3 -box "$db" "
CREATE TEMP TABLE pair AS
SELECT max(e.id) AS estimate, (SELECT max(f.id) FROM run f WHERE f.config_hash = e.config_hash AND f.status = 'done') AS full
FROM run e WHERE e.detail IS NOT NULL GROUP BY e.config_hash;
CREATE TEMP VIEW took AS SELECT id, coalesce((SELECT p.seconds FROM processor p WHERE p.run = id), seconds) AS seconds
FROM run;
CREATE TEMP TABLE compared AS
SELECT p.*, e.tenant, e.name, e.value, e.half_width,
    CASE e.name WHEN 'ipc' THEN (SELECT ipc FROM ipc i WHERE i.run = p.full AND i.tenant = e.tenant)
        WHEN 'walk_latency' THEN (SELECT mean_cycles FROM walk_latency w WHERE w.run = p.full AND w.tenant = e.tenant)
        ELSE (SELECT hit_rate FROM tlb_hit_rate h WHERE h.run = p.full AND h.tenant = e.tenant
              AND h.level = substr(e.name, 1, 6)) END AS actual
FROM pair p JOIN estimate e ON e.run = p.estimate;
SELECT f.experiment || iif(f.experiment LIKE 'star/%', '', ' ' || (SELECT group_concat(app, '.') FROM tenant WHERE run = f.id)) AS run,
    round(f.cycles / 1e6, 2) AS mcycles, round(a.seconds, 1) AS full_s, round(b.seconds, 1) AS estimate_s,
    round(a.seconds / b.seconds, 1) AS faster, round(100 * e.detail, 1) AS detail_percent,
    (SELECT group_concat(round(100 * (value / actual - 1), 1) || iif(abs(actual - value) <= ifnull(half_width, 1e9), '', '!'), ' ')
     FROM compared c WHERE c.estimate = e.id AND name = 'ipc') AS ipc_errors,
    (SELECT group_concat(ifnull(round(100 * half_width / value, 1), '?'), ' ') FROM compared c
     WHERE c.estimate = e.id AND name = 'ipc') AS ipc_intervals
FROM pair p JOIN run f ON f.id = p.full JOIN run e ON e.id = p.estimate JOIN took a ON a.id = f.id
    JOIN took b ON b.id = e.id ORDER BY f.id;
CREATE TEMP TABLE half AS
SELECT id, kind, (row_number() OVER (PARTITION BY kind ORDER BY id)) % 2 AS chosen
FROM (SELECT e.id, iif(e.experiment LIKE 'star/%', 'W', 'pairs') AS kind FROM pair p JOIN run e ON e.id = p.estimate);
SELECT chosen, kind, name, count(*) AS cases, sum(abs(actual - value) <= half_width + 1e-9) AS held,
    round(100.0 * sum(abs(actual - value) <= half_width + 1e-9) / count(*), 1) AS percent,
    round(avg(abs(iif(name LIKE '%rate', value - actual, value / actual - 1))) * 100, 1) AS mean_error_percent,
    round(avg(iif(name LIKE '%rate', half_width, half_width / value)) * 100, 1) AS mean_half_width_percent
FROM compared JOIN half h ON h.id = estimate WHERE actual IS NOT NULL AND half_width IS NOT NULL GROUP BY 1, 2, 3;
SELECT chosen, count(*) AS cases, sum(abs(actual - value) <= half_width + 1e-9) AS held,
    round(100.0 * sum(abs(actual - value) <= half_width + 1e-9) / count(*), 1) AS percent
FROM compared JOIN half h ON h.id = estimate WHERE actual IS NOT NULL AND half_width IS NOT NULL GROUP BY 1;
SELECT count(*) AS without_an_interval FROM compared WHERE half_width IS NULL;
SELECT kind, count(*) AS runs, sum(f.seconds / e.seconds >= 4) AS at_least_4_times_faster,
    round(sum(f.seconds) / sum(e.seconds), 2) AS faster_in_all
FROM pair p JOIN half h ON h.id = p.estimate JOIN took f ON f.id = p.full JOIN took e ON e.id = p.estimate GROUP BY 1;"
