// SPDX-License-Identifier: Apache-2.0
//
// One arbitrary request to mp_star_tlb_set with any proper row leaves the row proper. The set keeps no state between requests,
// so this is an induction over requests: a property of the empty row that every request preserves always holds.
//
// The proof follows one arbitrary base and sub-entry index: `last` is the frame that was inserted last for it and not
// invalidated since. The memory shows the previous row while the request is processed.
module star_tlb_set_proof #(
    /// As in mp_star_tlb_set.
    parameter int unsigned MODE = 1,
    /// As in mp_star_tlb_set.
    parameter int unsigned WAYS = 2,
    /// As in mp_star_tlb_set.
    parameter int unsigned ASID_W = 1,
    /// As in mp_star_tlb_set.
    parameter int unsigned VPB_W = 1,
    /// As in mp_star_tlb_set.
    parameter int unsigned FRAME_W = 1,
    /// Bits of a tag; not to be set.
    localparam int unsigned TAG_W = ASID_W + VPB_W,
    /// Bits of an entry; not to be set.
    localparam int unsigned ENTRY_W = mp_star_pkg::entry_width(MODE, 16, TAG_W, FRAME_W),
    /// Bits of a set's recency; not to be set.
    localparam int unsigned ORDER_W = WAYS * (WAYS - 1) / 2,
    /// Bits of a count of a set's translations; not to be set.
    localparam int unsigned COUNT_W = $clog2(WAYS * 16 + 1)
) (
    /// Clock.
    input logic clk_i
);

  // The request is taken in clock 1. The slowest request compares every base position; a sweep processes each way.
  localparam int unsigned BASES = mp_star_pkg::bases(MODE);
  localparam int unsigned END = 5 + (BASES > WAYS ? BASES : WAYS);

  logic [3:0] clock_q = '0;
  always_ff @(posedge clk_i) if (clock_q != 4'(END)) clock_q <= clock_q + 4'd1;

  (* anyconst *) logic [WAYS*ENTRY_W-1:0] before;
  (* anyconst *) logic [ORDER_W-1:0] order;
  (* anyconst *) logic [1:0] policy, stride;
  (* anyconst *) logic [2:0] op;
  (* anyconst *) logic [TAG_W-1:0] req_tag, tag;
  (* anyconst *) logic [3:0] req_index, index;
  (* anyconst *) logic [FRAME_W-1:0] req_frame, last_frame;
  (* anyconst *) logic last;

  logic [WAYS*ENTRY_W-1:0] after;
  logic [WAYS-1:0] row_we;
  logic [ENTRY_W-1:0] entry;
  logic ready, rsp_valid, order_we;
  logic [ORDER_W-1:0] new_order;
  logic [3:0] action;
  logic [FRAME_W-1:0] rsp_frame;
  logic [$clog2(WAYS)-1:0] rsp_way;
  logic [1:0] rsp_base;
  logic [COUNT_W-1:0] gone;

  mp_star_tlb_set #(
      .MODE(MODE),
      .WAYS(WAYS),
      .ASID_W(ASID_W),
      .VPB_W(VPB_W),
      .FRAME_W(FRAME_W)
  ) u_set (
      .clk_i,
      .rst_ni      (clock_q != '0),
      .policy_i    (policy),
      .stride_i    (stride),
      .req_valid_i (clock_q == 4'd1),
      .req_ready_o (ready),
      .req_op_i    (op),
      .req_asid_i  (req_tag[VPB_W+:ASID_W]),
      .req_vpb_i   (req_tag[0+:VPB_W]),
      .req_index_i (req_index),
      .req_frame_i (req_frame),
      .row_i       (before),
      .order_i     (order),
      .row_we_o    (row_we),
      .entry_o     (entry),
      .order_we_o  (order_we),
      .order_o     (new_order),
      .rsp_valid_o (rsp_valid),
      .rsp_ready_i (1'b0),
      .rsp_action_o(action),
      .rsp_frame_o (rsp_frame),
      .rsp_way_o   (rsp_way),
      .rsp_base_o  (rsp_base),
      .rsp_gone_o  (gone)
  );

  for (genvar w = 0; w < WAYS; w++) begin : gen_after
    always_ff @(posedge clk_i)
      if (clock_q == '0) after[w*ENTRY_W+:ENTRY_W] <= before[w*ENTRY_W+:ENTRY_W];
      else if (row_we[w]) after[w*ENTRY_W+:ENTRY_W] <= entry;
  end

  // ---- assumptions about the row, the followed base and the requested base ----

  logic [1:0] position;
  logic proper_before, proper_after, once_before, once_after, holds_before, holds_after, asked_once, unused_proper;
  logic unused_holds;
  logic [FRAME_W-1:0] frame_before, frame_after, unused_frame;
  assign position = MODE == 1 ? stride : 2'd0;

  star_tlb_set_view #(.MODE(MODE), .WAYS(WAYS), .TAG_W(TAG_W), .FRAME_W(FRAME_W)) u_before (
      .row_i(before), .position_i(position), .tag_i(tag), .index_i(index), .proper_o(proper_before),
      .once_o(once_before), .holds_o(holds_before), .frame_o(frame_before));
  star_tlb_set_view #(.MODE(MODE), .WAYS(WAYS), .TAG_W(TAG_W), .FRAME_W(FRAME_W)) u_after (
      .row_i(after), .position_i(position), .tag_i(tag), .index_i(index), .proper_o(proper_after),
      .once_o(once_after), .holds_o(holds_after), .frame_o(frame_after));
  star_tlb_set_view #(.MODE(MODE), .WAYS(WAYS), .TAG_W(TAG_W), .FRAME_W(FRAME_W)) u_asked (
      .row_i(before), .position_i(position), .tag_i(req_tag), .index_i(req_index), .proper_o(unused_proper),
      .once_o(asked_once), .holds_o(unused_holds), .frame_o(unused_frame));

  always_comb begin
    assume (stride <= 2'd2 && op <= mp_star_pkg::OpInvalidateAll);
    assume (proper_before);
    assume (once_before && asked_once);
    assume (!holds_before || (last && frame_before == last_frame));
  end

  // ---- results ----

  logic same, inserted, invalidated;
  assign same = req_tag == tag & req_index == index;
  assign inserted = same & op == mp_star_pkg::OpInsert;
  assign invalidated = (same & op == mp_star_pkg::OpInvalidatePage) | op == mp_star_pkg::OpInvalidateAll |
                       (op == mp_star_pkg::OpInvalidateAsid & req_tag[VPB_W+:ASID_W] == tag[VPB_W+:ASID_W]);

  always_ff @(posedge clk_i)
    if (clock_q == 4'(END)) begin
      // Every request ends.
      assert (rsp_valid);
      // Entries stay proper.
      assert (proper_after);
      // A set contains a base at most once.
      assert (once_after);
      // A stored translation was inserted last, and not invalidated since.
      assert (!holds_after || (inserted ? frame_after == req_frame : last && !invalidated && frame_after == last_frame));
      // A lookup hits a stored translation, and returns the frame that was inserted last.
      if (same && op == mp_star_pkg::OpLookup) begin
        assert ((action == mp_star_pkg::ActHit) == holds_before);
        assert (action != mp_star_pkg::ActHit || (last && rsp_frame == last_frame));
      end
      // Lookups change nothing.
      assert (op != mp_star_pkg::OpLookup || after == before);
      // An inserted translation is stored.
      assert (!inserted || holds_after);
      // Lost translations are counted.
      assert (!holds_before || holds_after || gone != '0);
    end

endmodule
