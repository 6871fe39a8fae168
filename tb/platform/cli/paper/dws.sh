#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# DWS's figures at small size, and pairs that no figure has; an application that ends early runs again, and all runs count.
. "$(dirname "$0")/../lib.sh"

count() { sqlite3 "$MEMPATH_DB" "$1"; }
runs() { count "SELECT count(*) FROM run WHERE status = 'done'"; }

# The second application is longer; all completed runs of the shorter one are stored.
pair() {
    expect 0 run dws-30sm --quiet --json --set tenants.0.app=GUPS --set tenants.0.size=small \
        --set tenants.1.app=QTC --set tenants.1.size=small "$@"
}
pair
json "json_extract(j, '\$.runs[0].tenants[0].sms')" 15
json "json_extract(j, '\$.runs[0].tenants[0].completions') > 1" 1
json "json_extract(j, '\$.runs[0].tenants[1].completions')" 1
json "json_extract(j, '\$.runs[0].tenants[0].instructions') % json_extract(j, '\$.runs[0].tenants[0].completions')" 0
all=$(sqlite3 :memory: "SELECT json_extract(CAST(readfile('$work/out') AS TEXT), '\$.runs[0].tenants[0].instructions')
    / json_extract(CAST(readfile('$work/out') AS TEXT), '\$.runs[0].tenants[0].completions')")
pair --set stats.runs=first
json "json_extract(j, '\$.runs[0].tenants[0].completions')" 1
json "json_extract(j, '\$.runs[0].tenants[0].instructions')" "$all"
before=$(runs)

# Eight pairs under two machines; then the same from the database.
expect 0 reproduce dws/fig14 --size small --quiet --json --check
[ "$(runs)" = $((before + 16)) ] || wrong 'not sixteen runs'
json "json_extract(j, '\$.points[0].series')" BLK.HS
json "json_array_length(j, '\$.points')" 13
json "json_extract(j, '\$.claims[0].verdict') IN ('holds', 'does not hold')" 1
cp "$work/out" first.json
expect 0 reproduce dws/fig14 --size small --quiet --json
[ "$(runs)" = $((before + 16)) ] || wrong 'ran again what the database has'
cmp -s first.json "$work/out" || wrong 'what the database has differs from what was measured'

# Numbers of walks, from the run and from the database; shares of the L2 TLB from its snapshots.
expect 0 reproduce dws/fig9a --size small --quiet --json
cp "$work/out" first.json
expect 0 reproduce dws/fig9a --size small --quiet --json
cmp -s first.json "$work/out" || wrong 'walks in the database differ from those measured'
json "json_extract(j, '\$.points[0].measured') > 0" 1
expect 0 reproduce dws/fig9b --size small --quiet --json
json "json_extract(j, '\$.points[0].measured') BETWEEN 0.001 AND 1" 1
expect 0 reproduce dws/fig9b --size small --quiet
says 'L2 TLB'
head -c 300 'dws-fig9b@small.svg' | grep -q '<svg' || wrong 'no SVG picture'
expect 0 query figures paper=dws
says 'fig14@small'

refused 'nothing named .dws/table2.' reproduce dws/table2
refused 'nothing named .dwsx.' reproduce dwsx
finished
