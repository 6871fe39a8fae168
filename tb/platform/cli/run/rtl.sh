#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# RTL inside a run: in place of a model it gives exactly the model's results; compared with the model, faulty RTL ends
# the run; replay and cosim accept recorded stimuli. $3 is a library of a TLB of 8 sets, $4 and $5 of faulty ones.
# shellcheck disable=SC2086 # lists of words
. "$(dirname "$0")/../lib.sh"

# A copy of the program finds the library next to it.
whole=$mempath
for folder in small faulty faulty_dws; do
    mkdir "$folder"
    cp "$whole" "$folder"
    ln -s "$(dirname "$whole")/mempath-record" "$folder"
done
cp "$3" small/
cp "$4" faulty/
cp "$5" faulty_dws/

digest() { sed -n 's/^ *"digest": "\(.*\)",$/\1/p' "$work/out"; }

# Three applications share a small L3 TLB; two share one page-walk system.
mig='star-a100-mig --set tenants.0.app=MT --set tenants.1.app=NW --set tenants.2.app=ATAX --set tenants.size=small
     --set tenants.0.slices=1 --set tenants.1.slices=1 --set tenants.2.slices=1
     --set machine.page_bytes=4096 --set l3_tlb.entries=64'
mps='dws-30sm --set tenants.0.app=GUPS --set tenants.0.sms=15 --set tenants.1.app=MT --set tenants.1.sms=15
     --set tenants.size=small'

# same LEAST OPTION RUN: runs the model, then the RTL, which must see more than LEAST transactions.
digests=''
same() {
    expect 0 run $3 --json
    model=$(digest)
    [ -n "$model" ] || wrong 'no digest'
    expect 0 run $3 $2 --json
    grep -q "^mempath: --rtl .*: the RTL decides and is compared with nothing, .* --rtl-shadow .* compares it" err || wrong "$2: not said that nothing was compared"
    [ "$(digest)" = "$model" ] || wrong "$3 $2: $(digest) is not the model's $model"
    json "json_extract(j, '\$.runs[0].rtl[0].transactions') > $1" 1
    digests="$digests $model"
}
mempath=small/mempath
for policy in subentry star; do
    same 5000 '--rtl l3_tlb' "$mig --set l3_tlb.policy=$policy"
done
same 5000 '--rtl l3_tlb' "$mig --set tenants.2.app=GUPS --set l3_tlb.policy=star4"
mempath=$whole
for scheduler in dws dws++; do
    same 2000 '--rtl walk_arbiter' "$mps --set walk.scheduler=$scheduler"
done
[ "$(printf '%s\n' $digests | sort -u | wc -l)" = 5 ] || wrong "policies decide alike:$digests"

# Compared with the model; a row says so.
mempath=small/mempath
expect 0 run $mig --set l3_tlb.policy=star --rtl-shadow l3_tlb
says 'gpu.l3_tlb: RTL compared with the model, equal, [0-9]* transactions'
says '; [1-9][0-9]* of [0-9]* points of coverage were reached, mempath cosim star reaches the others$'
! grep -q "compared with nothing" err || wrong "--rtl-shadow: compared"
mempath=$whole
expect 0 run $mps --set walk.scheduler=dws++ --rtl-shadow walk_arbiter
says 'gpu.walk: RTL compared with the model, equal, [0-9]* transactions'
expect 0 query "SELECT group_concat(block || ' ' || mode || ' ' || status || ' ' || (points_taken > 10)) AS all_of FROM cosim" --json
json "json_extract(j, '\$[0].all_of')" 'l3_tlb star equal 1,walk_arbiter dws++ equal 1'

# Faulty RTL ends the run with both states and the command, and marks it failed.
mempath=faulty/mempath
expect 1 run demo --set tenants.size=small --set l3_tlb.entries=1024 --rtl-shadow l3_tlb
says '^request [0-9]*, clock [0-9]*: I asid='
says '^\* recency of ways '
says '^again: mempath run demo .* --rtl-shadow l3_tlb$'
grep -q '^mempath: demo: gpu.l3_tlb: state of set .* differs between RTL and model in cycle [0-9]*, transaction' "$work/err" || wrong 'no error line'
mempath=faulty_dws/mempath
expect 1 run $mps --set walk.scheduler=dws++ --rtl-shadow walk_arbiter --json
json "json_extract(j, '\$.runs[0].status')" different
json "json_extract(j, '\$.runs[0].report') LIKE '%* FWA free[%'" 1
expect 0 query "SELECT status, error LIKE 'gpu.walk: %in cycle%' AS told FROM run ORDER BY id DESC LIMIT 1" --json
json "json_extract(j, '\$[0].status') || json_extract(j, '\$[0].told')" failed1
expect 0 query "SELECT count(*) AS n FROM cosim WHERE status = 'different' AND report LIKE '%* %' AND replay LIKE '%run%'" --json
json "json_extract(j, '\$[0].n')" 2

