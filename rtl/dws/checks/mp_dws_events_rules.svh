// SPDX-License-Identifier: Apache-2.0
//
// The rules of the ports that mp_dws_arbiter and mp_dws_scheduler have in common (mp_dws_ports.svh). mp_dws_arbiter.sv and
// mp_dws_scheduler_checks.sv include them.

  // What the ports showed, in separate registers of the checks, because the logic's registers may be wrong.
  logic seen_reset_q = 1'b0;           // registers may hold anything before the first reset
  logic seen_fresh_q;                  // the last clock's edge was in reset
  logic seen_busy_q;                   // an arrival or completion was taken and has no response yet
  logic seen_done_q;                   // the event is a completion
  logic [WALKER_W-1:0] seen_walker_q;  // of this walker
  logic [2:0] taken;

  assign taken = {done_valid_i & done_ready_o, own_valid_i & own_ready_o, enq_valid_i & enq_ready_o};

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      seen_reset_q <= 1'b1;
      seen_fresh_q <= 1'b1;
      seen_busy_q <= 1'b0;
    end else begin
      seen_fresh_q <= 1'b0;
      if (taken[2] | taken[0]) seen_busy_q <= 1'b1;
      else if (rsp_valid_o) seen_busy_q <= 1'b0;
    end

  always_ff @(posedge clk_i)
    if (taken[2] | taken[0]) begin
      seen_done_q <= taken[2];
      seen_walker_q <= done_walker_i;
    end

  always_ff @(posedge clk_i)
    if (rst_ni && seen_reset_q) begin
      // At most one event is taken: the completion before the owner, the owner before the arrival.
      assert (!(taken[1] & done_valid_i) && !(taken[0] & (done_valid_i | own_valid_i)));
      // No event is taken while another is processed.
      if (seen_busy_q) assert (!(done_ready_o | own_ready_o | enq_ready_o));
      // Each response belongs to an event that was taken,
      assert (!rsp_valid_o || seen_busy_q);
      // and is valid for the event.
      if (rsp_valid_o)
        assert (seen_done_q ? rsp_walker_o == seen_walker_q && (rsp_action_o == mp_dws_pkg::RspStart ||
                rsp_action_o == mp_dws_pkg::RspIdle) : rsp_action_o != mp_dws_pkg::RspIdle);
      // After a reset there is room for walks of each tenant.
      if (seen_fresh_q) assert (room_o == '1);
    end
