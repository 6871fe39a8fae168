#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Replays faults of unified memory under the design @NAME@: the answers must be those of @OTHER@, with which it
# begins, and others than those of @BESIDES@.
#   test.sh PLUGIN.so       MEMPATH is the program, if it is not that of pkg-config
set -eu
mempath=${MEMPATH:-$(pkg-config --variable=program mempath-plugin)}
plugin=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

answers() {
    "$mempath" replay uvm --chunks 2 --plugin "$plugin" "$@" "$work/faults"
}
fail() {
    echo "FAILED: $1" >&2
    exit 1
}

{
    echo 'R 0 0x40000000 0x1000000'
    for time in 1 2 3 4 5 6 7 8; do
        for page in 1 9 33 40; do
            block=$((0x40000000 + (time * 5 % 7 + page % 3) * 0x200000))
            echo "H $((time * 10)) 0 $((block + 5 * 4096)) w"
            echo "F $((time * 10)) 0 0 $((block + page * 4096)) r"
            echo "A $((time * 10)) 0 $((0x40000000 + page * 4096)) r"
        done
        echo "B $((time * 10))"
    done
    echo 'D 0'
} >"$work/faults"
answers --@CHOICE@ @NAME@ >"$work/own"
answers --@CHOICE@ @OTHER@ >"$work/same"
answers --@CHOICE@ @BESIDES@ >"$work/other"
cmp -s "$work/own" "$work/same" || fail 'other answers than @OTHER@'
cmp -s "$work/own" "$work/other" && fail 'the answers of @BESIDES@'
echo "passed: $(wc -l <"$work/own") answers"
