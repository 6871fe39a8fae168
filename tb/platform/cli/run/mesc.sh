#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The machine of MESC under each design: direct calls, TLM sockets and threads give the same digest; what is counted,
# and what it is worth in energy.
. "$(dirname "$0")/../lib.sh"

# Small TLBs, and memory that others have fragmented, so that all kinds of walks and entries occur.
machine='mesc-16cu --set tenants.0.app=MT --set tenants.0.size=small --set l3_tlb.entries=16 --set l3_tlb.ways=4
    --set l3_tlb.sub_ways=2 --set walk.msc=8 --set walk.pwc_entries=16 --set vm.memhog=0'

# Runs a design in three ways: policies of the L1 TLB and the IOMMU TLB, walk method, large pages, and the rest. The
# last run is its row.
design() {
    l1=$1 l3=$2 method=$3 thp=$4 digest=''
    shift 4
    for way in '' --force-tlm '--threads 2'; do
        # shellcheck disable=SC2086 # lists of words
        expect 0 run $machine --set l1_tlb.policy=$l1 --set l3_tlb.policy=$l3 --set walk.method=$method \
            --set vm.thp=$thp "$@" $way --json --quiet
        got=$(grep -o '"digest": "[0-9a-f]*"' "$work/out")
        [ "${digest:=$got}" = "$got" ] || wrong "$l1 $l3 $method $way: digest $got, not $digest"
    done
}

# A counter of the last run, of the component whose path ends so.
counted() {
    sqlite3 "$MEMPATH_DB" "SELECT ifnull(sum(value), 0) FROM metrics
        WHERE run = (SELECT max(id) FROM run) AND component GLOB '*.$1' AND metric = '$2'"
}

more() { # text, number, number
    [ "$2" -gt "$3" ] || wrong "$1: $2, not more than $3"
}

design page page on_return false
base_walks=$(counted walk walks)
[ "$(counted contiguity scans)" = 0 ] || wrong 'the baseline scans its page table'
design colt page colt false
design colt colt colt false
design thp thp thp true
[ "$(counted walk.thp page)" -gt 0 ] || wrong 'thp: no walk ended at a page'
design page mesc mesc false
more 'mesc saves no walks' "$base_walks" "$(counted walk walks)"
more 'mesc: walks in mode subregion' "$(counted walk.mesc subregion)" 0
more 'mesc: subregion hits' "$(counted l3_tlb.mesc block_hits)" 0
more 'mesc: subregion entries' "$(counted l3_tlb.mesc blocks_written)" 0
[ "$(counted contiguity scans)" = 1 ] || wrong "mesc: $(counted contiguity scans) scans, not 1"
more 'mesc: heads' "$(counted walk.mesc heads)" 0

# Energy is counts times db/energy.csv. Each kind of entry is looked up and written as often as the counters say.
mesc=$(sqlite3 "$MEMPATH_DB" 'SELECT max(id) FROM run')
energy() { # structure, access, column: of the last run
    json "(SELECT json_extract(value, '\$.$3') FROM json_each(j)
        WHERE json_extract(value, '\$.run') = $mesc AND json_extract(value, '\$.structure') = '$1'
        AND json_extract(value, '\$.access') = '$2')" "$4"
}
expect 0 query energy "run=$mesc" --json
energy l3_tlb.subregions lookup count "$(counted l3_tlb lookups)"
energy l3_tlb lookup count $(($(counted l3_tlb lookups) - $(counted l3_tlb.mesc block_hits)))
energy l3_tlb write count "$(counted l3_tlb.mesc pages_written)"
energy l3_tlb.subregions write count "$(counted l3_tlb.mesc blocks_written)"
energy l1_tlb write count "$(counted l1_tlb.page pages_written)"
energy msc lookup count "$(counted walk.mesc msc_lookups)"
energy msc write count "$(counted walk.mesc msc_insertions)"
energy pwc lookup count "$(counted walk pwc_lookups)"
energy page_table read count "$(counted walk levels_read)"
json "(SELECT abs(sum(json_extract(value, '\$.microjoules')
    - json_extract(value, '\$.count') * json_extract(value, '\$.nanojoules') / 1000)) < 0.0001 FROM json_each(j)
    WHERE json_extract(value, '\$.count') IS NOT NULL)" 1
