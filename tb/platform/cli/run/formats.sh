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

# Walks that complete the queued walks of neighbouring pages read fewer entries, in other formats too.
for format in x86-64 sv39; do
    digest=''
    for way in '' --force-tlm '--threads 2'; do
        # shellcheck disable=SC2086 # lists of words
        expect 0 run $machine --set vm.format=$format --set walk.method=neighborhood --check $way --json --quiet
        got=$(grep -o '"digest": "[0-9a-f]*"' "$work/out")
        [ "${digest:=$got}" = "$got" ] || wrong "neighborhood, $format $way: digest $got, not $digest"
    done
    [ "$(counted walk faults)" = 0 ] || wrong "neighborhood, $format: $(counted walk faults) faults"
    [ "$(counted walk.neighborhood answered)" -gt 0 ] || wrong "neighborhood, $format: no walk answered another"
done
refused 'walk.method: neighborhood does not know entries of two halves, as format nvidia-v2 has them' run neidty-16sm \
    --set vm.format=nvidia-v2 --set walk.method=neighborhood

# A hashed table: all translations are right, most walks read one line, and less memory is read than with a radix tree.
hashed() { # further settings
    digest=''
    for way in '' --force-tlm '--threads 2'; do
        # shellcheck disable=SC2086 # lists of words
        expect 0 run $machine --set vm.table=hashed --set walk.method=probe "$@" --check $way --json --quiet
        got=$(grep -o '"digest": "[0-9a-f]*"' "$work/out")
        [ "${digest:=$got}" = "$got" ] || wrong "hashed $* $way: digest $got, not $digest"
    done
    walks=$(counted walk walks)
    [ "$(counted walk.probe found)" = "$walks" ] || wrong "hashed $*: $(counted walk.probe found) of $walks walks found"
    [ "$(counted walk levels_read)" = $((walks + $(counted walk.probe further))) ] ||
        wrong "hashed $*: $(counted walk levels_read) reads in $walks walks"
}
hashed
[ "$(counted walk.probe first)" = "$(counted walk walks)" ] || wrong 'hashed: a large table has collisions'
hashed --set hashed.lines=32 --set machine.page_bytes=65536

refused 'vm.table: hashed has entries of mempath' run neidty-16sm --set vm.table=hashed --set walk.method=probe \
    --set vm.format=nvidia-v2
refused 'firmware writes trees of tables; vm.table = radix' firmware run --set vm.table=hashed --set walk.method=probe
# shellcheck disable=SC2086 # a list of words
refused 'finds no room in the hashed page table of 32 lines; a larger hashed.lines or hashed.probes' run $machine \
    --set vm.table=hashed --set walk.method=probe --set hashed.lines=32 --set hashed.probes=1 --set tenants.0.app=MT --quiet
refused "firmware writes page tables in mempath's format" firmware run --set vm.format=nvidia-v2
finished
