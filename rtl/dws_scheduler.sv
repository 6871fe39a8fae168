// SPDX-License-Identifier: Apache-2.0
//
// A DWS or DWS++ walk scheduler: the arbiter and its queues. A walk is identified by its number. It starts when it
// arrives, or waits here until a walker that has completed takes it. An event takes three clocks, and a fourth if a
// walk leaves a queue or an epoch ends.
module dws_scheduler #(
    /// Walkers, 2 or more.
    parameter int unsigned WALKERS = 16,
    /// Places in each walker's queue.
    parameter int unsigned DEPTH = 12,
    /// Tenants, 2 or more.
    parameter int unsigned TENANTS = 2,
    /// Bits of the EPOCH counter, 12 at most.
    parameter int unsigned EPOCH_W = 8,
    /// Bits of a walk's number.
    parameter int unsigned ID_W = 8,
    /// Bits of a walker's number; not to be set.
    localparam int unsigned WALKER_W = $clog2(WALKERS),
    /// Bits of a tenant's number; not to be set.
    localparam int unsigned TENANT_W = $clog2(TENANTS),
    /// Bits of a queue's length; not to be set.
    localparam int unsigned FREE_W = $clog2(DEPTH + 1),
    /// Bits of a number of waiting walks; not to be set.
    localparam int unsigned DIFF_W = $clog2(WALKERS * DEPTH + 1),
    /// Bits of an owner's number; not to be set.
    localparam int unsigned WTM_W = $clog2(TENANTS + 1)
) (
    /// Clock.
    input  logic                clk_i,
    /// Reset, active low, asynchronous. It makes tenant w mod TENANTS the owner of walker w.
    input  logic                rst_ni,
    /// DWS++ instead of DWS. Changes only in reset.
    input  logic                plus_i,
    /// Arrivals in an epoch, 1 or more.
    input  logic [EPOCH_W-1:0]  epoch_i,
    /// DIFF_THRES by ratio, as in dws_arbiter.
    input  logic [5*DIFF_W-1:0] diff_thres_i,
    /// QUEUE_THRES, as in dws_arbiter.
    input  logic [FREE_W-1:0]   queue_thres_i,
    /// A walker gets another owner, because tenants start or end.
    input  logic                own_valid_i,
    /// The tables change in this clock.
    output logic                own_ready_o,
    /// The walker.
    input  logic [WALKER_W-1:0] own_walker_i,
    /// Its owner; TENANTS or more: none.
    input  logic [WTM_W-1:0]    own_tenant_i,
    /// A walk arrives.
    input  logic                enq_valid_i,
    /// The arrival is taken.
    output logic                enq_ready_o,
    /// Whose it is.
    input  logic [TENANT_W-1:0] enq_tenant_i,
    /// Its number.
    input  logic [ID_W-1:0]     enq_id_i,
    /// A walker has completed its walk.
    input  logic                done_valid_i,
    /// The completion is taken.
    output logic                done_ready_o,
    /// The walker.
    input  logic [WALKER_W-1:0] done_walker_i,
    /// The event's outcome, for one clock.
    output logic                rsp_valid_o,
    /// The outcome: dws_pkg::Rsp*.
    output logic [1:0]          rsp_action_o,
    /// The walker that starts a walk or is idle, or whose queue holds the walk.
    output logic [WALKER_W-1:0] rsp_walker_o,
    /// The walk that starts, waits, or finds no room; undefined if the walker is idle.
    output logic [ID_W-1:0]     rsp_id_o,
    /// Whose it is.
    output logic [TENANT_W-1:0] rsp_tenant_o,
    /// There is room for a walk of this tenant now: a bit per tenant.
    output logic [TENANTS-1:0]  room_o
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

  dws_arbiter #(
      .WALKERS(WALKERS),
      .DEPTH  (DEPTH),
      .TENANTS(TENANTS),
      .EPOCH_W(EPOCH_W)
  ) u_arbiter (
      .clk_i,
      .rst_ni,
      .plus_i,
      .epoch_i,
      .diff_thres_i,
      .queue_thres_i,
      .own_valid_i,
      .own_ready_o,
      .own_walker_i,
      .own_tenant_i,
      .enq_valid_i,
      .enq_ready_o,
      .enq_tenant_i,
      .done_valid_i,
      .done_ready_o,
      .done_walker_i,
      .rsp_valid_o,
      .rsp_action_o,
      .rsp_walker_o,
      .room_o,
      .push_o(push),
      .pop_o(pop),
      .queue_o(queue),
      .used_o(used),
      .head_tenant_i(head[ID_W+:TENANT_W])
  );

  walk_queues #(
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

  // What the ports showed, in separate registers of the checks. dws_arbiter checks events and responses.
  logic seen_reset_q = 1'b0;       // registers may hold anything before the first reset
  logic seen_arrived_q;            // an arrival was taken and has no response yet
  logic [WALK_W-1:0] seen_walk_q;  // the walk

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      seen_reset_q   <= 1'b1;
      seen_arrived_q <= 1'b0;
    end else if (enq_valid_i & enq_ready_o) seen_arrived_q <= 1'b1;
    else if (rsp_valid_o) seen_arrived_q <= 1'b0;

  always_ff @(posedge clk_i) if (enq_valid_i & enq_ready_o) seen_walk_q <= {enq_tenant_i, enq_id_i};

  always_ff @(posedge clk_i)
    if (rst_ni && seen_reset_q) begin
      // The walk keeps the value of the clock in which the arrival was taken until the response.
      if (seen_arrived_q) assert (walk_q == seen_walk_q);
      if (rsp_valid_o && seen_arrived_q) assert ({rsp_tenant_o, rsp_id_o} == seen_walk_q);
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
