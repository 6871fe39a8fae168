#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The blocks of RTL inside a run that run/rtl.sh does not have: in place of a model each gives exactly the model's results,
# compared with it it is equal and says its coverage, and a fault of it ends the run. $3 is a library of faulty ones.
# shellcheck disable=SC2086 # lists of words
. "$(dirname "$0")/../lib.sh"

whole=$mempath
mkdir faulty
cp "$whole" "$3" faulty/
ln -s "$(dirname "$whole")/mempath-record" faulty

digest() { sed -n 's/^ *"digest": "\(.*\)",$/\1/p' "$work/out"; }

# block NAME PLACES LEAST COSIM RUN: the model, the RTL, and both; PLACES blocks see more than LEAST transactions.
block() {
    expect 0 run $5 --json
    model=$(digest)
    [ -n "$model" ] || wrong 'no digest'
    expect 0 run $5 --rtl $1 --json
    [ "$(digest)" = "$model" ] || wrong "--rtl $1: $(digest) is not the model's $model"
    json "(SELECT value ->> 'places' || ' ' || (value ->> 'block') || ' ' || (value ->> 'transactions' > $3)
        FROM json_each(j -> '\$.runs[0].rtl'))" "$2 $4 1"
    expect 0 run $5 --rtl-shadow $1 --json
    [ "$(digest)" = "$model" ] || wrong "--rtl-shadow $1: $(digest) is not the model's $model"
    json "(SELECT (value ->> 'points_reached' BETWEEN 1 AND value ->> 'points' - 1) || ' ' || (value ->> 'others_by')
        FROM json_each(j -> '\$.runs[0].rtl'))" "1 mempath cosim $4"
}

# breaks NAME COMPONENT TEXT RUN: the fault ends the run, with both states and the command.
breaks() {
    mempath=faulty/mempath
    expect 1 run $4 --rtl-shadow $1
    says "$3"
    says "^again: mempath run .* --rtl-shadow $1"
    grep -q "^mempath: .*: $2: .* differs between RTL and model in cycle [0-9]*, transaction" "$work/err" || wrong "$1: no error line"
    mempath=$whole
}

# MESC: a TLB of 8 entries and 4 ways; what scatters frames leaves few contiguous subregions.
mesc='mesc-16cu --set tenants.0.app=MT --set tenants.0.size=small --set walk.method=mesc --set vm.memhog=8'
small='--set l3_tlb.entries=8 --set l3_tlb.ways=4 --set l3_tlb.sub_ways=2'
block mesc-tlb 1 3000 mesc-tlb "$mesc --set l3_tlb.policy=mesc"
block l3_tlb 1 3000 mesc-tlb "$mesc --set l3_tlb.policy=mesc $small"
block l3_tlb 1 3000 mesc-tlb "$mesc --set l3_tlb.policy=mesc $small --set vm.memhog=0"
block l3_tlb 1 3000 mesc-tlb "$mesc --set l3_tlb.policy=page"
breaks l3_tlb gpu.l3_tlb '^transaction [0-9]*, clock [0-9]*: ' "$mesc --set l3_tlb.policy=mesc $small --set vm.memhog=0"
block mesc-scan 1 100 mesc-scan "$mesc --set l3_tlb.policy=mesc"
block mesc-scan 1 100 mesc-scan "$mesc --set l3_tlb.policy=mesc --set vm.layout=head"
breaks mesc-scan gpu.tenant0.contiguity '^transaction [0-9]*, clock [0-9]*: the entry at ' "$mesc --set l3_tlb.policy=mesc"

