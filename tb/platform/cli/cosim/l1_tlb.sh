#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `mempath cosim l1-tlb`: equal RTL, faulty RTL ($3 is a library with it), stimuli of a file, refusals.
. "$(dirname "$0")/../lib.sh"
faulty=$3

expect 0 cosim
says 'l1-tlb '
expect 0 cosim l1-tlb --help
says 'insert ASID VPN PFN'
for mode in 32 8 5 2; do
    expect 0 cosim l1-tlb --mode "$mode" --transactions 20000
    says "l1-tlb $mode, cosim [0-9]*: equal after 20000 transactions"
    says '^all points were reached'
done
# All sizes, and all points, in few transactions.
expect 0 cosim l1-tlb --transactions 20000
says '^all points were reached'
says '^all configurations were run'
expect 0 cosim l1-tlb --transactions 20000 --coverage
says '2: both: hits the least recent, the page dropped is not there'
says '5: valid entries: 5'
says '^mp_l1_tlb.sv  *\([0-9]*\)  *\1  *0 '
expect 0 cosim l1-tlb --transactions 20000 --json
json "json_extract(j, '\$.not_run')" ''

# The oldest of two is looked up while a page that is not there is invalidated: the other one is evicted next. Each way of
# writing an event.
cat >stimuli.txt <<END
insert 1 0x7 100 lookup 0 0 # a comment

insert 1 8 0x101
lookup 1 7 drop 1 9
insert 2 7 102
show 1 7
show 1 8
insert 1 7 0xfffffffff show 1 7
drop 255 0xfffffffff
empty insert 3 3 3 lookup 1 7
lookup 3 3
END
expect 0 cosim l1-tlb --mode 2 stimuli.txt --json
json "json_extract(j, '\$.status') || ' ' || json_extract(j, '\$.transactions')" 'equal 10'
expect 0 query cosim
says 'stimuli.txt .*equal'

# Faulty RTL stops at the first difference and prints the command that repeats it.
mkdir faulty
cp "$mempath" "$faulty" faulty/
mempath=faulty/mempath
expect 1 cosim l1-tlb --mode 2 stimuli.txt
says '^first difference: state after a clock'
says '^transaction 3,'
says '^\* 0  *1:000000008:000000101  *1:000000007:000000064  *1:000000008:000000101$'
expect 1 cosim l1-tlb
says '^first difference: '
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
    refused "bad.txt:1: $2" cosim l1-tlb bad.txt
}
try 'look 1 7' "'look' is not an event; lookup, show, insert, drop or empty"
try 'lookup 256 7' '.*ASID'
try 'lookup 1 0x1000000000' '.*VPN'
try 'insert 1 7' 'no PFN; insert ASID VPN PFN'
try 'insert 1 7 0x1000000000' '.*PFN'
try 'lookup 1 7 show 1 8' "'show' is the second of its kind in this clock; one lookup or show"
try 'drop 1 7 insert 1 8 9' "'insert' is the second of its kind in this clock; one lookup or show, one insert or drop"
refused 'no mode' cosim l1-tlb --mode 64
refused 'does not have this option' cosim l1-tlb --tenants 2
finished
