#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A file adds levels to a machine: a TLB between the first and second level, and a third level of data caches. They are
# in runs, natively and through TLM, in the picture, the list of parameters, the database and the report.
. "$(dirname "$0")/../lib.sh"

cat >levels.yaml <<'YAML'
preset: demo
l15_tlb:
  kind: tlb
  to: l2_tlb
  entries: 64
  latency: 6
l3d:
  kind: cache
  to: dram
  bytes_per_slice: 1 MiB
  latency: 60
YAML
blocks="json_each(j, '\$.blocks')" links="json_each(j, '\$.links')"
has_links() { # FROM:TO:NUMBER, of levels
    for way in "$@"; do
        from=${way%%:*} rest=${way#*:}
        json "(SELECT count(*) FROM $links l JOIN $blocks a ON a.value ->> 'path' = l.value ->> 'from'
            JOIN $blocks b ON b.value ->> 'path' = l.value ->> 'to'
            WHERE a.value ->> 'level' = '$from' AND b.value ->> 'level' = '${rest%:*}')" "${rest#*:}"
    done
}

expect 0 machine levels.yaml --json
has_links l1_tlb:l15_tlb:49 l15_tlb:l2_tlb:7 l2d:l3d:3 l1_tlb:l2_tlb:0 l2d:dram:0
expect 0 machine levels.yaml -o machine.svg
for level in l15_tlb l3d; do
    grep -q "7 × $level\|3 × $level\|>$level" machine.svg || wrong "the picture has no $level"
    expect 0 params "$level" --machine levels.yaml --json
    json "(SELECT count(*) > 6 FROM json_each(j) WHERE value ->> 'path' GLOB '$level.*')" 1
done
expect 2 params l15_tlb

digest() { sqlite3 :memory: "SELECT json_extract(CAST(readfile('$work/out') AS TEXT), '\$.runs[0].digest')"; }

set -- --set tenants.size=small --set tenants.1.app=FFT --quiet --json
expect 0 run demo "$@"
without=$(digest)
expect 0 run levels.yaml "$@"
with=$(digest)
[ "$with" != "$without" ] || wrong 'the levels change nothing'
for way in --force-tlm '--threads 2' '--set l15_tlb.lookups=0'; do
    # shellcheck disable=SC2086 # words
    expect 0 run levels.yaml "$@" $way
    [ "$(digest)" = "$with" ] || wrong "run levels.yaml $way: another digest than without"
done
"$mempath" query config run=2 | "$mempath" run - --quiet --json >out 2>err || wrong 'the stored configuration does not run'
[ "$(digest)" = "$with" ] || wrong 'the stored configuration has another digest'

# Any policy can be chosen, with own values of its parameters.
star='--set l15_tlb.policy=star --set l15_tlb.entries=16 --set machine.page_bytes=4096'
# shellcheck disable=SC2086 # words
set_star() { expect 0 run levels.yaml $star "$@"; }
set_star "$@"
first=$(digest)
set_star "$@" --set l3_tlb.stride=2 --set l3_tlb.base_latency=1
[ "$(digest)" = "$first" ] || wrong "the stride of another level changes l15_tlb"
set_star "$@" --set l15_tlb.stride=2
strided=$(digest)
[ "$strided" != "$first" ] || wrong 'l15_tlb.stride changes nothing'
set_star "$@" --set l15_tlb.stride=2 --force-tlm
[ "$(digest)" = "$strided" ] || wrong 'star in l15_tlb: another digest through TLM'

# The table and --json have the level, between those that it stands between.
expect 0 run levels.yaml --set tenants.size=small --set tenants.1.app=FFT --quiet
says 'L1 hit %  L15 hit %  L2 hit %  L3 hit %'
expect 0 run levels.yaml "$@"
json "(SELECT group_concat(key, ' ') FROM json_each(j, '\$.runs[0].tenants[1]') WHERE key GLOB '*_hit_rate')" \
    'l1_tlb_hit_rate l15_tlb_hit_rate l2_tlb_hit_rate l3_tlb_hit_rate'
json "round(json_extract(j, '\$.runs[0].tenants[1].l15_tlb_hit_rate'), 9)" \
    "$(sqlite3 "$MEMPATH_DB" "SELECT round(hit_rate, 9) FROM tlb_hit_rate WHERE run = 2 AND level = 'l15_tlb' AND tenant = 1")"

# Its traffic is observed by its name, and its array if there is one.
expect 0 run levels.yaml "$@" --observe l15_tlb -o l15.csv
[ "$(wc -l <l15.csv)" -gt 100 ] || wrong 'no traffic of l15_tlb'
refused "no link 'l15_tlb_array'" run levels.yaml "$@" --observe l15_tlb_array -o l15.txt
printf 'preset: demo\nl4_tlb: {kind: tlb, to: walk, per: machine}\n' >l4.yaml
expect 0 run l4.yaml "$@" --observe l4_tlb_array -o l4.txt
grep -q '^L 0 0x' l4.txt || wrong 'no look-ups in the array of l4_tlb'
refused 'has no such TLB; l15_tlb.per = slice' run levels.yaml "$@" --set l15_tlb.per=none --observe l15_tlb -o l15.csv

# A TLB for each TPC, and one for each SM before the first level, which still asks its neighbours.
digest_with() { # file and options
    expect 0 run "$@" --set tenants.size=small --set tenants.1.app=FFT --quiet --json
    digest
}
printf 'preset: demo\nl0_tlb: {kind: tlb, to: l1_tlb, per: sm, entries: 8, ways: 8, sub_entries: 1, latency: 1}\n' >l0.yaml
for way in 'levels.yaml --set l15_tlb.per=tpc' 'l0.yaml' 'l0.yaml --set neighbours.policy=ring'; do
    # shellcheck disable=SC2086 # words
    native=$(digest_with $way)
    # shellcheck disable=SC2086 # words
    [ "$(digest_with $way --force-tlm)" = "$native" ] || wrong "run $way: another digest through TLM"
    # shellcheck disable=SC2086 # words
    [ "$(digest_with $way --threads 2)" = "$native" ] || wrong "run $way: another digest with threads"
done
expect 0 machine l0.yaml --json
has_links sm:l0_tlb:98 l0_tlb:l1_tlb:98 sm:l1_tlb:0

# TLBs of 15, 125 and 9 sets: any number is allowed.
odd='levels.yaml --set l2_tlb.entries=120 --set l3_tlb.entries=1000 --set l15_tlb.entries=72 --set l3_tlb.policy=star4'
# shellcheck disable=SC2086 # words
native=$(digest_with $odd)
# shellcheck disable=SC2086 # words
[ "$(digest_with $odd --force-tlm)" = "$native" ] || wrong "run $odd: another digest through TLM"

# A sweep may vary its parameters.
printf 'experiments: levels.yaml\nparameters:\n  l15_tlb.latency: [6, 7]\n  tenants.size: small\n  tenants.1.app: FFT\n' >sweep.yaml
expect 0 sweep sweep.yaml --quiet --json
json "json_extract(j, '\$.runs[0].digest') <> json_extract(j, '\$.runs[1].digest')" 1
printf 'experiments: levels.yaml\nparameters: {l16_tlb.latency: [6, 7]}\n' >sweep.yaml
refused 'unknown parameter l16_tlb.latency; nearest is l1_tlb.latency' sweep sweep.yaml --quiet
expect 0 run levels.yaml "$@" --set l15_tlb.per=none --set l3d.per=none
[ "$(digest)" = "$without" ] || wrong 'levels without blocks change something'

sql() { sqlite3 "$MEMPATH_DB" "$1"; }
# What one level misses, the next looks up.
[ "$(sql "SELECT count(*) FROM tlb_hit_rate a JOIN tlb_hit_rate b USING (run, tenant) WHERE run = 2 AND (a.level, b.level)
    IN (('l1_tlb', 'l15_tlb'), ('l15_tlb', 'l2_tlb')) AND a.misses - a.mshr_merges = b.lookups")" = 6 ] ||
    wrong 'a level does not look up what the level above misses'
[ "$(sql "SELECT sum(lookups) > 0 FROM cache_hit_rate WHERE run = 2 AND level = 'l3d'")" = 1 ] ||
    wrong 'the database has no l3d'
[ "$(sql "SELECT group_concat(value, ' ') FROM (SELECT value FROM parameter WHERE run = 2 AND path IN
    ('l15_tlb.entries', 'l15_tlb.kind', 'l15_tlb.to') ORDER BY path)")" = '64 tlb l2_tlb' ] ||
    wrong 'the database has not the parameters of l15_tlb'
expect 0 report -o report.html
for level in l15_tlb l3d; do grep -q "$level" report.html || wrong "the report has no $level"; done

# A preset's levels can be changed by the files above it, and a level can lead to one that was added before it.
printf 'preset: levels.yaml\nl15_tlb:\n  entries: 128\nl17_tlb:\n  kind: tlb\n  to: l2_tlb\n  latency: 9\n' >above.yaml
expect 0 machine above.yaml --json
json "(SELECT count(*) FROM $links WHERE value ->> 'from' GLOB '*.l15_tlb' AND value ->> 'to' GLOB '*.l17_tlb')" 7

bad() { # a line of YAML after the preset, what the refusal says
    printf 'preset: demo\n%s\n' "$1" >bad.yaml
    refused "bad.yaml:2: $2" machine bad.yaml
}
bad 'l15_tlb: {kind: tlbs, to: l2_tlb}' "l15_tlb.kind = 'tlbs' is no choice; tlb or cache"
bad 'l15_tlb: {kind: tlb}' "l15_tlb.to = '' is no level to which a tlb can lead; l1_tlb, l2_tlb, l3_tlb or walk"
bad 'l15_tlb: {kind: tlb, to: l2_tlb, policy: star4, stride: 2}' 'l15_tlb.stride: 2 is too large for star4; 1 at most'
bad 'l3d: {kind: cache, to: walk}' "l3d.to = 'walk' is no level to which a cache can lead; l2d or dram"
bad 'l15_tlb: {kind: tlb, to: l2_tlb, entires: 8}' 'unknown key l15_tlb.entires; nearest is l15_tlb.entries'
bad 'l15_tlb: {kind: tlb, to: l2_tlb, entries: 100}' 'l15_tlb.entries = 100 gives no whole number of sets'
bad 'l15_tlb: {kind: tlb, to: l2_tlb, per: gpc}' "l15_tlb.per = 'gpc' is no choice; sm, tpc, slice, instance, tenant, machine or none"
bad 'l3d: {kind: cache, to: dram, per: sm}' "l3d.per = 'sm' is no choice; slice, instance, tenant, machine or none"
bad 'l0d: {kind: cache, to: l1d}' "l0d.to = 'l1d' is no level to which a cache can lead; l2d or dram"
bad 'L15: {kind: tlb, to: l2_tlb}' 'a level cannot be called L15; at most 10 of a to z, 0 to 9 and _'
bad 'gpc: {kind: tlb, to: l2_tlb}' 'a level cannot be called gpc'
bad 'l3d: {kind: cache, to: dram, mshrs: 4096}' 'l3d.mshrs = 4096 makes 196608 MSHRs with l3d.banks_per_slice = 16'
bad 'l15_tlb: {entries: 8}' 'unknown section l15_tlb; nearest is l1_tlb'
bad 'sm: {kind: tlb}' 'unknown key sm.kind'
printf 'preset: levels.yaml\nl3d: {kind: tlb}\n' >bad.yaml
refused 'bad.yaml:2: l3d.kind = tlb above a preset in which it is cache; another name' machine bad.yaml
printf 'preset: demo\na: {kind: tlb, to: walk}\nb: {kind: tlb, to: walk}\nc: {kind: tlb, to: walk}\n' >bad.yaml
printf 'd: {kind: tlb, to: walk}\ne: {kind: tlb, to: walk}\n' >>bad.yaml
refused 'bad.yaml:6: more than 4 levels are added; at most 4' machine bad.yaml

finished
