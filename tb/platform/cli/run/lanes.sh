#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Warps of 64 lanes: applications are recorded with the lanes of the machine, and other traces are refused.
. "$(dirname "$0")/../lib.sh"

small='--set tenants.0.app=MT --set tenants.0.size=small --set tenants.0.slices=2'
same_runs() { sqlite3 "$MEMPATH_DB" "SELECT count(DISTINCT cycles || ' ' || translations) = 1 FROM run"; }

for lanes in 32 64; do
    expect 0 record MT --size small --lanes $lanes -o $lanes.gwt --quiet
    expect 0 trace info $lanes.gwt --json
    json "json_extract(j, '\$.warp_lanes')" $lanes
done

# shellcheck disable=SC2086 # a list of words
expect 0 run star-mgpusim $small --json --quiet
expect 0 run star-mgpusim --set tenants.0.trace=64.gwt --set tenants.0.slices=2 --json --quiet
[ "$(same_runs)" = 1 ] || wrong 'the application was not recorded with 64 lanes'
refused '32.gwt: warps of 32 lanes; sm.lanes = 64, and a trace must have as many' run star-mgpusim \
    --set tenants.0.trace=32.gwt --set tenants.0.slices=2
refused '64.gwt: warps of 64 lanes; sm.lanes = 32' run star-a100-mig --set tenants.0.trace=64.gwt \
    --set tenants.0.slices=2
expect 2 firmware run --workload 0=64.gwt
grep -q '64.gwt: warps of 64 lanes; sm.lanes = 32' "$work/err" || wrong 'firmware takes a trace of other lanes'
# Half as many warps as with 32 lanes, with as many lines of memory.
expect 0 run star-mgpusim --set sm.lanes=32 --set tenants.0.trace=32.gwt --set tenants.0.slices=2 --json --quiet
json "json_extract(j, '\$.runs[0].accesses') / 2" "$(sqlite3 "$MEMPATH_DB" 'SELECT accesses FROM run ORDER BY id LIMIT 1')"
finished
