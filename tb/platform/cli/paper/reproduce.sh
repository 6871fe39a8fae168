#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Table and figures at small size: everything is printed and stored, nothing runs twice, and values equal db/evidence.
. "$(dirname "$0")/../lib.sh"

count() { sqlite3 "$MEMPATH_DB" "$1"; }
runs() { count "SELECT count(*) FROM run WHERE status = 'done'"; }

expect 0 reproduce star/table2 --size small --quiet --json --check --jobs 1
[ "$(count "SELECT count(*) > 5 FROM (SELECT DISTINCT bytes FROM run_input)")" = 1 ] || wrong 'the traces are equally long'
[ "$(count "SELECT count(*) FROM (SELECT bytes, lag(bytes) OVER (ORDER BY started, bytes DESC) AS before FROM run_input JOIN run ON run.id = run) WHERE bytes > before")" = 0 ] ||
    wrong 'without times, a longer trace runs after a shorter one'
json "json_array_length(j, '\$.applications')" 10
json "json_extract(j, '\$.applications[0].app')" ATAX
json "json_extract(j, '\$.applications[0].paper_instructions')" 328441844
json "json_extract(j, '\$.applications[0].warp_instructions') > 0" 1
json "json_extract(j, '\$.applications[9].l2_tlb_mpki') >= 0" 1
cp "$work/out" first.json
[ "$(runs)" = 10 ] || wrong 'not ten runs'
[ "$(count "SELECT count(*) FROM measured_point WHERE figure = 'table2@small'")" = 40 ] || wrong 'not forty points'

# Read from the database, with the same digits.
expect 0 reproduce star/table2 --size small --quiet --json
cmp -s first.json "$work/out" || wrong 'what the database has differs from what was measured'
[ "$(runs)" = 10 ] || wrong 'ran again what the database has'
expect 0 reproduce star/table2 --size small --quiet
says 'CONV'
says 'class (paper)'

# Curves of the same runs.
expect 0 reproduce star/fig5 --size small --quiet --check
[ "$(runs)" = 10 ] || wrong 'figure 5 has other runs than table II'
says 'fig5    alone  ATAX evictions  0.000     0.000'

expect 0 reproduce star/fig3 --size small --quiet --check
says 'IV-A: drops by 48 %'
says 'star-fig3@small.svg'
head -c 300 'star-fig3@small.svg' | grep -q '<svg' || wrong 'no SVG picture'
head -c 4 'star-fig3@small.png' | grep -q 'PNG' || wrong 'no PNG picture'
[ -z "$(find . -name '*.part')" ] || wrong 'a half-made picture was left'
[ "$(count "SELECT count(*) FROM paper_point WHERE figure = 'fig3@small' AND value IS NOT NULL")" = 6 ] ||
    wrong 'not the six numbers of the text'
[ "$(count "SELECT count(*) FROM measured_point WHERE figure = 'fig3@small'")" = 45 ] || wrong 'not 45 points'
expect 0 query figures paper=star
says 'fig3@small'
before=$(runs)

# A figure that needs eleven more, one that needs none, and one after a run was lost.
expect 0 reproduce star/fig10 --size small --quiet --json --check
[ "$(runs)" = $((before + 11)) ] || wrong 'figure 10 does not share the baseline with figure 3'
json "json_extract(j, '\$.figure')" star/fig10
json "json_array_length(j, '\$.points')" 45
json "json_extract(j, '\$.points[5].series') || json_extract(j, '\$.points[5].x')" W2ATAX
json "json_extract(j, '\$.points[44].paper')" 1.287
json "json_array_length(j, '\$.points[44].runs')" 22
json "abs(json_extract(j, '\$.points[44].measured') - 1) < 0.5" 1
json "json_extract(j, '\$.claims[0].verdict') IN ('holds', 'does not hold')" 1
cp "$work/out" first.json
expect 0 reproduce star/fig11 --size small --quiet --check
[ "$(runs)" = $((before + 11)) ] || wrong 'figure 11 has other runs than figure 10'
says 'STAR over baseline'
count "PRAGMA foreign_keys = ON; DELETE FROM run WHERE id = (SELECT max(id) FROM run)"
expect 0 reproduce star/fig10 --size small --quiet --json
[ "$(runs)" = $((before + 11)) ] || wrong 'not only the missing run was run'
sed 's/"runs":.*//' first.json >a
sed 's/"runs":.*//' "$work/out" >b
cmp -s a b || wrong 'figure 10 differs the second time'

# A changed machine has other runs and values, and leaves the stored ones as they are.
before=$(runs)
stored=$(count "SELECT group_concat(value) FROM measured_point WHERE figure = 'table2@small'")
expect 0 reproduce star/table2 --size small --quiet --json --set l2_tlb.entries=16 --set l2_tlb.ways=8
[ "$(runs)" = $((before + 10)) ] || wrong 'a changed machine shares runs'
[ "$(count "SELECT count(DISTINCT value) FROM parameter WHERE path = 'l2_tlb.entries'")" = 2 ] ||
    wrong '--set did not reach the machine'
[ "$(count "SELECT group_concat(value) FROM measured_point WHERE figure = 'table2@small'")" = "$stored" ] ||
    wrong 'the changed values were stored'
refused 'a changed machine has no evidence' reproduce star/table2 --size small --check --set l2_tlb.entries=16
refused "l2_tlb.entry" reproduce star/table2 --size small --set l2_tlb.entry=16
refused 'has no value' reproduce star/table2 --set l2_tlb.entries

before=$(runs)
expect 0 reproduce star --size small --quiet --json --only W10 --set l3_tlb.mshrs=16
json "json_array_length(j) > 10" 1
json "(SELECT group_concat(DISTINCT json_extract(p.value, '\$.series')) FROM json_each(j) f, json_each(f.value, '\$.points') p WHERE json_extract(f.value, '\$.figure') = 'star/fig3')" 'W10,all'
[ "$(runs)" -gt $((before + 4)) ] || wrong 'no runs of a changed machine'
refused 'nothing of that has the workloads W10' reproduce star/fig17 --size small --only W10
refused "no workload 'W99'; W1 to W18" reproduce star/fig3 --only W1,W99
refused "no workload ''" reproduce star/fig3 --only W1,
refused 'evidence is of whole figures' reproduce star/fig3 --only W1 --check

expect 0 reproduce
says 'star/fig21'
says 'star/summary'
refused 'nothing named .star/fig99.' reproduce star/fig99
# Recorded times decide over sizes: here the run with the number 10 of an older revision took longest.
rm -f "$MEMPATH_DB"
expect 0 reproduce star/table2 --size small --quiet --jobs 1
count "UPDATE run SET revision = 'older', seconds = id"
expect 0 reproduce star/table2 --size small --quiet --jobs 1
[ "$(count "SELECT group_concat(o.id) FROM (SELECT * FROM run ORDER BY started, id DESC) r JOIN run o ON o.config_hash = r.config_hash AND o.id <= 10 WHERE r.id > 10")" = \
    10,9,8,7,6,5,4,3,2,1 ] || wrong 'the longest run was not the first'
finished
