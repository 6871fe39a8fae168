# SPDX-License-Identifier: Apache-2.0
#
# Writes RTL and netlist as logic between flops, which abc compares: rtl.blif, net.blif, and fault.blif, the netlist with
# some gates exchanged, for which the comparison must find a difference. A flop becomes an output (its data, enable,
# reset and reset value) and an input; abc matches them by name.
source [file join [file dirname [info script]] design.tcl]

proc write_cuts {file} {
    # A register that is an output has the port's name, too, which cannot be hidden. With an inverter before each output of
    # both designs, only the register's own name is left; yosys would remove buffers.
    yosys iopadmap -bits -outpad {$_NOT_} A:Y
    yosys opt_clean -purge
    yosys expose -evert-dff -dff
    yosys simplemap
    yosys opt_clean -purge
    yosys splitnets -ports
    yosys write_blif $file
}

read_design
yosys opt
yosys dffunmap
yosys techmap
write_cuts rtl.blif
yosys design -reset

yosys read_liberty -ignore_miss_func $env(RTL_LIBERTY)
yosys rename -hide */w:*
yosys design -stash cells
yosys read_verilog net.v
yosys hierarchy -top rtl
# A signal without a name in the RTL must not name a flop.
yosys rename -hide w:_*_
yosys techmap -map %cells
yosys opt_expr
yosys opt_dff
write_cuts net.blif

# Eight AND gates become NOR gates.
set net [read [open net.blif]]
set ands [regexp -all -inline -indices {\n11 1\n} $net]
for {set i 0} {$i < 8} {incr i} {
    set at [lindex $ands [expr {$i * [llength $ands] / 8}] 0]
    set net [string replace $net [expr {$at + 1}] [expr {$at + 2}] 00]
}
set fault [open fault.blif w]
puts -nonewline $fault $net
close $fault
result gates_exchanged [expr {min(8, [llength $ands])}]
