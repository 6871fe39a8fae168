#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A metric of a study against its parameters: what is drawn is what SQL says, runs that differ in something else are
# refused with its name, and nothing in a database becomes a command of gnuplot.
. "$(dirname "$0")/../lib.sh"

ask() { sqlite3 "$MEMPATH_DB" "$1"; }
same() { # what, two numbers
    [ "$(sqlite3 :memory: "SELECT abs(($2) - ($3)) <= 1e-5 * abs($3)")" = 1 ] || wrong "$1: $2 is not $3"
}
# A number of the last chart.
drawn() { # series, x, member
    sqlite3 :memory: "SELECT json_extract(v.value, '\$.$3') FROM json_each(CAST(readfile('$work/out') AS TEXT), '\$.series') s,
        json_each(s.value, '\$.values') v WHERE json_extract(s.value, '\$.name') = '$1' AND json_extract(v.value, '\$.x') = $2"
}
heat() { # x, y
    sqlite3 :memory: "SELECT json_extract(v.value, '\$.value') FROM json_each(CAST(readfile('$work/out') AS TEXT),
        '\$.series[0].values') v WHERE json_extract(v.value, '\$.x') = $1 AND json_extract(v.value, '\$.y') = '$2'"
}

cat >tlb.yaml <<'YAML'
description: entries and ways
experiments: [star-a100-mig]
workloads:
  two: [{app: FIR, size: small, slices: 3}, {app: MT, size: small, slices: 4}]
parameters:
  l1_tlb.entries: [4, 8, 16]
  l1_tlb.ways: [2, 4]
YAML
expect 0 sweep tlb.yaml --alone --quiet
run() { ask "SELECT run FROM points WHERE number = (SELECT number FROM point_value v WHERE path = 'l1_tlb.entries' AND value = '$1'
    AND number IN (SELECT number FROM point_value WHERE path = 'l1_tlb.ways' AND value = '$2'))"; }

refused 'differ in l1_tlb.ways' plot ipc --against l1_tlb.entries
refused 'where l1_tlb.ways=VALUE' plot ipc --against l1_tlb.entries
expect 0 plot ipc --against l1_tlb.entries --where l1_tlb.ways=4 --json
json "json_extract(j, '\$.picture') || ' ' || json_extract(j, '\$.unit') || ' ' || json_extract(j, '\$.x.unit')" \
    'lines warp instructions per cycle entries'
json "json_array_length(j, '\$.series')" 2
for entries in 4 8 16; do
    for app in FIR MT; do
        same "ipc of $app" "$(drawn $app $entries value)" "$(ask "SELECT ipc FROM ipc WHERE run = $(run $entries 4) AND app = '$app'")"
    done
done
for picture in svg png; do
    json "json_extract(j, '\$.$picture')" "./ipc-l1_tlb.entries.$picture"
done
for text in 'ipc (warp instructions per cycle)' 'l1_tlb.entries (entries)' FIR MT; do
    grep -q "$text" ipc-l1_tlb.entries.svg || wrong "the picture does not say '$text'"
done

# Two parameters by curves, and as a heat map; a tenant; a relative value; a bar for each value that is not a number.
expect 0 plot l1_tlb.hit_rate --against l1_tlb.entries --by l1_tlb.ways --where app=MT --json -o a.png
same 'hit rate' "$(drawn 2 8 value)" "$(ask "SELECT hit_rate FROM tlb_hit_rate WHERE run = $(run 8 2) AND level = 'l1_tlb' AND app = 'MT'")"
expect 0 plot ipc_sum --against l1_tlb.entries,l1_tlb.ways --json -o heat.svg
json "json_extract(j, '\$.picture')" 'heat map'
same 'heat map' "$(heat 16 2)" "$(ask "SELECT sum(ipc) FROM ipc WHERE run = $(run 16 2)")"
expect 0 plot cycles --against l1_tlb.entries --where l1_tlb.ways=2 --where app=MT --relative-to l1_tlb.entries=4 --json -o a.png
same 'relative to itself' "$(drawn cycles 4 value)" 1
same 'relative' "$(drawn cycles 16 value)" "(SELECT 1.0 * $(ask "SELECT cycles FROM ipc WHERE run = $(run 16 2) AND app = 'MT'")
    / $(ask "SELECT cycles FROM ipc WHERE run = $(run 4 2) AND app = 'MT'"))"
