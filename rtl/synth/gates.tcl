# SPDX-License-Identifier: Apache-2.0
#
# Writes the RTL as one plain Verilog module, rtl.v, for tools without SystemVerilog.
source [file join [file dirname [info script]] design.tcl]
read_design
yosys write_verilog -noattr rtl.v
