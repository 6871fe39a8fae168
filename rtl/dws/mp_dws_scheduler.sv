// SPDX-License-Identifier: Apache-2.0
//
// A DWS or DWS++ walk scheduler: the arbiter and its queues. A walk is identified by its number. It starts when it
// arrives, or waits here until a walker that has completed takes it. An event takes three clocks, and a fourth if a
// walk leaves a queue or an epoch ends.
module mp_dws_scheduler #(
    /// Bits of a walk's number.
    parameter int unsigned ID_W = 8,
`include "mp_dws_parameters.svh"
) (
`include "mp_dws_ports.svh"
    /// The number of the walk that arrives.
    input  logic [ID_W-1:0]     enq_id_i,
    /// The walk that starts, waits, or finds no room; undefined if the walker is idle.
    output logic [ID_W-1:0]     rsp_id_o,
    /// Its tenant.
    output logic [TENANT_W-1:0] rsp_tenant_o
);

  localparam int unsigned WALK_W = TENANT_W + ID_W;

  logic push, pop, popped_q;
  logic [WALKER_W-1:0] queue;
  logic [FREE_W-1:0] used;
  logic [WALK_W-1:0] walk_q, head;

  always_ff @(posedge clk_i) begin
    popped_q <= pop;
    if (enq_valid_i & enq_ready_o) walk_q <= {enq_tenant_i, enq_id_i};
  end

  assign {rsp_tenant_o, rsp_id_o} = popped_q ? head : walk_q;

  mp_dws_arbiter #(
      .WALKERS(WALKERS),
      .DEPTH  (DEPTH),
      .TENANTS(TENANTS),
      .EPOCH_W(EPOCH_W)
  ) u_arbiter (
      .*,
      .push_o(push),
      .pop_o(pop),
      .queue_o(queue),
      .used_o(used),
      .head_tenant_i(head[ID_W+:TENANT_W])
  );

  mp_walk_queues #(
      .WALKERS(WALKERS),
      .DEPTH  (DEPTH),
      .WIDTH  (WALK_W)
  ) u_queues (
      .clk_i,
      .rst_ni,
      .push_i (push),
      .pop_i  (pop),
      .queue_i(queue),
      .used_i (used),
      .data_i (walk_q),
      .head_o (head)
  );

`ifndef SYNTHESIS
  // ---- the protocol ----
  // verilator coverage_off

  // mp_dws_arbiter checks events and responses.
  logic seen_reset_q = 1'b0;  // registers may hold anything before the first reset
  always_ff @(posedge clk_i or negedge rst_ni) if (!rst_ni) seen_reset_q <= 1'b1;

  `include "checks/mp_dws_scheduler_rules.svh"

  always_ff @(posedge clk_i)
    if (rst_ni && seen_reset_q) begin
      // The walk keeps the value of the clock in which the arrival was taken until the response.
      if (seen_arrived_q) assert (walk_q == seen_walk_q);
      // The response comes before the next event can be taken.
      if (done_ready_o) assert (!seen_arrived_q);
      // No other walk enters a queue.
      assert (!push || seen_arrived_q);
    end
  // verilator coverage_on
`endif

`ifdef FORMAL
  // A reset comes first.
  always_comb assume (!rst_ni || seen_reset_q);
`endif

endmodule
