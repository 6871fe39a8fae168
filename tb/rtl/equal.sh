#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Proves that a mutant is no fault: equal.sh NUMBER, in the folder in which mutate.cmake has left the design. Exit code 0:
# every register, every output and all memory inputs are functions of registers, inputs and memory outputs, and the
# functions of design and mutant are equal in every reachable state. reached.il excludes some unreachable states. Others
# are not excluded, so a mutant that is not proven equal may still be no fault.
set -u
cd "$(dirname "$0")" || exit 1
HOME=$PWD # yosys leaves a file there
export HOME
mutate=$(sed -n "$1s/-ctrl mutant [0-9]* [0-9]*/-ctrl mutant 1 1/p" mutants)
[ -n "$mutate" ] || exit 1
design=reached.il
case $mutate in *" -port Q "*) design=design.il ;; esac # what a mutant makes of a register counts, whatever can be reached
half() { # 0: the design, 1: the mutant; file
    printf 'delete -input w:mutant; connect -set mutant 1%sb%s; opt_clean; write_aiger -symbols %s' "'" "$1" "$2"
}
yosys -q -p "read_rtlil $design; hierarchy -auto-top; $mutate; flatten; async2sync; dffunmap; opt_clean
    expose -evert t:*sram*; opt_clean; setundef -zero; techmap; setundef -zero; aigmap; opt_clean
    design -save both; $(half 0 "equal-$1-0.aig"); design -load both; $(half 1 "equal-$1-1.aig")" >"equal-$1.log" 2>&1 || exit 1
yosys-abc -c "cec -T 60 equal-$1-0.aig equal-$1-1.aig" >"equal-$1.log" 2>&1
rm -f "equal-$1-0.aig" "equal-$1-1.aig"
grep -q '^Networks are equivalent' "equal-$1.log"