# NeiDty: 16 L1 TLBs in a ring, each with an array and a directory.
ring='neidty-16sm --set tenants.0.app=MT --set tenants.0.size=small --set neighbours.policy=neidty'
short='--set l1_tlb.entries=8 --set l1_tlb.ways=8 --set neighbours.directory=8 --set neighbours.tag_bits=8'
block neidty 16 10000 neidty "$ring"
block neidty 16 10000 neidty "$ring $short"
block neidty 16 10000 neidty "$ring --set tenants.0.app=GUPS --set neighbours.topology=pairs --set neighbours.hop=7"
breaks neidty 'gpu.*l1_tlb' '^transaction [0-9]*, clock [0-9]*:' "$ring"
block l1-tlb 16 10000 l1-tlb "$ring"
block l1_tlb 16 10000 l1-tlb "$ring $short"
breaks l1_tlb 'gpu.*l1_tlb' '^\* ' "$ring $short"
# Both in each TLB.
expect 0 run $ring --json
model=$(digest)
expect 0 run $ring --rtl l1-tlb --rtl-shadow neidty --json
[ "$(digest)" = "$model" ] || wrong "both blocks: $(digest) is not the model's $model"
json "json_array_length(j -> '\$.runs[0].rtl')" 2

# One of many, so that it has waves.
l1=gpu.gpc0.tpc3.sm0.l1_tlb
expect 0 run $ring --rtl neidty:$l1 --rtl-shadow l1-tlb:$l1 --json
[ "$(digest)" = "$model" ] || wrong "one of each block: $(digest) is not the model's $model"
json "(SELECT group_concat(value ->> 'component' || ' ' || (value ->> 'block')) FROM json_each(j -> '\$.runs[0].rtl'))" "$l1 neidty,$l1 l1-tlb"
refused 'l1_tlb:gpu.walk: no such block; gpu.walk, ' run $ring --rtl l1-tlb:gpu.walk
refused 'neidty:nothing: no such block; ' run $ring --rtl l1-tlb --rtl neidty:nothing

# A line for all, and rows with the points. How little of a block a run may show: a sum that is wrong is not met.
expect 0 run $ring --rtl-shadow neidty
says '^neidty (16 blocks): RTL compared with the model, equal, .* of [0-9]* points of coverage were reached, mempath cosim neidty reaches the others$'
expect 0 query "SELECT count(*) || ' ' || min(status) || ' ' || min(points > 100 AND points_taken > 0) AS all_of FROM cosim
    WHERE block = 'neidty' AND stimuli = 'run ' || (SELECT max(id) FROM run)" --json
json "json_extract(j, '\$[0].all_of')" '16 equal 1'

# The prefetch tree of managed memory: a pool that is too small, a partial block, pages of 64 KB.
managed='star-a100-mig --set tenants.0.app=MT --set tenants.0.size=small --set tenants.0.slices=1 --set machine.page_bytes=4096 --set tenants.0.managed=true --set uvm.oversubscription=125'
block uvm-tree 1 100 uvm-tree "$managed"
block uvm-tree 1 100 uvm-tree "$managed --set uvm.threshold=26 --set uvm.chunks=2"
block uvm-tree 1 20 uvm-tree "$managed --set machine.page_bytes=65536"
breaks uvm-tree gpu.mig0.uvm '^transaction [0-9]*, clock [0-9]*: a query of page ' "$managed"

# What happened in a block is what `mempath cosim` reads, and writing it changes nothing.
observed() { # BLOCK[:PATH], transactions at least, options of cosim, RUN
    expect 0 run $4 --json
    model=$(digest)
    expect 0 run $4 --observe $1 -o stimuli.txt --json
    [ "$(digest)" = "$model" ] || wrong "--observe $1: $(digest) is not the model's $model"
    expect 0 cosim ${1%:*} $3 stimuli.txt --json
    json "j ->> '\$.status' || ' ' || (j ->> '\$.transactions' >= $2)" 'equal 1'
}
observed mesc-tlb 4000 '' "$mesc --set l3_tlb.policy=mesc"
observed mesc-tlb 4000 '--mode small' "$mesc --set l3_tlb.policy=mesc $small --set vm.memhog=0"
grep -q '^S ' stimuli.txt || wrong 'no subregions were written'
observed mesc-tlb 4000 '--mode page' "$mesc --set l3_tlb.policy=page"
observed mesc-scan 500 '' "$mesc --set l3_tlb.policy=mesc"
observed uvm-tree 100 '' "$managed"
for form in B G Q; do grep -q "^$form " stimuli.txt || wrong "no stimulus $form was written"; done
observed mesc-scan 500 '--mode head' "$mesc --set l3_tlb.policy=mesc --set vm.layout=head --set vm.memhog=0"
grep -q '^P [0-9]* 0x[0-9a-f]* rw [1-9][0-9][0-9]*$' stimuli.txt || wrong 'no pages were written together'
observed neidty:gpu.gpc0.tpc3.sm0.l1_tlb 20000 '' "$ring --set tenants.0.app=GUPS"
for event in lookup own- own+ left- left+ 'left[*]' right- right+ 'right[*]' drop; do
    grep -q "^$event " stimuli.txt || wrong "no event '$event' was written"
