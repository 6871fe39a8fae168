// SPDX-License-Identifier: Apache-2.0
//
// The rules of the ports that mp_dws_scheduler has and mp_dws_arbiter has not. mp_dws_scheduler.sv and mp_dws_scheduler_checks.sv
// include them; they define seen_reset_q.

  logic seen_arrived_q;                   // an arrival was taken and has no response yet
  logic [TENANT_W+ID_W-1:0] seen_walk_q;  // the walk

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) seen_arrived_q <= 1'b0;
    else if (enq_valid_i & enq_ready_o) seen_arrived_q <= 1'b1;
    else if (rsp_valid_o) seen_arrived_q <= 1'b0;

  always_ff @(posedge clk_i) if (enq_valid_i & enq_ready_o) seen_walk_q <= {enq_tenant_i, enq_id_i};

  always_ff @(posedge clk_i)
    if (rst_ni && seen_reset_q) begin
      // The response to an arrival has the walk that arrived.
      if (rsp_valid_o && seen_arrived_q) assert ({rsp_tenant_o, rsp_id_o} == seen_walk_q);
    end
