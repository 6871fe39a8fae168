#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# RTL and taps in the GPU that firmware drives: the included job has the model's results, to the last counter, when RTL
# decides and when links are observed; faulty RTL ends the run. $3 is a library of faulty RTL.
# shellcheck disable=SC2086 # lists of words
. "$(dirname "$0")/../cli/lib.sh"
[ -r "$(dirname "$mempath")/mempath-firmware.elf" ] || exit 77

whole=$mempath
mkdir faulty
cp "$whole" "$3" faulty/
for file in mempath-record mempath-firmware.elf; do
    ln -s "$(dirname "$whole")/$file" faulty
done

# Runs the job and stores its digest.
job() {
    expect 0 firmware run --json "$@"
    digest=$(sed -n 's/^ *"digest": "\(.*\)",$/\1/p' "$work/out")
    [ -n "$digest" ] || wrong 'no digest'
}

# same LEAST BLOCK SET...: the RTL sees more than LEAST transactions and decides as the model.
same() {
    least=$1 block=$2
    shift 2
    job "$@"
    model=$digest
    for option in --rtl --rtl-shadow; do
        job "$@" $option $block
        [ "$digest" = "$model" ] || wrong "$option $block: $digest is not the model's $model"
        json "(SELECT sum(value ->> 'transactions') > $least FROM json_each(j -> 'rtl'))" 1
    done
}
same 500 l3_tlb
baseline=$model
json "(SELECT group_concat(value ->> 'component') FROM json_each(j -> 'rtl'))" gpu.l3_tlb
# The instances of three and of two slices have a page-walk system each.
for scheduler in dws dws++; do
    same 300 walk_arbiter --set walk.scheduler=$scheduler
    json "json_array_length(j -> 'rtl')" 3
done
# The RTL's names in `mempath cosim`, and both blocks in one run.
job --set walk.scheduler=dws++ --rtl star --rtl dws
[ "$digest" = "$model" ] || wrong "both blocks: $digest is not the model's $model"
json "json_array_length(j -> 'rtl')" 4

# Taps do not change the results, and see every request: on a link that stays, and on one to an instance.
job --observe gpu.l3_tlb=l3.txt
[ "$digest" = "$baseline" ] || wrong 'observing the L3 TLB changed the results'
lookups=$(sqlite3 "$MEMPATH_DB" "SELECT sum(lookups) FROM tlb_hit_rate WHERE level = 'l3_tlb' AND run = (SELECT max(id) FROM run)")
[ "$(($(wc -l <l3.txt) - 1))" = "$lookups" ] || wrong "$(wc -l <l3.txt) lines for $lookups lookups"
job --observe 'gpu.*walk=walks.txt' --rtl l3_tlb
[ "$digest" = "$baseline" ] || wrong 'observing the page walks changed the results'
[ "$(wc -l <walks.txt)" -gt 100 ] || wrong 'the recorded page walks are few'

# Faulty RTL ends the run.
mempath=faulty/mempath
expect 1 firmware run --rtl-shadow l3_tlb
grep -q 'differs between RTL and model in cycle' "$work/err" || wrong 'faulty RTL: no error line'
mempath=$whole

# Refusals: by the command line, by the machine, and by what firmware demands while it runs.
refused "no block 'tlb'; a level of TLBs such as l3_tlb, " firmware run --rtl tlb
refused '0 blocks of RTL' firmware run --rtl-top mine.sv
refused '2 blocks of RTL' firmware run --rtl star --rtl dws --rtl-top mine.sv
refused 'no waves are written' firmware run --rtl star --waves-window 1:2
refused 'no window is given; add --waves-window' firmware run --rtl star --waves w.fst
refused 'has no such TLB' firmware run --set l3_tlb.per=none --rtl l3_tlb --waves w.fst --waves-window 1:2
[ ! -e w.fst ] || wrong 'a refused run left a file of waves'
refused 'given twice' firmware run --rtl l3_tlb --rtl-shadow star
refused 'l3_tlb: 512 entries in 8 ways are not what the RTL has' firmware run --set l3_tlb.entries=512 --rtl l3_tlb
refused 'has no such TLB' firmware run --set l3_tlb.per=none --rtl l3_tlb
refused 'no file; PATH=FILE' firmware run --observe gpu.l3_tlb
refused 'no block has such a path; gpu.gpc\*.l2_tlb' firmware run --observe nothing=none.txt
[ ! -e none.txt ] || wrong 'a refused observation left a file'

# On each machine on which the included firmware runs, it runs to the same end with each block that the machine has.
expect 2 firmware run --rtl nothing
grep -q "no block 'nothing'; a level of TLBs such as l3_tlb, star, walk_arbiter, dws, " err || wrong 'the blocks are not said'
blocks='l3_tlb walk_arbiter'
expect 0 run --list
ran=
for machine in $(sed -n 's/^\([^ ]*\) .*(machine).*/\1/p' out); do
    "$mempath" firmware run --gpu "$machine" --json >out 2>err </dev/null || continue
    model=$(sed -n 's/^ *"digest": "\(.*\)",$/\1/p' out)
    for block in $blocks; do
        for option in --rtl --rtl-shadow; do
            code=0
            "$mempath" firmware run --gpu "$machine" --json $option "$block" >out 2>err </dev/null || code=$?
            grep -q 'has no such' err && continue
            grep -q 'no pages of 65536 B.* and RTL, or the walk method, is for pages of one size' err && continue
            [ $code = 0 ] || wrong "$machine $option $block: exit code $code"
            grep -q "\"digest\": \"$model\"" out || wrong "$machine $option $block: not the model's results"
            json "(SELECT min(value ->> 'requests' > 0 AND (value ->> 'why' IS NULL) = (value ->> 'decided' > 0))
                FROM json_each(j -> 'rtl'))" 1
            ran="$ran $machine:$block"
        done
    done
done
for block in $blocks; do
    echo "$ran" | grep -q " star-a100-mig:$block" || wrong "$block did not run with the default machine, but$ran"
done

# What firmware chooses and the RTL lacks, the model decides, and lines say so.
expect 0 firmware run --rtl-shadow walk_arbiter
grep -q '^mempath: gpu.gpc0to2.walk: the model decides: walk.scheduler: fcfs is not in the RTL; dws or dws++' err ||
    wrong 'not said that the model decides'
grep -q '^mempath: gpu.gpc0to2.walk: no RTL: the model decided all [1-9][0-9]* walks: ' err || wrong 'no count of walks'
if grep -q 'equal' err; then wrong 'nothing was compared, yet it is said to be equal'; fi
expect 0 firmware run --rtl l3_tlb --set l3_tlb.policy=mask
grep -q 'gpu.l3_tlb: the model decides: l3_tlb.policy: mask is not in the RTL' err || wrong 'not said: mask'
grep -Eq 'gpu.l3_tlb: RTL in the model.s place in ([1-9][0-9]*) of \1 lookups, [1-9]' err || wrong 'no count of lookups'

finished
