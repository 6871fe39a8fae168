#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A sweep is a study: two processes share its runs, killing it at any moment loses no more than the runs in flight, and
# what each tenant is compared with is stored.
. "$(dirname "$0")/../lib.sh"

count() { sqlite3 "$MEMPATH_DB" "$1"; }

cat >small.yaml <<'YAML'
description: latencies
experiments: [star-a100-mig]
workloads:
  one: [{app: FIR, size: small, slices: 3}]
parameters:
  l3_tlb.latency: {from: 31, to: 130, step: 1}
YAML

# Killed fifty times, at other moments each time, the sweep is done in the end, and each point was done once. Every
# second kill follows the start of a run: how long the program takes to start one depends on the load of the host.
newest() { sqlite3 "$MEMPATH_DB" 'SELECT max(id) FROM run' 2>/dev/null || :; }
for i in $(seq 50); do
    before=$(newest)
    setsid "$mempath" sweep small.yaml --jobs 2 --quiet >/dev/null 2>&1 &
    pid=$!
    if [ $((i % 2)) = 0 ]; then
        while [ "$(newest)" = "$before" ] && kill -0 "$pid" 2>/dev/null; do :; done
    else
        sleep "$(printf 0.%02d $((5 + i * 7 % 30)))"
    fi
    kill -9 "-$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
    [ ! -e "$MEMPATH_DB" ] || [ "$(count 'PRAGMA quick_check')" = ok ] || wrong "kill $i: the database is damaged"
done
before=$(count "SELECT count(*) FROM run WHERE status = 'done'")
[ "$(count 'SELECT count(*) FROM run')" -gt "$before" ] || wrong 'no run was killed'
expect 0 sweep small.yaml --quiet
[ "$(count "SELECT count(*) FROM run WHERE status = 'done'")" = 100 ] || wrong 'a point was done twice, or not'
[ "$(count "SELECT count(DISTINCT number) FROM point_run JOIN run ON run.id = run WHERE status = 'done'")" = 100 ] ||
    wrong 'not a run for each point'
[ "$(count "SELECT count(*) FROM run WHERE status NOT IN ('done', 'killed')")" = 0 ] || wrong 'a run that never ends'
expect 0 query studies
says '^ *1 *small *latencies .* l3_tlb.latency *100 *100 *0$'
expect 0 query points
says '^ *1 *l3_tlb.latency=31 .* done '

# Two processes: each point is done once, and both show all.
sed -i 's/to: 130/to: 46/' small.yaml
rm -f "$MEMPATH_DB"*
"$mempath" sweep small.yaml --jobs 1 --quiet >other 2>&1 &
pid=$!
expect 0 sweep small.yaml --jobs 1 --quiet
wait "$pid" || wrong "the other sweep: $(cat other)"
[ "$(count 'SELECT count(*) FROM run')" = 16 ] || wrong 'two sweeps of one file ran a point twice'
for shown in "$work/out" other; do
    [ "$(grep -c ' done$\| was there$' "$shown")" = 16 ] || wrong "not all points in $shown"
done

# The reference of slowdowns is the user's choice. Runs alone are not the latest run.
cat >pair.yaml <<'YAML'
experiments: [star-a100-mig]
workloads:
  pair: [{app: MT, size: small, slices: 3}, {app: FIR, size: small, slices: 3}]
parameters:
  l3_tlb.policy: [subentry, star]
YAML
rm -f "$MEMPATH_DB"*
expect 0 sweep pair.yaml --alone --quiet
says '^Compared with each tenant alone on the same machine$'
says ' weighted  harmonic  max slowdown  fairness  result$'
[ "$(count "SELECT count(*) FROM run WHERE role = 'alone'")" = 4 ] || wrong 'not two runs alone for each policy'
[ "$(count "SELECT count(*) FROM run WHERE role = 'alone' AND parent IS NOT NULL")" = 4 ] || wrong 'runs without parents'
expect 0 query ipc
says ' FIR '
says ' MT '
expect 0 sweep pair.yaml --alone=l3_tlb.policy=subentry --json --quiet
[ "$(count 'SELECT count(*) FROM run')" = 6 ] || wrong 'the runs alone under subentry were there'
json "(SELECT count(*) FROM json_each(j, '\$.points') WHERE json_extract(value, '\$.weighted_speedup') > 1)" 2
[ "$(count "SELECT group_concat(DISTINCT settings) FROM reference")" = l3_tlb.policy=subentry ] || wrong 'reference'
[ "$(count "SELECT count(DISTINCT alone) FROM reference")" = 2 ] || wrong 'both policies have one reference'
expect 0 query points --csv
says 'l3_tlb.policy=star,.*,l3_tlb.policy=subentry'
want=$(count "SELECT round(weighted_speedup, 4) FROM workload_performance WHERE run = (SELECT max(run) FROM reference)")
says "l3_tlb.policy=star,.*,$want,"
refused 'sweep: no FILE' sweep --alone
refused 'l3_tlb.polcy' sweep pair.yaml --alone=l3_tlb.polcy=star
refused 'omit --dry-run' sweep pair.yaml --alone --dry-run

# A comparison of values stores it, too.
rm -f "$MEMPATH_DB"*
expect 0 run star-a100-mig --set tenants.0.app=MT --set tenants.0.size=small --set tenants.0.slices=3 \
    --set tenants.1.app=FIR --set tenants.1.size=small --set tenants.1.slices=3 \
    --compare l3_tlb.policy=subentry,star --alone --quiet
[ "$(count "SELECT count(*) FROM slowdown WHERE slowdown IS NOT NULL")" = 4 ] || wrong 'a value without slowdowns'
[ "$(count "SELECT count(*) FROM slowdown WHERE alone_settings = 'l3_tlb.policy=subentry'")" = 2 ] ||
    wrong 'the reference of the second value'
finished
