#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The blocks of MESC and NeiDty in a GPU that firmware drives. Pages of a running job move ($3: folder of the image), so
# that TLBs and directories invalidate: RTL that decides gives the model's results, and RTL that is compared is equal.
# What firmware chooses and the RTL lacks, the model decides. $4 is a library of faulty RTL.
# shellcheck disable=SC2086 # lists of words
. "$(dirname "$0")/../cli/lib.sh"

whole=$mempath
mkdir faulty
cp "$whole" "$4" faulty/
for file in mempath-record mempath-firmware.elf; do
    ln -s "$(dirname "$whole")/$file" faulty
done

digest() { sed -n 's/^ *"digest": "\(.*\)",$/\1/p' "$work/out"; }

image=$3/contiguity_1.elf
machine='--gpu mesc-16cu --set machine.sharing=mig --set walk.method=mesc --set l3_tlb.policy=mesc
    --set l1_tlb.policy=subentry --set neighbours.policy=neidty --workload 0=NW:small'
expect 0 firmware run "$image" $machine --json
model=$(digest)
[ -n "$model" ] || wrong 'no digest'
for block in l3_tlb neidty l1-tlb; do
    for option in --rtl --rtl-shadow; do
        expect 0 firmware run "$image" $machine $option $block --json
        [ "$(digest)" = "$model" ] || wrong "$option $block: $(digest) is not the model's $model"
        json "(SELECT (value ->> 'transactions' > 1000) || ' ' || (value ->> 'decided' = value ->> 'requests')
            FROM json_each(j -> 'rtl'))" '1 1'
    done
done
expect 0 firmware run "$image" $machine --rtl mesc-tlb --rtl neidty --rtl-shadow l1_tlb --json
[ "$(digest)" = "$model" ] || wrong "all blocks: $(digest) is not the model's $model"
json "(SELECT group_concat(value ->> 'component') FROM json_each(j -> 'rtl'))" 'neidty,l1_tlb,gpu.l3_tlb'

# The included firmware selects subentry, then star.
refused='the model decides: l3_tlb.policy: subentry is not in the RTL; mesc or page'
expect 1 firmware run --gpu mesc-16cu --set machine.sharing=mig --rtl mesc-tlb
grep -q "^mempath: gpu.l3_tlb: $refused" err || wrong 'not said that the model decides'
refused 'mesc-scan: firmware scans page tables itself; mempath run' firmware run "$image" $machine --rtl mesc-scan
for option in --rtl --rtl-shadow; do
    refused "$option uvm-tree: no tenant has managed memory; mempath run" firmware run "$image" $machine $option uvm-tree
done

# Faulty RTL ends the run.
mempath=faulty/mempath
expect 1 firmware run "$image" $machine --rtl-shadow neidty
grep -q 'differs between RTL and model in cycle' "$work/err" || wrong 'faulty RTL: no error line'

finished