json "(SELECT abs(sum(json_extract(value, '\$.microjoules') * CASE json_extract(value, '\$.part')
    WHEN 'all' THEN -1 ELSE 1 END)) < 0.0001 FROM json_each(j)
    WHERE json_extract(value, '\$.part') = 'all' OR json_extract(value, '\$.access') <> 'all')" 1
# Every read of an entry by a walk is a line that the DRAM moves.
[ "$(counted dram reads)" -ge "$(counted walk levels_read)" ] || wrong 'walks read more lines than the DRAM'
# Every translation is that of the page table; looking changes nothing.
for check in '' --check; do
    # shellcheck disable=SC2086 # lists of words
    expect 0 run $machine --set l3_tlb.policy=mesc --set walk.method=mesc $check --json --quiet
    [ -n "$check" ] || digest=$(grep -o '"digest": "[0-9a-f]*"' "$work/out")
done
[ "$(grep -o '"digest": "[0-9a-f]*"' "$work/out")" = "$digest" ] || wrong '--check changes the results'

design colt mesc mesc false
design colt mesc-full-colt mesc false

# Pages that come by faults have their bits then, and lose them when they leave.
for check in '' --check; do
    # shellcheck disable=SC2086 # words
    design page mesc mesc false --set tenants.0.managed=true --set uvm.chunks=1 $check
    [ -n "$check" ] || digest=$got
done
[ "$got" = "$digest" ] || wrong '--check changes the results of managed memory'
more 'managed: units that left' "$(counted uvm evictions)" 0
more 'managed: subregion hits' "$(counted l3_tlb.mesc block_hits)" 0
design page page on_return false --set tenants.0.managed=true --set uvm.chunks=1
base_walks=$(counted walk walks)
design page mesc mesc false --set tenants.0.managed=true --set uvm.chunks=1
more 'managed: mesc saves no walks' "$base_walks" "$(counted walk walks)"

# All heads come in one line if they are first in the table.
design page mesc mesc false --set vm.layout=head
[ "$(counted walk.mesc heads)" = 0 ] || wrong 'vm.layout=head: heads were read one by one'

# The scan delays the launch by what it reads.
cycles() { grep -o '"cycles": [0-9]*' "$work/out" | head -n 1 | tr -dc '0-9'; }
design page mesc mesc false
before=$(cycles) read=$(counted contiguity read)
design page mesc mesc false --set vm.scan_cycles=3
more 'vm.scan_cycles: cycles' "$(cycles)" $((before + 2 * 512))
[ "$read" -gt 512 ] || wrong "the scan has read $read entries"

refused 'vm.frames = buddy with machine.page_bytes = 65536; 4096' run mesc-16cu --set machine.page_bytes=65536
refused 'vm.layout = head with machine.page_bytes = 65536; 4096' run star/w2 --set vm.layout=head
refused 'l1_tlb.ways: 128 are too many for subentry; 64 at most' run mesc-16cu --set l1_tlb.entries=128 \
    --set l1_tlb.ways=128 --set l1_tlb.policy=subentry
expect 0 run mesc-16cu --set tenants.0.app=MT --set tenants.0.size=small --set l1_tlb.entries=128 \
    --set l1_tlb.ways=128 --quiet

# Rows of a matrix lie 1 KB apart: where address bits give the set, they meet few sets of the L1 cache. Frames are those of
# a memory that has been in use.
for hash in machine spread; do
    expect 0 run mesc-16cu --set tenants.0.app=GMV --set tenants.0.size=small --set machine.hash=interleaved \
        --set vm.memhog=2 --set l1d.hash=$hash --quiet --json
    [ "$hash" = spread ] || hits=$(counted l1d hits)
done
more 'L1 hits with sets by address bits' "$(counted l1d hits)" $((3 * hits / 2))
finished
