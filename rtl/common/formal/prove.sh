#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Proves what mp_tlb_sets promises, for any logic of a set, without a bound, by induction over k clocks. Then shows that each
# assertion alone fails in a design with a fault (faults.txt). Prints a line for each on stdout, and for a failed proof
# the assertion, the last clocks and a waveform. The exit code is 1 if any result is not as expected.
# prove.sh [WORKFOLDER [PROOF...]]: these proofs only, without the faults
set -u
# shellcheck source-path=SCRIPTDIR source=../../formal/lib.sh
. "$(dirname "$0")/../../formal/lib.sh"

# PROOF: its number of sets
design() {
    printf '%s\n' "$(sources "$2" mp_tlb_sets -DFV_SETS)" \
        "chparam -set SETS ${1#fault-sets-} -set WAYS 2 -set ENTRY_W 1 -set OPERANDS_W 2 mp_tlb_sets"
    elaborate mp_tlb_sets
}

steps() {
    echo 30
}

[ $# -gt 0 ] || set -- 2 4 8 faults
for proof in "$@"; do
    case $proof in
    2 | 4 | 8) by_induction "$proof" "$proof sets" 8 ;;
    listed | faults)
        listed "$block/mp_tlb_sets.sv" "$block/formal/tlb_sets.svh"
        [ "$proof" = listed ] || refuted fault-sets-2
        ;;
    *) wrong "$proof" 'no such proof: 2, 4, 8, listed, faults' ;;
    esac
done
exit "$failed"
