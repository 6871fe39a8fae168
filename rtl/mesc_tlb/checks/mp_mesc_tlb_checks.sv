// SPDX-License-Identifier: Apache-2.0
//
// The rules of mp_mesc_tlb's ports, to be bound to a block that replaces it:
//   bind mine mp_mesc_tlb_checks u_checks (.*);
module mp_mesc_tlb_checks #(
    /// Clocks from a request to its response, and from a reset to the first request, at most.
    parameter int unsigned LONGEST = 2112,
    /// As in mp_mesc_tlb.
    parameter int unsigned WAYS = 16,
    /// As in mp_mesc_tlb.
    parameter int unsigned ASID_W = 8,
    /// As in mp_mesc_tlb.
    parameter int unsigned VPN_W = 36,
    /// As in mp_mesc_tlb.
    parameter int unsigned PFN_W = 36,
    /// As in mp_mesc_tlb; not to be set.
    localparam int unsigned WAY_W = $clog2(WAYS)
) (
    /// The ports of mp_mesc_tlb.
    /* verilator lint_off UNUSEDSIGNAL */
    /* verilator lint_off SYNCASYNCNET */  // the checks look at the reset, too
    input  logic              clk_i,
    input  logic              rst_ni,
    input  logic              req_valid_i,
    input  logic              req_ready_o,
    input  logic [2:0]        req_op_i,
    input  logic [ASID_W-1:0] req_asid_i,
    input  logic [VPN_W-1:0]  req_vpn_i,
    input  logic [PFN_W-1:0]  req_pfn_i,
    input  logic              req_read_only_i,
    input  logic [2:0]        req_first_i,
    input  logic [2:0]        req_last_i,
    input  logic              rsp_valid_o,
    input  logic              rsp_ready_i,
    input  logic [2:0]        rsp_action_o,
    input  logic [PFN_W-1:0]  rsp_pfn_o,
    input  logic              rsp_read_only_o,
    input  logic [WAY_W-1:0]  rsp_way_o
    /* verilator lint_on SYNCASYNCNET */
    /* verilator lint_on UNUSEDSIGNAL */
);

`include "checks/mp_mesc_tlb_rules.svh"

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
      assert (!rsp_valid_o || !$isunknown(rsp_action_o));
      if (rsp_valid_o && (rsp_action_o == mp_mesc_tlb_pkg::ActHitSubregions || rsp_action_o == mp_mesc_tlb_pkg::ActHitPage))
        assert (!$isunknown({rsp_pfn_o, rsp_read_only_o, rsp_way_o}));
    end

endmodule
