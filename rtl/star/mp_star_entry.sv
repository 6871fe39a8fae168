// SPDX-License-Identifier: Apache-2.0
//
// One entry of a STAR TLB: what it holds for a request, and its contents after an action. Combinational. mp_star_tlb_set
// chooses the way and the action.
//
// An entry, from bit 0: frames, slot 0 first; a valid bit per slot; the AIB's bits, one vector of slots each; per base
// tag, dirty, valid; the layout. A tag is {address space, virtual page base}. A base without a valid sub-entry is not
// valid; an entry without a valid base is vacant; an entry of one base is not shared and has it at position 0. The
// dirty bits are part of the paper's format; they are 0, because this TLB does not record stores.
module mp_star_entry #(
    /// As in mp_star_tlb_set.
    parameter int unsigned MODE = 1,
    /// As in mp_star_tlb_set.
    parameter int unsigned SUB_ENTRIES = 16,
    /// As in mp_star_tlb_set.
    parameter int unsigned ASID_W = 8,
    /// As in mp_star_tlb_set.
    parameter int unsigned VPB_W = 22,
    /// As in mp_star_tlb_set.
    parameter int unsigned FRAME_W = 51,
    /// Bits of a tag; not to be set.
    localparam int unsigned TAG_W = ASID_W + VPB_W,
    /// Bits of an entry; not to be set.
    localparam int unsigned ENTRY_W = mp_star_pkg::entry_width(MODE, SUB_ENTRIES, TAG_W, FRAME_W)
) (
    /// The entry.
    input  logic [ENTRY_W-1:0] entry_i,
    /// The request's operation: mp_star_pkg::Op*.
    input  logic [2:0]         op_i,
    /// Its tag.
    input  logic [TAG_W-1:0]   tag_i,
    /// Its sub-entry index.
    input  logic [3:0]         index_i,
    /// The frame to insert.
    input  logic [FRAME_W-1:0] frame_i,
    /// Layout of newly shared entries: mp_star_pkg::Policy*. MODE 2 has only PolicyLone, and PolicyDynamic for others.
    input  logic [1:0]         policy_i,
    /// log2 of the stride of the stride layout in MODE 1.
    input  logic [1:0]         stride_i,
    /// Position of the request's base in the entry.
    input  logic [1:0]         base_i,
    /// The action: mp_star_pkg::Kind*.
    input  logic [2:0]         kind_i,
    /// The entry has a valid base.
    output logic               occupied_o,
    /// Its layout is one of four bases.
    output logic               four_o,
    /// Valid sub-entries, a bit per slot.
    output logic [15:0]        valid_o,
    /// The base's slot for the index holds this index.
    output logic               same_index_o,
    /// The base shares the entry, and all its slots hold other indices.
    output logic               full_o,
    /// The frame in that slot.
    output logic [FRAME_W-1:0] frame_o,
    /// The entry after the action.
    output logic [ENTRY_W-1:0] entry_o,
    /// Its layout.
    output logic [2:0]         new_layout_o,
    /// Its valid bases.
    output logic [3:0]         new_base_valid_o,
    /// Its slots whose translations were in the entry before.
    output logic [15:0]        stays_o,
    /// The inserted translation replaces one of these.
    output logic               replaced_o
);

  localparam int unsigned BASES = mp_star_pkg::bases(MODE);
  localparam int unsigned BASE_W = mp_star_pkg::base_width(TAG_W);
  localparam int unsigned VALID_AT = mp_star_pkg::valid_at(SUB_ENTRIES, FRAME_W);
  localparam int unsigned AIB_AT = mp_star_pkg::aib_at(SUB_ENTRIES, FRAME_W);
  localparam int unsigned BASE_AT = mp_star_pkg::base_at(MODE, SUB_ENTRIES, FRAME_W);
  localparam int unsigned LAYOUT_AT = mp_star_pkg::layout_at(MODE, SUB_ENTRIES, TAG_W, FRAME_W);

  if (MODE > 2) $error("MODE is 0, 1 or 2");
  if (SUB_ENTRIES < 2 || SUB_ENTRIES > 16 || (SUB_ENTRIES & (SUB_ENTRIES - 1)) != 0) $error("SUB_ENTRIES is 2, 4, 8 or 16");
  if (MODE != 0 && SUB_ENTRIES != 16) $error("SUB_ENTRIES is 16 where bases share (MODE 1, 2)");

  logic [1:0] position, policy;
  assign position = MODE == 1 ? stride_i : 2'd0;
  assign policy = MODE == 1 || (MODE == 2 && policy_i == mp_star_pkg::PolicyLone) ? policy_i : mp_star_pkg::PolicyDynamic;

  // ---- the contents ----

  logic [2:0] layout;
  logic [15:0] aib0, aib1;
  logic [3:0] base_valid, same_asid;
  logic [4*TAG_W-1:0] tags;

  assign valid_o = 16'(entry_i[VALID_AT+:SUB_ENTRIES]);
  assign four_o = layout[mp_star_pkg::LayoutFourBit];
  assign occupied_o = base_valid != '0;
  for (genvar b = 0; b < 4; b++) begin : gen_base
    if (b < BASES) begin : gen_there
      assign base_valid[b] = entry_i[BASE_AT+b*BASE_W+TAG_W+1];
      assign tags[b*TAG_W+:TAG_W] = entry_i[BASE_AT+b*BASE_W+:TAG_W];
      assign same_asid[b] = tags[b*TAG_W+VPB_W+:ASID_W] == tag_i[VPB_W+:ASID_W] & base_valid[b];
    end else begin : gen_there
      assign base_valid[b] = 1'b0;
      assign tags[b*TAG_W+:TAG_W] = '0;
      assign same_asid[b] = 1'b0;
    end
  end
  if (MODE == 0) begin : gen_shared
    assign layout = mp_star_pkg::LayoutNone;
    assign aib0 = '0;
    assign aib1 = '0;
  end else if (MODE == 1) begin : gen_shared
    assign layout = {1'b0, entry_i[LAYOUT_AT+:2]};
    assign aib0 = entry_i[AIB_AT+:16];
    assign aib1 = '0;
  end else begin : gen_shared
    assign layout = entry_i[LAYOUT_AT+:3];
    assign aib0 = entry_i[AIB_AT+:16];
    assign aib1 = entry_i[AIB_AT+16+:16];
  end

  // ---- the requested sub-entry ----

  logic [3:0] slot;
  logic [1:0] aib;
  logic [15:0] slots;
  logic slot_valid;

  assign slot = mp_star_pkg::slot_of(layout, base_i, position, index_i);
  assign aib = mp_star_pkg::aib_of(layout, position, index_i);
  assign slots = mp_star_pkg::slots_of(layout, base_i, position);
  assign slot_valid = valid_o[slot];
  assign same_index_o = slot_valid & {aib1[slot], aib0[slot]} == aib;
  assign full_o = (slots & ~valid_o) == '0 & ~same_index_o & layout != mp_star_pkg::LayoutNone;

  always_comb begin
    frame_o = '0;
    for (int unsigned s = 0; s < SUB_ENTRIES; s++)
      if (slot == 4'(s)) frame_o = frame_o | entry_i[s*FRAME_W+:FRAME_W];
  end

  // ---- the new contents ----

  logic [15:0] leave, staying, placed_aib0, placed_aib1;
  logic [SUB_ENTRIES*FRAME_W-1:0] placed_frames;
  logic [3:0] remains, keep;                 // bases
  logic [7:0] place;
  logic [1:0] put_base;                      // position of the inserted base
  logic [3:0] put_slot;
  logic [1:0] put_aib;
  logic [1:0] companion, lower, upper, free_base, sole;
  logic one_run, lone, inserts;

  assign inserts = kind_i != mp_star_pkg::KindInvalidate;

  // Invalidated: a sub-entry, those of some bases, or all.
  always_comb begin
    leave = '0;
    if (kind_i == mp_star_pkg::KindInvalidate) begin
      case (op_i)
        mp_star_pkg::OpInvalidatePage: leave = 16'd1 << slot;
        mp_star_pkg::OpInvalidateAsid:
        for (int unsigned b = 0; b < BASES; b++)
          if (same_asid[b]) leave = leave | mp_star_pkg::slots_of(layout, 2'(b), position);
        default: leave = '1;
      endcase
    end
  end
  assign staying = kind_i == mp_star_pkg::KindNew ? '0 : valid_o & ~leave;

  for (genvar b = 0; b < 4; b++) begin : gen_remains
    assign remains[b] = base_valid[b] & (staying & mp_star_pkg::slots_of(layout, 2'(b), position)) != '0;
  end

  // One run: one slot alone has no valid neighbour below. The others have one.
  logic [15:0] starts;
  assign starts = valid_o & ~(valid_o << 1);
  assign one_run = (starts & (starts - 16'd1)) == '0;
  assign lone = starts == valid_o;

  assign sole = remains[0] ? 2'd0 : remains[1] ? 2'd1 : remains[2] ? 2'd2 : 2'd3;
  assign free_base = ~base_valid[0] ? 2'd0 : ~base_valid[1] ? 2'd1 : ~base_valid[2] ? 2'd2 : 2'd3;

  if (MODE == 2) begin : gen_companion
    // Of four bases, the other one with most valid sub-entries; of equal ones the lowest.
    logic [4:0] count[4];
    for (genvar b = 0; b < 4; b++) begin : gen_count
      assign count[b] = kind_i != mp_star_pkg::KindRevertFour | base_i == 2'(b) ? 5'd0 :
                        mp_star_pkg::popcount(valid_o & mp_star_pkg::slots_of(layout, 2'(b), 2'd0));
    end
    logic [1:0] low, high;
    assign low = {1'b0, count[1] > count[0]};
    assign high = {1'b1, count[3] > count[2]};
    assign companion = count[high] > count[low] ? high : low;
  end else begin : gen_companion
    assign companion = 2'd0;
  end

  assign lower = companion < base_i ? companion : base_i;
  assign upper = companion < base_i ? base_i : companion;

  // The new layout; the bases that stay, and their positions; the inserted base's position.
  always_comb begin
    new_layout_o = layout;
    keep = remains;
    place = 8'b11_10_01_00;
    put_base = base_i;
    case (kind_i)
      mp_star_pkg::KindRevert: begin
        new_layout_o = mp_star_pkg::LayoutNone;
        keep = 4'd1 << base_i;
        place = '0;
        put_base = 2'd0;
      end
      mp_star_pkg::KindRevertFour: begin
        new_layout_o[mp_star_pkg::LayoutFourBit] = 1'b0;
        keep = 4'd1 << lower | 4'd1 << upper;
        place = 8'd1 << {upper, 1'b0};
        put_base = {1'b0, companion < base_i};
      end
      mp_star_pkg::KindNew: begin
        new_layout_o = mp_star_pkg::LayoutNone;
        put_base = 2'd0;
      end
      mp_star_pkg::KindShare: begin
        new_layout_o = policy == mp_star_pkg::PolicySequential |
                       (policy == mp_star_pkg::PolicyDynamic & one_run & ~lone) |
                       (policy == mp_star_pkg::PolicyLone & one_run) ? mp_star_pkg::LayoutSequential :
                                                                    mp_star_pkg::LayoutStride;
        put_base = 2'd1;
      end
      mp_star_pkg::KindShareFour: begin
        new_layout_o[mp_star_pkg::LayoutFourBit] = 1'b1;
        put_base = free_base;
      end
      mp_star_pkg::KindInvalidate:
      if (layout != mp_star_pkg::LayoutNone && (remains & (remains - 4'd1)) == '0) begin
        new_layout_o = mp_star_pkg::LayoutNone;
        place = '0;
      end
      default: ;
    endcase
  end

  if (MODE == 0) begin : gen_reform
    assign stays_o = staying;
    assign placed_aib0 = '0;
    assign placed_aib1 = '0;
    assign placed_frames = entry_i[0+:SUB_ENTRIES*FRAME_W];
    logic unused;
    assign unused = &{1'b0, keep, place};
  end else begin : gen_reform
    // Slots keep their places if the layout does not change.
    logic [15:0] moved_valid, moved_aib0, moved_aib1;
    logic [16*FRAME_W-1:0] moved_frames;
    logic moves;
    mp_star_reform #(
        .MODE(MODE),
        .FRAME_W(FRAME_W)
    ) u_reform (
        .valid_i   (staying),
        .aib0_i    (aib0),
        .aib1_i    (aib1),
        .frame_i   (entry_i[0+:16*FRAME_W]),
        .from_i    (layout),
        .to_i      (new_layout_o),
        .position_i(position),
        .keep_i    (keep),
        .place_i   (place),
        .valid_o   (moved_valid),
        .aib0_o    (moved_aib0),
        .aib1_o    (moved_aib1),
        .frame_o   (moved_frames)
    );
    assign moves = new_layout_o != layout;
    assign stays_o = moves ? moved_valid : staying;
    assign placed_aib0 = moves ? moved_aib0 : aib0;
    assign placed_aib1 = moves ? moved_aib1 : aib1;
    assign placed_frames = moves ? moved_frames : entry_i[0+:16*FRAME_W];
  end

  assign put_slot = mp_star_pkg::slot_of(new_layout_o, put_base, position, index_i);
  assign put_aib = mp_star_pkg::aib_of(new_layout_o, position, index_i);

  logic [15:0] put_mask;
  assign put_mask = inserts ? 16'd1 << put_slot : '0;
  assign replaced_o = inserts & stays_o[put_slot] &
                      {placed_aib1[put_slot], placed_aib0[put_slot]} != put_aib;

  logic [15:0] next_valid, next_aib0, next_aib1;
  logic [4*TAG_W-1:0] next_tags;

  assign next_valid = stays_o | put_mask;
  assign next_aib0 = put_aib[0] ? placed_aib0 | put_mask : placed_aib0 & ~put_mask;
  assign next_aib1 = put_aib[1] ? placed_aib1 | put_mask : placed_aib1 & ~put_mask;

  function automatic logic [TAG_W-1:0] tag_at(input logic [1:0] base, input logic [4*TAG_W-1:0] of);
    case (base)
      2'd0: tag_at = of[0+:TAG_W];
      2'd1: tag_at = of[TAG_W+:TAG_W];
      2'd2: tag_at = of[2*TAG_W+:TAG_W];
      default: tag_at = of[3*TAG_W+:TAG_W];
    endcase
  endfunction

  always_comb begin
    new_base_valid_o = kind_i == mp_star_pkg::KindNew ? '0 : remains;
    next_tags = tags;
    case (kind_i)
      mp_star_pkg::KindRevert: new_base_valid_o = 4'b0001;
      mp_star_pkg::KindRevertFour: begin
        new_base_valid_o = 4'b0011;
        next_tags[0+:TAG_W] = tag_at(lower, tags);
        next_tags[TAG_W+:TAG_W] = tag_at(upper, tags);
      end
      mp_star_pkg::KindInvalidate:
      if (new_layout_o != layout) begin
        new_base_valid_o = {3'b000, |remains};
        next_tags[0+:TAG_W] = tag_at(sole, tags);
      end
      default: ;
    endcase
    if (inserts) begin
      new_base_valid_o = new_base_valid_o | 4'd1 << put_base;
      for (int unsigned b = 0; b < 4; b++) if (put_base == 2'(b)) next_tags[b*TAG_W+:TAG_W] = tag_i;
    end
  end

  for (genvar s = 0; s < SUB_ENTRIES; s++) begin : gen_out_slot
    assign entry_o[s*FRAME_W+:FRAME_W] = put_mask[s] ? frame_i : placed_frames[s*FRAME_W+:FRAME_W];
  end
  assign entry_o[VALID_AT+:SUB_ENTRIES] = next_valid[SUB_ENTRIES-1:0];
  for (genvar b = 0; b < BASES; b++) begin : gen_out_base
    assign entry_o[BASE_AT+b*BASE_W+:BASE_W] = {new_base_valid_o[b], 1'b0, next_tags[b*TAG_W+:TAG_W]};
  end
  if (MODE == 0) begin : gen_out_shared
    logic unused;
    assign unused = &{1'b0, next_aib0, next_aib1, new_layout_o, next_valid, new_base_valid_o, next_tags};
  end else if (MODE == 1) begin : gen_out_shared
    assign entry_o[AIB_AT+:16] = next_aib0;
    assign entry_o[LAYOUT_AT+:2] = new_layout_o[1:0];
    logic unused;
    assign unused = &{1'b0, next_aib1, new_layout_o[2], new_base_valid_o[3:2], next_tags[4*TAG_W-1:2*TAG_W]};
  end else begin : gen_out_shared
    assign entry_o[AIB_AT+:32] = {next_aib1, next_aib0};
    assign entry_o[LAYOUT_AT+:3] = new_layout_o;
    logic unused;
    assign unused = &{1'b0, stride_i};
  end

endmodule
