# SPDX-License-Identifier: Apache-2.0
#
# The smallest period of net.v: library cells, typical corner, ideal clock and wires. Inputs come at the clock's edge
# and outputs must be stable at the next one, so the period has no memory access time. sta always returns 0, so the
# program checks that the RESULT lines are there and that no line is an error or a warning.
set period 100
# A warning about the library is not one about the design.
with_output_to_variable said { read_liberty $::env(RTL_LIBERTY) }
puts [string map {Warning: Note:} $said]
set_cmd_units -time ns -capacitance pF
read_verilog net.v
link_design rtl
create_clock -name clock -period $period [get_ports clk_i]
foreach port [all_inputs] {
    if {[get_property $port full_name] ne "clk_i"} { set_input_delay 0 -clock clock $port }
}
set_output_delay 0 -clock clock [all_outputs]
set_driving_cell -lib_cell $env(RTL_DRIVER) [all_inputs]
set_load $env(RTL_LOAD) [all_outputs]
puts "RESULT setup_checked [check_setup -verbose -no_input_delay -no_output_delay -no_clock -multiple_clock \
    -generated_clocks -loops]"
# No path ends at a constant output.
set netlist [read [open net.v]]
with_output_to_variable endpoints { check_setup -verbose -unconstrained_endpoints }
foreach {line port} [regexp -all -inline -line {^  ([^\s\[]+)} $endpoints] {
    if {![regexp "assign ${port}\\M\[^=\]*= \\d+'h" $netlist]} { puts "Warning: no path ends at $port" }
}
report_checks -path_delay max
puts "RESULT period [expr {$period - [worst_slack]}]"
