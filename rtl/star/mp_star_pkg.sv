// SPDX-License-Identifier: Apache-2.0
//
// Definitions that the parts of a STAR TLB share: codes of requests, responses and layouts, the width of an entry, and
// the slot of a translation in it.
//
// A sub-entry index has 4 bits. In an entry shared by several bases, each base has the slots whose "base bits" are
// the base's position. The index bits that these replace are stored with the translation as its address identify
// bits (AIB). The other index bits select one of the base's slots:
//
//   layout            slot of index i3 i2 i1 i0, base b    AIB
//   000 not shared    i3 i2 i1 i0                          none
//   001 sequential    b  i2 i1 i0                          i3
//   010 stride 1      i3 i2 i1 b                           i0      (stride 2: b replaces i1; stride 4: i2)
//   101 sequential    b1 b0 i1 i0                          i3 i2   of four bases
//   110 stride        i3 i2 b1 b0                          i1 i0   of four bases
// A design that uses some of these need not use all.
/* verilator lint_off UNUSEDPARAM */
package mp_star_pkg;

  // ---- requests ----
  localparam logic [2:0] OpLookup = 3'd0;
  localparam logic [2:0] OpInsert = 3'd1;
  localparam logic [2:0] OpInvalidatePage = 3'd2;
  localparam logic [2:0] OpInvalidateAsid = 3'd3;
  localparam logic [2:0] OpInvalidateAll = 3'd4;

  // ---- actions ----
  localparam logic [3:0] ActMiss = 4'd0;
  localparam logic [3:0] ActHit = 4'd1;
  localparam logic [3:0] ActUpdate = 4'd2;           // written; the slot held nothing of this base
  localparam logic [3:0] ActReplace = 4'd3;          // written; the slot held another index of this base
  localparam logic [3:0] ActVacant = 4'd4;           // a new entry in a vacant way
  localparam logic [3:0] ActShareSequential = 4'd5;  // a second base, sequential layout
  localparam logic [3:0] ActShareStride = 4'd6;      // a second base, stride layout
  localparam logic [3:0] ActShareFour = 4'd7;        // a third or fourth base
  localparam logic [3:0] ActRevert = 4'd8;           // two bases to one
  localparam logic [3:0] ActRevertFour = 4'd9;       // four bases to two
  localparam logic [3:0] ActEvict = 4'd10;           // a new entry in the least recently used way
  localparam logic [3:0] ActInvalidated = 4'd11;

  // ---- what becomes of an entry ----
  localparam logic [2:0] KindPut = 3'd0;         // write into the base's slot
  localparam logic [2:0] KindRevert = 3'd1;      // one of two bases stays
  localparam logic [2:0] KindRevertFour = 3'd2;  // two of four stay
  localparam logic [2:0] KindNew = 3'd3;         // a new entry replaces the old one
  localparam logic [2:0] KindShare = 3'd4;       // a second base
  localparam logic [2:0] KindShareFour = 3'd5;   // a third or fourth
  localparam logic [2:0] KindInvalidate = 3'd6;

  // ---- layout policy ----
  localparam logic [1:0] PolicyDynamic = 2'd0;  // sequential for one run of two or more valid sub-entries, else stride
  localparam logic [1:0] PolicySequential = 2'd1;
  localparam logic [1:0] PolicyStride = 2'd2;
  localparam logic [1:0] PolicyLone = 2'd3;  // as PolicyDynamic, but sequential for a single sub-entry, too

  // ---- layouts ----
  localparam logic [2:0] LayoutNone = 3'b000;
  localparam logic [2:0] LayoutSequential = 3'b001;
  localparam logic [2:0] LayoutStride = 3'b010;
  localparam int unsigned LayoutFourBit = 2;

  // Bases an entry may have, by mode: baseline, STAR, STAR with four bases.
  function automatic int unsigned bases(input int unsigned mode);
    bases = mode == 2 ? 4 : mode == 1 ? 2 : 1;
  endfunction

  function automatic int unsigned layout_width(input int unsigned mode);
    layout_width = mode == 2 ? 3 : mode == 1 ? 2 : 0;
  endfunction

  function automatic int unsigned aib_width(input int unsigned mode);
    aib_width = mode;
  endfunction

  // Bits of a base: valid, dirty and tag.
  function automatic int unsigned base_width(input int unsigned tag_width);
    base_width = 2 + tag_width;
  endfunction

  // The format of an entry (mp_star_entry): the lowest bit of its parts, and the number of its bits (Sec. V-C).
  function automatic int unsigned valid_at(input int unsigned sub_entries, input int unsigned frame_width);
    valid_at = sub_entries * frame_width;
  endfunction

  function automatic int unsigned aib_at(input int unsigned sub_entries, input int unsigned frame_width);
    aib_at = valid_at(sub_entries, frame_width) + sub_entries;
  endfunction

  function automatic int unsigned base_at(input int unsigned mode, input int unsigned sub_entries,
                                          input int unsigned frame_width);
    base_at = aib_at(sub_entries, frame_width) + aib_width(mode) * sub_entries;
  endfunction

  function automatic int unsigned layout_at(input int unsigned mode, input int unsigned sub_entries,
                                            input int unsigned tag_width, input int unsigned frame_width);
    layout_at = base_at(mode, sub_entries, frame_width) + bases(mode) * base_width(tag_width);
  endfunction

  function automatic int unsigned entry_width(input int unsigned mode, input int unsigned sub_entries,
                                              input int unsigned tag_width, input int unsigned frame_width);
    entry_width = layout_at(mode, sub_entries, tag_width, frame_width) + layout_width(mode);
  endfunction

  // The slots whose index has a 1 at this bit.
  function automatic logic [15:0] slots_with_bit(input logic [1:0] position);
    case (position)
      2'd0: slots_with_bit = 16'haaaa;
      2'd1: slots_with_bit = 16'hcccc;
      2'd2: slots_with_bit = 16'hf0f0;
      default: slots_with_bit = 16'hff00;
    endcase
  endfunction

  // All slots of a base. position: log2 of the stride.
  function automatic logic [15:0] slots_of(input logic [2:0] layout, input logic [1:0] base,
                                           input logic [1:0] position);
    case (layout)
      3'b001: slots_of = base[0] ? 16'hff00 : 16'h00ff;
      3'b010: slots_of = base[0] ? slots_with_bit(position) : ~slots_with_bit(position);
      3'b101: slots_of = 16'h000f << {base, 2'b00};
      3'b110: slots_of = 16'h1111 << base;
      default: slots_of = 16'hffff;
    endcase
  endfunction

  // The slot in which a base keeps an index.
  function automatic logic [3:0] slot_of(input logic [2:0] layout, input logic [1:0] base,
                                         input logic [1:0] position, input logic [3:0] index);
    logic [3:0] bit_of_base;
    bit_of_base = 4'd1 << position;
    case (layout)
      3'b001: slot_of = {base[0], index[2:0]};
      3'b010: slot_of = base[0] ? index | bit_of_base : index & ~bit_of_base;
      3'b101: slot_of = {base, index[1:0]};
      3'b110: slot_of = {index[3:2], base};
      default: slot_of = index;
    endcase
  endfunction

  // The index bits that do not follow from the slot.
  function automatic logic [1:0] aib_of(input logic [2:0] layout, input logic [1:0] position,
                                        input logic [3:0] index);
    case (layout)
      3'b001: aib_of = {1'b0, index[3]};
      3'b010: aib_of = {1'b0, index[position]};
      3'b101: aib_of = index[3:2];
      3'b110: aib_of = index[1:0];
      default: aib_of = 2'b00;
    endcase
  endfunction

  function automatic logic [4:0] popcount(input logic [15:0] bits);
    logic [15:0] twos, fours, eights;  // sums of neighbouring bits, packed
    twos = (bits & 16'h5555) + (bits >> 1 & 16'h5555);
    fours = (twos & 16'h3333) + (twos >> 2 & 16'h3333);
    eights = (fours & 16'h0f0f) + (fours >> 4 & 16'h0f0f);
    popcount = 5'(eights) + 5'(eights >> 8);
  endfunction

endpackage
/* verilator lint_on UNUSEDPARAM */
