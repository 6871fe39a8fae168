#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Simulates the netlist, in the library's Verilog models, and the RTL with the same stimuli and compares the outputs.
# Then does it again with one gate exchanged, which the comparison must detect.
set -eu
here=$(dirname -- "$0")
yosys -q -c "$here/gates.tcl"
simulate() { # netlist
    iverilog -g2005 -Ttyp -o gates "$here/${RTL_TOP}_tb.v" rtl.v "$1" "${RTL_LIBERTY%.lib}.v"
    vvp -n gates
}
sed 's/^module rtl(/module netlist(/' net.v >netlist.v
simulate netlist.v
sed '0,/  NOR2X1 /s//  NAND2X1 /' netlist.v >faulty.v
simulate faulty.v >faulty.report
grep -q 'the netlist differs' faulty.report || {
    echo 'error: a gate was exchanged, and nothing was seen'
    exit 1
}
