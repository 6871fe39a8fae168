// SPDX-License-Identifier: Apache-2.0
//
// The array of an L1 TLB as NeiDty has it: fully associative, LRU. It is what the cost of a directory is compared with.
// A lookup is answered in its clock. Lookups see the registers; at the clock's edge the change comes first, then the use
// by the lookup.
//
// A way that is invalidated becomes the oldest, and a way that was never used is older than those that were. So the
// oldest way is a free one if there is one. Which of several free ways an insertion takes cannot be seen from outside.
module mp_l1_tlb #(
    /// Entries, 2 or more.
    parameter int unsigned ENTRIES = 32,
    /// Bits of a page frame's number: physical addresses have 48 bits.
    parameter int unsigned FRAME_W = 36,
    /// Bits of a page; not to be set.
    localparam int unsigned PAGE_W = mp_neidty_pkg::PageW
) (
    /// Clock.
    input  logic               clk_i,
    /// Reset, active low, asynchronous: empties the array.
    input  logic               rst_ni,
    /// Empties the array; nothing is inserted or evicted in this clock.
    input  logic               empty_i,
    /// A lookup: a hit makes the entry the most recent.
    input  logic               lookup_i,
    input  logic [PAGE_W-1:0]  lookup_page_i,
    /// The page is there, and its frame; without lookup_i, too.
    output logic               hit_o,
    output logic [FRAME_W-1:0] frame_o,
    /// Inserts a page, which replaces the page itself or the least recent one.
    input  logic               insert_i,
    /// Invalidates a page; not together with insert_i.
    input  logic               drop_i,
    /// The page of either.
    input  logic [PAGE_W-1:0]  page_i,
    input  logic [FRAME_W-1:0] frame_i,
    /// The insertion evicts this page.
    output logic               evicted_o,
    output logic [PAGE_W-1:0]  evicted_page_o
);

  localparam int unsigned ORDER_W = ENTRIES * (ENTRIES - 1) / 2;

  if (ENTRIES < 2) $error("ENTRIES is 2 or more");

  logic [ENTRIES*PAGE_W-1:0] page_q;
  logic [ENTRIES*FRAME_W-1:0] frame_q;
  logic [ENTRIES-1:0] valid_q;
  logic [ORDER_W-1:0] order_q, order_changed, order_used;
  logic [ENTRIES-1:0] found, present, oldest, way, moved, unused;

  for (genvar i = 0; i < ENTRIES; i++) begin : gen_match
    assign found[i]   = valid_q[i] & page_q[i*PAGE_W+:PAGE_W] == lookup_page_i;
    assign present[i] = valid_q[i] & page_q[i*PAGE_W+:PAGE_W] == page_i;
  end

  always_comb begin
    frame_o = '0;
    evicted_page_o = '0;
    for (int unsigned i = 0; i < ENTRIES; i++) begin
      frame_o = frame_o | ({FRAME_W{found[i]}} & frame_q[i*FRAME_W+:FRAME_W]);
      evicted_page_o = evicted_page_o | ({PAGE_W{oldest[i]}} & page_q[i*PAGE_W+:PAGE_W]);
    end
  end

  assign hit_o = |found;
  assign way = present != '0 ? present : oldest;
  assign evicted_o = insert_i & ~empty_i & present == '0 & |(oldest & valid_q);

  // The change moves this entry; a page that is invalidated need not be there.
  assign moved = insert_i ? way : drop_i ? present : '0;

  mp_lru_order #(.WAYS(ENTRIES)) u_change (
      .order_i (order_q),
      .way_i   (moved),
      .forget_i(drop_i),
      .order_o (order_changed),
      .oldest_o(oldest)
  );

  // An entry that the change has moved is not used: its page has left, or it is the most recent one already.
  mp_lru_order #(.WAYS(ENTRIES)) u_use (
      .order_i (order_changed),
      .way_i   (lookup_i & (found & moved) == '0 ? found : '0),
      .forget_i(1'b0),
      .order_o (order_used),
      .oldest_o(unused)
  );

  logic unused_ok;
  assign unused_ok = &unused;

  always_ff @(posedge clk_i)
    for (int unsigned i = 0; i < ENTRIES; i++)
      if (insert_i & way[i]) begin
        page_q[i*PAGE_W+:PAGE_W]    <= page_i;
        frame_q[i*FRAME_W+:FRAME_W] <= frame_i;
      end

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      valid_q <= '0;
      order_q <= '1;
    end else if (empty_i) begin
      valid_q <= '0;
      order_q <= '1;
    end else begin
      valid_q <= insert_i ? valid_q | way : drop_i ? valid_q & ~present : valid_q;
      order_q <= order_used;
    end

`ifndef SYNTHESIS
  // verilator coverage_off

  `include "checks/mp_l1_tlb_rules.svh"

  always_ff @(posedge clk_i)
    if (rst_ni && seen_reset_q) begin
      // A page has at most one entry.
      assert ((found & (found - 1'b1)) == '0 && (present & (present - 1'b1)) == '0);
      // One entry is the oldest.
      assert (oldest != '0 && (oldest & (oldest - 1'b1)) == '0);
      // A page is evicted only if no entry is free.
      assert (!evicted_o || valid_q == '1);
    end

  // verilator coverage_on
`endif

`ifdef FORMAL
  `include "formal/l1_tlb.svh"
`endif

endmodule
