# SPDX-License-Identifier: Apache-2.0
#
# Synthesizes the RTL to a netlist of library cells, net.v, and reports its size. No FSM is recoded, so the number of
# flops is the number of register bits in the RTL.
source [file join [file dirname [info script]] design.tcl]

# Without a driving cell and a load abc inserts no buffers.
set constraints [open constraints w]
puts $constraints "set_driving_cell $env(RTL_DRIVER)\nset_load $env(RTL_LOAD) \[all_outputs\]"
close $constraints

yosys read_liberty -lib $env(RTL_LIBERTY)
read_design
yosys synth -flatten -nofsm -top rtl
yosys dfflibmap -liberty $env(RTL_LIBERTY)
yosys abc -liberty $env(RTL_LIBERTY) -D 1000 -constr constraints
# A register that is an output keeps its name next to the port's, so that logic.tcl finds it.
yosys setattr -set keep 1 w:*_q
yosys opt_clean -purge
yosys check -mapped -assert
yosys tee -o stat stat -liberty $env(RTL_LIBERTY)
# sta does not support a concatenation on the left of an assignment.
yosys write_verilog -noattr -noexpr -simple-lhs net.v

set stat [read [open stat]]
set flops 0
foreach {line cell count} [regexp -all -inline -line {^ +(\w+) +(\d+)$} $stat] {
    if {$cell in $env(RTL_FLOPS)} { incr flops $count }
}
regexp -line {Number of cells: +(\d+)} $stat line cells
regexp -line {Chip area for module .*: +([\d.]+)} $stat line um2
result flops $flops
result cells $cells
result area $um2

# For a TLB's set: the number of bits of an entry that it writes.
if {[regexp -line {^  output \[(\d+):0\] entry_o;} [read [open net.v]] line msb]} {
    result entry_bits [expr {$msb + 1}]
}
