#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Timing diagrams of each block's ports, rtl/BLOCK/timing.txt, from waves of a co-simulation of BLOCK/timing.txt. Without
# --update it compares them with those that are there.
# usage: timing.sh MEMPATH FST_TIMING RTL [--update] [BLOCK]...
set -eu
mempath=$(readlink -f -- "$1") fst_timing=$(readlink -f -- "$2") rtl=$(readlink -f -- "$3")
shift 3
here=$(dirname "$(readlink -f -- "$0")")
update=0
[ "${1:-}" != --update ] || { update=1 && shift; }
if [ $# = 0 ]; then
    for stimuli in "$here"/*/timing.txt; do set -- "$@" "$(basename "$(dirname "$stimuli")")"; done
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# Column of a block's first line in the table next to the program.
of() { awk -F '\t' -v block="$1" -v column="$2" '$1 == block { print $column; exit }' "${mempath%/*}/mempath-rtl-blocks"; }

options() { # block: of mempath cosim
    case $1 in
    star) echo --mode star ;;
    dws) echo --mode dws --tenants 2 --latency 4 ;;
    esac
}

for block in "$@"; do
    name=$(echo "$block" | tr _ -)
    top=$(of "$name" 5)
    [ -n "$top" ] || { echo "timing.sh: no block '$block'" >&2 && exit 2; }
    chosen=$(options "$block")
    command="cosim $name${chosen:+ $chosen}"
    cp "$here/$block/timing.txt" "$work/stimuli.txt"
    # shellcheck disable=SC2086 # a list of words
    (cd "$work" && "$mempath" $command --waves w.fst --waves-window 1:99 --db db stimuli.txt >out 2>&1) || {
        cat "$work/out" >&2
        exit 1
    }
    {
        echo "Ports of $top, from the waves of a co-simulation; tb/rtl/timing.sh writes it:"
        echo "    mempath $command \\"
        echo "        --waves w.fst --waves-window 1:99 stimuli.txt"
        sed 's/^/      /' "$here/$block/timing.txt"
        cat <<END
A column is a clock, with the values at its edge. Of a bus the lowest five hexadecimal digits are
shown where they change; - is one that means nothing, since its valid, write or event is low. The
bench drives inputs roughly: they appear and change until they are taken.

END
        "$fst_timing" "$work/w.fst" "$top" | sed 's/ *$//'
    } >"$work/$block.txt"
    if [ "$update" = 1 ]; then
        cp "$work/$block.txt" "$rtl/$block/timing.txt"
    elif ! diff -u "$rtl/$block/timing.txt" "$work/$block.txt" >&2; then
        echo "FAILED: rtl/$block/timing.txt is not what the RTL does now; tb/rtl/timing.sh ... --update writes it" >&2
        failed=1
    fi
done
exit "$failed"