done
observed l1-tlb:gpu.gpc0.tpc3.sm0.l1_tlb 1000 '--mode 8' "$ring $short"
# Next to RTL, too.
cp stimuli.txt without.txt
expect 0 run $ring $short --rtl l1_tlb --rtl neidty --observe l1-tlb:gpu.gpc0.tpc3.sm0.l1_tlb -o stimuli.txt
cmp stimuli.txt without.txt || wrong 'with RTL something else happens'
refused '16 blocks are gpu\*.l1_tlb; one, by its path, as in BLOCK:PATH: ' run $ring --observe neidty -o x
refused 'gpu.gpc0.l2_tlb has no directory; the path of an L1 TLB' run $ring --observe neidty:gpu.gpc0.l2_tlb -o x
refused 'gpu.walk is no TLB; the path of one' run $ring --observe l1-tlb:gpu.walk -o x
refused '--observe mesc-scan: walk.method: on_return uses no contiguity bits' run $mesc --set walk.method=on_return --observe mesc-scan -o x

# Refusals say which sizes work.
refused 'l3_tlb: entries/ways/sub_ways 512/8/8 are not what the RTL has; for mesc: 512/16/8, 8/4/2, 40/5/4$' run $mesc --set l3_tlb.policy=mesc --set l3_tlb.ways=8 --rtl l3_tlb
refused 'l3_tlb.policy: colt is not in the RTL; mesc or page' run $mesc --set l3_tlb.policy=colt --rtl mesc-tlb
refused 'neighbours: a directory of 16 entries with tags of 18 bits is not what the RTL has; neighbours.directory and .tag_bits: 32 of 18, 8 of 8, 128 of 12, 3 of 5$' run $ring --set neighbours.directory=16 --rtl neidty
refused 'neighbours.policy: direct has no directory; neidty' run $ring --set neighbours.policy=direct --rtl neidty
refused 'neighbours.update: twice-entry is not in the RTL; default, exclusive or twice' run $ring --set neighbours.update=twice-entry --rtl neidty
refused 'neighbours.topology: mesh has more neighbours than the RTL; ring, pairs or two-rings' run $ring --set neighbours.topology=mesh --rtl neidty
refused 'neighbours.hop: 0 is not in the RTL; 1 or more' run $ring --set neighbours.hop=0 --rtl neidty
refused 'l1_tlb: 16 entries in 16 ways with 1 sub-entries are not what the RTL has; one set of 32, 8, 5, 2, with 1 sub-entry' run $ring --set l1_tlb.entries=16 --set l1_tlb.ways=16 --rtl l1-tlb
refused 'walk.method: on_return uses no contiguity bits, so nothing is scanned; mesc, colt or thp' run $mesc --set walk.method=on_return --rtl mesc-scan
refused 'uvm-tree: no tenant has managed memory; mempath run, tenants.N.managed=true' run $mesc --rtl uvm-tree
refused 'uvm-tree: uvm.prefetch: sl64 has no tree in hardware; tree' run $managed --set uvm.prefetch=sl64 --rtl uvm-tree
refused 'l3_tlb is given twice' run $mesc --set l3_tlb.policy=mesc --rtl l3_tlb --rtl-shadow mesc-tlb
refused 'the machine has more than 256 blocks that would be RTL; at most 256' run $ring --set machine.tpcs_per_slice=64 --set machine.slices=5 --rtl l1_tlb

finished
