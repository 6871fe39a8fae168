// SPDX-License-Identifier: Apache-2.0
//
// Properties of a set's row, for proofs about mp_star_tlb_set: whether its entries have a proper format, how often it contains
// a base, and whether it holds a translation, and its frame.
module star_tlb_set_view #(
    /// As in mp_star_tlb_set.
    parameter int unsigned MODE = 1,
    /// As in mp_star_tlb_set.
    parameter int unsigned WAYS = 2,
    /// Bits of a tag.
    parameter int unsigned TAG_W = 2,
    /// Bits of a frame.
    parameter int unsigned FRAME_W = 1,
    /// Bits of an entry; not to be set.
    localparam int unsigned ENTRY_W = mp_star_pkg::entry_width(MODE, 16, TAG_W, FRAME_W)
) (
    /// The row.
    input  logic [WAYS*ENTRY_W-1:0] row_i,
    /// log2 of the stride of two bases.
    input  logic [1:0]              position_i,
    /// A base.
    input  logic [TAG_W-1:0]        tag_i,
    /// A sub-entry index of it.
    input  logic [3:0]              index_i,
    /// Every entry is as it should be.
    output logic                    proper_o,
    /// The row contains the base at most once.
    output logic                    once_o,
    /// The translation is there.
    output logic                    holds_o,
    /// Its frame.
    output logic [FRAME_W-1:0]      frame_o
);

  localparam int unsigned BASES = mp_star_pkg::bases(MODE);
  localparam int unsigned BASE_W = mp_star_pkg::base_width(TAG_W);
  localparam int unsigned VALID_AT = mp_star_pkg::valid_at(16, FRAME_W);
  localparam int unsigned AIB_AT = mp_star_pkg::aib_at(16, FRAME_W);
  localparam int unsigned BASE_AT = mp_star_pkg::base_at(MODE, 16, FRAME_W);
  localparam int unsigned LAYOUT_AT = mp_star_pkg::layout_at(MODE, 16, TAG_W, FRAME_W);
  localparam int unsigned PLACES = WAYS * BASES;

  logic [WAYS-1:0] proper;
  logic [PLACES-1:0] is_base, holds;
  logic [PLACES*FRAME_W-1:0] frames;

  for (genvar w = 0; w < WAYS; w++) begin : gen_way
    localparam int unsigned AT = w * ENTRY_W;
    logic [2:0] layout;
    logic [15:0] valid, aib0, aib1;
    logic [BASES-1:0] base_valid, base_used;
    assign valid = row_i[AT+VALID_AT+:16];
    if (MODE == 0) begin : gen_shared
      assign layout = mp_star_pkg::LayoutNone;
      assign aib0 = '0;
      assign aib1 = '0;
    end else if (MODE == 1) begin : gen_shared
      assign layout = {1'b0, row_i[AT+LAYOUT_AT+:2]};
      assign aib0 = row_i[AT+AIB_AT+:16];
      assign aib1 = '0;
    end else begin : gen_shared
      assign layout = row_i[AT+LAYOUT_AT+:3];
      assign aib0 = row_i[AT+AIB_AT+:16];
      assign aib1 = row_i[AT+AIB_AT+16+:16];
    end
    for (genvar b = 0; b < BASES; b++) begin : gen_base
      localparam int unsigned P = w * BASES + b;
      logic [3:0] slot;
      logic [1:0] aib;
      assign base_valid[b] = row_i[AT+BASE_AT+b*BASE_W+TAG_W+1];
      assign base_used[b] = (valid & mp_star_pkg::slots_of(layout, 2'(b), position_i)) != '0;
      assign is_base[P] = base_valid[b] & row_i[AT+BASE_AT+b*BASE_W+:TAG_W] == tag_i;
      assign slot = mp_star_pkg::slot_of(layout, 2'(b), position_i, index_i);
      assign aib = mp_star_pkg::aib_of(layout, position_i, index_i);
      assign holds[P] = is_base[P] & valid[slot] & {aib1[slot], aib0[slot]} == aib;
      assign frames[P*FRAME_W+:FRAME_W] = row_i[AT+slot*FRAME_W+:FRAME_W];
    end
    if (MODE == 0) begin : gen_proper
      assign proper[w] = base_valid == base_used;
    end else begin : gen_proper
      logic alone, two, four, several;
      assign several = (base_valid & (base_valid - 1'b1)) != '0;
      assign alone = layout == mp_star_pkg::LayoutNone & base_valid[BASES-1:1] == '0 & (aib0 & valid) == '0 &
                     base_valid[0] == base_used[0];
      assign two = (layout == mp_star_pkg::LayoutSequential | layout == mp_star_pkg::LayoutStride) & several &
                   base_valid[1:0] == base_used[1:0];
      if (MODE == 1) begin : gen_four
        assign four = 1'b0;
        assign proper[w] = alone | two;
      end else begin : gen_four
        assign four = (layout == 3'b101 | layout == 3'b110) & several & base_valid == base_used;
        assign proper[w] = four | ((alone | (two & base_valid[3:2] == '0)) & (aib1 & valid) == '0);
      end
    end
  end

  assign proper_o = &proper;
  assign once_o = (is_base & (is_base - 1'b1)) == '0;
  assign holds_o = holds != '0;
  always_comb begin
    frame_o = '0;
    for (int unsigned p = 0; p < PLACES; p++) if (holds[p]) frame_o = frame_o | frames[p*FRAME_W+:FRAME_W];
  end

endmodule
