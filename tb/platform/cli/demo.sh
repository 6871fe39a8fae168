#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A whole run from recording to the database, with the same numbers by every path.
. "$(dirname "$0")/lib.sh"

# As many tenants as the demonstration has, all small. NW would run six times as long as SRAD.
small='--set tenants.0.size=small --set tenants.1.size=small --set tenants.2.size=small --set tenants.1.app=SRAD'
# shellcheck disable=SC2086 # a list of words
run() { expect 0 run demo $small --json --quiet "$@"; }
digest() { sqlite3 :memory: "SELECT json_extract(CAST(readfile('$work/out') AS TEXT), '\$.runs[0].digest')"; }

run --alone --jobs 1
json "json_valid(j)" 1
json "json_extract(j, '\$.runs[0].status')" 'done'
json "json_extract(j, '\$.runs[0].tenants[0].cycles') > 0" 1
json "json_extract(j, '\$.runs[0].tenants[0].accesses') > 0" 1
json "json_extract(j, '\$.runs[0].harmonic_mean') BETWEEN 0.05 AND 1.2" 1
first=$(digest)
[ "${#first}" = 32 ] || wrong "the digest '$first' has not 32 digits"

# A tenant's row and its counters are of the same runs of the application.
got=$(sqlite3 "$MEMPATH_DB" "SELECT count(*) FROM tenant t JOIN counters c USING (run, tenant)
    WHERE c.component_kind = 'tenant' AND c.metric = 'completions' AND c.value = t.completions")
[ "$got" = "$(sqlite3 "$MEMPATH_DB" 'SELECT count(*) FROM tenant')" ] || wrong "$got tenants have as many completions as their counter"

run --alone --jobs 2
[ "$(digest)" = "$first" ] || wrong "--jobs 2 gives another digest"
run --force-tlm
[ "$(digest)" = "$first" ] || wrong "--force-tlm gives another digest"
run --epochs 10000
json "json_extract(j, '\$.runs[0].status')" 'done'
run --set l3_tlb.latency=400
[ "$(digest)" != "$first" ] || wrong 'a slower L3 TLB changes nothing'

# What the demonstration proposes can be typed in the folder in which it ran.
# shellcheck disable=SC2086 # a list of words
expect 0 run $small --until 300 --quiet --db here.db
sed -n '/Try next:$/,$s/^  \([^ ]*mempath\) .*/\1/p' "$work/out" | sort -u >proposed
[ "$(wc -l <proposed)" = 1 ] || wrong 'not one command is proposed'
[ -x "$(cat proposed)" ] || wrong "there is no $(cat proposed) in this folder"
# shellcheck disable=SC2086 # a list of words
(cd "$(dirname "$(cat proposed)")/.." && "$mempath" run $small --until 300 --quiet --db "$work/in_sources.db" </dev/null) >"$work/out"
says '^  platform/mempath query --db FILE '

runs=$(sqlite3 "$MEMPATH_DB" "SELECT count(*) FROM run WHERE status = 'done'")
[ "$runs" -ge 7 ] || wrong "$runs runs in the database"
expect 0 query runs
says demo
expect 0 query runs --json
json "json_valid(j)" 1
expect 0 query "SELECT count(*) AS n FROM run" --json
json "json_extract(j, '\$[0].n')" "$runs"
refused 'no_such' query no_such
refused "query ipc: no run 999; 1 to [0-9]*$" query ipc run=999
refused 'WHENCE' query 'SELECT 1 WHENCE x'
expect 2 query 'DELETE FROM run'
[ "$(sqlite3 "$MEMPATH_DB" 'SELECT count(*) FROM run')" = "$runs" ] || wrong 'a query deleted runs'

# The table has the same numbers.
# shellcheck disable=SC2086
expect 0 run demo $small
says 'IPC'
says "digest $first"

# Ended by a signal: the run is marked, the exit code is 1, and the database still opens. The kernel is long enough to
# be interrupted.
cat >long.cl <<'CL'
__kernel void long_walk(__global const float *a, __global float *b, uint n)
{
    size_t i = get_global_id(0);
    float sum = 0;
    for (uint k = 0; k < n; k++)
        sum += a[(i + k * 4096) & 0xffff];
    b[i] = sum;
}
CL
expect 0 record --cl long.cl --kernel long_walk --global 65536 --local 256 --arg buf:float:65536=iota \
    --arg buf:float:65536 --arg uint:600 --quiet -o long.gwt.zst
printf 'preset: star-a100-mig\ntenants:\n  - {trace: long.gwt.zst, slices: 1}\n' >long.yaml
"$mempath" run ./long.yaml --force-tlm --quiet >"$work/out" 2>"$work/err" &
pid=$!
tries=0
until [ "$(sqlite3 "$MEMPATH_DB" "SELECT count(*) FROM run WHERE status = 'running'" 2>/dev/null || echo 0)" -gt 0 ]; do
    tries=$((tries + 1))
    kill -0 "$pid" 2>/dev/null || break
    [ $tries -lt 2000 ] || break
    sleep 0.02
done
kill -TERM "$pid"
code=0
wait "$pid" || code=$?
[ "$code" = 143 ] || wrong "a run that SIGTERM interrupts ends with $code, not 143"
grep -q '1 run interrupted and marked so' "$work/err" || wrong 'it does not say that it was interrupted'
[ "$(sqlite3 "$MEMPATH_DB" "SELECT count(*) FROM run WHERE status = 'interrupted'")" = 1 ] || wrong 'not marked interrupted'
[ "$(sqlite3 "$MEMPATH_DB" "SELECT count(*) FROM run WHERE status = 'running'")" = 0 ] || wrong 'still marked running'
finished
