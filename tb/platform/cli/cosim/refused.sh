#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Waves that cannot be written, and blocks ($3 is rtl/, with changes) that cannot replace ours: an error before
# anything is compiled.
. "$(dirname "$0")/../lib.sh"
rtl=$3 MEMPATH_CACHE=$work/cache

refused 'no waves are written; add --waves FILE' cosim star --waves-window 1:2
refused "'5' is not a window; FIRST:LAST in transactions" cosim star --waves x.fst --waves-window 5
refused "'5:5' is empty; FIRST:LAST" cosim star --waves x.fst --waves-window 5:5
refused 'nowhere/x.fst: No such file' cosim star --waves nowhere/x.fst --waves-window 1:2
refused 'stdin cannot be read again' cosim star --waves x.fst -
refused 'omit --coverage and --mutants' cosim star --waves x.fst --coverage
refused '0 blocks of RTL; choose one' run demo --waves x.fst --waves-window 1:2
refused '2 blocks of RTL; choose one' run demo --rtl l3_tlb --rtl walk_arbiter --waves x.fst --waves-window 1:2
refused '2 runs would write the same file' run demo --rtl l3_tlb --compare l3_tlb.policy=star,subentry --waves x.fst
[ ! -e x.fst ] || wrong 'refused, yet a file of waves'

ports="; the ports of rtl/star/mp_star_tlb.sv"
cp "$rtl/star/mp_star_tlb.sv" mine.sv
sed -e 's/^module mp_star_tlb /module less /' -e 's/^ *output logic \[1:0\] *rsp_base_o,//' \
    -e 's/^  localparam int unsigned ENTRY_W = /  logic [1:0] rsp_base_o;\n&/' "$rtl/star/mp_star_tlb.sv" >less.sv
refused "less: no port 'output \[1:0\] rsp_base_o'$ports" cosim star --rtl-top less.sv
sed -e 's/^module mp_star_tlb /module more /' -e 's/^ *input  logic  *clk_i,/&\n    input logic test_i,/' "$rtl/star/mp_star_tlb.sv" >more.sv
refused "more: port 'input \[0:0\] test_i' is unexpected$ports" cosim star --rtl-top more.sv
sed -e 's/^module mp_star_tlb /module wide /' -e 's/VPB_W = 22/VPB_W = 23/' "$rtl/star/mp_star_tlb.sv" >wide.sv
refused "wide: port 'input \[33:0\] req_vpn_i' must be 'input \[32:0\] req_vpn_i'$ports" cosim star --rtl-top wide.sv
echo 'module few (input logic clk_i); endmodule' >few.sv
refused "few: no port 'input \[39:0\] diff_thres_i'; the ports of rtl/dws/mp_dws_scheduler.sv" cosim dws --tenants 2 --rtl-top few.sv
refused 'few: has no parameter DEPTH, so it is only one design; --size says which one' cosim dws --rtl-top few.sv
printf 'module bad (input logic a);\n  assign b = ;\nendmodule\n' >bad.sv
refused 'verilator: %Error: .*bad.sv:2:14: syntax error' cosim star --rtl-top bad.sv
printf 'module parts (input logic clk_i);\n  nowhere u_part (.clk_i);\nendmodule\n' >parts.sv
refused "parts.sv:2:3: Cannot find file containing module: 'nowhere'" cosim star --mode star --rtl-top parts.sv
echo 'module other; endmodule' >named.sv
refused "'named' was not found in design" cosim star --rtl-top named.sv
refused 'nowhere.sv: cannot be read' cosim star --rtl-top nowhere.sv
echo >mine.txt
refused 'not a SystemVerilog file name' cosim star --rtl-top mine.txt
refused '0 blocks of RTL; choose one' run demo --rtl-top mine.sv
refused 'omit --coverage and --mutants' cosim star --rtl-top mine.sv --mutants 10
mkdir without
cp "$mempath" "$(dirname "$mempath")/mempath-rtl-blocks" without/
sed "s/VERILATOR='[^']*'/VERILATOR=nowhere/" "$(dirname "$mempath")/mempath-own-rtl.sh" >without/mempath-own-rtl.sh
mempath=without/mempath
refused 'cosim: verilator is not installed; the Debian package verilator' cosim star --rtl-top mine.sv
[ -z "$(find "$MEMPATH_CACHE/rtl" -name 'build.*')" ] || wrong 'builds are left behind'

finished
