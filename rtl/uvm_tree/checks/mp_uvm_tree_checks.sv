// SPDX-License-Identifier: Apache-2.0
//
// The rules of mp_uvm_tree's ports, to be bound to a block that replaces it:
//   bind mine mp_uvm_tree_checks u_checks (.*);
module mp_uvm_tree_checks #(
    /// As in mp_uvm_tree.
    parameter int unsigned BIGS = 32,
    parameter int unsigned BIG = 16,
    /// Clocks from a request's acceptance to its response, at most.
    parameter int unsigned LONGEST = 2112,
    /// As in mp_uvm_tree; not to be set.
    localparam int unsigned BIG_W = $clog2(BIG),
    localparam int unsigned PAGE_W = $clog2(BIG * BIGS)
) (
    /// The ports of mp_uvm_tree.
    /* verilator lint_off UNUSEDSIGNAL */
    /* verilator lint_off SYNCASYNCNET */  // the checks look at the reset, too
    input logic              clk_i,
    input logic              rst_ni,
    input logic              req_valid_i,
    input logic              req_ready_o,
    input logic [1:0]        req_op_i,
    input logic [PAGE_W-1:0] req_page_i,
    input logic [BIG_W-1:0]  req_first_i,
    input logic [6:0]        req_threshold_i,
    input logic [BIG-1:0]    req_marks_i,
    input logic              req_grow_i,
    input logic              rsp_valid_o,
    input logic              rsp_ready_i,
    input logic [PAGE_W-1:0] rsp_first_o,
    input logic [PAGE_W:0]   rsp_count_o
    /* verilator lint_on SYNCASYNCNET */
    /* verilator lint_on UNUSEDSIGNAL */
);

`include "checks/mp_uvm_tree_rules.svh"

  logic [31:0] seen_clocks_q;

  always_ff @(posedge clk_i)
    if (!seen_busy_q) seen_clocks_q <= '0;
    else seen_clocks_q <= seen_clocks_q + 1'b1;

  always_ff @(posedge clk_i)
    if (rst_ni && seen_reset_q) begin
      // A request is answered in time.
      assert (!seen_busy_q || rsp_valid_o || seen_clocks_q < LONGEST);
      // In a simulator with four states: what the ports say is known.
      assert (!$isunknown({req_ready_o, rsp_valid_o}));
      assert (!rsp_valid_o || !$isunknown({rsp_first_o, rsp_count_o}));
    end

endmodule
