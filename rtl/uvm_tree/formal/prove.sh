#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Proves the invariants of mp_uvm_tree_unit.sv without a bound, by induction over k clocks. Then shows that each assertion alone
# fails in a design with a fault (faults.txt). Prints a line for each on stdout, and for a failed proof the assertion, the
# last clocks and a waveform. The exit code is 1 if any result is not as expected.
# prove.sh [WORKFOLDER [PROOF...]]: these proofs only, without the faults
set -u
# shellcheck source-path=SCRIPTDIR source=../../formal/lib.sh
. "$(dirname "$0")/../../formal/lib.sh"

# PROOF: big pages, pages of each
proofs='
2x2:2:2
4x2:4:2
2x4:2:4
4x4:4:4
fault-tree:2:2'

of() { # proof: $bigs $big
    IFS=: read -r bigs big <<END
$(printf '%s\n' "$proofs" | sed -n "s/^$1://p")
END
}

# yosys elaborates the default size when it reads a file, which takes for ever with these sums; so the copy that it reads
# has the proof's size.
design() {
    of "$1"
    rm -rf sized
    mkdir sized
    cp -R "$2/uvm_tree" "$2/common" sized
    sed -i "s/int unsigned BIGS = 32/int unsigned BIGS = $bigs/; s/int unsigned BIG = 16/int unsigned BIG = $big/" sized/uvm_tree/mp_uvm_tree_unit.sv
    sources "$work/sized" mp_uvm_tree | sed "s| [^ ]*/mp_sram.sv||; s| [^ ]*/mp_uvm_tree.sv||"
    elaborate mp_uvm_tree_unit
}

steps() {
    echo 16
}

prove() { # proof
    of "$1"
    by_induction "$1" "$bigs big pages of $big pages" 4
}

[ $# -gt 0 ] || set -- 2x2 4x2 2x4 faults
for proof in "$@"; do
    case $proof in
    2x2 | 4x2 | 2x4 | 4x4) prove "$proof" ;;
    listed | faults)
        listed "$block/mp_uvm_tree_unit.sv" "$block/checks/mp_uvm_tree_rules.svh" "$block/formal/uvm_tree.svh"
        [ "$proof" = listed ] || refuted fault-tree
        ;;
    *) wrong "$proof" 'no such proof: 2x2, 4x2, 2x4, 4x4, listed, faults' ;;
    esac
done
exit "$failed"
