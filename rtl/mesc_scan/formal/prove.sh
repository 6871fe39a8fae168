#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Proves the invariants of mp_mesc_scan without a bound, by induction over k clocks. Then shows that each assertion alone
# fails in a design with a fault (faults.txt). Prints a line for each on stdout, and for a failed proof the assertion, the
# last clocks and a waveform. The exit code is 1 if any result is not as expected.
# prove.sh [WORKFOLDER [PROOF...]]: these proofs only, without the faults
set -u
# shellcheck source-path=SCRIPTDIR source=../../formal/lib.sh
. "$(dirname "$0")/../../formal/lib.sh"

# PROOF: pages of a subregion, subregions
proofs='
2x2:2:2
4x2:4:2
8x4:8:4
fault-scan:2:2'

of() { # proof: $pages $subregions
    IFS=: read -r pages subregions <<END
$(printf '%s\n' "$proofs" | sed -n "s/^$1://p")
END
}

design() {
    of "$1"
    printf '%s\n' "$(sources "$2" mp_mesc_scan)" \
        "chparam -set PAGES $pages -set SUBREGIONS $subregions mp_mesc_scan"
    elaborate mp_mesc_scan
}

steps() {
    echo 20
}

prove() { # proof
    of "$1"
    by_induction "$1" "$subregions subregions of $pages pages" 4
}

[ $# -gt 0 ] || set -- 2x2 4x2 8x4 faults
for proof in "$@"; do
    case $proof in
    2x2 | 4x2 | 8x4) prove "$proof" ;;
    listed | faults)
        listed "$block/mp_mesc_scan.sv" "$block/checks/mp_mesc_scan_rules.svh" "$block/formal/mesc_scan.svh"
        [ "$proof" = listed ] || refuted fault-scan
        ;;
    *) wrong "$proof" 'no such proof: 2x2, 4x2, 8x4, listed, faults' ;;
    esac
done
exit "$failed"
