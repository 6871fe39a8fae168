#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `mempath cosim uvm-tree`: equal RTL, faulty RTL ($3 is a library with it), stimuli of a file, refusals.
. "$(dirname "$0")/../lib.sh"
faulty=$3

expect 0 cosim
says '^uvm-tree '
expect 0 cosim uvm-tree --help
says 'B FIRST LAST THRESHOLD'
for mode in 2mb small; do
    expect 0 cosim uvm-tree --mode "$mode" --transactions 5000
    says "uvm-tree $mode, cosim [0-9]*: equal after 5000 transactions"
done
expect 0 cosim uvm-tree --transactions 200000
says 'equal after 200000 transactions'
says '^all points were reached'
says '^all configurations were run'
expect 0 cosim uvm-tree --transactions 100000 --coverage
says '2mb: region: a node of 512'
says 'small: query: a page of row 3'
says '^mp_uvm_tree_unit.sv  *\([0-9]*\)  *\1 '

# Faults of a cold block at pages 0, 16, 32, 64, 128 and 256, each with its row; then a block that ends early.
cat >stimuli.txt <<END
B 0 511 51 # the driver's threshold
G 0
Q 0
G 16

Q 16
L 32 0xffff
M 40
Q 40
B 3 20 50
L 0x10 0x1f
Q 16
Q 2
END
expect 0 cosim uvm-tree --mode 2mb stimuli.txt --json
json "json_extract(j, '\$.status') || ' ' || json_extract(j, '\$.transactions')" 'equal 12'
expect 0 query cosim
says 'stimuli.txt .*equal'

# Faulty RTL stops at the first difference and prints the command that repeats it.
mkdir faulty
cp "$mempath" "$faulty" faulty/
mempath=faulty/mempath
for mode in 2mb small; do
    expect 1 cosim uvm-tree --mode $mode
    if [ $mode = 2mb ]; then
        says '^first difference: region'
        says 'a query of page [0-9]*$'
        says '^\* count '
    else
        says '^first difference: state'
        says 'a mark of page [0-9]*$'
        says '^\* marks of pages [0-9]* to [0-9]*: 0x[0-9a-f]* in the model, 0x[0-9a-f]* in the RTL$'
    fi
    cp out first
    again=$(sed -n 's/^again: mempath //p' first)
    # shellcheck disable=SC2086 # a list of words
    expect 1 $again
    grep -v 'a minute' first >first-state
    grep -v 'a minute' out | cmp - first-state || wrong 'the replay differs from what it replays'
done
# Half of 32 pages is marked, and 50 percent is not enough.
printf 'B 0 31 50\nG 0\nQ 5\n' >half.txt
expect 1 cosim uvm-tree --mode 2mb half.txt
says '^\* count  *16  *32$'
says '^  pages   0 to  15: 16 marked'

# Refusals.
mempath=$1
try() { # line, message
    printf '%s\n' "$1" >bad.txt
    refused "bad.txt:1: $2" cosim uvm-tree --mode small bad.txt
}
try 'X 1' "'X' is not a stimulus; B, L, M, G or Q"
try 'B 4 15 51' '.*FIRST'
try 'B 0 16 51' '.*LAST'
try 'B 0 15 128' '.*THRESHOLD'
try 'L 3' 'no MARKS; L PAGE MARKS'
try 'L 3 16' '.*MARKS'
try 'Q 16' '.*PAGE'
try 'G 1 2' "'2' is unexpected; G PAGE"
refused 'no mode' cosim uvm-tree --mode 64
finished
