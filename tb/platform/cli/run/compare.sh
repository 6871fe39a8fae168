#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One experiment under several values: each value is a separate run, with the same numbers as a run without --compare.
. "$(dirname "$0")/../lib.sh"

small='--set tenants.size=small --set tenants.1.app=SRAD --quiet'

# shellcheck disable=SC2086 # a list of words
expect 0 run demo $small --compare l3_tlb.latency=40,400 --alone --json
json "json_extract(j, '\$.parameter')" l3_tlb.latency
json "json_array_length(j, '\$.compared')" 1
json "json_extract(j, '\$.compared[0].variants[1].value')" 400
json "json_array_length(j, '\$.compared[0].variants[1].tenants')" 3
json "json_extract(j, '\$.compared[0].variants[0].tenants[0].change_percent')" 0
json "json_extract(j, '\$.compared[0].variants[1].mean_change_percent') < -0.5" 1
json "json_extract(j, '\$.compared[0].variants[0].harmonic_mean') > json_extract(j, '\$.compared[0].variants[1].harmonic_mean')" 1
# The change follows from the two IPCs in the row; alone is alone under the first value.
v="\$.compared[0].variants"
json "abs(json_extract(j, '${v}[1].tenants[0].ipc') / json_extract(j, '${v}[0].tenants[0].ipc') - 1 - json_extract(j, '${v}[1].tenants[0].change_percent') / 100) < 1e-6" 1
json "abs(json_extract(j, '${v}[1].tenants[1].relative_to_alone') - 1.0 * json_extract(j, '\$.alone[1].tenants[0].cycles') / json_extract(j, '\$.runs[1].tenants[1].cycles')) < 1e-6" 1
json "json_array_length(j, '\$.runs')" 2
json "json_array_length(j, '\$.alone')" 3
cp "$work/out" compared.json
count() { sqlite3 "$MEMPATH_DB" "$1"; }
[ "$(count "SELECT count(*) FROM run WHERE status = 'done'")" = 5 ] || wrong 'not five runs in the database'
tenants='tenants.0.size=small tenants.1.app=SRAD tenants.1.size=small tenants.2.size=small'
expect 0 query "SELECT changes, seed FROM runs WHERE experiment = 'demo' ORDER BY changes" --csv
[ "$(tail -n +2 "$work/out" | tr '\n' ';')" = "l3_tlb.latency=40 $tenants,1;l3_tlb.latency=400 $tenants,1;" ] ||
    wrong "runs do not show what was compared: $(cat "$work/out")"
[ "$(count "SELECT count(*) FROM runs WHERE experiment LIKE '%alone%' AND changes = 'l3_tlb.latency=40'")" = 3 ] ||
    wrong 'runs alone do not show the machine that was changed'
[ "$(count "SELECT count(DISTINCT machine_hash) FROM run WHERE experiment = 'demo'")" = 2 ] ||
    wrong 'the two machines are not distinguished'

# shellcheck disable=SC2086
expect 0 run demo $small --set l3_tlb.latency=400 --json
digest=$(sqlite3 :memory: "SELECT json_extract(CAST(readfile('compared.json') AS TEXT), '\$.runs[1].digest')")
json "json_extract(j, '\$.runs[0].digest')" "$digest"

# shellcheck disable=SC2086
expect 0 run demo $small --compare l3_tlb.latency=40,400 --jobs 1
says 'application  *slices  *l3_tlb.latency  *IPC  *change %  *L3 hit %'
says '^harmonic mean  *40  *-'
says '^  *400  *-[0-9]'
says 'change: of IPC against l3_tlb.latency=40'

# Runs are numbered in the order of the command, whichever process is the first to begin.
# shellcheck disable=SC2086
expect 0 run demo $small --compare l3_tlb.latency=40,41,42,43,44,45,46,47 --until 3000 --jobs 8 --json
json "(SELECT count(DISTINCT (value ->> 'run') - key) FROM json_each(j, '\$.compared[0].variants'))" 1

refused 'two or more' run demo --compare l3_tlb.latency=40
refused 'twice' run demo --compare l3_tlb.latency=40,40
refused 'has no values' run demo --compare l3_tlb.latency
refused 'l3_tlb.latency' run demo --compare l3_tlb.latenci=40,50
refused 'l3_tlb.ways' run demo --compare l3_tlb.ways=8,0
refused 'would write the same file' run demo --compare l3_tlb.latency=40,50 --observe l3_tlb -o x
finished
