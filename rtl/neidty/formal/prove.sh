#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Proves the invariants of mp_neidty_directory without a bound, by induction over k clocks. Then shows that each assertion
# alone fails in a design with a fault (faults.txt). Prints a line for each on stdout, and for a failed proof the
# assertion, the last clocks and a waveform. The exit code is 1 if any result is not as expected.
# prove.sh [WORKFOLDER [PROOF...]]: these proofs only, without the faults
set -u
# shellcheck source-path=SCRIPTDIR source=../../formal/lib.sh
. "$(dirname "$0")/../../formal/lib.sh"

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
    printf '%s\n' "$(sources "$2" mp_neidty_directory)" \
        "chparam -set ENTRIES $entries -set TAG_W $tag mp_neidty_directory"
    elaborate mp_neidty_directory
}

steps() {
    echo 12
}

prove() { # proof
    of "$1"
    by_induction "$1" "$entries entries, tags of $tag bits" 4
}

[ $# -gt 0 ] || set -- 2 4 8 faults
for proof in "$@"; do
    case $proof in
    2 | 4 | 8) prove "$proof" ;;
    listed | faults)
        listed "$block/mp_neidty_directory.sv" "$block/checks/mp_neidty_directory_rules.svh" "$block/formal/neidty_directory.svh"
        [ "$proof" = listed ] || refuted fault-2 fault-3
        ;;
    *) wrong "$proof" 'no such proof: 2, 4, 8, listed, faults' ;;
    esac
done
exit "$failed"
