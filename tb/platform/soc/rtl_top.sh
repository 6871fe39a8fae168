#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A user's blocks and waves in the GPU that firmware drives: correct RTL gives the model's results, faulty RTL ends the
# run, and the waves are those of the window. $3 is the folder of the images, $4 is rtl/, $5 reads FST.
. "$(dirname "$0")/../cli/lib.sh"
image=$3/demand.elf rtl=$4 fst=$5

# Runs the image, whose workload uses MODE 1 of the TLB, and stores the digest.
job() {
    expect 0 firmware run "$image" --workload 0=MT:small --set l3_tlb.policy=star --json "$@"
    digest=$(sed -n 's/^ *"digest": "\(.*\)",$/\1/p' "$work/out")
    [ -n "$digest" ] || wrong 'no digest'
}
job
model=$digest
sed 's/^module mp_star_tlb /module mine /' "$rtl/star/mp_star_tlb.sv" >mine.sv
for option in --rtl --rtl-shadow; do
    job $option star --rtl-top mine.sv
    [ "$digest" = "$model" ] || wrong "$option: $digest is not the model's $model"
    json "json_extract(j, '\$.rtl[0].transactions') > 100" 1
done

# Waves of our block, in cycles of the GPU.
job --rtl star --waves l3.fst --waves-window 2000:9000
[ "$digest" = "$model" ] || wrong 'waves changed the results'
"$fst" l3.fst mempath.number | sed 's/.* //' >cycles
first=$(head -n 1 cycles) last=$(tail -n 1 cycles)
{ [ "$first" -ge 2000 ] && [ "$last" -lt 9000 ] && [ "$first" -lt "$last" ]; } || wrong "waves of the cycles $first to $last"

# The included job selects a policy of another MODE than the block was built with, and then that MODE.
expect 0 firmware run --json
model=$(sed -n 's/^ *"digest": "\(.*\)",$/\1/p' out)
expect 0 firmware run --rtl-shadow star --rtl-top mine.sv --set l3_tlb.policy=star --json
grep -q "\"digest\": \"$model\"" out || wrong 'partly by the model: not its results'
json "(j ->> '\$.rtl[0].decided') BETWEEN 1 AND (j ->> '\$.rtl[0].requests') - 1" 1
grep -q 'the model decides: l3_tlb.policy: subentry has MODE 0, and this block was built with MODE 1' err || wrong 'no reason'

# A fault in a module of the user's folder, which is used before ours.
sed 's/put_mask\[s\] ? frame_i/put_mask[s] ? ~frame_i/' "$rtl/star/mp_star_entry.sv" >mp_star_entry.sv
! cmp -s "$rtl/star/mp_star_entry.sv" mp_star_entry.sv || wrong 'no fault'
expect 1 firmware run "$image" --workload 0=MT:small --set l3_tlb.policy=star --rtl-shadow star --rtl-top mine.sv
grep -q 'gpu.l3_tlb: .* differs between RTL and model in cycle' err || wrong 'no error line'

# The walkers of its instance of two slices are compared; those of its instance of seven are not in the RTL.
sed 's/^module mp_dws_scheduler /module walks /' "$rtl/dws/mp_dws_scheduler.sv" >walks.sv
expect 0 firmware run "$image" --workload 0=MT:small --set walk.scheduler=dws --rtl-shadow dws --rtl-top walks.sv
grep -q 'the model decides: walk: 56 walkers, .* are not what the RTL has' err || wrong 'no reason'
grep -q 'gpu.gpc0to1.walk: RTL compared with the model, equal, in [1-9]' err || wrong 'nothing was compared'
sed 's/idle_q & ~choice_q/idle_q/' "$rtl/dws/mp_dws_arbiter.sv" >mp_dws_arbiter.sv
! cmp -s "$rtl/dws/mp_dws_arbiter.sv" mp_dws_arbiter.sv || wrong 'no fault'
expect 1 firmware run "$image" --workload 0=MT:small --set walk.scheduler=dws --rtl-shadow dws --rtl-top walks.sv
grep -q 'gpu.gpc0to1.walk: .* differs between RTL and model in cycle' err || wrong 'no error line'

finished
