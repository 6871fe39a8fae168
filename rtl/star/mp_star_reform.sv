// SPDX-License-Identifier: Apache-2.0
//
// Gives the sub-entries of one entry another layout: from not shared to shared and back, between two and four bases.
// Combinational.
//
// A translation moves only within a group of slots: the pair (two bases) or the four (four bases) that differ in the
// index bits that the base's position replaces. From a slot's position in its group and the AIB follow the base and
// those index bits ("minor") of its translation; both layouts together determine where the translation goes. If two
// translations of a base would get the same slot, the lower index stays.
module mp_star_reform #(
    /// 1: two bases (STAR), 2: four.
    parameter int unsigned MODE = 1,
    /// Bits of a frame.
    parameter int unsigned FRAME_W = 51
) (
    /// Valid sub-entries, a bit per slot.
    input  logic [15:0]           valid_i,
    /// The lower bit of each slot's AIB.
    input  logic [15:0]           aib0_i,
    /// The upper bit, if four bases are possible.
    input  logic [15:0]           aib1_i,
    /// Frames, slot 0 in the lowest bits.
    input  logic [16*FRAME_W-1:0] frame_i,
    /// The layout as it is.
    input  logic [2:0]            from_i,
    /// The new layout; a shared one has the same kind (sequential, stride) as a previous shared one.
    input  logic [2:0]            to_i,
    /// log2 of the stride of two bases; MODE 2 has a stride of 1.
    input  logic [1:0]            position_i,
    /// The bases that stay; the sub-entries of the others are dropped.
    input  logic [3:0]            keep_i,
    /// The position that each of them gets, two bits a base.
    input  logic [7:0]            place_i,
    /// Valid sub-entries after that.
    output logic [15:0]           valid_o,
    /// The lower bit of each slot's AIB; 0 where not valid.
    output logic [15:0]           aib0_o,
    /// The upper bit.
    output logic [15:0]           aib1_o,
    /// Frames; anything where not valid.
    output logic [16*FRAME_W-1:0] frame_o
);

  if (MODE != 1 && MODE != 2) $error("MODE is 1 or 2");

  if (MODE == 1) begin : gen_pairs
    // The base that stays becomes base 0, so a shared target layout uses the lower slot of a pair only.
    logic [1:0]  position;
    logic [15:0] member, second, minor, kept, moves, comes, stays, take;
    logic        from_shared, to_shared;

    function automatic logic [15:0] partner(input logic [15:0] bits, input logic [1:0] at);
      case (at)
        2'd0: partner = (bits & 16'h5555) << 1 | (bits >> 1 & 16'h5555);
        2'd1: partner = (bits & 16'h3333) << 2 | (bits >> 2 & 16'h3333);
        2'd2: partner = (bits & 16'h0f0f) << 4 | (bits >> 4 & 16'h0f0f);
        default: partner = {bits[7:0], bits[15:8]};
      endcase
    endfunction

    assign position = from_i[0] | to_i[0] ? 2'd3 : position_i;
    assign from_shared = from_i != mp_star_pkg::LayoutNone;
    assign to_shared = to_i != mp_star_pkg::LayoutNone;
    assign member = mp_star_pkg::slots_with_bit(position);
    assign second = from_shared ? member : '0;
    assign minor = from_shared ? aib0_i : member;
    assign kept = valid_i & (second & {16{keep_i[1]}} | ~second & {16{keep_i[0]}});
    assign moves = to_shared ? member : minor ^ member;
    assign stays = kept & ~moves;
    assign comes = partner(kept & moves, position);
    assign take = comes & ~stays;
    assign valid_o = stays | comes;
    assign aib0_o = to_shared ? take : '0;
    assign aib1_o = '0;

    for (genvar s = 0; s < 16; s++) begin : gen_slot
      logic [FRAME_W-1:0] other;
      always_comb
        case (position)
          2'd0: other = frame_i[(s^1)*FRAME_W+:FRAME_W];
          2'd1: other = frame_i[(s^2)*FRAME_W+:FRAME_W];
          2'd2: other = frame_i[(s^4)*FRAME_W+:FRAME_W];
          default: other = frame_i[(s^8)*FRAME_W+:FRAME_W];
        endcase
      assign frame_o[s*FRAME_W+:FRAME_W] = take[s] ? other : frame_i[s*FRAME_W+:FRAME_W];
    end

    logic unused;
    assign unused = &{1'b0, aib1_i, keep_i[3:2], place_i, from_i[2], to_i[2]};
  end else begin : gen_fours
    // A slot's number in its group of four has two bits: i3 i2 of a sequential, i1 i0 of a stride layout.
    logic        sequential;
    logic [15:0] member1, member0, base1, base0, minor1, minor0, kept, new1, new0, goes1, goes0;
    logic [15:0] first1, first0;  // minor of the lowest index that comes into a slot
    logic [15:0] comes[4], comes_minor1[4], comes_minor0[4], pick[4];  // by distance in the group

    // The values of the slot at this distance.
    function automatic logic [15:0] distant(input logic [15:0] bits, input logic [1:0] distance,
                                            input logic seq);
      logic [15:0] once;
      once = !distance[0] ? bits : seq ? (bits & 16'h0f0f) << 4 | (bits >> 4 & 16'h0f0f) :
                                         (bits & 16'h5555) << 1 | (bits >> 1 & 16'h5555);
      distant = !distance[1] ? once : seq ? {once[7:0], once[15:8]} :
                                            (once & 16'h3333) << 2 | (once >> 2 & 16'h3333);
    endfunction

    function automatic logic [15:0] select4(input logic [15:0] bit1, input logic [15:0] bit0,
                                            input logic [3:0] of);
      select4 = ~bit1 & ~bit0 & {16{of[0]}} | ~bit1 & bit0 & {16{of[1]}} |
                bit1 & ~bit0 & {16{of[2]}} | bit1 & bit0 & {16{of[3]}};
    endfunction

    assign sequential = from_i[0] | to_i[0];
    assign member1 = mp_star_pkg::slots_with_bit(sequential ? 2'd3 : 2'd1);
    assign member0 = mp_star_pkg::slots_with_bit(sequential ? 2'd2 : 2'd0);

    always_comb begin
      base1 = '0;
      base0 = '0;
      minor1 = member1;
      minor0 = member0;
      case (from_i)
        3'b001: begin
          base0  = member1;
          minor1 = aib0_i;
        end
        3'b010: begin
          base0  = member0;
          minor0 = aib0_i;
        end
        3'b101, 3'b110: begin
          base1  = member1;
          base0  = member0;
          minor1 = aib1_i;
          minor0 = aib0_i;
        end
        default: ;
      endcase
    end

    assign kept = valid_i & select4(base1, base0, keep_i);
    assign new1 = select4(base1, base0, {place_i[7], place_i[5], place_i[3], place_i[1]});
    assign new0 = select4(base1, base0, {place_i[6], place_i[4], place_i[2], place_i[0]});

    always_comb begin
      goes1 = minor1;
      goes0 = minor0;
      case (to_i)
        3'b001: goes1 = new0;
        3'b010: goes0 = new0;
        3'b101, 3'b110: begin
          goes1 = new1;
          goes0 = new0;
        end
        default: ;
      endcase
    end

    for (genvar x = 0; x < 4; x++) begin : gen_distance
      localparam logic [1:0] X = 2'(x);
      assign comes[x] = distant(kept & ~(goes1 ^ member1 ^ {16{X[1]}}) & ~(goes0 ^ member0 ^ {16{X[0]}}),
                                X, sequential);
      assign comes_minor1[x] = distant(minor1, X, sequential);
      assign comes_minor0[x] = distant(minor0, X, sequential);
      assign pick[x] = comes[x] & ~(comes_minor1[x] ^ first1) & ~(comes_minor0[x] ^ first0);
    end

    assign valid_o = comes[0] | comes[1] | comes[2] | comes[3];
    // The lowest: the upper bit is 0 if anything comes with 0 there; then the lower bit among those.
    assign first1 = ~(comes[0] & ~comes_minor1[0] | comes[1] & ~comes_minor1[1] |
                      comes[2] & ~comes_minor1[2] | comes[3] & ~comes_minor1[3]);
    assign first0 = ~(comes[0] & ~(comes_minor1[0] ^ first1) & ~comes_minor0[0] |
                      comes[1] & ~(comes_minor1[1] ^ first1) & ~comes_minor0[1] |
                      comes[2] & ~(comes_minor1[2] ^ first1) & ~comes_minor0[2] |
                      comes[3] & ~(comes_minor1[3] ^ first1) & ~comes_minor0[3]);

    always_comb begin
      aib1_o = '0;
      aib0_o = '0;
      case (to_i)
        3'b001: aib0_o = first1 & valid_o;
        3'b010: aib0_o = first0 & valid_o;
        3'b101, 3'b110: begin
          aib1_o = first1 & valid_o;
          aib0_o = first0 & valid_o;
        end
        default: ;
      endcase
    end

    for (genvar s = 0; s < 16; s++) begin : gen_slot
      logic [FRAME_W-1:0] near, next, far;
      assign near = sequential ? frame_i[(s^4)*FRAME_W+:FRAME_W] : frame_i[(s^1)*FRAME_W+:FRAME_W];
      assign next = sequential ? frame_i[(s^8)*FRAME_W+:FRAME_W] : frame_i[(s^2)*FRAME_W+:FRAME_W];
      assign far = sequential ? frame_i[(s^12)*FRAME_W+:FRAME_W] : frame_i[(s^3)*FRAME_W+:FRAME_W];
      assign frame_o[s*FRAME_W+:FRAME_W] = pick[1][s] ? near : pick[2][s] ? next : pick[3][s] ? far :
                                           frame_i[s*FRAME_W+:FRAME_W];
    end

    logic unused;
    assign unused = &{1'b0, position_i};
  end

endmodule
