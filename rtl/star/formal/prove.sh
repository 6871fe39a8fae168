#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Proves the protocol of mp_star_tlb, by induction over k clocks, and the assertions of star_tlb_set_proof.sv and
# star_tlb_set_alone.sv for any request to any proper row, so without a bound on requests. Then shows that each assertion
# alone fails in a design with a fault (faults.txt). Prints a line for each on stdout, and for a failed proof the
# assertion, the last clocks and a waveform. The exit code is 1 if any result is not as expected.
# prove.sh [WORKFOLDER [PROOF...]]: these proofs only, without the faults
set -u
# shellcheck source-path=SCRIPTDIR source=../../formal/lib.sh
. "$(dirname "$0")/../../formal/lib.sh"

# A proof and the folder of the sources.
design() {
    case $1 in
    tlb*)
        top=mp_star_tlb mode=${1#tlb}
        printf '%s\n' "$(sources "$2" mp_star_tlb -DFV_PROTOCOL)" \
            "chparam -set MODE ${mode:-1} -set SETS 2 -set WAYS 2 -set ASID_W 1 -set VPB_W 1 -set FRAME_W 1 $top"
        ;;
    set | alone)
        top=star_tlb_set_proof
        [ "$1" = set ] || top=star_tlb_set_alone
        printf '%s\n' "$(sources "$2" mp_star_tlb) $2/star/formal/star_tlb_set_view.sv $2/star/formal/$top.sv"
        ;;
    esac
    elaborate "$top"
}

# Upper bound of the clocks in which one request ends and is checked.
steps() {
    case $1 in
    tlb*) echo 40 ;;
    *) echo 12 ;;
    esac
}

elaborated() { # proof: design.il; counts of assertions and assumptions in yosys.log
    {
        design "$1" "$rtl"
        # shellcheck disable=SC2016 # $assert is a kind of cell
        printf '%s\n' 'write_rtlil design.il' 'select -count t:$assert' 'select -count t:$assume'
    } >prove.ys
    yosys -s prove.ys >yosys.log 2>&1 || {
        wrong "$2" 'no design' yosys.log
        return 1
    }
}

proven() { # what, how, its first clock
    # shellcheck disable=SC2046,SC2183 # two words
    printf '%-34s proven%s; %u assertions, %u assumptions; %u s\n' \
        "$1" "$2" $(sed -n 's/^\([0-9]*\) objects\.$/\1/p' yosys.log) $(($(date +%s) - $3))
}

# By induction: proof, what.
induct() {
    start=$(date +%s)
    elaborated "$1" "$2" || return
    if yosys -p 'read_rtlil design.il; sat -verify -prove-asserts -set-assumes -tempinduct -maxsteps 10' >prove.log 2>&1 &&
        grep -q 'Induction step proven: SUCCESS' prove.log; then
        proven "$2" ", k = $(sed -n 's/^\*\* Trying induction with length \([0-9]*\).*/\1/p' prove.log | tail -n 1)" "$start"
    else
        wrong "$2" 'not proven'
        counterexample "$1" '-tempinduct -maxsteps 10'
    fi
}

# One request, by ABC. Values that yosys leaves undefined may be anything: proof, what.
request() {
    start=$(date +%s)
    elaborated "$1" "$2" || return
    yosys -p 'read_rtlil design.il; setundef -anyseq; techmap; opt -fast; dffunmap; aigmap; setundef -anyseq; opt_clean
        write_aiger -I -B -zinit -no-startoffset design.aig' >aiger.log 2>&1
    if yosys-abc -c 'read_aiger design.aig; fold; strash; bmc3 -F 12' >abc.log 2>&1 &&
        grep -q '^No output asserted in 12 frames' abc.log; then
        proven "$2" '' "$start"
    else
        wrong "$2" 'not proven'
        counterexample "$1" '-tempinduct-baseonly -maxsteps 12'
    fi
}

[ $# -gt 0 ] || set -- tlb0 tlb tlb2 set alone faults
for proof in "$@"; do
    case $proof in
    tlb0) induct "$proof" 'protocol of mp_star_tlb, MODE 0' ;;
    tlb) induct "$proof" 'protocol of mp_star_tlb, MODE 1' ;;
    tlb2) induct "$proof" 'protocol of mp_star_tlb, MODE 2' ;;
    set) request "$proof" 'a request to a proper row, MODE 1' ;;
    alone) request "$proof" 'MODE 1 as MODE 0, nothing shared' ;;
    listed | faults)
        listed "$block/mp_star_tlb.sv" "$block/mp_star_tlb_set.sv" "$block/checks/mp_star_tlb_rules.svh" "$block/checks/mp_star_tlb_set_rules.svh" \
            "$block/formal/star_tlb_set_proof.sv" "$block/formal/star_tlb_set_alone.sv"
        [ "$proof" = listed ] || refuted tlb set alone
        ;;
    *) wrong "$proof" 'no such proof: tlb0, tlb, tlb2, set, alone, listed, faults' ;;
    esac
done
exit "$failed"
