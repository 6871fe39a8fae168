#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# NeiDty's figures at small size: the committed values, parts of bars as a query of their runs has them, and figures that
# the paper does not have.
. "$(dirname "$0")/../lib.sh"

runs() { sqlite3 "$MEMPATH_DB" "SELECT count(*) FROM run WHERE status = 'done'"; }

# A value of the last figure: series, x.
value() {
    sqlite3 :memory: "SELECT json_extract(p.value, '\$.measured') FROM json_each(
        CAST(readfile('$work/out') AS TEXT), '\$.points') p
        WHERE json_extract(p.value, '\$.series') = '$1' AND json_extract(p.value, '\$.x') = '$2'"
}

same() { # what, expression of two numbers that must be almost equal
    [ "$(sqlite3 :memory: "SELECT abs(($2) - ($3)) < 0.0001")" = 1 ] || wrong "$1: $2 is not $3"
}

expect 0 reproduce neidty/fig8 --size small --quiet --json --check
[ "$(runs)" = 24 ] || wrong 'not three runs of each application'
json "json_extract(j, '\$.points[0].series')" LUD
json "json_array_length(j, '\$.points')" $((9 * 6 * 3))
json "json_extract(j, '\$.claims[0].verdict') IN ('holds', 'does not hold')" 1
cp "$work/out" fig8.json
for variant in baseline ring NeiDty; do
    for app in SRAD ATAX all; do
        same "$app $variant" "$(value $app "local $variant") + $(value $app "remote $variant")" "$(value $app "L1 $variant")"
        same "$app $variant gain" "$(value $app "L1 $variant") - $(value $app 'L1 baseline')" "$(value $app "L1 gain $variant")"
        same "$app $variant relative" "$(value $app "L1 $variant") / $(value $app 'L1 baseline')" \
            "$(value $app "L1 relative $variant")"
    done
done
run=$(sqlite3 :memory: "SELECT json_extract(p.value, '\$.runs[0]') FROM json_each(
    CAST(readfile('fig8.json') AS TEXT), '\$.points') p WHERE json_extract(p.value, '\$.series') = 'SRAD'
    AND json_extract(p.value, '\$.x') = 'remote NeiDty'")
remote=$(value SRAD 'remote NeiDty')
expect 0 query neighbours "run=$run" --json
same 'a query of the run' "$(sqlite3 :memory: "SELECT json_extract(readfile('$work/out'), '\$[0].r_remote')")" "$remote"

# Speed is the reference's time by that of the run.
expect 0 reproduce neidty/fig9 --size small --quiet --json --check
[ "$(runs)" = 24 ] || wrong 'Figure 9 does not share the runs of Figure 8'
for variant in ring NeiDty; do
    [ -n "$(value all "IPC $variant")" ] || wrong "Figure 9: no IPC of $variant next to the paper's measure"
done
speed=$(value SRAD 'translation NeiDty')
expect 0 query neighbours "run=$run" --json
after=$(sqlite3 :memory: "SELECT json_extract(readfile('$work/out'), '\$[0].latency')")
baseline=$(sqlite3 :memory: "SELECT json_extract(p.value, '\$.runs[0]') FROM json_each(
    CAST(readfile('fig8.json') AS TEXT), '\$.points') p WHERE json_extract(p.value, '\$.series') = 'SRAD'
    AND json_extract(p.value, '\$.x') = 'remote baseline'")
expect 0 query neighbours "run=$baseline" --json
before=$(sqlite3 :memory: "SELECT json_extract(readfile('$work/out'), '\$[0].latency')")
[ "$(sqlite3 :memory: "SELECT abs($before / $after - $speed) < 0.01")" = 1 ] || wrong "speed $speed, not $before / $after"

# All of the paper: every number of its text has a measured one, except where an SM had no request.
expect 0 reproduce neidty/summary --size small --quiet --json
[ "$(runs)" = 40 ] || wrong 'not five runs of each application'
json "(SELECT count(*) FROM json_each(j, '\$.figures') f, json_each(f.value, '\$.points') p
    WHERE json_extract(p.value, '\$.x') NOT LIKE 'TLB%' AND json_extract(p.value, '\$.measured') IS NULL)" 0
json "(SELECT count(*) FROM json_each(j, '\$.figures') f, json_each(f.value, '\$.claims') c
    WHERE json_extract(c.value, '\$.verdict') = 'not measured')" 0
json "(SELECT count(*) FROM json_each(j, '\$.figures') f WHERE json_extract(f.value, '\$.figure') LIKE '%/ext%')" 0
# To the L2 TLB's own counts, a request that joins a walk is as good as a hit: each other one starts a walk and is filled.
expect 0 reproduce neidty/fig2 --size small --quiet --json
run=$(sqlite3 :memory: "SELECT json_extract(p.value, '\$.runs[0]') FROM json_each(
    CAST(readfile('$work/out') AS TEXT), '\$.points') p WHERE json_extract(p.value, '\$.series') = 'MIS'
    AND json_extract(p.value, '\$.x') = 'L2 or joined'")
fills=$(sqlite3 "$MEMPATH_DB" "SELECT sum(value) FROM metrics WHERE run = $run AND kind = 'l2_tlb' AND metric = 'fills'")
asked=$(sqlite3 "$MEMPATH_DB" "SELECT sum(value) FROM metrics WHERE run = $run AND kind = 'l2_tlb' AND metric = 'lookups'")
same 'requests that start no walk' "1 - 1.0 * $fills / $asked" "$(value MIS 'L2 or joined')"
expect 0 reproduce neidty/fig3 --size small --quiet --json
same 'the bins' "$(for bin in 1 2-4 5-8 9-12 13-16; do printf '%s + ' "$(value SRAD $bin)"; done) 0" 1
expect 0 reproduce neidty/overhead --size small --quiet
says '10752'
head -c 300 'neidty-overhead@small.svg' | grep -q '<svg' || wrong 'no SVG picture'
[ "$(runs)" = 40 ] || wrong 'a figure of the paper runs something else'

# A sweep is made by its name; its bars have a baseline each.
expect 0 reproduce neidty/ext-l1 --size small --quiet --json
[ "$(runs)" = $((40 + 8 * 6)) ] || wrong 'not three more machines and their baselines'
cp "$work/out" first.json
expect 0 reproduce neidty/ext-l1 --size small --quiet --json
cmp -s first.json "$work/out" || wrong 'what the database has differs from what was measured'
refused 'nothing named .neidty/ext-moon.' reproduce neidty/ext-moon
finished
