#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What firmware does with frames: --check ends each program of image/frames.c that does wrong, by one line with the
# frame, the pages and tenants, the walk, and the store that made the entry; without --check none is noticed.
# Programs that are right stay as they are.
images=$(realpath "$2")
. "$(dirname "$0")/../../platform/cli/lib.sh"

run_image() { # exit code, which image, options
    code=$1 image=$images/frames_$2.elf
    shift 2
    expect "$code" firmware run "$image" --workload 0=NW:small --set machine.page_bytes="$page" "$@"
}

complains() { # pattern in the last command's error
    grep -q -- "$1" "$work/err" || wrong "the error does not say '$1'"
}

number='0x[0-9a-f]*'
store="stored at pc $number, gmem_write64+$number (gmem.c:[0-9]*) from [a-z_0-9.]*+$number ([a-z]*.c:[0-9]*) in cycle [0-9]*"
entry="(entry at $number, $store)"
walk="; walk: $number at $number, .*$number at $number"
moved="page $number of space 0 $entry was moved from frame $number to frame $number without its contents: since its \
last store, "

finds() { # image, message
    run_image 0 "$1"
    run_image 1 "$1" --check
    complains "cycle [0-9]*, gpu[.].*: $2"
    [ "$(grep -c "^mempath: .*frames_$1.elf: " "$work/err")" = 1 ] || wrong 'not one line'
    complains "^again: mempath firmware run .*frames_$1.elf .*--check\$"
}

page=4096
finds 0 "space 0: page $number was translated to frame $number rw, but the page table has nothing.*$walk, $store; the \
frame is now page $number of space 1 $entry\$"
finds 1 "page $number of space 0 was translated to frame $number, which is now page $number of space 1 $entry, before \
the page was invalidated$walk, $store\$"
finds 2 "page $number of space 0 was .* which is now a page table of space 1, level 1 $entry, before .*$walk, $store\$"
finds 3 "frame $number is writable as page $number of space 1 $entry, and as page $number of space 0 $entry$walk\$"
finds 4 "frame $number is writable as page $number of space 0 $entry, and is a page table of space 0, level 3 \
(entry at $number, stored at pc $number.*)$walk\$"
finds 5 "frame $number is writable as page $number of space 0 $entry, and is the root table of space 0$walk\$"
finds 6 "frame $number is writable as page $number of space 0 $entry, and is a page table of space 1, level 3 .*$walk\$"
finds 7 "${moved}512 words of the old frame were not read, 512 of the new one not written$walk\$"
finds 8 "${moved}512 words of the old frame were not read, 0 of the new one not written$walk\$"
finds 9 "${moved}256 words of the old frame were not read, 256 of the new one not written$walk\$"
finds 10 "${moved}512 words of the old frame were not read, 512 of the new one not written$walk\$"
finds 30 "space 0: page $number was translated to frame $number rw, but the page table has nothing.*$walk, $store; the \
frame is now page $number of space 1 $entry\$"
finds 31 "${moved}512 words of the old frame were not read, 512 of the new one not written$walk\$"
page=65536
finds 1 "page $number of space 0 was translated to frame $number, which is now page $number of space 1 $entry, before"
finds 3 "frame $number is writable as page $number of space 1 $entry, and as page $number of space 0 $entry$walk\$"
finds 7 "${moved}8192 words of the old frame were not read, 8192 of the new one not written$walk\$"
finds 11 "${moved}[1-9][0-9]* words of the old frame were not read, [1-9][0-9]* of the new one not written$walk\$"

page=4096
for right in 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29; do
    run_image 0 $right
    says '^[a-zA-Z ]*: accesses [1-9]'
    cp "$work/out" "$work/unchecked"
    run_image 0 $right --check
    cmp "$work/out" "$work/unchecked" || wrong '--check changes what the firmware sees'
done
says '^by turns: accesses 33408 and 16704$' # two launches and one
page=65536
for right in 12 17 24 25 26 27; do
    run_image 0 $right --check
done
finished