expect 0 plot slowdown --against app --where l1_tlb.ways=2 --where l1_tlb.entries=4 --json -o a.pdf
json "json_extract(j, '\$.picture') || ' ' || json_extract(j, '\$.pdf')" 'bars a.pdf'
head -c 5 a.pdf | grep -q '%PDF' || wrong 'no PDF picture'
same 'slowdown' "$(drawn slowdown "'FIR'" value)" "$(ask "SELECT slowdown FROM slowdown WHERE run = $(run 4 2) AND app = 'FIR'")"

# Energy is stacked by structure; bandwidth has its roof; a counter; a distribution ends at 1.
expect 0 plot energy --against l1_tlb.entries --where l1_tlb.ways=2 --json -o a.png
same 'energy' "$(drawn l1_tlb "'8'" value)$(drawn l1_tlb 8 value)" \
    "$(ask "SELECT sum(count * nanojoules) / 1000 FROM energy WHERE run = $(run 8 2) AND structure = 'l1_tlb'")"
expect 0 plot dram.bandwidth --against app --where l1_tlb.ways=2 --where l1_tlb.entries=4 --json -o a.png
same 'roof' "$(drawn dram.bandwidth "'MT'" roof)" "$(ask "SELECT value FROM results WHERE run = $(run 4 2) AND app = 'MT' AND metric = 'dram.roof'")"
expect 0 plot l1_tlb.evictions --against l1_tlb.entries --by l1_tlb.ways --where app=FIR --json -o a.png
same 'a counter' "$(drawn 4 8 value)" "$(ask "SELECT value FROM counters WHERE run = $(run 8 4) AND component_kind = 'l1_tlb'
    AND metric = 'evictions' AND tenant = 0")"
expect 0 plot walk_latency --by l1_tlb.entries --where l1_tlb.ways=2 --where app=MT --json -o a.svg
json "json_extract(j, '\$.picture')" 'cumulative distribution'
json "(SELECT min(x) = 1 AND max(x) = 1 FROM (SELECT max(json_extract(v.value, '\$.value')) AS x
    FROM json_each(j, '\$.series') s, json_each(s.value, '\$.values') v GROUP BY s.key))" 1

# Launches and epochs of runs that belong to no study.
expect 0 run star-a100-mig --set tenants.0.app=PR --set tenants.0.size=small --set tenants.0.slices=2 --epochs 2000 --quiet
last=$(ask 'SELECT max(id) FROM run')
expect 0 plot cycles --against launch --runs "$last" --json -o a.png
same 'a launch' "$(drawn cycles 1 value)" "$(ask "SELECT cycles FROM kernels WHERE run = $last AND launch = 1")"
expect 0 plot l3_tlb.held --against cycle --runs "$last" --json -o a.png
json "json_extract(j, '\$.picture')" time
json "json_array_length(j, '\$.series[0].values')" "$(ask "SELECT count(DISTINCT cycle) FROM epochs WHERE run = $last")"

# Seeds: the mean with its interval, and boxes for what is no number.
cat >seeds.yaml <<'YAML'
experiments: [star-a100-mig]
workloads:
  one: [{app: PR, size: small, slices: 2}]
parameters:
  l1_tlb.policy: [subentry, depot]
  seed: [1, 2, 3, 4]
  sm.scheduler: [gto]
YAML
expect 0 sweep seeds.yaml --quiet
ask "UPDATE tenant SET cycles = cycles + 100 * (run % 4) WHERE run > $last;
    UPDATE run SET cycles = cycles + 100 * (id % 4) WHERE id > $last" # seeds that matter
