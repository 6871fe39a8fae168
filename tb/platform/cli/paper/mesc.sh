#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# MESC's figures at small size: energy as the query of it says, the share of the DRAM's lines that walks read, and
# figures of how pages lie in memory, which are those of runs.
. "$(dirname "$0")/../lib.sh"

runs() { sqlite3 "$MEMPATH_DB" "SELECT count(*) FROM run WHERE status = 'done'"; }

# A value of the last figure: series, x.
value() {
    sqlite3 :memory: "SELECT json_extract(p.value, '\$.measured') FROM json_each(
        CAST(readfile('$work/out') AS TEXT), '\$.points') p
        WHERE json_extract(p.value, '\$.series') = '$1' AND json_extract(p.value, '\$.x') = '$2'"
}

same() { # what, two numbers that must be almost equal
    [ "$(sqlite3 :memory: "SELECT abs(($2) - ($3)) < 0.0001")" = 1 ] || wrong "$1: $2 is not $3"
}

expect 0 reproduce mesc/fig15 --size small --only NW,LUD --quiet --json
[ "$(runs)" = 10 ] || wrong 'not five runs of each application'
energy=$(value NW MESC) mean=$(value S MESC)
pair=$(sqlite3 :memory: "SELECT json_extract(p.value, '\$.runs[1]') || ',' || json_extract(p.value, '\$.runs[0]')
    FROM json_each(CAST(readfile('$work/out') AS TEXT), '\$.points') p
    WHERE json_extract(p.value, '\$.series') = 'NW' AND json_extract(p.value, '\$.x') = 'MESC'")
same 'the mean of one application' "$energy" "$mean"
for run in "${pair%,*}" "${pair#*,}"; do
    expect 0 query energy "run=$run" --json
    sqlite3 :memory: "SELECT json_extract(value, '\$.microjoules') FROM json_each(CAST(readfile('$work/out') AS TEXT))
        WHERE json_extract(value, '\$.part') = 'translation' AND json_extract(value, '\$.structure') = 'all'" >>"$work/spent"
done
same 'energy relative to the baseline' "$energy" "1.0 * $(tail -n 1 "$work/spent") / $(head -n 1 "$work/spent")"

expect 0 reproduce mesc/fig3c --size small --only NW,LUD --quiet --json
[ "$(runs)" = 10 ] || wrong 'Figure 3 does not share the runs of Figure 15'
same 'share of walks' "$(value NW mean)" "$(sqlite3 "$MEMPATH_DB" "SELECT 1.0 * sum(value) FILTER (WHERE
    component = 'gpu.walk' AND metric = 'levels_read') / sum(value) FILTER (WHERE component = 'gpu.dram' AND
    metric IN ('reads', 'writes')) FROM metrics WHERE run = ${pair%,*}")"

# Nothing runs for a mapping, and its pages are those of runs with the same histories.
expect 0 reproduce mesc/table2 --size small --only GMV --quiet --json
[ "$(runs)" = 10 ] || wrong 'a mapping has run something'
json "json_array_length(j, '\$.points')" 12
covered=$(value GMV 'covered 50 %')
for seed in 1 2 3 4 5 6 7 8; do
    expect 0 run mesc-16cu --set tenants.0.app=GMV --set tenants.0.size=small --set vm.memhog=50 --set vm.turn=1 \
        --set "vm.seed=$seed" --set l3_tlb.policy=mesc --set walk.method=mesc --until 5000 --quiet --json
done
same 'pages in contiguous subregions' "$covered" "$(sqlite3 "$MEMPATH_DB" "SELECT 1.0 * sum(value) FILTER (WHERE
    metric = 'contiguous_pages') / sum(value) FILTER (WHERE metric = 'pages') FROM metrics
    WHERE kind = 'contiguity' AND run > (SELECT max(id) - 8 FROM run)")"

expect 0 reproduce mesc/fig4 --size small --only GMV --quiet --json
json "(SELECT abs(sum(json_extract(p.value, '\$.measured')) - 1) < 0.0001 FROM json_each(j, '\$.points') p
    WHERE json_extract(p.value, '\$.series') = 'GMV' AND json_extract(p.value, '\$.x') LIKE '%larger'
    AND json_extract(p.value, '\$.x') NOT LIKE 'pages%')" 1

before=$(runs)
expect 0 reproduce mesc/ext-hog --size small --only LUD --quiet --json
[ "$(runs)" = $((before + 18)) ] || wrong 'not six designs in three memories'
expect 0 reproduce mesc/ext-hog --size small --only LUD --quiet
says 'MESC+CoLT 75 %'
refused 'star' reproduce mesc/fig2 --size star

# Ended by a signal while the traces of a mapping are recorded: one line, exit code 143.
MEMPATH_CACHE=$work/empty "$mempath" reproduce mesc/fig4 --quiet >"$work/out" 2>"$work/err" &
pid=$!
tries=0
until ls "$work"/empty/traces/*.lock >"$work/locks" 2>&1 || [ $((tries += 1)) = 300 ]; do sleep 0.1; done
kill -TERM "$pid"
code=0
wait "$pid" || code=$?
[ "$code" = 143 ] || wrong "reproduce, ended while it records: exit code $code, not 143"
[ "$(cat "$work/err")" = 'mempath: recording: interrupted' ] || wrong 'not one line that says the recording was interrupted'

# Ended while buffers are mapped, too.
"$mempath" reproduce mesc/ext-histories --size small --only GMV --quiet >"$work/out" 2>"$work/err" &
pid=$!
sleep 2
kill -TERM "$pid"
code=0
wait "$pid" || code=$?
[ "$code" = 143 ] || wrong "reproduce, ended while it maps: exit code $code, not 143"
[ "$(cat "$work/err")" = 'mempath: GMV: interrupted' ] || wrong 'not one line that says the mapping was interrupted'
finished
