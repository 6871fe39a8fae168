#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Proves that a mutant is no fault: equal.sh NUMBER, in the folder in which mutate.cmake has left the design. Exit code 0:
# proven, in one of three ways. A mutant that is not proven equal may still be no fault.
#   1. In any state, every register, every output and all memory inputs are the same functions of registers, inputs and
#      memory outputs. reached.il excludes some states that are not reached.
#   2. So they are in every state that a reset leads to, whatever the memories hold.
#   3. A set of a TLB and the set with the mutant, next to each other in SET_env.sv, always have the same outputs, as far as
#      these mean something, after a reset and with entries that the set's proofs (formal/ of its block) say a set may have.
set -u
cd "$(dirname "$0")" || exit 1
HOME=$PWD # yosys leaves a file there
export HOME
mutate=$(sed -n "$1s/-ctrl mutant [0-9]* [0-9]*/-ctrl mutant 1 1/p" mutants)
[ -n "$mutate" ] || exit 1
work=equal-$1
trap 'rm -f "$work".*' EXIT

# Of a design with both: the design, the mutant.
half() { # 0 | 1, commands
    printf 'design -load both; delete -input w:mutant; connect -set mutant 1%sb%s; opt_clean; %s; ' "'" "$1" "$2"
}

# PDR of ABC, which finds out what is never reached: what prepares it.
unreached() {
    yosys -q -p "read_aiger -module_name both $work.aag; write_aiger $work.aig" >"$work.log" 2>&1 &&
        timeout 300 yosys-abc -c "read_aiger $work.aig; $1; scorr; pdr -T 60" >"$work.log" 2>&1 && grep -q '^Property proved' "$work.log"
}

design=reached.il
case $mutate in *" -port Q "*) design=design.il ;; esac # what a mutant makes of a register counts, whatever can be reached
if ! yosys -q -p "read_rtlil $design; hierarchy -auto-top; $mutate; flatten; async2sync; dffunmap; opt_clean
    expose -evert t:*sram*; opt_clean; setundef -zero; techmap; setundef -zero; aigmap; opt_clean; design -save both
    $(half 0 "write_aiger -symbols $work.0.aig; write_aiger -ascii -symbols $work.0.aag")
    $(half 1 "write_aiger -symbols $work.1.aig; write_aiger -ascii -symbols $work.1.aag")" >"$work.log" 2>&1; then
    exit 1
fi
yosys-abc -c "cec -T 60 $work.0.aig $work.1.aig" >"$work.log" 2>&1
grep -q '^Networks are equivalent' "$work.log" && exit 0

awk -v reset=rst_ni -v ands="$work.ands" -f equal.awk "$work.0.aag" "$work.1.aag" >"$work.aag" &&
    unreached 'logic; undc; strash' && exit 0

environment=$(find . -name '*_env.sv')
[ -n "$environment" ] || exit 1
environment=$(basename "$environment" .sv)
# yosys gives a module with parameters another name.
set=$(sed -n "s/^module \\\\\{0,1\}\(.*${environment%_env}\)\$/\1/p" design.il)
yosys -q -p "read_rtlil design.il; hierarchy -auto-top; $mutate; hierarchy -top $set; flatten; opt_clean; design -save both
    $(half 0 "rename $set dut; write_rtlil $work.0.il") $(half 1 "rename $set dut; write_rtlil $work.1.il")" >"$work.log" 2>&1 || exit 1
for half in 0 1; do
    yosys -q -p "read_rtlil $work.$half.il; read_verilog -sv rtl/*_pkg.sv formal/*.sv; prep -flatten -top $environment
        async2sync; dffunmap; opt_clean; setundef -zero; techmap; dffunmap; setundef -zero; aigmap; opt_clean
        write_aiger -ascii -symbols $work.$half.aag" >"$work.log" 2>&1 || exit 1
done
awk -v reset=rst_ni -v ands="$work.ands" -v rules=rules_o -v apart=1 -f equal.awk "$work.0.aag" "$work.1.aag" >"$work.aag" &&
    unreached strash
