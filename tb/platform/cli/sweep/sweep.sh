#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sweeps: each combination is run once, also after Ctrl-C and after kill -9 in the middle. Databases are merged.
. "$(dirname "$0")/../lib.sh"

count() { sqlite3 "$MEMPATH_DB" "$1"; }
done_runs() { count "SELECT count(*) FROM run WHERE status = 'done'"; }

cat >s.yaml <<'YAML'
description: latencies
experiments: [star-a100-mig]
workloads:
  one: [{app: FIR, size: small, slices: 3}]
parameters:
  l3_tlb.latency: {from: 30, to: 330, step: 10}
  l3_tlb.policy: [subentry, star]
exclude:
  - {l3_tlb.policy: star, l3_tlb.latency: [30, 330]}
YAML

expect 0 sweep s.yaml --dry-run --json
json "json_extract(j, '\$.runs') || ' ' || json_extract(j, '\$.to_run') || ' ' || json_extract(j, '\$.unknown')" '60 60 60'
[ ! -e "$MEMPATH_DB" ] || wrong '--dry-run wrote a database'

# One run: the time of the others follows from it.
expect 0 sweep s.yaml --only 2 --quiet
says 'l3_tlb.latency  l3_tlb.policy  *run  *IPC'
says '^40  *subentry  *1  *[0-9.]*  .* done'
says '1 runs: 1 done, 0 were in'
expect 0 sweep s.yaml --dry-run --jobs 2 --json
json "json_extract(j, '\$.found') || ' ' || json_extract(j, '\$.unknown')" '1 0'
one=$(count 'SELECT seconds FROM run')
json "abs(json_extract(j, '\$.seconds') - 59 * $one) < 1e-6" 1
json "abs(json_extract(j, '\$.elapsed') - 30 * $one) < 1e-6" 1
expect 0 sweep s.yaml --dry-run
says '^60 runs: 1 are in .*, 59 to run'

# Kill -9 in the middle: what has ended stays, and the same command goes on.
"$mempath" sweep s.yaml --jobs 2 --quiet >killed 2>&1 &
pid=$!
for _ in $(seq 600); do
    [ "$(done_runs)" -ge 4 ] && break
    sleep 0.02
done
kill -9 "$pid" 2>/dev/null || wrong 'the sweep ended too early to be killed'
wait "$pid" 2>/dev/null
before=$(done_runs)
if [ "$before" -lt 4 ] || [ "$before" -ge 60 ]; then wrong "killed with $before runs"; fi

# Ctrl-C: the same. Two runs of the killed sweep may still end, before this one listens to signals.
"$mempath" sweep s.yaml --jobs 1 --quiet >stopped 2>&1 &
pid=$!
for _ in $(seq 600); do
    [ "$(done_runs)" -gt $((before + 2)) ] && break
    sleep 0.02
done
kill -TERM "$pid" 2>/dev/null
wait "$pid"
code=$?
[ "$code" = 143 ] || [ "$(done_runs)" = 60 ] || wrong "interrupted: exit code $code"

expect 0 sweep s.yaml --json --quiet
json "json_extract(j, '\$.found') + json_extract(j, '\$.done')" 60
json "json_extract(j, '\$.found') >= $before" 1
json "json_array_length(j, '\$.points')" 60
json "json_extract(j, '\$.points[59].\"l3_tlb.latency\"')" 330
[ "$(done_runs)" = 60 ] || wrong "$(done_runs) runs, not 60"
[ "$(count "SELECT count(DISTINCT config_hash) FROM run WHERE status = 'done'")" = 60 ] || wrong 'a run was made twice'
[ "$(count "SELECT count(*) FROM run WHERE status = 'running'")" = 0 ] || wrong 'a dead run is still marked running'

# The values are those that run --set has.
expect 0 run star-a100-mig --quiet --json --set name='star-a100-mig one' --set tenants.0.app=FIR \
    --set tenants.0.size=small --set tenants.0.slices=3 --set l3_tlb.latency=70 --set l3_tlb.policy=star
json "json_extract(j, '\$.runs[0].digest')" \
    "$(count "SELECT digest FROM run WHERE status = 'done' AND changes LIKE '%l3_tlb.latency=70%star%' ORDER BY id LIMIT 1")"

expect 0 sweep s.yaml --quiet
says '60 runs: 0 done, 60 were in'

# Merged databases: the same command finds the runs there.
expect 0 --db a.db sweep s.yaml --only 1-5 --quiet
expect 0 --db b.db sweep s.yaml --only 4-60 --quiet
expect 0 merge all.db a.db b.db
says '62 runs copied from 2 files; 0 were there'
expect 0 merge all.db b.db a.db
says '0 runs copied from 2 files; 62 were there'
expect 0 --db all.db sweep s.yaml --quiet
says '60 runs: 0 done, 60 were in all.db'
expect 0 --db all.db query tlb run=62
refused 'no files' merge all.db
refused 'no such database' merge all.db none.db
refused 'it is the database to merge into' merge all.db a.db ./all.db

refused 'no FILE' sweep
refused 'No such file' sweep none.yaml
refused 'one FILE' sweep s.yaml s.yaml
refused '1 to 60' sweep s.yaml --only 61
refused 'add --slurm' sweep s.yaml --wait
printf 'experiments: [demo]\nparameters: {l3_tlb.ways: [8, 0]}\n' >bad.yaml
refused 'bad.yaml: run 2: --set l3_tlb.ways=0' sweep bad.yaml
mkdir empty
code=0
env PATH="$work/empty" "$mempath" --db new.db sweep s.yaml --slurm >out 2>err || code=$?
[ "$code" = 2 ] || wrong "without Slurm: exit code $code"
grep -q 'no sbatch in PATH; a machine that submits to Slurm, or --jobs N' err || wrong 'no sbatch, but no line about it'
finished
