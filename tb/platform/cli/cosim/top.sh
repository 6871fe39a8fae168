#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A foreign block in place of ours: here ours ($3 is rtl/) under another name, with a fault, or with wrong ports or
# text.
# shellcheck disable=SC2086 # lists of words
. "$(dirname "$0")/../lib.sh"
rtl=$3

digest() { sed -n 's/^ *"digest": "\(.*\)",$/\1/p' "$work/out"; }

# Its ports and its state are ours, so the state is compared, too.
sed 's/^module mp_star_tlb /module mine /' "$rtl/star/mp_star_tlb.sv" >mine.sv
expect 0 cosim star --mode star --rtl-top mine.sv --transactions 5000
says '^star star, cosim [0-9]*: equal after 5000 transactions'
small='demo --set tenants.size=small --set l3_tlb.entries=1024 --set l3_tlb.policy=star'
expect 0 run $small --json
digest=$(digest)
for option in --rtl --rtl-shadow; do
    expect 0 run $small $option l3_tlb --rtl-top mine.sv --json
    [ "$(digest)" = "$digest" ] || wrong "$option: other results"
    json "json_extract(j, '\$.runs[0].rtl[0].transactions') > 5000" 1
done
sed 's/^module mp_dws_scheduler /module walks /' "$rtl/dws/mp_dws_scheduler.sv" >walks.sv
expect 0 cosim dws --tenants 2 --rtl-top walks.sv --transactions 5000

# With other registers than those of our assertions, and with a fault that only the state shows: the tables are enough for it
# to be compared.
mkdir checks
for file in mp_dws_arbiter.sv checks/mp_dws_events_rules.svh; do
    sed -e 's/seen_/saw_/g' -e 's/fwa_is_stolen_q & ~choice_q/fwa_is_stolen_q/' "$rtl/dws/$file" >"$file"
done
expect 1 cosim dws --tenants 2 --rtl-top walks.sv --transactions 100000
says '^\* FWA is_stolen '
rm -r mp_dws_arbiter.sv checks

# With a fault in a module next to the foreign top, which is used instead of ours; the assertions do not find it.
sed "s/next >= SLOT_W'(DEPTH)/& + SLOT_W'(push_i)/" "$rtl/dws/mp_walk_queues.sv" >mp_walk_queues.sv
! cmp -s "$rtl/dws/mp_walk_queues.sv" mp_walk_queues.sv || wrong 'no fault'
expect 1 cosim dws --tenants 2 --rtl-top walks.sv --transactions 100000
says '^again: mempath cosim dws --tenants 2 --rtl-top walks.sv --seed 1 --transactions [0-9]*$'
grep -q 'cosim dws: .* differs between RTL and model' err || wrong 'no error line'
rm mp_walk_queues.sv

# Without a parameter MODE, with entries elsewhere, so that only responses are seen, and a fault in those.
sed -e 's/^module mp_star_tlb /module mine /' -e 's/u_sets/u_memory/' -e 's/parameter int unsigned MODE/localparam int unsigned MODE/' \
    -e 's/^ *\.rsp_way_o,/.rsp_way_o(way),/' \
    -e 's/^  logic sweeps, /  logic [WAY_W-1:0] way;\n  assign rsp_way_o = way ^ WAY_W'"'"'(rsp_action_o == 4'"'"'d10);\n&/' \
    "$rtl/star/mp_star_tlb.sv" >mine.sv
expect 1 cosim star --mode star --rtl-top mine.sv --transactions 100000
says 'first difference: way'
says "the RTL's state is not seen"
grep -q '^mempath: mine: its state is not where mp_star_tlb has it, so only its responses are compared$' err || wrong 'no note'
expect 2 run $small --rtl l3_tlb --rtl-top mine.sv
grep -q 'u_sets.* --rtl-shadow' err || wrong 'not said where the state has to be'
expect 0 query "SELECT count(*) AS n FROM cosim WHERE status = 'different' AND replay LIKE '%--rtl-top mine.sv%'" --json
json "json_extract(j, '\$[0].n')" 1

# The other blocks of a run: ours under another name, then with a fault.
mesc='mesc-16cu --set tenants.0.app=MT --set tenants.0.size=small --set walk.method=mesc --set l3_tlb.policy=mesc'
ring='neidty-16sm --set tenants.0.app=MT --set tenants.0.size=small --set neighbours.policy=neidty'
top() { # block, folder and module, fault, RUN
    sed "s/^module ${2#*/} /module other /" "$rtl/$2.sv" >other.sv
    expect 0 run $4 --json
    digest=$(digest)
    for option in --rtl --rtl-shadow; do
        expect 0 run $4 $option $1 --rtl-top other.sv --json
        [ "$(digest)" = "$digest" ] || wrong "$option $1: other results"
    done
    sed -i "$3" other.sv
    expect 1 run $4 --rtl-shadow $1 --rtl-top other.sv
    grep -q 'differs between RTL and model in cycle' err || wrong "$1: no error line"
}
top mesc-tlb mesc_tlb/mp_mesc_tlb 's/^ *\.req_vpn_i,/.req_vpn_i(~req_vpn_i),/' "$mesc"
top mesc-scan mesc_scan/mp_mesc_scan 's/head ? rsp_data_i\[0\] : continues/head ? 1 : continues/' "$mesc"
top neidty neidty/mp_neidty_directory 's/right_kept  = right_q & ~right_evicted/right_kept = right_q/' "$ring"
top l1-tlb l1_tlb/mp_l1_tlb 's/moved = insert_i ? way/moved = insert_i ? way \& ~valid_q/' "$ring"
# Of a directory in other registers only answers are compared, and what an allocation replaces is not known.
sed -e 's/^module mp_neidty_directory /module other /' -e 's/tag_q/page_q/g' -e 's/tag_d/page_d/g' "$rtl/neidty/mp_neidty_directory.sv" >other.sv
expect 0 run $ring --rtl-shadow neidty --rtl-top other.sv
grep -q '^mempath: other: its state is not where mp_neidty_directory has it' err || wrong 'no note: neidty'
expect 2 run $ring --rtl neidty --rtl-top other.sv
grep -q 'which entry an allocation replaces is read from registers .* --rtl-shadow' err || wrong 'not said where the state has to be: neidty'

finished
