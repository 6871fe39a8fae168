// SPDX-License-Identifier: Apache-2.0
//
// The walkers' queues in one memory, DEPTH rows for each, in a circle from its oldest walk on. How many walks wait in
// a queue is told from outside (the arbiter's FWA knows), so that it is kept once.
module walk_queues #(
    /// Queues.
    parameter int unsigned WALKERS = 16,
    /// Places in each.
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
    /// data_i goes to the end of the queue, which has room.
    input  logic                push_i,
    /// The head of the queue, which is not empty, leaves; not together with push_i.
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

  logic [WALKERS*USED_W-1:0] head_q;
  logic [USED_W-1:0] head;
  logic [SLOT_W-1:0] next;
  logic [USED_W-1:0] slot;

  assign head = head_q[queue_i*USED_W+:USED_W];
  assign next = SLOT_W'(head) + (push_i ? SLOT_W'(used_i) : SLOT_W'(1));
  assign slot = USED_W'(next >= SLOT_W'(DEPTH) ? next - SLOT_W'(DEPTH) : next);

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) head_q <= '0;
    else if (pop_i) head_q[queue_i*USED_W+:USED_W] <= slot;

  sram #(
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

endmodule
