#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Proves the invariants of mp_toy.sv without a bound, by induction over k clocks. Then shows that each assertion alone fails
# in a design with a fault (faults.txt). The exit code is 1 if any result is not as expected.
# prove.sh [WORKFOLDER [PROOF...]]: these proofs only, without the faults
set -u
# shellcheck source-path=SCRIPTDIR source=../../../../rtl/formal/lib.sh
. "$(dirname "$0")/../../formal/lib.sh"

# PROOF: its number of entries.
design() {
    printf '%s\n' "$(sources "$2" mp_toy)" "chparam -set ENTRIES ${1#fault-} mp_toy"
    elaborate mp_toy
}

steps() {
    echo 8
}

[ $# -gt 0 ] || set -- 2 5 8 faults
for proof in "$@"; do
    case $proof in
    2 | 5 | 8) by_induction "$proof" "$proof entries" 4 ;;
    faults)
        listed "$block/mp_toy.sv" "$block/checks/mp_toy_rules.svh" "$block/formal/toy.svh"
        refuted fault-4
        ;;
    *) wrong "$proof" 'no such proof: 2, 5, 8, faults' ;;
    esac
done
exit "$failed"
