#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `mempath cosim neidty`: equal RTL, faulty RTL ($3 is a library with it), stimuli of a file, refusals.
. "$(dirname "$0")/../lib.sh"
faulty=$3

expect 0 cosim
says 'neidty '
expect 0 cosim neidty --help
says 'left- ASID VPN'
for mode in 32x18 8x8 3x5 128x12; do
    expect 0 cosim neidty --mode "$mode" --transactions 20000
    says "neidty $mode, cosim [0-9]*: equal after 20000 transactions"
done
expect 0 cosim neidty --transactions 60000 --coverage
says "8x8: both: right's entry replaces left's new one"
says '32x18: valid entries: 32'
says '^mp_neidty_directory.sv  *[0-9]* '
expect 0 cosim neidty --transactions 20000 --json
json "json_extract(j, '\$.not_run')" ''

# The example of the model's oracle, as TLB 2 sees it: its left neighbour loads 1:7, and evicts it for 1:8 while its right
# neighbour loads 1:7. Each way of writing an event.
cat >stimuli.txt <<END
left+ 1 7 own+ 0 1 # a comment

right+ 1 7 lookup 1 7
lookup 1 7 left- 1 7 left+ 0x1 0x8 own- 0 1
lookup 1 7 right* 1 9
lookup 0 0
drop 1 8
lookup 1 8
left* 1 9 right- 1 9 empty
lookup 1 9
END
expect 0 cosim neidty stimuli.txt --json
json "json_extract(j, '\$.status') || ' ' || json_extract(j, '\$.transactions')" 'equal 9'
expect 0 query cosim
says 'stimuli.txt .*equal'

# Faulty RTL stops at the first difference and prints the command that repeats it.
mkdir faulty
cp "$mempath" "$faulty" faulty/
mempath=faulty/mempath
expect 1 cosim neidty --mode 32x18 --transactions 1000000
says '^first difference: state after a clock'
says 'inserts .* tag=0x'
says '^\* '
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
    refused "bad.txt:1: $2" cosim neidty bad.txt
}
try 'left 1 7' "'left' is not an event; lookup, own-"
try 'left+ 256 7' '.*ASID'
try 'left+ 1 0x1000000000' '.*VPN'
try 'left+ 1' 'no VPN; left+ ASID VPN'
try 'left+ 1 7 left* 1 8' "'left\*' is the second of its kind in this clock; one"
try 'drop 1 7 own+ 1 8' 'a page is invalidated, and something else changes; drop and lookup only'
refused 'no mode' cosim neidty --mode 64
refused 'does not have this option' cosim neidty --tenants 2
finished
