#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Blocks that end the simulation, hang, crash or are never ready: each gives a verdict with exit code 1 and a row in
# the database, never an equal run. $3 is rtl/, whose ports the blocks have.
. "$(dirname "$0")/../lib.sh"
rtl=$3

# A block with the ports of mp_star_tlb_set.sv that misses each request, plus this text, in which `taken` means that a
# request is accepted.
block() {
    sed -n '/^module/,/^);/p' "$rtl/star/mp_star_tlb_set.sv" | sed 's/^module mp_star_tlb_set /module ends /'
    cat <<'END'
  logic busy_q, taken;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) busy_q <= 1'b0;
    else busy_q <= taken | (busy_q & ~rsp_ready_i);
  assign taken = req_valid_i & req_ready_o;
  assign {row_we_o, entry_o, order_we_o, order_o, rsp_action_o, rsp_frame_o, rsp_way_o, rsp_base_o, rsp_gone_o} = '0;
END
    printf '  %s\nendmodule\n' "$1"
}
usual='assign {req_ready_o, rsp_valid_o} = {~busy_q, busy_q};'

# ends STATUS WHAT [FILE]: checks stdout, stderr, the row, and the command that repeats the run.
ends() {
    expect 1 cosim star-set --mode subentry --rtl-top ends.sv --patience 2 --json ${3:+"$3"}
    json "json_extract(j, '\$.status')" "$1"
    json "json_extract(j, '\$.difference')" "$2"
    json "json_extract(j, '\$.replay') LIKE 'mempath cosim star-set --mode subentry --rtl-top ends.sv --seed 1 %${3:-transactions _}'" 1
    case $(json_error) in "cosim star-set: $2, in transaction"*) ;; *) wrong 'no error line' ;; esac
    expect 0 query "SELECT status || ': ' || difference AS row FROM cosim ORDER BY id DESC LIMIT 1" --json
    json "json_extract(j, '\$[0].row')" "$1: $2"
}

# The page of the first request selects how the block ends.
block "$usual
  import \"DPI-C\" function int raise(input int number);
  import \"DPI-C\" function void _exit(input int code);
  logic reset_q = 1'b0; // requests before the first reset are none
  int raised;
  logic [40:0] n;
  always @(negedge rst_ni) reset_q <= 1'b1;
  always @(posedge clk_i) if (reset_q && rst_ni && taken) case (req_index_i)
    1: \$finish;
    2: \$stop;
    3: \$error(\"no credit\");
    4: \$fatal(1, \"no credit at all\");
    5: assert (busy_q);
    6: for (n = 0; n[40] == 0; n = n + 1) if (n[21:0] == req_vpb_i) raised = raised + 1;
    7: raised = raise(11);
    8: _exit(0);
    default: \$display(\"%d\", raised);
  endcase" >ends.sv
line() { grep -n "^    $1: " ends.sv | cut -d: -f1; }
for page in 1 2 3 4 5 6 7 8; do echo "L 1 $page" >$page.txt; done
ends broken "the RTL ended the simulation (\$finish, ends.sv:$(line 1))" 1.txt
ends broken "the RTL stopped the simulation (\$stop, ends.sv:$(line 2))" 2.txt
ends broken "ends.sv:$(line 3): no credit" 3.txt
ends broken "ends.sv:$(line 4): no credit at all" 4.txt
ends broken "ends.sv:$(line 5): an assertion of the RTL failed" 5.txt
ends hung 'the RTL did not come back within 2 s (--patience)' 6.txt
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}handle_segv=0 # else it reports, and exits
export ASAN_OPTIONS
ends crashed 'the RTL crashed (segmentation fault)' 7.txt
ends crashed 'the RTL ended the process (exit code 0)' 8.txt
expect 1 cosim star-set --mode subentry --rtl-top ends.sv 7.txt
says '^star-set subentry, cosim [0-9]*: crashed in transaction 1$'
! grep -q 'configuration' out || wrong 'what a crashed run has covered is not known'

# Never ready, no response, and combinational logic that does not converge.
block "assign {req_ready_o, rsp_valid_o} = '0;" >ends.sv
ends broken 'it is not ready after a reset'
block "logic late_q; always_ff @(posedge clk_i or negedge rst_ni) late_q <= rst_ni & (late_q | taken);
  assign {req_ready_o, rsp_valid_o} = {~late_q, 1'b0};" >ends.sv
ends broken 'it does not respond'
block "logic a; assign a = ~(a & busy_q); assign {req_ready_o, rsp_valid_o} = {~busy_q, busy_q & a};" >ends.sv
expect 1 cosim star-set --mode subentry --rtl-top ends.sv
grep -q 'did not converge' err || wrong 'a loop that does not converge'

# Verilator's warnings about the block are shown, once for all of its designs.
block "$usual wire [3:0] narrow = req_vpb_i;" >ends.sv
expect 1 cosim star-set --all --rtl-top ends.sv
[ "$(grep -c "^%Warning-WIDTH: .*/ends.sv:[0-9]*:" err)" = 1 ] || wrong 'not one warning'

# Inside a run: the run fails, and its row says so.
sed -n '/^module/,/^);/p' "$rtl/star/mp_star_tlb.sv" | sed 's/^module mp_star_tlb /module tlb /' >tlb.sv
cat >>tlb.sv <<'END'
  always @(posedge clk_i) if (req_valid_i) $finish;
  assign {req_ready_o, rsp_valid_o, rsp_action_o, rsp_frame_o, rsp_way_o, rsp_base_o, rsp_gone_o} = {rst_ni, ($bits(rsp_gone_o) + 61)'(0)};
endmodule
END
expect 1 run demo --set tenants.size=small --set l3_tlb.entries=1024 --rtl-shadow l3_tlb --rtl-top tlb.sv
grep -qF "the RTL ended the simulation (\$finish, tlb.sv:" err || wrong "no error line"
expect 0 query "SELECT status AS row FROM run ORDER BY id DESC LIMIT 1" --json
json "json_extract(j, '\$[0].row')" failed

finished
