// SPDX-License-Identifier: Apache-2.0
//
// Lookup, insertion and invalidation in one set of a STAR TLB (Sec. V). The block works on the set's row in a memory
// and keeps no state between requests. MODE 0 is the TLB with sub-entries that STAR is compared with.
//
// The states of a request:
//   IDLE      the request is taken; the memory shows the set's row from the next cycle until the response is taken
//   COMPARE   one cycle for base 0 of all ways, then one for base 1, ...: up to a match, or to the highest base
//             position in use in the set. There is one comparator per way.
//   RESOLVE   the matching sub-entry is read; for an insertion, the way and the action are chosen
//   ACT       the way's new entry is written; invalidations of more than a page process one way per cycle
//   RESPOND   until the response is taken
// Lookups skip ACT, invalidations of more than a page skip COMPARE. A lookup that compared s base positions responds
// s + 2 cycles after it was taken.
//
// An insertion uses the first rule that applies:
//   - a way holds its base: its slot is written; if all slots of the base hold other indices, an entry of two bases
//     keeps this base only, an entry of four bases keeps it and the base with most valid sub-entries
//   - the lowest vacant way
//   - an entry that is not shared and uses less than half of its sub-entries takes it as a second base: first those
//     of the same address space, then those with the fewest valid sub-entries, then the lowest way
//   - with four bases: an entry of two or three bases with less than four sub-entries each, chosen in the same way
//   - the least recently used way
//
// mp_star_entry has the format of an entry, and its contents after an action.
module mp_star_tlb_set #(
    /// 0: one base to an entry (baseline), 1: up to two (STAR), 2: up to four.
    parameter int unsigned MODE = 1,
    /// Ways, a power of two, 2 or more.
    parameter int unsigned WAYS = 8,
    /// Sub-entries of an entry: 2, 4, 8 or 16; 16 where bases share.
    parameter int unsigned SUB_ENTRIES = 16,
    /// Bits of an address space's number.
    parameter int unsigned ASID_W = 8,
    /// Bits of a virtual page base: a page number without sub-entry index and set index.
    parameter int unsigned VPB_W = 22,
    /// Bits of a frame: physical page number and attributes.
    parameter int unsigned FRAME_W = 51,
    /// Bits of a sub-entry index; not to be set.
    localparam int unsigned INDEX_W = $clog2(SUB_ENTRIES),
    /// Bits of a way's number; not to be set.
    localparam int unsigned WAY_W = $clog2(WAYS),
    /// Bits of an entry; not to be set.
    localparam int unsigned ENTRY_W = mp_star_pkg::entry_width(MODE, SUB_ENTRIES, ASID_W + VPB_W, FRAME_W),
    /// Bits of a set's recency; not to be set.
    localparam int unsigned ORDER_W = WAYS * (WAYS - 1) / 2,
    /// Bits of a count of a set's translations; not to be set.
    localparam int unsigned COUNT_W = $clog2(WAYS * SUB_ENTRIES + 1)
) (
    /// Clock.
    input  logic                    clk_i,
    /// Reset, active low, asynchronous.
    input  logic                    rst_ni,
    /// Layout of newly shared entries: mp_star_pkg::Policy*. MODE 2 has only PolicyLone, and PolicyDynamic for others. It
    /// belongs to the request, and is the same for all between which something is shared.
    input  logic [1:0]              policy_i,
    /// log2 of the stride of the stride layout in MODE 1, 0 to 2; as policy_i.
    input  logic [1:0]              stride_i,
    /// A request.
    input  logic                    req_valid_i,
    /// It is taken.
    output logic                    req_ready_o,
    /// The operation: mp_star_pkg::Op*.
    input  logic [2:0]              req_op_i,
    /// Its address space.
    input  logic [ASID_W-1:0]       req_asid_i,
    /// Its virtual page base.
    input  logic [VPB_W-1:0]        req_vpb_i,
    /// Its sub-entry index.
    input  logic [INDEX_W-1:0]      req_index_i,
    /// The frame to insert.
    input  logic [FRAME_W-1:0]      req_frame_i,
    /// The set's entries, way 0 in the lowest bits.
    input  logic [WAYS*ENTRY_W-1:0] row_i,
    /// The set's recency (mp_lru_order).
    input  logic [ORDER_W-1:0]      order_i,
    /// The way to write, one bit; 0: none.
    output logic [WAYS-1:0]         row_we_o,
    /// Its new entry.
    output logic [ENTRY_W-1:0]      entry_o,
    /// The recency is to be written.
    output logic                    order_we_o,
    /// The new recency.
    output logic [ORDER_W-1:0]      order_o,
    /// A response.
    output logic                    rsp_valid_o,
    /// It is taken.
    input  logic                    rsp_ready_i,
    /// The action: mp_star_pkg::Act*.
    output logic [3:0]              rsp_action_o,
    /// The frame, on a hit.
    output logic [FRAME_W-1:0]      rsp_frame_o,
    /// The way, on a hit and after an insertion.
    output logic [WAY_W-1:0]        rsp_way_o,
    /// The base position that was compared last: each position above 0 took one more comparison.
    output logic [1:0]              rsp_base_o,
    /// Translations that are gone.
    output logic [COUNT_W-1:0]      rsp_gone_o
);

  localparam int unsigned TAG_W = ASID_W + VPB_W;
  localparam int unsigned BASES = mp_star_pkg::bases(MODE);
  localparam int unsigned BASE_W = mp_star_pkg::base_width(TAG_W);
  localparam int unsigned VALID_AT = mp_star_pkg::valid_at(SUB_ENTRIES, FRAME_W);
  localparam int unsigned BASE_AT = mp_star_pkg::base_at(MODE, SUB_ENTRIES, FRAME_W);
  localparam int unsigned LAYOUT_AT = mp_star_pkg::layout_at(MODE, SUB_ENTRIES, TAG_W, FRAME_W);

  // The paper's table of an entry's bits (Sec. V-C): 2 + 30 for the base and 52 a sub-entry; STAR adds 50.
  if (SUB_ENTRIES == 16 && TAG_W == 30 && FRAME_W == 51) begin : gen_paper
    if (MODE == 0 && ENTRY_W != 864) $error("an entry has 864 bits");
    if (MODE == 1 && ENTRY_W != 864 + 50) $error("STAR adds 50 bits to an entry");
    if (MODE == 2 && ENTRY_W != 995) $error("four bases add 131 bits to an entry");
  end
  if (WAYS < 2 || (WAYS & (WAYS - 1)) != 0) $error("WAYS is a power of two, 2 or more");

  typedef enum logic [2:0] {
    Idle,
    Compare,
    Resolve,
    Act,
    Respond
  } state_e;

  // ---- the request ----

  state_e state_q, state_d;
  logic [2:0] op_q;
  logic [ASID_W-1:0] asid_q;
  logic [VPB_W-1:0] vpb_q;
  logic [INDEX_W-1:0] index_q;
  logic [FRAME_W-1:0] frame_q;
  logic [1:0] policy_q, stride_q;
  logic [TAG_W-1:0] tag;
  logic [3:0] index;
  logic take;

  assign req_ready_o = state_q == Idle;
  assign take = req_valid_i & req_ready_o;
  assign tag = {asid_q, vpb_q};
  assign index = 4'(index_q);

  always_ff @(posedge clk_i)
    if (take) begin
      op_q <= req_op_i;
      asid_q <= req_asid_i;
      vpb_q <= req_vpb_i;
      index_q <= req_index_i;
      frame_q <= req_frame_i;
      policy_q <= policy_i;
      stride_q <= stride_i;
    end

  // ---- contents of each way ----

  logic [1:0] base_d, base_q;           // the position compared; later the match's position
  logic [WAYS-1:0] occupied, equal, used_above, mine, may_share, may_share_four;
  logic [WAYS*7-1:0] share_key;

  // Only RESOLVE uses which ways may share; in other states this logic has constant inputs.
  logic asked;
  assign asked = state_q == Resolve;

  for (genvar w = 0; w < WAYS; w++) begin : gen_way
    localparam int unsigned AT = w * ENTRY_W;
    logic [BASES-1:0] base_valid, same_asid, above;
    logic [TAG_W-1:0] compared;
    for (genvar b = 0; b < BASES; b++) begin : gen_base
      assign base_valid[b] = row_i[AT+BASE_AT+b*BASE_W+TAG_W+1];
      assign same_asid[b] = row_i[AT+BASE_AT+b*BASE_W+VPB_W+:ASID_W] == asid_q & base_valid[b];
      if (b == 0) assign above[b] = 1'b0;
      else assign above[b] = base_valid[b] & base_q < 2'(b);
    end
    assign occupied[w] = |base_valid;
    assign mine[w] = |same_asid;
    assign used_above[w] = |above;

    if (MODE == 0) begin : gen_compared
      assign compared = row_i[AT+BASE_AT+:TAG_W];
      assign equal[w] = base_valid[0] & compared == tag;
      assign may_share[w] = 1'b0;
      assign may_share_four[w] = 1'b0;
      assign share_key[w*7+:7] = '0;
    end else begin : gen_compared
      logic [1:0] layout;
      logic [15:0] valid;
      logic [4:0] used;  // valid sub-entries
      logic few_each;    // no base has 4 of them
      assign valid = row_i[AT+VALID_AT+:16];
      always_comb begin
        compared = row_i[AT+BASE_AT+:TAG_W];
        for (int unsigned b = 1; b < BASES; b++)
          if (base_q == 2'(b)) compared = row_i[AT+BASE_AT+b*BASE_W+:TAG_W];
      end
      assign equal[w] = base_valid[base_q[$clog2(BASES)-1:0]] & compared == tag;
      assign layout = row_i[AT+LAYOUT_AT+:2];
      assign used = asked ? mp_star_pkg::popcount(valid) : '0;
      assign may_share[w] = layout == 2'b00 & used < 5'd8;
      if (MODE == 1) begin : gen_few
        assign few_each = 1'b0;
      end else begin : gen_few
        logic [3:0] few;
        always_comb begin
          few = '0;
          if (asked)
            for (int unsigned b = 0; b < BASES; b++)
              few[b] = mp_star_pkg::popcount(valid & mp_star_pkg::slots_of(row_i[AT+LAYOUT_AT+:3], 2'(b),
                                                                     2'd0)) < 5'd4;
        end
        assign few_each = row_i[AT+LAYOUT_AT+2] ? &few : &few[1:0];
      end
      assign may_share_four[w] = layout != 2'b00 & few_each & ~&base_valid;
      assign share_key[w*7+:7] = {layout != 2'b00, ~mine[w], used};
    end
  end

  // ---- which way an insertion takes ----

  logic [WAYS-1:0] vacant, oldest, shared_way, lowest_vacant;
  logic any_share;

  assign vacant = ~occupied;
  assign lowest_vacant = vacant & (~vacant + 1'b1);

  if (MODE == 0) begin : gen_choice
    assign any_share = 1'b0;
    assign shared_way = '0;
    logic unused;
    assign unused = &{1'b0, asked, share_key, may_share, may_share_four};
  end else begin : gen_choice
    mp_least #(
        .WAYS (WAYS),
        .KEY_W(7)
    ) u_choice (
        .may_i(may_share | may_share_four),
        .key_i(share_key),
        .any_o(any_share),
        .way_o(shared_way)
    );
  end

  // ---- the way acted on ----

  logic [WAYS-1:0] way_d, way_q;  // one bit
  logic matched_d, matched_q;
  logic [2:0] kind_d, kind_q;
  logic [ENTRY_W-1:0] entry;

  always_comb begin
    entry = '0;
    for (int unsigned w = 0; w < WAYS; w++) if (way_q[w]) entry = entry | row_i[w*ENTRY_W+:ENTRY_W];
  end

  logic occupied_before, four, same_index, full, replaced, inserts;
  logic [15:0] valid, stays;
  logic [FRAME_W-1:0] frame;
  /* verilator lint_off UNUSEDSIGNAL */  // only the assertions use all bits
  logic [2:0] new_layout;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [3:0] new_base_valid;

  assign inserts = kind_q != mp_star_pkg::KindInvalidate;

  mp_star_entry #(
      .MODE(MODE),
      .SUB_ENTRIES(SUB_ENTRIES),
      .ASID_W(ASID_W),
      .VPB_W(VPB_W),
      .FRAME_W(FRAME_W)
  ) u_entry (
      .entry_i         (entry),
      .op_i            (op_q),
      .tag_i           (tag),
      .index_i         (index),
      .frame_i         (frame_q),
      .policy_i        (policy_q),
      .stride_i        (stride_q),
      .base_i          (base_q),
      .kind_i          (kind_q),
      .occupied_o      (occupied_before),
      .four_o          (four),
      .valid_o         (valid),
      .same_index_o    (same_index),
      .full_o          (full),
      .frame_o         (frame),
      .entry_o,
      .new_layout_o    (new_layout),
      .new_base_valid_o(new_base_valid),
      .stays_o         (stays),
      .replaced_o      (replaced)
  );


  // ---- recency ----

  logic [ORDER_W-1:0] order_q, order_now;
  logic touches, forgets;

  assign order_now = state_q == Resolve ? order_i : order_q;
  assign forgets = state_q == Act & new_base_valid == '0;
  assign touches = (state_q == Resolve & op_q == mp_star_pkg::OpLookup & matched_q & same_index) |
                   (state_q == Act & inserts);
  assign order_we_o = touches | forgets;

  mp_lru_order #(
      .WAYS(WAYS)
  ) u_order (
      .order_i (order_now),
      .way_i   (order_we_o ? way_q : '0),
      .forget_i(forgets),
      .order_o (order_o),
      .oldest_o(oldest)
  );

  // ---- the states of a request ----

  logic [WAYS-1:0] todo;                // remaining ways of an invalidation of more than a page
  logic [WAYS-1:1] rest, todo_d, todo_q;  // without the lowest of them
  logic [3:0] action_d, action_q;
  logic [FRAME_W-1:0] rsp_frame_q;
  logic [COUNT_W-1:0] gone_d, gone_q, gone;

  // Translations that a way loses are counted in the clock after ACT, so that no count waits for the way's new entry.
  // A translation without a slot in the new layout is lost, too.
  logic [4:0] held_q, lost;  // sub-entries: valid before; of these, lost
  logic [15:0] stayed_q;     // slots of the bases that stay
  logic replaced_q;
  assign lost = held_q - mp_star_pkg::popcount(stayed_q) + 5'(replaced_q);
  assign gone = gone_q + COUNT_W'(lost);

  assign todo = state_q == Act ? {todo_q, 1'b0} : op_q == mp_star_pkg::OpInvalidateAsid ? mine : occupied;
  assign rest = todo[WAYS-1:1] & (todo[0] ? '1 : todo[WAYS-1:1] - 1'b1);

  always_comb begin
    state_d = state_q;
    base_d = base_q;
    way_d = way_q;
    matched_d = matched_q;
    kind_d = kind_q;
    todo_d = todo_q;
    action_d = action_q;
    gone_d = gone_q;
    case (state_q)
      Idle: begin
        base_d = '0;
        gone_d = '0;
        if (req_valid_i)
          state_d = req_op_i == mp_star_pkg::OpInvalidateAsid | req_op_i == mp_star_pkg::OpInvalidateAll ? Resolve :
                                                                                                     Compare;
      end
      Compare: begin
        matched_d = equal != '0;
        way_d = equal;
        if (equal != '0 || used_above == '0) state_d = Resolve;
        else base_d = base_q + 2'd1;
      end
      Resolve: begin
        state_d = Act;
        case (op_q)
          mp_star_pkg::OpLookup: begin
            state_d  = Respond;
            action_d = matched_q & same_index ? mp_star_pkg::ActHit : mp_star_pkg::ActMiss;
          end
          mp_star_pkg::OpInsert:
          if (matched_q) begin
            kind_d = !full ? mp_star_pkg::KindPut : four ? mp_star_pkg::KindRevertFour : mp_star_pkg::KindRevert;
          end else begin
            way_d = vacant != '0 ? lowest_vacant : any_share ? shared_way : oldest;
            kind_d = vacant != '0 | ~any_share ? mp_star_pkg::KindNew :
                     (shared_way & may_share) != '0 ? mp_star_pkg::KindShare : mp_star_pkg::KindShareFour;
          end
          mp_star_pkg::OpInvalidatePage: begin
            kind_d   = mp_star_pkg::KindInvalidate;
            action_d = mp_star_pkg::ActInvalidated;
            if (!(matched_q & same_index)) state_d = Respond;
          end
          default: begin
            kind_d   = mp_star_pkg::KindInvalidate;
            action_d = mp_star_pkg::ActInvalidated;
            way_d = todo & (~todo + 1'b1);
            todo_d = rest;
            if (todo == '0) state_d = Respond;
          end
        endcase
      end
      Act: begin
        gone_d = gone;
        way_d = todo & (~todo + 1'b1);
        todo_d = rest;
        if (inserts || op_q == mp_star_pkg::OpInvalidatePage || todo == '0) begin
          state_d = Respond;
          way_d = way_q;
        end
        case (kind_q)
          mp_star_pkg::KindPut: action_d = replaced ? mp_star_pkg::ActReplace : mp_star_pkg::ActUpdate;
          mp_star_pkg::KindRevert: action_d = mp_star_pkg::ActRevert;
          mp_star_pkg::KindRevertFour: action_d = mp_star_pkg::ActRevertFour;
          mp_star_pkg::KindNew: action_d = occupied_before ? mp_star_pkg::ActEvict : mp_star_pkg::ActVacant;
          mp_star_pkg::KindShare: action_d = new_layout[0] ? mp_star_pkg::ActShareSequential : mp_star_pkg::ActShareStride;
          mp_star_pkg::KindShareFour: action_d = mp_star_pkg::ActShareFour;
          default: ;
        endcase
      end
      default: if (rsp_ready_i) state_d = Idle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) state_q <= Idle;
    else state_q <= state_d;

  always_ff @(posedge clk_i) begin
    base_q <= base_d;
    way_q <= way_d;
    matched_q <= matched_d;
    kind_q <= kind_d;
    todo_q <= todo_d;
    action_q <= action_d;
    gone_q <= gone_d;
    if (state_q == Idle || state_q == Act) begin
      held_q <= state_q == Act ? mp_star_pkg::popcount(valid) : '0;
      stayed_q <= state_q == Act ? stays : '0;
      replaced_q <= state_q == Act & replaced;
    end
    if (order_we_o) order_q <= order_o;
    else if (state_q == Resolve) order_q <= order_i;
    if (state_q == Resolve) rsp_frame_q <= frame;
  end

  assign row_we_o = state_q == Act ? way_q : '0;
  assign rsp_valid_o = state_q == Respond;
  assign rsp_action_o = action_q;
  assign rsp_frame_o = rsp_frame_q;
  assign rsp_base_o = base_q;
  assign rsp_gone_o = gone;
  always_comb begin
    rsp_way_o = '0;
    for (int unsigned w = 0; w < WAYS; w++) if (way_q[w]) rsp_way_o = rsp_way_o | WAY_W'(w);
  end

`ifndef SYNTHESIS
  // ---- the protocol ----
  // verilator coverage_off

  `include "checks/mp_star_tlb_set_rules.svh"

  // More of what the ports showed.
  localparam int unsigned PAGE_LONGEST = BASES + 3;  // clocks from request to response
  localparam int unsigned SWEEP_LONGEST = WAYS + 2;
  localparam int unsigned CLOCKS_W = $clog2(PAGE_LONGEST + SWEEP_LONGEST + 1);
  localparam int unsigned OPERANDS_W = 3 + TAG_W + INDEX_W + FRAME_W + 4;
  logic [CLOCKS_W-1:0] seen_clocks_q;      // since the request was taken
  logic [OPERANDS_W-1:0] seen_operands_q;  // in the clock in which it was taken

  always_ff @(posedge clk_i)
    if (req_valid_i & req_ready_o) begin
      seen_operands_q <= {req_op_i, req_asid_i, req_vpb_i, req_index_i, req_frame_i, policy_i, stride_i};
      seen_clocks_q <= CLOCKS_W'(1);
    end else if (seen_clocks_q != '1) seen_clocks_q <= seen_clocks_q + 1'b1;

  always_ff @(posedge clk_i)
    if (rst_ni && seen_reset_q) begin
      // A request can be taken whenever none is processed; so also after a reset.
      assert (seen_busy_q || req_ready_o);
      // The response arrives in time.
      if (seen_busy_q && !rsp_valid_o)
        assert (32'(seen_clocks_q) < (seen_op_q == mp_star_pkg::OpInvalidateAsid || seen_op_q == mp_star_pkg::OpInvalidateAll ?
                                      SWEEP_LONGEST : PAGE_LONGEST));
      // A lookup that compared s base positions responds s + 2 clocks after it was taken.
      if (rsp_valid_o && !seen_held_q && seen_lookup)
        assert (32'(seen_clocks_q) == 32'(rsp_base_o) + 3);
      // The operands keep the values of the clock in which the request was taken until the response.
      if (seen_busy_q) assert ({op_q, asid_q, vpb_q, index_q, frame_q, policy_q, stride_q} == seen_operands_q);
      // The row is written before the response.
      if (rsp_valid_o) assert (row_we_o == '0 && !order_we_o);
    end
  // verilator coverage_on

`ifndef FV_PROTOCOL
  // ---- invariants of rows that this block has written ----

  always_ff @(posedge clk_i)
    if (rst_ni && seen_reset_q) begin
      // A set contains a base at most once.
      if (state_q == Compare) assert ((equal & (equal - 1'b1)) == '0);
      if (state_q == Act) begin
        assert (way_q != '0 && (way_q & (way_q - 1'b1)) == '0);
        // A vacant entry has no valid sub-entry.
        assert ((new_base_valid == '0) == (entry_o[VALID_AT+:SUB_ENTRIES] == '0));
        // An entry of one base is not shared and has it at position 0.
        assert (new_layout != mp_star_pkg::LayoutNone || new_base_valid[3:1] == '0);
        assert (new_layout == mp_star_pkg::LayoutNone || (new_base_valid & (new_base_valid - 4'd1)) != '0);
      end
    end
`endif
`endif

`ifdef FORMAL
  // A reset comes first, and request codes are valid.
  always_comb assume (!rst_ni || seen_reset_q);
  always_comb assume (!req_valid_i || req_op_i <= mp_star_pkg::OpInvalidateAll);
`endif

endmodule
