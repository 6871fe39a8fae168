// SPDX-License-Identifier: Apache-2.0
//
// The rules of mp_star_tlb's ports. mp_star_tlb.sv and mp_star_tlb_checks.sv include them.

  // What the ports showed, in separate registers of the checks, because the logic's registers may be wrong.
  localparam int unsigned RSP_W = 4 + FRAME_W + WAY_W + 2 + COUNT_W;
  logic seen_reset_q = 1'b0;  // registers may hold anything before the first reset
  logic seen_busy_q;          // a request was taken, its response was not
  logic seen_held_q;          // the response was there and was not taken
  logic [RSP_W-1:0] rsp, seen_rsp_q;

  assign rsp = {rsp_action_o, rsp_frame_o, rsp_way_o, rsp_base_o, rsp_gone_o};

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      seen_reset_q <= 1'b1;
      seen_busy_q <= 1'b0;
      seen_held_q <= 1'b0;
    end else begin
      if (req_valid_i & req_ready_o) seen_busy_q <= 1'b1;
      else if (rsp_valid_o & rsp_ready_i) seen_busy_q <= 1'b0;
      seen_held_q <= rsp_valid_o & ~rsp_ready_i;
    end

  always_ff @(posedge clk_i) if (rsp_valid_o & ~rsp_ready_i) seen_rsp_q <= rsp;

  always_ff @(posedge clk_i)
    if (rst_ni && seen_reset_q) begin
      // No request is taken while one is processed.
      assert (!(req_ready_o & seen_busy_q));
      // Each response belongs to a request that was taken.
      assert (!rsp_valid_o || seen_busy_q);
      // It is stable until it is taken.
      if (seen_held_q) assert (rsp_valid_o && rsp == seen_rsp_q);
    end