expect 0 plot cycles --against l1_tlb.policy --json -o a.svg
json "json_extract(j, '\$.picture')" boxes
same 'mean' "$(drawn cycles "'depot'" value)" "$(ask "SELECT avg(cycles) FROM tenant JOIN parameter USING (run)
    WHERE run > $last AND path = 'l1_tlb.policy' AND value = 'depot'")"
same 'interval' "$(drawn cycles "'depot'" half_width)" "$(ask "SELECT half_width FROM seed_means
    WHERE metric = 'cycles' AND label GLOB '*depot' AND study = (SELECT max(id) FROM study)")"
# A mark where the interval overlaps that of the first, as in the query.
marked() { # what the query says, marks in the picture
    expect 0 query seeds --csv
    grep -q "depot,cycles,4,.*,$1\$" out || wrong "not $1: $(cat out)"
    expect 0 plot cycles --against l1_tlb.policy --json -o a.svg
    [ "$(drawn cycles "'depot'" overlaps)" = "$2" ] || wrong "$1: marked '$(drawn cycles "'depot'" overlaps)', not '$2'"
    [ "$(grep -c '<text>≈ overlaps subentry</text>' a.svg)" = "${2:-0}" ] || wrong "$1: the legend is wrong"
}
marked overlaps 1
ask "UPDATE tenant SET cycles = 2 * cycles WHERE run IN (SELECT run FROM parameter WHERE value = 'depot' AND run > $last);
    UPDATE run SET cycles = 2 * cycles WHERE id IN (SELECT run FROM parameter WHERE value = 'depot' AND run > $last)"
marked above ''
expect 0 plot cycles --against l1_tlb.policy -o a.svg
expect 0 plot cycles --study tlb --against l1_tlb.entries --where l1_tlb.ways=4 -o b.png
cp a.svg before.svg
expect 0 plot cycles --against l1_tlb.policy -o a.svg
cmp -s a.svg before.svg || wrong 'the same picture twice differs'

# What is not there.
refused "no picture or metric 'ipcc' in these runs; did you mean 'ipc'" plot ipcc --against l1_tlb.policy
refused "against: no run has 'l1_tlb.polic'; did you mean 'l1_tlb.policy'" plot ipc --against l1_tlb.polic
refused "by: no run has 'moon'" plot ipc --against l1_tlb.policy --by moon
refused 'none of 8 runs has these values' plot ipc --against l1_tlb.policy --where app=MT
refused "'app' is not PATH=VALUE" plot ipc --against l1_tlb.policy --where app
refused 'has no run with l1_tlb.policy=colt' plot ipc --against seed --by l1_tlb.policy --relative-to l1_tlb.policy=colt
refused 'ipc has one number a run; --against PATH' plot ipc
refused "no study 'moon'" plot ipc --study moon --against seed
refused 'no run has epochs' plot l3_tlb.held --against cycle
refused 'no launch has' plot moon --against launch
refused '2 PATHs at most' plot ipc --against a,b,c
refused 'only a METRIC has --against' plot occupancy --against seed
refused 'no METRIC' plot --against seed
refused 'is unexpected; one METRIC' plot ipc cycles
refused 'no finished run' plot ipc --against seed --runs 999
refused 'no/such/folder' plot ipc --against l1_tlb.policy -o no/such/folder
refused 'energy is stacked by structure' plot energy --against l1_tlb.policy --by seed

# Names from the database are texts, not commands.
# shellcheck disable=SC2016 # a command that must not run
ask "UPDATE tenant SET app = 'x\`touch hacked\`\"; system \"touch hacked' || char(10) || 'plot 1' WHERE app = 'PR'"
expect 0 plot ipc --against app --by l1_tlb.policy -o hostile.svg
[ ! -e hacked ] || wrong 'a name in the database ran a command'
grep -q 'touch hacked' hostile.svg || wrong 'the name is not in the picture'
finished
