# SPDX-License-Identifier: Apache-2.0
#
# Shared by the yosys scripts of this folder. `mempath rtl` sets the environment:
#   RTL_FOLDER      rtl/
#   RTL_LIST        the list of the sources there, without .f
#   RTL_TOP         the module
#   RTL_PARAMETERS  its parameters: NAME VALUE NAME VALUE
#   RTL_LIBERTY     the cell library
#   RTL_FLOPS       its flops
#   RTL_DRIVER      the cell that drives the inputs
#   RTL_LOAD        of each output, pF
#   RTL_SMALL       parameters of the instance that wires.sh lays out
# Results are lines "RESULT name value"; the program reads only these.

proc result {name value} {
    puts "RESULT $name $value"
    flush stdout
}

# The files of the list that the module needs, in the list's order. Others would change the numbers in the names of cells,
# and with them what abc makes of the design.
proc sources {} {
    global env
    set room [file dirname $env(RTL_LIST)]
    foreach source [split [read [open $env(RTL_LIST).f]] \n] {
        if {[string match *.sv $source]} {
            set path [regsub {^[^/]+/\.\./} $room/$source {}]
            set name [file rootname [file tail $path]]
            lappend names $name
            set paths($name) $path
            set text($name) [regsub -all {//[^\n]*} [read [open $path]] {}]
        }
    }
    set needed $env(RTL_TOP)
    for {set i 0} {$i < [llength $needed]} {incr i} {
        foreach name $names {
            if {$name ni $needed && [regexp "\\m$name\\M" $text([lindex $needed $i])]} { lappend needed $name }
        }
    }
    return [lmap name $names { if {$name ni $needed} { continue } { set paths($name) } }]
}

# The module as RTL, elaborated, without processes and hierarchy.
proc read_design {} {
    global env
    # Names contain the path, and the order of names changes a netlist, which must not depend on the sources' folder.
    set here [pwd]
    cd $env(RTL_FOLDER)
    foreach source [sources] {
        yosys read_verilog -sv -DSYNTHESIS -I[file dirname $source] $source
    }
    cd $here
    foreach {name value} $env(RTL_PARAMETERS) {
        yosys chparam -set $name $value $env(RTL_TOP)
    }
    yosys hierarchy -check -top $env(RTL_TOP)
    yosys rename -top rtl
    yosys proc
    yosys flatten
    # A flop is identified by its register's name: yosys keeps one of several names of a signal, not always the same.
    yosys rename -hide w:* w:*_q %d
    yosys opt_clean
}
