#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Proves the invariants of mp_l1_tlb without a bound, by induction over k clocks. Then shows that each assertion alone
# fails in a design with a fault (faults.txt). Prints a line for each on stdout, and for a failed proof the assertion,
# the last clocks and a waveform. The exit code is 1 if any result is not as expected.
# prove.sh [WORKFOLDER [PROOF...]]: these proofs only, without the faults
set -u
# shellcheck source-path=SCRIPTDIR source=../../formal/lib.sh
. "$(dirname "$0")/../../formal/lib.sh"

# PROOF: its number of entries. Frames have 2 bits.
design() {
    printf '%s\n' "$(sources "$2" mp_l1_tlb)" \
        "chparam -set ENTRIES ${1#fault-l1-} -set FRAME_W 2 mp_l1_tlb"
    elaborate mp_l1_tlb
}

steps() {
    echo 8
}

[ $# -gt 0 ] || set -- 2 3 5 8 faults
for proof in "$@"; do
    case $proof in
    2 | 3 | 5 | 8) by_induction "$proof" "$proof entries" 4 ;;
    listed | faults)
        listed "$block/mp_l1_tlb.sv" "$block/checks/mp_l1_tlb_rules.svh" "$block/formal/l1_tlb.svh"
        [ "$proof" = listed ] || refuted fault-l1-2 fault-l1-3
        ;;
    *) wrong "$proof" 'no such proof: 2, 3, 5, 8, listed, faults' ;;
    esac
done
exit "$failed"
