#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Proves the invariants of mesc_scan without a bound, by induction over k clocks. Then shows that each assertion alone
# fails in a design with a fault (faults.txt). Prints a line for each on stdout, and for a failed proof the assertion, the
# last clocks and a waveform. The exit code is 1 if any result is not as expected.
# prove_mesc_scan.sh [WORKFOLDER [PROOF...]]: these proofs only, without the faults
set -u
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# PROOF: pages of a subregion, subregions
proofs='
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
    printf '%s\n' "read_verilog -sv -formal -I$2 $2/mesc_pkg.sv $2/mesc_scan.sv" \
        "chparam -set PAGES $pages -set SUBREGIONS $subregions mesc_scan"
    elaborate mesc_scan
}

steps() {
    echo 20
}

prove() { # proof
    {
        design "$1" "$rtl"
        # shellcheck disable=SC2016 # $assert is a kind of cell
        printf '%s\n' 'write_rtlil design.il' 'select -count t:$assert' 'select -count t:$assume' \
            'sat -verify -prove-asserts -set-assumes -tempinduct -maxsteps 4'
    } >prove.ys
    of "$1"
    start=$(date +%s)
    if yosys -s prove.ys >prove.log 2>&1 && grep -q 'Induction step proven: SUCCESS' prove.log; then
        k=$(sed -n 's/^\*\* Trying induction with length \([0-9]*\).*/\1/p' prove.log | tail -n 1)
        # shellcheck disable=SC2046,SC2183 # two words
        printf '%u subregions of %2u pages: proven, k = %u; %u assertions, %u assumptions; %u s\n' \
            "$subregions" "$pages" "$k" $(sed -n 's/^\([0-9]*\) objects\.$/\1/p' prove.log) $(($(date +%s) - start))
    elif grep -q '^[0-9]* objects\.$' prove.log; then
        wrong "$subregions subregions of $pages pages" 'not proven'
        counterexample "$1" '-tempinduct -maxsteps 4'
    else
        wrong "$subregions subregions of $pages pages" 'no design' prove.log
    fi
}

[ $# -gt 0 ] || set -- 4x2 8x4 faults
for proof in "$@"; do
    case $proof in
    4x2 | 8x4) prove "$proof" ;;
    listed | faults)
        listed "$rtl/mesc_scan.sv" "$rtl/formal/mesc_scan.svh"
        [ "$proof" = listed ] || refuted fault-scan
        ;;
    *) wrong "$proof" 'no such proof: 4x2, 8x4, listed, faults' ;;
    esac
done
exit "$failed"
