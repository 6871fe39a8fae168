// SPDX-License-Identifier: Apache-2.0
//
// The rules of mp_dws_scheduler's ports, to be bound to a block that replaces it:
//   bind mine mp_dws_scheduler_checks u_checks (.*);
module mp_dws_scheduler_checks #(
    /// Clocks from an event to its response, and from a response or a reset to the next event, at most.
    parameter int unsigned LONGEST = 16,
    /// As in mp_dws_scheduler.
    parameter int unsigned ID_W = 8,
    /// As in mp_dws_scheduler.
    parameter int unsigned WALKERS = 16,
    /// As in mp_dws_scheduler.
    parameter int unsigned DEPTH = 12,
    /// As in mp_dws_scheduler.
    parameter int unsigned TENANTS = 2,
    /// As in mp_dws_scheduler.
    parameter int unsigned EPOCH_W = 8,
    /// As in mp_dws_scheduler; not to be set.
    localparam int unsigned WALKER_W = $clog2(WALKERS),
    /// As in mp_dws_scheduler; not to be set.
    localparam int unsigned TENANT_W = $clog2(TENANTS),
    /// As in mp_dws_scheduler; not to be set.
    localparam int unsigned FREE_W = $clog2(DEPTH + 1),
    /// As in mp_dws_scheduler; not to be set.
    localparam int unsigned DIFF_W = $clog2(WALKERS * DEPTH + 1),
    /// As in mp_dws_scheduler; not to be set.
    localparam int unsigned WTM_W = $clog2(TENANTS + 1)
) (
    /// The ports of mp_dws_scheduler.
    /* verilator lint_off UNUSEDSIGNAL */
    /* verilator lint_off SYNCASYNCNET */  // the checks look at the reset, too
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                plus_i,
    input  logic [EPOCH_W-1:0]  epoch_i,
    input  logic [5*DIFF_W-1:0] diff_thres_i,
    input  logic [FREE_W-1:0]   queue_thres_i,
    input  logic                own_valid_i,
    input  logic                own_ready_o,
    input  logic [WALKER_W-1:0] own_walker_i,
    input  logic [WTM_W-1:0]    own_tenant_i,
    input  logic                enq_valid_i,
    input  logic                enq_ready_o,
    input  logic [TENANT_W-1:0] enq_tenant_i,
    input  logic                done_valid_i,
    input  logic                done_ready_o,
    input  logic [WALKER_W-1:0] done_walker_i,
    input  logic                rsp_valid_o,
    input  logic [1:0]          rsp_action_o,
    input  logic [WALKER_W-1:0] rsp_walker_o,
    input  logic [TENANTS-1:0]  room_o,
    input  logic [ID_W-1:0]     enq_id_i,
    input  logic [ID_W-1:0]     rsp_id_o,
    input  logic [TENANT_W-1:0] rsp_tenant_o
    /* verilator lint_on SYNCASYNCNET */
    /* verilator lint_on UNUSEDSIGNAL */
);

`include "checks/mp_dws_events_rules.svh"
`include "checks/mp_dws_scheduler_rules.svh"

  logic [31:0] seen_clocks_q;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) seen_clocks_q <= '0;
    else if (done_ready_o | rsp_valid_o) seen_clocks_q <= '0;
    else seen_clocks_q <= seen_clocks_q + 1'b1;

  always_ff @(posedge clk_i)
    if (rst_ni && seen_reset_q) begin
      // The response, or the next event, comes in time.
      assert (done_ready_o || rsp_valid_o || seen_clocks_q < LONGEST);
      // In a simulator with four states: what the ports say is known.
      assert (!$isunknown({done_ready_o, own_ready_o, enq_ready_o, rsp_valid_o, room_o}));
      assert (!rsp_valid_o || !$isunknown({rsp_action_o, rsp_walker_o}));
      assert (!rsp_valid_o || rsp_action_o == mp_dws_pkg::RspIdle || !$isunknown({rsp_id_o, rsp_tenant_o}));
    end

endmodule
