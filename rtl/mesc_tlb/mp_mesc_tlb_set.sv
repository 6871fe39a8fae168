// SPDX-License-Identifier: Apache-2.0
//
// Lookup, insertion and invalidation in a set of MESC's unified TLB (Sec. IV-C). The block works on a set's row in a
// memory and keeps no state between requests. With SUB_WAYS 0 it is the set of the TLB that MESC is compared with: an
// entry maps a page.
//
// A regular entry maps a page and may be in any way. A subregion entry maps 1 to 8 neighbouring subregions of a frame and
// may be in the partition, the last SUB_WAYS ways. Both have the same format. Their tags do not have the bits that
// select the set:
//
//   regular     {page number without the set}                                        frame of the page
//   subregion   {number of the 2 MB frame without the set, first, length - 1, 000}   frame of page 0 of the 2 MB frame
//
// Both tags have the same upper bits, so that a way has one comparator for them. The length takes bits that a regular
// entry's tag needs and this one does not, and only the type is one more bit. A subregion entry holds the frame that the
// first page of the 2 MB frame would have if it continued the entry's pages, whether that page is mapped so or not. A hit
// therefore adds the page's offset in the 2 MB frame, without the distance to the first subregion, and two entries
// continue each other if they are equal.
//
// The states of a request:
//   IDLE      the request is taken, and its set's row is read
//   COMPARE   all ways are compared. A lookup, or an invalidation, that finds no subregion entry reads the set of the
//             regular entry and compares in the next clock again.
//   ACT       the way is chosen, recency is written, and entries that have to leave are emptied
//   TURN      after subregion entries were invalidated, the set of the regular entry is read
//   WRITE     a new entry is written
//   RESPOND   until the response is taken
// A lookup responds 3 clocks after it was taken if a subregion entry hits, otherwise 1 clock later. With SUB_WAYS 0 it
// always takes 3 clocks.
//
// An insertion empties the entries of its type that overlap the new one, unless they map the shared pages alike and have
// others. If an entry covers the new one, it becomes the most recent one, and nothing is written. Otherwise the lowest
// vacant way of those that the type may use takes it, else the least recently used of them.
//
// Insertions of the longest runs of subregions, as walks find them, never overlap an entry in part, and a page has at
// most one entry of each type. Otherwise several entries may hit. They map the page alike; the most recent way of the set
// is used, else the lowest.
module mp_mesc_tlb_set #(
    /// Ways, 2 or more.
    parameter int unsigned WAYS = 16,
    /// The last ways, in which subregion entries may be: 0, or 2 to WAYS.
    parameter int unsigned SUB_WAYS = 8,
    /// Bits of a set's number.
    parameter int unsigned SET_W = 5,
    /// Bits of an address space's number.
    parameter int unsigned ASID_W = 8,
    /// Bits of a virtual page number, more than SET_W + 9.
    parameter int unsigned VPN_W = 36,
    /// Bits of a physical page number, 9 or more.
    parameter int unsigned PFN_W = 36,
    /// Bits of a way's number; not to be set.
    localparam int unsigned WAY_W = $clog2(WAYS),
    /// Bits of an entry; not to be set.
    localparam int unsigned ENTRY_W = mp_mesc_tlb_pkg::entry_width(SUB_WAYS, ASID_W, VPN_W - SET_W, PFN_W),
    /// Bits of a set's recency; not to be set.
    localparam int unsigned ORDER_W = WAYS * (WAYS - 1) / 2
) (
    /// Clock.
    input  logic                    clk_i,
    /// Reset, active low, asynchronous.
    input  logic                    rst_ni,
    /// A request.
    input  logic                    req_valid_i,
    /// It is taken.
    output logic                    req_ready_o,
    /// The operation: mp_mesc_tlb_pkg::Op*.
    input  logic [2:0]              req_op_i,
    /// Its address space.
    input  logic [ASID_W-1:0]       req_asid_i,
    /// Its virtual page number.
    input  logic [VPN_W-1:0]        req_vpn_i,
    /// The page's frame, to insert.
    input  logic [PFN_W-1:0]        req_pfn_i,
    /// Its permission: the page is not to be written.
    input  logic                    req_read_only_i,
    /// The subregions to insert, of those of the 2 MB frame: the first and the last. The page's is one of them.
    input  logic [2:0]              req_first_i,
    input  logic [2:0]              req_last_i,
    /// The set whose row is read or written.
    output logic [SET_W-1:0]        set_o,
    /// Its row is read, and is on row_i and order_i from the next clock until the next read.
    output logic                    read_o,
    /// The set's entries, way 0 in the lowest bits.
    input  logic [WAYS*ENTRY_W-1:0] row_i,
    /// The set's recency (mp_lru_order).
    input  logic [ORDER_W-1:0]      order_i,
    /// The ways to write.
    output logic [WAYS-1:0]         row_we_o,
    /// The new entry of each of them; 0: vacant.
    output logic [ENTRY_W-1:0]      entry_o,
    /// The recency is to be written.
    output logic                    order_we_o,
    /// The new recency.
    output logic [ORDER_W-1:0]      order_o,
    /// A response.
    output logic                    rsp_valid_o,
    /// It is taken.
    input  logic                    rsp_ready_i,
    /// The action: mp_mesc_tlb_pkg::Act*.
    output logic [2:0]              rsp_action_o,
    /// The page's frame and permission, on a hit.
    output logic [PFN_W-1:0]        rsp_pfn_o,
    output logic                    rsp_read_only_o,
    /// The way, on a hit and after an insertion.
    output logic [WAY_W-1:0]        rsp_way_o
);

  localparam int unsigned OFFSET_W = mp_mesc_tlb_pkg::OffsetW;
  localparam int unsigned TAG_W = VPN_W - SET_W;
  localparam int unsigned UPPER_W = TAG_W - OFFSET_W;  // what both tags have
  localparam int unsigned TAG_AT = PFN_W;
  localparam int unsigned ASID_AT = TAG_AT + TAG_W;
  localparam int unsigned READ_ONLY_AT = ASID_AT + ASID_W;
  localparam int unsigned VALID_AT = READ_ONLY_AT + 1;
  localparam int unsigned TYPE_AT = VALID_AT + 1;
  localparam bit SUBREGIONS = SUB_WAYS != 0;
  localparam int unsigned FIRST_SUB_WAY = WAYS - SUB_WAYS;

  // The paper's widths, without the bits that select one of 32 sets: 8 + 31 + 36 and two bits; MESC adds the type.
  if (SET_W == 5 && ASID_W == 8 && VPN_W == 36 && PFN_W == 36) begin : gen_paper
    if (ENTRY_W != 77 + 32'(SUBREGIONS)) $error("an entry has 77 bits, and MESC adds one");
  end
  if (WAYS < 2) $error("WAYS is 2 or more");
  if (SUB_WAYS == 1 || SUB_WAYS > WAYS) $error("SUB_WAYS is 0, or 2 to WAYS");
  if (VPN_W <= SET_W + 9) $error("VPN_W is more than SET_W + 9");
`ifndef FORMAL
  // The proofs have frames of fewer bits, which are numbers modulo a power of two there.
  if (PFN_W < 9) $error("PFN_W is 9 or more");
`endif

  typedef enum logic [2:0] {
    Idle,
    Compare,
    Act,
    Turn,
    Write,
    Respond
  } state_e;

  // ---- the request ----

  state_e state_q, state_d;
  logic sub_q, sub_d;  // subregion entries are compared
  logic [2:0] op_q;
  logic [ASID_W-1:0] asid_q;
  logic [VPN_W-1:0] vpn_q;
  logic [PFN_W-1:0] data_q;    // as an entry holds it
  logic read_only_q;
  logic [2:0] first_q, last_q;  // of a single page both are its subregion
  logic take, req_run, lookup, inserts, one_page;

  assign req_ready_o = state_q == Idle;
  assign take = req_valid_i & req_ready_o;
  assign req_run = SUBREGIONS & req_op_i == mp_mesc_tlb_pkg::OpInsertSubregions;
  assign lookup = op_q == mp_mesc_tlb_pkg::OpLookup;
  assign inserts = op_q == mp_mesc_tlb_pkg::OpInsertPage | op_q == mp_mesc_tlb_pkg::OpInsertSubregions;
  assign one_page = lookup | op_q == mp_mesc_tlb_pkg::OpInvalidatePage;

  always_ff @(posedge clk_i)
    if (take) begin
      op_q <= req_op_i;
      asid_q <= req_asid_i;
      vpn_q <= req_vpn_i;
      data_q <= req_pfn_i - (req_run ? PFN_W'(req_vpn_i[OFFSET_W-1:0]) : '0);
      read_only_q <= req_read_only_i;
      first_q <= req_run ? req_first_i : req_vpn_i[OFFSET_W-1-:3];
      last_q <= req_run ? req_last_i : req_vpn_i[OFFSET_W-1-:3];
    end

  // ---- the ways that are concerned ----

  logic [WAYS-1:0] valid, mine, overlaps, covers, covered, alike;

  for (genvar w = 0; w < WAYS; w++) begin : gen_way
    localparam int unsigned AT = w * ENTRY_W;
    logic [TAG_W-1:0] tag;
    logic same_upper, same_page;
    assign tag = row_i[AT+TAG_AT+:TAG_W];
    assign valid[w] = row_i[AT+VALID_AT];
    assign mine[w] = valid[w] & row_i[AT+ASID_AT+:ASID_W] == asid_q;
    assign alike[w] = row_i[AT+:PFN_W] == data_q & row_i[AT+READ_ONLY_AT] == read_only_q;
    assign same_upper = tag[OFFSET_W+:UPPER_W] == vpn_q[VPN_W-1-:UPPER_W];
    assign same_page = tag[0+:OFFSET_W] == vpn_q[SET_W+:OFFSET_W];
    if (SUBREGIONS && w >= FIRST_SUB_WAY) begin : gen_both
      logic [2:0] first, last;
      logic in_range;
      assign first = tag[OFFSET_W-1-:3];
      assign last = first + tag[OFFSET_W-4-:3];
      assign in_range = first <= last_q & last >= first_q;
      assign overlaps[w] = mine[w] & same_upper & row_i[AT+TYPE_AT] == sub_q & (sub_q ? in_range : same_page);
      assign covers[w] = ~sub_q | (first <= first_q & last >= last_q);
      assign covered[w] = ~sub_q | (first >= first_q & last <= last_q);
    end else begin : gen_regular
      assign overlaps[w] = mine[w] & same_upper & ~sub_q & same_page;
      assign covers[w] = 1'b1;
      assign covered[w] = 1'b1;
    end
  end

  // What the last comparison has found: entries that hit or cover the new one, entries that leave, and vacant ways with
  // those that leave.
  logic [WAYS-1:0] found_d, found_q, gone_d, gone_q, vacant_q;
  logic turns;  // no subregion entry is concerned: the regular one is next

  assign found_d = lookup ? overlaps : inserts ? overlaps & alike & covers : '0;
  assign turns = sub_q & one_page & overlaps == '0;
  always_comb begin
    case (op_q)
      mp_mesc_tlb_pkg::OpLookup: gone_d = '0;
      mp_mesc_tlb_pkg::OpInvalidatePage: gone_d = overlaps;
      mp_mesc_tlb_pkg::OpInvalidateAsid: gone_d = mine;
      mp_mesc_tlb_pkg::OpInvalidateAll: gone_d = valid;
      default: gone_d = overlaps & (~alike | (covered & ~covers));
    endcase
  end

  always_ff @(posedge clk_i)
    if (state_q == Compare) begin
      found_q <= found_d;
      gone_q <= gone_d;
      vacant_q <= ~valid | gone_d;
    end

  // ---- the way, and recency ----

  logic [WAYS-1:0] may_use, vacant, oldest, oldest_used, newest, hit_way, new_way, way, way_q;
  logic touches;

  assign touches = (lookup & found_q != '0) | inserts;
  assign order_we_o = state_q == Act & touches;
  assign row_we_o = state_q == Act ? gone_q : state_q == Write ? way_q : '0;

  mp_lru_order #(
      .WAYS(WAYS)
  ) u_order (
      .order_i (order_i),
      .way_i   (way),
      .forget_i(1'b0),
      .order_o (order_o),
      .oldest_o(oldest)
  );

  function automatic logic [WAYS-1:0] lowest(input logic [WAYS-1:0] ways);
    lowest = ways & (~ways + 1'b1);
  endfunction

  if (SUBREGIONS) begin : gen_partition
    // Pairs of the last ways are the last pairs of an order. The oldest way of the opposite order is the newest one.
    localparam int unsigned PAIRS = SUB_WAYS * (SUB_WAYS - 1) / 2;
    logic [SUB_WAYS-1:0] oldest_sub;
    logic [PAIRS-1:0] unused_part;
    logic [ORDER_W-1:0] unused_opposite;
    logic unused;

    mp_lru_order #(
        .WAYS(SUB_WAYS)
    ) u_partition (
        .order_i (order_i[ORDER_W-1-:PAIRS]),
        .way_i   ('0),
        .forget_i(1'b0),
        .order_o (unused_part),
        .oldest_o(oldest_sub)
    );

    mp_lru_order #(
        .WAYS(WAYS)
    ) u_opposite (
        .order_i (~order_i),
        .way_i   ('0),
        .forget_i(1'b0),
        .order_o (unused_opposite),
        .oldest_o(newest)
    );

    assign unused = &{unused_part, unused_opposite};
    for (genvar w = 0; w < WAYS; w++) begin : gen_may_use
      if (w >= FIRST_SUB_WAY) begin : gen_both
        assign may_use[w] = 1'b1;
        assign oldest_used[w] = sub_q ? oldest_sub[w-FIRST_SUB_WAY] : oldest[w];
      end else begin : gen_regular
        assign may_use[w] = ~sub_q;
        assign oldest_used[w] = ~sub_q & oldest[w];
      end
    end
  end else begin : gen_partition
    assign may_use = '1;
    assign oldest_used = oldest;
    assign newest = '0;
  end

  // The highest of several entries that cover the new one.
  logic [WAYS-1:0] highest;
  always_comb begin
    highest = '0;
    for (int unsigned w = 0; w < WAYS; w++)
      if (found_q[w]) begin
        highest = '0;
        highest[w] = 1'b1;
      end
  end

  assign vacant = vacant_q & may_use;
  assign hit_way = (found_q & newest) != '0 ? newest : lowest(found_q);
  assign new_way = vacant != '0 ? lowest(vacant) : oldest_used;
  assign way = ~order_we_o ? '0 : lookup ? hit_way : found_q != '0 ? highest : new_way;

  // ---- the response ----

  logic [PFN_W-1:0] base_d, base_q;
  logic base_read_only_d, base_read_only_q;
  logic [2:0] action_q;

  always_comb begin
    {base_read_only_d, base_d} = '0;
    for (int unsigned w = 0; w < WAYS; w++)
      if (way[w]) begin
        base_d = base_d | row_i[w*ENTRY_W+:PFN_W];
        base_read_only_d = base_read_only_d | row_i[w*ENTRY_W+READ_ONLY_AT];
      end
  end

  always_ff @(posedge clk_i)
    if (state_q == Act) begin
      way_q <= way;
      base_q <= base_d;
      base_read_only_q <= base_read_only_d;
      action_q <= lookup ? found_q == '0 ? mp_mesc_tlb_pkg::ActMiss : sub_q ? mp_mesc_tlb_pkg::ActHitSubregions : mp_mesc_tlb_pkg::ActHitPage :
                  ~inserts ? mp_mesc_tlb_pkg::ActInvalidated : found_q != '0 ? mp_mesc_tlb_pkg::ActUpdate :
                  vacant != '0 ? mp_mesc_tlb_pkg::ActVacant : mp_mesc_tlb_pkg::ActEvict;
    end

  assign rsp_valid_o = state_q == Respond;
  assign rsp_action_o = action_q;
  assign rsp_pfn_o = base_q + (sub_q ? PFN_W'(vpn_q[OFFSET_W-1:0]) : '0);
  assign rsp_read_only_o = base_read_only_q;
  always_comb begin
    rsp_way_o = '0;
    for (int unsigned w = 0; w < WAYS; w++) if (way_q[w]) rsp_way_o = rsp_way_o | WAY_W'(w);
  end

  // ---- the new entry ----

  logic [TAG_W-1:0] tag;
  assign tag = {vpn_q[VPN_W-1-:UPPER_W], sub_q ? {first_q, last_q - first_q, 3'd0} : vpn_q[SET_W+:OFFSET_W]};
  if (SUBREGIONS) begin : gen_entry
    assign entry_o = state_q == Write ? {sub_q, 1'b1, read_only_q, asid_q, tag, data_q} : '0;
  end else begin : gen_entry
    assign entry_o = state_q == Write ? {1'b1, read_only_q, asid_q, tag, data_q} : '0;
  end

  // ---- the states of a request ----

  assign set_o  = state_q != Idle ? (sub_d ? vpn_q[OFFSET_W+:SET_W] : vpn_q[0+:SET_W]) :
                  sub_d ? req_vpn_i[OFFSET_W+:SET_W] : req_vpn_i[0+:SET_W];
  assign read_o = take | (state_q == Compare & turns) | state_q == Turn;

  always_comb begin
    state_d = state_q;
    sub_d   = SUBREGIONS & sub_q;
    case (state_q)
      Idle:
      if (req_valid_i) begin
        state_d = Compare;
        sub_d = SUBREGIONS & (req_op_i == mp_mesc_tlb_pkg::OpLookup | req_op_i == mp_mesc_tlb_pkg::OpInsertSubregions |
                              req_op_i == mp_mesc_tlb_pkg::OpInvalidatePage);
      end
      Compare: begin
        if (turns) sub_d = 1'b0;
        else state_d = Act;
      end
      Act: state_d = inserts & found_q == '0 ? Write : sub_q & op_q == mp_mesc_tlb_pkg::OpInvalidatePage ? Turn : Respond;
      Turn: begin
        sub_d   = 1'b0;
        state_d = Compare;
      end
      Write: state_d = Respond;
      default: if (rsp_ready_i) state_d = Idle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) state_q <= Idle;
    else state_q <= state_d;

  always_ff @(posedge clk_i) sub_q <= sub_d;

`ifndef SYNTHESIS
  // ---- the protocol ----
  // verilator coverage_off

  // What the ports showed, in separate registers of the checks, because the logic's registers may be wrong.
  localparam int unsigned LONGEST = 6;  // clocks from request to response
  localparam int unsigned OPERANDS_W = 3 + ASID_W + VPN_W;
  localparam int unsigned RSP_W = 3 + PFN_W + 1 + WAY_W;
  logic seen_reset_q = 1'b0;               // registers may hold anything before the first reset
  logic seen_busy_q;                       // a request was taken and its response was not
  logic seen_held_q;                       // the response was there and was not taken
  logic [2:0] seen_clocks_q;               // since the request was taken
  logic [OPERANDS_W-1:0] seen_operands_q;  // in the clock in which it was taken
  logic [RSP_W-1:0] rsp, seen_rsp_q;
  logic seen_lookup, seen_later;

  assign seen_lookup = seen_busy_q & seen_operands_q[OPERANDS_W-1-:3] == mp_mesc_tlb_pkg::OpLookup;
  assign seen_later = SUBREGIONS & rsp_action_o != mp_mesc_tlb_pkg::ActHitSubregions;
  assign rsp = {rsp_action_o, rsp_pfn_o, rsp_read_only_o, rsp_way_o};

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      seen_reset_q <= 1'b1;
      seen_busy_q  <= 1'b0;
      seen_held_q  <= 1'b0;
    end else begin
      if (req_valid_i & req_ready_o) seen_busy_q <= 1'b1;
      else if (rsp_valid_o & rsp_ready_i) seen_busy_q <= 1'b0;
      seen_held_q <= rsp_valid_o & ~rsp_ready_i;
    end

  always_ff @(posedge clk_i) begin
    if (req_valid_i & req_ready_o) begin
      seen_operands_q <= {req_op_i, req_asid_i, req_vpn_i};
      seen_clocks_q   <= 3'd1;
    end else if (seen_clocks_q != '1) seen_clocks_q <= seen_clocks_q + 1'b1;
    if (rsp_valid_o & ~rsp_ready_i) seen_rsp_q <= rsp;
  end

  always_ff @(posedge clk_i)
    if (rst_ni && seen_reset_q) begin
      // A request can be taken if and only if none is processed; so also after a reset.
      assert (req_ready_o == !seen_busy_q);
      // Each response belongs to a request that was taken.
      assert (!rsp_valid_o || seen_busy_q);
      // It arrives in time.
      if (seen_busy_q && !rsp_valid_o) assert (32'(seen_clocks_q) < LONGEST);
      // A lookup takes a clock more if no subregion entry hits.
      if (rsp_valid_o && !seen_held_q && seen_lookup)
        assert (32'(seen_clocks_q) == 3 + 32'(seen_later));
      // It is stable until it is taken.
      if (seen_held_q) assert (rsp_valid_o && rsp == seen_rsp_q);
      // The operands keep the values of the clock in which the request was taken until the response.
      if (seen_busy_q) assert ({op_q, asid_q, vpn_q} == seen_operands_q);
      // The row is written only for a request, before its response, and not in a clock in which another one is read.
      if (!seen_busy_q || rsp_valid_o || read_o) assert (row_we_o == '0 && !order_we_o);
      // A lookup changes no entry.
      assert (!seen_lookup || row_we_o == '0);
      // At most one new entry is written, and it is valid.
      if (entry_o != '0) assert ((row_we_o & (row_we_o - 1'b1)) == '0 && entry_o[VALID_AT]);
    end
  // verilator coverage_on
`endif

`ifdef FORMAL
  // A reset comes first, and request codes are valid.
  always_comb assume (!rst_ni || seen_reset_q);
  always_comb assume (!req_valid_i || req_op_i <= mp_mesc_tlb_pkg::OpInvalidateAll);
`endif

endmodule
