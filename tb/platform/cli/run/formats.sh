#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The formats of page tables on a whole machine: with every one each translation is right (--check), and without a page
# walk cache a walk reads as many entries as the format has levels. Firmware writes mempath's format only.
. "$(dirname "$0")/../lib.sh"

machine='neidty-16sm --set tenants.0.app=SRAD --set tenants.0.size=small --set machine.page_bytes=4096
    --set l1_tlb.entries=8 --set l1_tlb.ways=8 --set walk.memory=cached --set walk.pwc_entries=0'

counted() { # a counter of the last run, of the component whose path ends so
    sqlite3 "$MEMPATH_DB" "SELECT ifnull(sum(value), 0) FROM metrics
        WHERE run = (SELECT max(id) FROM run) AND component GLOB '*.$1' AND metric = '$2'"
}

same=''
format() { # name, page size, entries per walk
    digest=''
    for way in '' --force-tlm '--threads 2'; do
        # shellcheck disable=SC2086 # lists of words
        expect 0 run $machine --set vm.format="$1" --set machine.page_bytes="$2" --check $way --json --quiet
        got=$(grep -o '"digest": "[0-9a-f]*"' "$work/out")
        [ "${digest:=$got}" = "$got" ] || wrong "$1 $way: digest $got, not $digest"
    done
    walks=$(counted walk walks)
    [ "$walks" -gt 0 ] || wrong "$1: no walks"
    [ "$(counted walk levels_read)" = $((walks * $3)) ] ||
        wrong "$1 with pages of $2 B: $(counted walk levels_read) entries in $walks walks, not $3 each"
    [ "$(counted walk faults)" = 0 ] || wrong "$1: $(counted walk faults) faults"
    accesses=$(grep -o '"accesses": [0-9]*' "$work/out" | head -n 1)
    [ "${same:=$accesses}" = "$accesses" ] || wrong "$1: $accesses, not $same"
}

format mempath 4096 4
own=$digest
format nvidia-v2 4096 5
format nvidia-v3 4096 6
format sv39 4096 3
format x86-64 4096 4
[ "$digest" = "$own" ] || wrong 'x86-64 has the levels of mempath with pages of 4096 B, and another digest'
format nvidia-v2 65536 5
format nvidia-v3 2097152 5

refused "firmware writes page tables in mempath's format" firmware run --set vm.format=nvidia-v2
finished
