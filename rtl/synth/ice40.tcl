# SPDX-License-Identifier: Apache-2.0
#
# RTL to ice40.json, for nextpnr.
source [file join [file dirname [info script]] design.tcl]
read_design
yosys synth_ice40 -top rtl -json ice40.json
