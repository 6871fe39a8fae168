#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each launch of a kernel is a row. Launches add up to the run, and are the same on threads, over TLM-2.0 and checked.
. "$(dirname "$0")/../lib.sh"

ask() { sqlite3 "$MEMPATH_DB" "$1"; }

for way in '' '--threads 2' --force-tlm --check; do
    # shellcheck disable=SC2086 # words
    expect 0 run star-a100-mig --set tenants.0.app=NW --set tenants.0.size=small --set tenants.0.slices=3 \
        --set tenants.1.app=MT --set tenants.1.size=small --set tenants.1.slices=4 --quiet $way
    kernels=$(ask "SELECT group_concat(tenant || ' ' || launch || ' ' || kernel || ' ' || began || ' ' || ended || ' ' ||
        instructions || ' ' || l1_tlb_misses || ' ' || walks || ' ' || dram_lines) FROM kernels
        WHERE run = (SELECT max(id) FROM run)")
    [ "$kernels" = "${first:=$kernels}" ] || wrong "with '$way': $kernels, not $first"
done
[ "$(ask 'SELECT count(*) FROM kernels WHERE run = 1 AND tenant = 0')" = 15 ] || wrong 'NW small has 15 launches'
[ "$(ask 'SELECT count(*) FROM kernels k JOIN kernels l USING (run, tenant) WHERE l.launch = k.launch + 1 AND
    l.began < k.ended')" = 0 ] || wrong 'launches of a tenant overlap'
for sum in 'instructions:SELECT instructions FROM tenant' 'accesses:SELECT accesses FROM tenant' \
    "walks:SELECT sum(value) FROM metrics WHERE kind = 'walk' AND metric = 'walks'" \
    "l1_tlb_misses:SELECT misses FROM tlb_hit_rate WHERE level = 'l1_tlb'" \
    "dram_lines:SELECT sum(reads + writes) FROM dram_use"; do
    column=${sum%%:*} query=${sum#*:}
    for t in 0 1; do
        where=WHERE
        case $query in *WHERE*) where=AND ;; esac
        [ "$(ask "SELECT sum($column) FROM kernels WHERE run = 1 AND tenant = $t")" = "$(ask "$query $where run = 1 AND tenant = $t")" ] ||
            wrong "tenant $t: the $column of its launches are not those of the run"
    done
done
# Energy of the launches is that of the run, under designs whose own counters are accesses, too. The third run stores
# another kind for the name mesc, which designs of a TLB and of walks have.
mt='--set tenants.0.app=MT --set tenants.0.size=small --quiet'
for way in 'mesc-16cu --set l3_tlb.policy=mesc --set walk.method=mesc' 'neidty-16sm --set neighbours.policy=neidty' \
    'mesc-16cu --set l3_tlb.policy=mesc-full-colt --set walk.method=mesc'; do
    # shellcheck disable=SC2086 # words
    expect 0 run $way $mt
done
spent() { # view, run
    ask "SELECT part, structure, access, sum(count), round(sum(count * nanojoules) / 1000, 6) FROM $1 WHERE run = $2
        GROUP BY part, structure, access HAVING sum(count) ORDER BY part, structure, access"
}
for run in 1 5 7; do
    spent energy "$run" >whole
    spent launch_energy "$run" | diff whole - >&2 || wrong "run $run: the energy of launches is not that of the run"
done
for run in 5 7; do
    [ "$(spent energy $run | grep -c '^translation|l3_tlb.subregions|\(lookup\|write\)|')" = 2 ] || wrong "run $run: subregions"
    [ "$(spent energy $run | grep -c '^translation|msc|\(lookup\|write\)|')" = 2 ] || wrong "run $run: memory subregion cache"
done
# Entries that are written after the last launch are of no launch.
[ "$(ask "SELECT (SELECT sum(count) FROM launch_energy WHERE run = 6 AND structure = 'directory' AND access = 'lookup') =
    (SELECT sum(count) FROM energy WHERE run = 6 AND structure = 'directory' AND access = 'lookup')")" = 1 ] ||
    wrong 'look-ups of the directory'
expect 0 query kernels run=1
says 'nw_grow'
says ' data_microjoules$'
finished
