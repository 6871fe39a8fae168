#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Proves the invariants of neidty_directory without a bound, by induction over k clocks. Then shows that each assertion
# alone fails in a design with a fault (faults.txt). Prints a line for each on stdout, and for a failed proof the
# assertion, the last clocks and a waveform. The exit code is 1 if any result is not as expected.
# prove_neidty.sh [WORKFOLDER [PROOF...]]: these proofs only, without the faults
set -u
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# PROOF: entries, bits of a tag
proofs='
2:2:2
4:4:3
8:8:4
fault-2:2:2
fault-3:3:2'

of() { # proof: $entries $tag
    IFS=: read -r entries tag <<END
$(printf '%s\n' "$proofs" | sed -n "s/^$1://p")
END
}

design() {
    of "$1"
    printf '%s\n' "read_verilog -sv -formal -I$2 $2/neidty_pkg.sv $2/neidty_tag.sv $2/neidty_directory.sv" \
        "chparam -set ENTRIES $entries -set TAG_W $tag neidty_directory"
    elaborate neidty_directory
}

steps() {
    echo 12
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
        printf '%2u entries, tags of %2u bits: proven, k = %u; %u assertions, %u assumptions; %u s\n' \
            "$entries" "$tag" "$k" $(sed -n 's/^\([0-9]*\) objects\.$/\1/p' prove.log) $(($(date +%s) - start))
    elif grep -q '^[0-9]* objects\.$' prove.log; then
        wrong "directory of $entries" 'not proven'
        counterexample "$1" '-tempinduct -maxsteps 4'
    else
        wrong "directory of $entries" 'no design' prove.log
    fi
}

[ $# -gt 0 ] || set -- 2 4 8 faults
for proof in "$@"; do
    case $proof in
    2 | 4 | 8) prove "$proof" ;;
    listed | faults)
        listed "$rtl/neidty_directory.sv" "$rtl/formal/neidty_directory.svh"
        [ "$proof" = listed ] || refuted fault-2 fault-3
        ;;
    *) wrong "$proof" 'no such proof: 2, 4, 8, listed, faults' ;;
    esac
done
exit "$failed"
