#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `mempath cosim mesc-scan`: equal RTL, faulty RTL ($3 is a library with it), stimuli of a file, refusals.
. "$(dirname "$0")/../lib.sh"
faulty=$3

expect 0 cosim
says 'mesc-scan '
expect 0 cosim mesc-scan --help
says 'P PAGE PFN PERM \[N\]'
for mode in standard head; do
    expect 0 cosim mesc-scan --mode "$mode" --transactions 5000
    says "mesc-scan $mode, cosim [0-9]*: equal after 5000 transactions"
done
expect 0 cosim mesc-scan
says 'equal after 50000 transactions'
expect 0 cosim mesc-scan --transactions 20000 --coverage
says 'head: frame: contiguous in subregion 7 alone'
says 'standard: border 3: only the permission differs'
says '^mp_mesc_scan.sv  *\([0-9]*\)  *\1 '
expect 0 cosim mesc-scan --transactions 5000 --json
json "json_extract(j, '\$.not_run')" ''

# Figure 9 of the paper: subregions 0 to 4 and 7 are contiguous. Then one page of another permission, one that is not
# mapped, entries as they are, and a frame without a table.
cat >stimuli.txt <<END
T 0x7001 0x6008 # the entry of the table
P 0 0xf87 rw 256
P 256 0x201d rw 64
P 448 0x205d rw 64

S
P 255 0x1086 r
S
U 448
S
E 255 0x1086003
E 448 0x205d003
T 0x09f0000000007001 0x6008
S
T 0
S
END
for mode in standard head; do
    expect 0 cosim mesc-scan --mode "$mode" stimuli.txt --json
    json "json_extract(j, '\$.status') || ' ' || json_extract(j, '\$.transactions')" 'equal 5'
done
expect 0 query cosim
says 'stimuli.txt .*equal'

# Faulty RTL stops at the first difference and prints the command that repeats it.
mkdir faulty
cp "$mempath" "$faulty" faulty/
mempath=faulty/mempath
repeats() {
    cp out first
    again=$(sed -n 's/^again: mempath //p' first)
    # shellcheck disable=SC2086 # a list of words
    expect 1 $again
    grep -v 'a minute' first >first-state
    grep -v 'a minute' out | cmp - first-state || wrong 'the replay differs from what it replays'
}
expect 1 cosim mesc-scan --mode standard
says '^first difference: accesses'
says '^\* access [0-9]*'
says '    rtl  *reads 0x[0-9a-f]*, page '
repeats
expect 1 cosim mesc-scan --mode head
says '^first difference: entry of the table'
says '^\* entry '
repeats
expect 1 cosim mesc-scan --mode head --full
says '^  subregion [0-7]: '

# In a file: all subregions are contiguous, but one begins elsewhere.
printf 'P 0 0x1000 rw 448\nP 448 0x8000 r 64\nS\n' >apart.txt
expect 1 cosim mesc-scan --mode head apart.txt --full
says '^  subregion 7: first page pfn=0x000008000 r; contiguous'
says '^\* bits  *ff  *1ff'

# Refusals.
mempath=$1
try() {
    printf '%s\n' "$1" >bad.txt
    refused "bad.txt:1: $2" cosim mesc-scan bad.txt
}
try 'X 1 7' "'X' is not a stimulus; P, U, E, T or S"
try 'P 512 7 rw' '.*PAGE'
try 'P 1 0x1000000000 rw' '.*PFN'
try 'P 1 0xfffffffff rw 2' "PFN: the last page's frame is above 0xfffffffff; another PFN or N"
try 'P 1 7' 'no PERM; P PAGE PFN PERM \[N\]'
try 'P 1 7 w' "PERM 'w' is not a permission; P PAGE PFN PERM \[N\], PERM is rw or r"
try 'P 511 7 rw 2' '.*N'
try 'U 1 0' '.*N'
try 'E 1' 'no VALUE; E PAGE VALUE'
try 'T 0x7001 0x6004' 'AT: 0x6004 is not the address of an entry; a multiple of 8'
try 'T 0x7001 0x7ff8' 'AT: 0x7ff8 is in the table of the leaf entries; another AT or VALUE'
try 'S 1' "'1' is unexpected; S"
refused 'no mode' cosim mesc-scan --mode 64
refused 'does not have this option' cosim mesc-scan --tenants 2
finished
