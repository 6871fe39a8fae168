// SPDX-License-Identifier: Apache-2.0
//
// An mp_star_tlb_set, or a mutant of it (module dut), and its surroundings, for the proof that both are the same: any requests
// to any rows that star_tlb_set_proof shows to be possible. The outputs are 0 while they mean nothing.
module star_tlb_set_env #(
    /// As in mp_star_tlb_set.
    parameter int unsigned MODE = 1,
    /// As in mp_star_tlb_set.
    parameter int unsigned WAYS = 8,
    /// As in mp_star_tlb_set.
    parameter int unsigned ASID_W = 8,
    /// As in mp_star_tlb_set.
    parameter int unsigned VPB_W = 22,
    /// As in mp_star_tlb_set.
    parameter int unsigned FRAME_W = 51,
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
    input  logic                    clk_i,
    /// Reset, active low, asynchronous.
    input  logic                    rst_ni,
    /// A request, and the row that the memory shows from the next clock on.
    input  logic                    req_valid_i,
    input  logic [1:0]              policy_i,
    input  logic [1:0]              stride_i,
    input  logic [2:0]              op_i,
    input  logic [TAG_W-1:0]        tag_i,
    input  logic [3:0]              index_i,
    input  logic [FRAME_W-1:0]      frame_i,
    input  logic [WAYS*ENTRY_W-1:0] row_i,
    input  logic [ORDER_W-1:0]      order_i,
    input  logic                    rsp_ready_i,
    /// The request is legal, and the row is proper and has its base once.
    output logic                    rules_o,
    /// Outputs of the set.
    output logic                    req_ready_o,
    output logic [WAYS-1:0]         row_we_o,
    output logic [ENTRY_W-1:0]      entry_o,
    output logic                    order_we_o,
    output logic [ORDER_W-1:0]      order_o,
    output logic                    rsp_valid_o,
    output logic [3:0]              rsp_action_o,
    output logic [FRAME_W-1:0]      rsp_frame_o,
    output logic [$clog2(WAYS)-1:0] rsp_way_o,
    output logic [1:0]              rsp_base_o,
    output logic [COUNT_W-1:0]      rsp_gone_o
);

  logic [WAYS*ENTRY_W-1:0] row_q;
  logic [ORDER_W-1:0] order_q;
  logic [1:0] stride_q;
  logic [2:0] op_q;
  logic [TAG_W-1:0] tag_q;
  always_ff @(posedge clk_i)
    if (req_valid_i & req_ready_o) begin
      row_q <= row_i;
      order_q <= order_i;
      stride_q <= stride_i;
      op_q <= op_i;
      tag_q <= tag_i;
    end

  logic [ENTRY_W-1:0] entry;
  logic [ORDER_W-1:0] order;
  logic [3:0] action;
  logic [FRAME_W-1:0] frame;
  logic [$clog2(WAYS)-1:0] way;
  logic [1:0] base;
  logic [COUNT_W-1:0] gone;
  dut u_dut (
      .clk_i,
      .rst_ni,
      .policy_i,
      .stride_i,
      .req_valid_i,
      .req_ready_o,
      .req_op_i    (op_i),
      .req_asid_i  (tag_i[VPB_W+:ASID_W]),
      .req_vpb_i   (tag_i[0+:VPB_W]),
      .req_index_i (index_i),
      .req_frame_i (frame_i),
      .row_i       (row_q),
      .order_i     (order_q),
      .row_we_o,
      .entry_o     (entry),
      .order_we_o,
      .order_o     (order),
      .rsp_valid_o,
      .rsp_ready_i,
      .rsp_action_o(action),
      .rsp_frame_o (frame),
      .rsp_way_o   (way),
      .rsp_base_o  (base),
      .rsp_gone_o  (gone)
  );

  logic lookup, insertion;
  assign lookup = rsp_valid_o & op_q == mp_star_pkg::OpLookup;
  assign insertion = rsp_valid_o & op_q == mp_star_pkg::OpInsert;
  assign entry_o = row_we_o != '0 ? entry : '0;
  assign order_o = order_we_o ? order : '0;
  assign rsp_action_o = rsp_valid_o ? action : '0;
  assign rsp_frame_o = rsp_valid_o & action == mp_star_pkg::ActHit ? frame : '0;
  assign rsp_way_o = insertion ? way : '0;
  assign rsp_base_o = lookup ? base : '0;
  assign rsp_gone_o = rsp_valid_o & ~lookup ? gone : '0;

  logic proper, once, unused_holds;
  logic [FRAME_W-1:0] unused_frame;
  star_tlb_set_view #(.MODE(MODE), .WAYS(WAYS), .TAG_W(TAG_W), .FRAME_W(FRAME_W)) u_view (
      .row_i(row_q), .position_i(MODE == 1 ? stride_q : 2'd0), .tag_i(tag_q), .index_i('0), .proper_o(proper), .once_o(once),
      .holds_o(unused_holds), .frame_o(unused_frame));
  assign rules_o = proper & once & stride_i <= 2'd2 & stride_q <= 2'd2 &
                   op_i <= mp_star_pkg::OpInvalidateAll & op_q <= mp_star_pkg::OpInvalidateAll;

endmodule
