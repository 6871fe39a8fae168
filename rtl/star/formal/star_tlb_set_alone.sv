// SPDX-License-Identifier: Apache-2.0
//
// As long as no entry is shared, STAR equals the baseline: one arbitrary request to MODE 0 and to MODE 1, with any row in
// which no entry is shared. Both give the same response in the same clock and write the same, so the rows stay equal.
//
// The proof assumes that sharing cannot occur: when a new base is inserted, a way is vacant, or every entry has 8 or more
// valid sub-entries.
module star_tlb_set_alone #(
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
    /// Bits of a baseline entry; not to be set.
    localparam int unsigned ALONE_W = mp_star_pkg::entry_width(0, 16, TAG_W, FRAME_W),
    /// Bits of an entry of STAR; not to be set.
    localparam int unsigned STAR_W = mp_star_pkg::entry_width(1, 16, TAG_W, FRAME_W),
    /// Bits of a set's recency; not to be set.
    localparam int unsigned ORDER_W = WAYS * (WAYS - 1) / 2,
    /// Bits of a count of a set's translations; not to be set.
    localparam int unsigned COUNT_W = $clog2(WAYS * 16 + 1),
    /// Bits of a way's number; not to be set.
    localparam int unsigned WAY_W = $clog2(WAYS)
) (
    /// Clock.
    input logic clk_i
);

  localparam int unsigned VALID_AT = 16 * FRAME_W;

  logic [3:0] clock_q = '0;
  always_ff @(posedge clk_i) if (clock_q != 4'd15) clock_q <= clock_q + 4'd1;

  (* anyconst *) logic [WAYS*ALONE_W-1:0] row;
  (* anyconst *) logic [ORDER_W-1:0] order;
  (* anyconst *) logic [1:0] policy, stride;
  (* anyconst *) logic [2:0] op;
  (* anyconst *) logic [TAG_W-1:0] tag;
  (* anyconst *) logic [3:0] index;
  (* anyconst *) logic [FRAME_W-1:0] frame;

  // The same entry in STAR's format: not shared, no second base, no address identify bits.
  function automatic logic [STAR_W-1:0] as_star(input logic [ALONE_W-1:0] entry);
    as_star = {2'b00, {(TAG_W + 2) {1'b0}}, entry[VALID_AT+16+:TAG_W+2], 16'd0, entry[0+:VALID_AT+16]};
  endfunction

  logic [WAYS*STAR_W-1:0] star_row;
  logic [WAYS-1:0] used, equal, full, we0, we1;
  for (genvar w = 0; w < WAYS; w++) begin : gen_way
    logic [ALONE_W-1:0] entry;
    assign entry = row[w*ALONE_W+:ALONE_W];
    assign star_row[w*STAR_W+:STAR_W] = as_star(entry);
    assign used[w] = entry[ALONE_W-1];
    assign equal[w] = used[w] & entry[VALID_AT+16+:TAG_W] == tag;
    assign full[w] = mp_star_pkg::popcount(entry[VALID_AT+:16]) >= 5'd8;
    always_comb assume (used[w] == (entry[VALID_AT+:16] != '0));
  end

  always_comb begin
    assume (stride <= 2'd2 && op <= mp_star_pkg::OpInvalidateAll);
    assume ((equal & (equal - 1'b1)) == '0);
    assume (op != mp_star_pkg::OpInsert || equal != '0 || used != '1 || full == '1);
  end

  logic ready0, ready1, order_we0, order_we1, valid0, valid1;
  logic [ALONE_W-1:0] entry0;
  logic [STAR_W-1:0] entry1;
  logic [ORDER_W-1:0] order0, order1;
  logic [3:0] action0, action1;
  logic [FRAME_W-1:0] frame0, frame1;
  logic [WAY_W-1:0] way0, way1;
  logic [1:0] base0, base1;
  logic [COUNT_W-1:0] gone0, gone1;

  mp_star_tlb_set #(.MODE(0), .WAYS(WAYS), .ASID_W(ASID_W), .VPB_W(VPB_W), .FRAME_W(FRAME_W)) u_alone (
      .clk_i, .rst_ni(clock_q != '0), .policy_i(policy), .stride_i(stride), .req_valid_i(clock_q == 4'd1),
      .req_ready_o(ready0), .req_op_i(op), .req_asid_i(tag[VPB_W+:ASID_W]), .req_vpb_i(tag[0+:VPB_W]),
      .req_index_i(index), .req_frame_i(frame), .row_i(row), .order_i(order), .row_we_o(we0), .entry_o(entry0),
      .order_we_o(order_we0), .order_o(order0), .rsp_valid_o(valid0), .rsp_ready_i(1'b0), .rsp_action_o(action0),
      .rsp_frame_o(frame0), .rsp_way_o(way0), .rsp_base_o(base0), .rsp_gone_o(gone0));
  mp_star_tlb_set #(.MODE(1), .WAYS(WAYS), .ASID_W(ASID_W), .VPB_W(VPB_W), .FRAME_W(FRAME_W)) u_star (
      .clk_i, .rst_ni(clock_q != '0), .policy_i(policy), .stride_i(stride), .req_valid_i(clock_q == 4'd1),
      .req_ready_o(ready1), .req_op_i(op), .req_asid_i(tag[VPB_W+:ASID_W]), .req_vpb_i(tag[0+:VPB_W]),
      .req_index_i(index), .req_frame_i(frame), .row_i(star_row), .order_i(order), .row_we_o(we1), .entry_o(entry1),
      .order_we_o(order_we1), .order_o(order1), .rsp_valid_o(valid1), .rsp_ready_i(1'b0), .rsp_action_o(action1),
      .rsp_frame_o(frame1), .rsp_way_o(way1), .rsp_base_o(base1), .rsp_gone_o(gone1));

  always_ff @(posedge clk_i)
    if (clock_q != '0) begin
      // The same states in every clock.
      assert (ready0 == ready1 && valid0 == valid1);
      // The same response.
      if (valid0) assert (action0 == action1 && base0 == base1);
      if (valid0 && action0 == mp_star_pkg::ActHit) assert (frame0 == frame1 && way0 == way1);
      if (valid0) assert (op != mp_star_pkg::OpInsert || way0 == way1);
      if (valid0 && op != mp_star_pkg::OpLookup) assert (gone0 == gone1);
      // The same entry and recency are written.
      assert (we0 == we1 && (we0 == '0 || entry1 == as_star(entry0)));
      assert (order_we0 == order_we1 && (!order_we0 || order0 == order1));
    end

endmodule
