#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Proves the protocol of mp_mesc_tlb, by induction over k clocks, and the assertions of mesc_tlb_set_proof.sv for any
# request to any proper rows, so without a bound on requests. Then shows that each assertion alone fails in a design
# with a fault (faults.txt). Prints a line for each on stdout, and for a failed proof the assertion, the last clocks and
# a waveform. The exit code is 1 if any result is not as expected.
# prove.sh [WORKFOLDER [PROOF...]]: these proofs only, without the faults
set -u
# shellcheck source-path=SCRIPTDIR source=../../formal/lib.sh
. "$(dirname "$0")/../../formal/lib.sh"

# A proof and the folder of the sources.
design() {
    case $1 in
    mesc-tlb | mesc-page)
        top=mp_mesc_tlb sub_ways=2
        [ "$1" = mesc-tlb ] || sub_ways=0
        printf '%s\n' "$(sources "$2" mp_mesc_tlb)" \
            "chparam -set SETS 2 -set WAYS 3 -set SUB_WAYS $sub_ways -set ASID_W 1 -set VPN_W 11 -set PFN_W 9 $top"
        ;;
    mesc-set | mesc-set-4)
        top=mesc_tlb_set_proof
        printf '%s\n' "$(sources "$2" mp_mesc_tlb) $2/mesc_tlb/formal/mesc_tlb_set_view.sv $2/mesc_tlb/formal/$top.sv"
        [ "$1" = mesc-set ] || printf '%s\n' "chparam -set WAYS 4 $top"
        ;;
    esac
    elaborate "$top"
}

# Upper bound of the clocks in which one request ends and is checked.
steps() {
    case $1 in
    mesc-set*) echo 10 ;;
    *) echo 20 ;;
    esac
}

# Proof, what, how.
prove() {
    {
        design "$1" "$rtl"
        # shellcheck disable=SC2016 # $assert is a kind of cell
        printf '%s\n' 'write_rtlil design.il' 'select -count t:$assert' 'select -count t:$assume'
    } >prove.ys
    start=$(date +%s)
    if ! yosys -s prove.ys >prove.log 2>&1; then
        wrong "$2" 'no design' prove.log
    elif case $3 in induct) induct ;; *) request ;; esac then
        # shellcheck disable=SC2046,SC2183 # two words
        printf '%-46s proven; %u assertions, %u assumptions; %u s\n' \
            "$2" $(sed -n 's/^\([0-9]*\) objects\.$/\1/p' prove.log) $(($(date +%s) - start))
    else
        wrong "$2" 'not proven'
        case $3 in
        induct) counterexample "$1" '-tempinduct -maxsteps 10' ;;
        *) counterexample "$1" '-tempinduct-baseonly -maxsteps 10' ;;
        esac
    fi
}

induct() {
    yosys -p 'read_rtlil design.il; sat -verify -prove-asserts -set-assumes -tempinduct -maxsteps 10' >sat.log 2>&1 &&
        grep -q 'Induction step proven: SUCCESS' sat.log
}

# One request, by ABC. Values that yosys leaves undefined may be anything.
request() {
    yosys -p 'read_rtlil design.il; setundef -anyseq; techmap; opt -fast; dffunmap; aigmap; setundef -anyseq; opt_clean
        write_aiger -I -B -zinit -no-startoffset design.aig' >aiger.log 2>&1
    yosys-abc -c 'read_aiger design.aig; fold; strash; bmc3 -F 10' >abc.log 2>&1 &&
        grep -q '^No output asserted in 10 frames' abc.log
}

[ $# -gt 0 ] || set -- mesc-tlb mesc-page mesc-set faults
for proof in "$@"; do
    case $proof in
    mesc-tlb) prove "$proof" 'protocol of mp_mesc_tlb' induct ;;
    mesc-page) prove "$proof" 'protocol of mp_mesc_tlb, without subregion entries' induct ;;
    mesc-set) prove "$proof" 'a request to two proper rows of 3 ways' request ;;
    mesc-set-4) prove "$proof" 'a request to two proper rows of 4 ways' request ;;
    listed | faults)
        listed "$block/mp_mesc_tlb.sv" "$block/checks/mp_mesc_tlb_rules.svh" "$block/mp_mesc_tlb_set.sv" "$block/formal/mesc_tlb_set_proof.sv"
        [ "$proof" = listed ] || refuted mesc-tlb mesc-set
        ;;
    *) wrong "$proof" 'no such proof: mesc-tlb, mesc-page, mesc-set, mesc-set-4, listed, faults' ;;
    esac
done
exit "$failed"