# Requests to the array as stimuli: the policy alone has as many hits, and RTL and model agree.
mempath=$whole
expect 0 run $mig --set l3_tlb.policy=star --observe l3_tlb_array -o l3.txt --json
[ "$(digest)" = "$(printf '%s\n' $digests | sed -n 2p)" ] || wrong 'observing changed the results'
[ "$(wc -l <l3.txt)" -gt 5000 ] || wrong 'the recorded stream is short'
json "sum(json_extract(value, '\$.l3_tlb_hit_rate') IS NOT NULL) FROM json_each(j, '\$.runs[0].tenants'), t --" 3
expect 0 replay tlb --policy star --sets 8 l3.txt
hits=$(grep -c '^hit ' out)
expect 0 query "SELECT sum(hits) AS n FROM tlb_hit_rate WHERE level = 'l3_tlb' AND run = (SELECT max(id) FROM run)" --json
json "json_extract(j, '\$[0].n')" "$hits"
expect 0 cosim star --mode star l3.txt --json
json "json_extract(j, '\$.status') || json_extract(j, '\$.transactions')" "equal$(wc -l <l3.txt)"

# Page walks that arrive.
expect 0 run $mps --set walk.scheduler=dws++ --observe walks -o walks.txt --json
[ "$(digest)" = "$(printf '%s\n' $digests | sed -n 5p)" ] || wrong 'observing changed the results'
expect 0 replay walks --policy dws++ walks.txt
[ "$(wc -l <out)" = "$(wc -l <walks.txt)" ] || wrong 'not a response for each walk'
expect 0 cosim dws --mode dws++ walks.txt --json
json "json_extract(j, '\$.status') || (json_extract(j, '\$.transactions') > 2000)" equal1

# The blocks' names say the same.
mv l3.txt again.txt
expect 0 run $mig --set l3_tlb.policy=star --observe star -o l3.txt
cmp l3.txt again.txt || wrong '--observe star is not --observe l3_tlb_array'
mempath=small/mempath
expect 0 run $mig --set l3_tlb.policy=star --rtl l3_tlb --observe l3_tlb_array -o l3.txt
cmp l3.txt again.txt || wrong 'with RTL something else happens'
mempath=$whole
mv walks.txt again.txt
expect 0 run $mps --set walk.scheduler=dws++ --observe dws -o walks.txt
cmp walks.txt again.txt || wrong '--observe dws is not --observe walks'

# Refusals.
refused 'l3_tlb: 512 entries in 8 ways are not what the RTL has; l3_tlb.entries=1024' run demo --set tenants.size=small --rtl l3_tlb
refused 'l3_tlb: 1000 entries in 8 ways are not what the RTL has; l3_tlb.entries=1024' run demo --set tenants.size=small --set l3_tlb.entries=1000 --rtl l3_tlb
# Messages name the level; one that a configuration adds has many TLBs, which are counted together.
printf 'preset: demo\nl15_tlb: {kind: tlb, to: l2_tlb, per: tpc, entries: 1024, ways: 8, sub_entries: 16}\n' >tpc.yaml
refused 'l15_tlb: 512 entries in 8 ways are not what the RTL has; l15_tlb.entries=1024' run tpc.yaml --set tenants.size=small --set l15_tlb.entries=512 --rtl l15_tlb
expect 0 run tpc.yaml --set tenants.size=small --until 2000 --rtl-shadow l15_tlb
says '^l15_tlb (49 blocks): RTL compared with the model, equal, [1-9][0-9]* transactions'
refused 'l3_tlb.policy: mask is not in the RTL' run demo --set tenants.size=small --set l3_tlb.policy=mask --set l3_tlb.entries=1024 --rtl l3_tlb
refused 'fcfs is not in the RTL; dws or dws++' run $mps --rtl walk_arbiter
refused 'walk.method neighborhood takes walks out of queues, which no RTL does; another method' run $mps --set walk.scheduler=dws --set walk.method=neighborhood --rtl walk_arbiter
refused 'hpca21 is not in the RTL' run $mps --set walk.scheduler=dws --set walk.compat=hpca21 --rtl walk_arbiter
refused '12 walkers, a queue of 192 and 3 tenants are not' run demo --set tenants.size=small --set walk.walkers_per_slice=4 --set walk.scheduler=dws --rtl-shadow walk_arbiter
refused 'has no such TLB' run $mps --rtl l3_tlb
refused "no block 'tlb'; a level of TLBs such as l3_tlb, star, walk_arbiter, dws, " run demo --rtl tlb
refused 'given twice' run demo --rtl l3_tlb --rtl-shadow l3_tlb
refused 'demo has 3 page-walk systems' run demo --set tenants.size=small --observe walks -o x
refused "no link 'walk'; l3_tlb, l3_tlb_array, walks, faults, or the path of a block: gpu.mig\*.walk, gpu.mig\*.l2d" run demo --set tenants.size=small --observe walk -o x
rm faulty/libmempath-cosim.so
mempath=faulty/mempath
refused 'the RTL is not built' run demo --rtl l3_tlb

finished
