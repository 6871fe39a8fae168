#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `mempath cosim mesc-tlb`: equal RTL, faulty RTL ($3 is a library with it), stimuli of a file, refusals.
. "$(dirname "$0")/../lib.sh"
faulty=$3

expect 0 cosim
says 'mesc-tlb '
expect 0 cosim mesc-tlb --help
says 'S ASID VPN PFN PERM FIRST LAST'
for mode in mesc page small odd; do
    expect 0 cosim mesc-tlb --mode "$mode" --transactions 20000
    says "mesc-tlb $mode, cosim [0-9]*: equal after 20000 transactions"
done
expect 0 cosim mesc-tlb --transactions 60000 --coverage
says 'small: run: replaces two shorter ones'
says 'mesc: lookup: the last page of a subregion entry'
says '^mp_mesc_tlb_set.sv  *[0-9]* '
expect 0 cosim mesc-tlb --transactions 20000 --json
json "json_extract(j, '\$.not_run')" ''

# Figure 9 of the paper: three runs of a frame, then a page of another permission, and what is invalidated.
cat >stimuli.txt <<END
S 1 0x80000 0xf87 rw 0 3 # a comment
S 1 0x80100 0x201d rw 4 4
S 1 0x801c0 0x205d rw 7 7
L 1 0x800ff
L 1 0x80140
I 1 0x80140 77 r
L 1 0x80140
V 1 0x800c0
L 1 0x80000
A 1
F
END
expect 0 cosim mesc-tlb stimuli.txt --json
json "json_extract(j, '\$.status') || ' ' || json_extract(j, '\$.transactions')" 'equal 11'
expect 0 query cosim
says 'stimuli.txt .*equal'

# Faulty RTL stops at the first difference and prints the command that repeats it.
mkdir faulty
cp "$mempath" "$faulty" faulty/
mempath=faulty/mempath
expect 1 cosim mesc-tlb --mode mesc --transactions 1000000
says '^first difference: state of set '
says '^\* way '
cp out first
again=$(sed -n 's/^again: mempath //p' first)
# shellcheck disable=SC2086 # a list of words
expect 1 $again
grep -v 'a minute' first >first-state
grep -v 'a minute' out | cmp - first-state || wrong 'the replay differs from what it replays'

# Refusals.
mempath=$1
try() {
    printf '%s\n' "$1" >bad.txt
    refused "bad.txt:1: $2" cosim mesc-tlb bad.txt
}
try 'X 1 7' "'X' is not a stimulus; L, I, S, V, A or F"
try 'L 8 7' '.*ASID'
try 'L 1 0x1000000000' '.*VPN'
try 'I 1 7 8' 'no PERM; I ASID VPN PFN PERM'
try 'I 1 7 8 w' "PERM 'w' is not a permission; I ASID VPN PFN PERM, PERM is rw or r"
try 'S 1 0x40 64 rw 2 3' 'the page is in subregion 1, not in 2 to 3; FIRST and LAST around it'
try 'S 1 0x40 63 rw 0 1' 'the subregions need frames below 0 or above 0xfffffffff; another PFN'
try 'L 1 7 8' "'8' is unexpected; L ASID VPN"
refused 'the mode page has no subregion entries' cosim mesc-tlb --mode page stimuli.txt
refused 'no mode' cosim mesc-tlb --mode 64
refused 'does not have this option' cosim mesc-tlb --tenants 2
finished
