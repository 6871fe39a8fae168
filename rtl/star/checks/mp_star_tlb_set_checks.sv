// SPDX-License-Identifier: Apache-2.0
//
// The rules of mp_star_tlb_set's ports, to be bound to a block that replaces it:
//   bind mine mp_star_tlb_set_checks u_checks (.*);
module mp_star_tlb_set_checks #(
    /// Clocks from a request to its response, and from a reset to the first request, at most.
    parameter int unsigned LONGEST = 2112,
    /// As in mp_star_tlb_set.
    parameter int unsigned MODE = 1,
    /// As in mp_star_tlb_set.
    parameter int unsigned WAYS = 8,
    /// As in mp_star_tlb_set.
    parameter int unsigned SUB_ENTRIES = 16,
    /// As in mp_star_tlb_set.
    parameter int unsigned ASID_W = 8,
    /// As in mp_star_tlb_set.
    parameter int unsigned VPB_W = 22,
    /// As in mp_star_tlb_set.
    parameter int unsigned FRAME_W = 51,
    /// As in mp_star_tlb_set; not to be set.
    localparam int unsigned INDEX_W = $clog2(SUB_ENTRIES),
    /// As in mp_star_tlb_set; not to be set.
    localparam int unsigned WAY_W = $clog2(WAYS),
    /// As in mp_star_tlb_set; not to be set.
    localparam int unsigned ENTRY_W = mp_star_pkg::entry_width(MODE, SUB_ENTRIES, ASID_W + VPB_W, FRAME_W),
    /// As in mp_star_tlb_set; not to be set.
    localparam int unsigned ORDER_W = WAYS * (WAYS - 1) / 2,
    /// As in mp_star_tlb_set; not to be set.
    localparam int unsigned COUNT_W = $clog2(WAYS * SUB_ENTRIES + 1)
) (
    /// The ports of mp_star_tlb_set.
    /* verilator lint_off UNUSEDSIGNAL */
    /* verilator lint_off SYNCASYNCNET */  // the checks look at the reset, too
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  logic [1:0]              policy_i,
    input  logic [1:0]              stride_i,
    input  logic                    req_valid_i,
    input  logic                    req_ready_o,
    input  logic [2:0]              req_op_i,
    input  logic [ASID_W-1:0]       req_asid_i,
    input  logic [VPB_W-1:0]        req_vpb_i,
    input  logic [INDEX_W-1:0]      req_index_i,
    input  logic [FRAME_W-1:0]      req_frame_i,
    input  logic [WAYS*ENTRY_W-1:0] row_i,
    input  logic [ORDER_W-1:0]      order_i,
    input  logic [WAYS-1:0]         row_we_o,
    input  logic [ENTRY_W-1:0]      entry_o,
    input  logic                    order_we_o,
    input  logic [ORDER_W-1:0]      order_o,
    input  logic                    rsp_valid_o,
    input  logic                    rsp_ready_i,
    input  logic [3:0]              rsp_action_o,
    input  logic [FRAME_W-1:0]      rsp_frame_o,
    input  logic [WAY_W-1:0]        rsp_way_o,
    input  logic [1:0]              rsp_base_o,
    input  logic [COUNT_W-1:0]      rsp_gone_o
    /* verilator lint_on SYNCASYNCNET */
    /* verilator lint_on UNUSEDSIGNAL */
);

`include "checks/mp_star_tlb_set_rules.svh"

  logic [31:0] seen_clocks_q;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) seen_clocks_q <= '0;
    else if (req_ready_o | rsp_valid_o) seen_clocks_q <= '0;
    else seen_clocks_q <= seen_clocks_q + 1'b1;

  always_ff @(posedge clk_i)
    if (rst_ni && seen_reset_q) begin
      // The response, or the first request, comes in time.
      assert (req_ready_o || rsp_valid_o || seen_clocks_q < LONGEST);
      // In a simulator with four states: what the ports say is known.
      assert (!$isunknown({req_ready_o, rsp_valid_o}));
      assert (!$isunknown({row_we_o, order_we_o}));
      assert (!rsp_valid_o || !$isunknown({rsp_action_o, rsp_gone_o}));
      assert (!rsp_valid_o || rsp_action_o != mp_star_pkg::ActHit || !$isunknown({rsp_frame_o, rsp_way_o, rsp_base_o}));
    end

endmodule
