// SPDX-License-Identifier: Apache-2.0
//
// The walkers' queues in one memory: a ring of DEPTH rows for each. The arbiter supplies the number of walks in a
// queue, from its FWA, so that the number is stored only once.
module mp_walk_queues #(
    /// Queues, 2 or more.
    parameter int unsigned WALKERS = 16,
    /// Places in each, 1 or more.
    parameter int unsigned DEPTH = 12,
    /// Bits of a waiting walk.
    parameter int unsigned WIDTH = 9,
    /// Bits of a queue's number; not to be set.
    localparam int unsigned WALKER_W = $clog2(WALKERS),
    /// Bits of a queue's length; not to be set.
    localparam int unsigned USED_W = $clog2(DEPTH + 1)
) (
    /// Clock.
    input  logic                clk_i,
    /// Reset, active low, asynchronous.
    input  logic                rst_ni,
    /// Writes data_i to the end of the queue, which has room.
    input  logic                push_i,
    /// Removes the head of the queue, which is not empty; not together with push_i.
    input  logic                pop_i,
    /// Which queue.
    input  logic [WALKER_W-1:0] queue_i,
    /// Walks in it.
    input  logic [USED_W-1:0]   used_i,
    /// A walk.
    input  logic [WIDTH-1:0]    data_i,
    /// The walk that left last, from the clock after pop_i on.
    output logic [WIDTH-1:0]    head_o
);

  localparam int unsigned ROW_W = $clog2(WALKERS * DEPTH);
  localparam int unsigned SLOT_W = USED_W + 1;

  if (WALKERS < 2) $error("WALKERS is 2 or more");
  if (DEPTH < 1) $error("DEPTH is 1 or more");

  logic [WALKERS*USED_W-1:0] head_q;
  logic [USED_W-1:0] head;
  logic [SLOT_W-1:0] next;
  logic [USED_W-1:0] slot;

  assign head = head_q[queue_i*USED_W+:USED_W];
  assign next = SLOT_W'(head) + (push_i ? SLOT_W'(used_i) : SLOT_W'(1));
  assign slot = next >= SLOT_W'(DEPTH) ? USED_W'(next) - USED_W'(DEPTH) : USED_W'(next);

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) head_q <= '0;
    else if (pop_i) head_q[queue_i*USED_W+:USED_W] <= slot;

  mp_sram #(
      .DEPTH(WALKERS * DEPTH),
      .LANES(1),
      .WIDTH(WIDTH)
  ) u_walks (
      .clk_i,
      .en_i(push_i | pop_i),
      .addr_i(ROW_W'(queue_i) * ROW_W'(DEPTH) + (push_i ? ROW_W'(slot) : ROW_W'(head))),
      .we_i(push_i),
      .wdata_i(data_i),
      .rdata_o(head_o)
  );

`ifndef SYNTHESIS
  // ---- the protocol ----
  // verilator coverage_off

  logic seen_reset_q = 1'b0;  // registers may hold anything before the first reset
  logic [WALKERS*USED_W-1:0] seen_head_q;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      seen_reset_q <= 1'b1;
      seen_head_q  <= '0;
    end else if (pop_i)
      for (int unsigned w = 0; w < WALKERS; w++)
        if (queue_i == WALKER_W'(w))
          seen_head_q[w*USED_W+:USED_W] <=
              seen_head_q[w*USED_W+:USED_W] == USED_W'(DEPTH - 1) ? '0 : seen_head_q[w*USED_W+:USED_W] + 1'b1;

  always_ff @(posedge clk_i)
    if (rst_ni && seen_reset_q) begin
      // At most one of push and pop; the queue has room for a push, and a walk for a pop.
      assert (!(push_i & pop_i));
      if (push_i) assert (32'(used_i) < DEPTH);
      if (pop_i) assert (used_i != '0);
      // After a reset a queue begins at its first place; each walk that leaves moves its begin by one place.
      assert (head_q == seen_head_q);
    end
  // verilator coverage_on
`endif

`ifdef FORMAL
  // A reset comes first.
  always_comb assume (!rst_ni || seen_reset_q);
  // A queue begins at one of its places.
  always_ff @(posedge clk_i)
    if (rst_ni) for (int unsigned w = 0; w < WALKERS; w++) assert (32'(head_q[w*USED_W+:USED_W]) < DEPTH);
`endif

endmodule
