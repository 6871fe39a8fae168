// SPDX-License-Identifier: Apache-2.0
//
// One arbitrary request to mp_mesc_tlb_set with any proper rows leaves the rows proper. The set keeps no state between
// requests, so this is an induction over requests: a property of empty rows that every request preserves always holds.
//
// The memory has two sets. The proof follows one arbitrary page: of each type of entry, `had` says that a mapping of it was
// inserted and not invalidated since, and `word` is the mapping inserted last. Rows are proper if
//   - only ways of the partition hold subregion entries, and no run leaves its frame;
//   - a page has at most one regular entry;
//   - every entry that covers the followed page maps it as it was inserted last, and only if it was not invalidated.
module mesc_tlb_set_proof #(
    /// As in mp_mesc_tlb_set.
    parameter int unsigned WAYS = 3,
    /// As in mp_mesc_tlb_set, not 0.
    parameter int unsigned SUB_WAYS = 2,
    /// As in mp_mesc_tlb_set.
    parameter int unsigned ASID_W = 1,
    /// As in mp_mesc_tlb_set.
    parameter int unsigned VPN_W = 11,
    /// As in mp_mesc_tlb_set.
    parameter int unsigned PFN_W = 7,
    /// Bits of an entry; not to be set.
    localparam int unsigned ENTRY_W = mp_mesc_tlb_pkg::entry_width(SUB_WAYS, ASID_W, VPN_W - 1, PFN_W),
    /// Bits of a set's recency; not to be set.
    localparam int unsigned ORDER_W = WAYS * (WAYS - 1) / 2,
    /// Bits of a set's row; not to be set.
    localparam int unsigned ROW_W = WAYS * ENTRY_W
) (
    /// Clock.
    input logic clk_i
);

  // The request is taken in clock 1. The slowest one, an invalidation in both sets, responds 6 clocks later.
  localparam int unsigned END = 8;
  localparam int unsigned TAG_W = VPN_W - 1;
  localparam int unsigned WORD_W = PFN_W + 1;
  localparam int unsigned VALID_AT = PFN_W + TAG_W + ASID_W + 1;

  logic [3:0] clock_q = '0;
  always_ff @(posedge clk_i) if (clock_q != 4'(END)) clock_q <= clock_q + 4'd1;

  (* anyconst *) logic [2*ROW_W-1:0] before;
  (* anyconst *) logic [2*ORDER_W-1:0] order;
  (* anyconst *) logic [2:0] op, first, last;
  (* anyconst *) logic [ASID_W-1:0] req_asid, asid;
  (* anyconst *) logic [VPN_W-1:0] req_vpn, vpn;
  (* anyconst *) logic [PFN_W-1:0] req_pfn;
  (* anyconst *) logic req_read_only;
  (* anyconst *) logic had_run, had_page;
  (* anyconst *) logic [WORD_W-1:0] run_word, page_word;

  // ---- the set and its memory ----

  logic [2*ROW_W-1:0] after;
  logic [2*ORDER_W-1:0] order_after;
  logic [ROW_W-1:0] row_q;
  logic [ORDER_W-1:0] order_q, new_order;
  logic [WAYS-1:0] row_we;
  logic [ENTRY_W-1:0] entry;
  logic set, read, ready, rsp_valid, rsp_read_only, order_we, written_q, evicted_q;
  logic [2:0] action;
  logic [PFN_W-1:0] rsp_pfn;
  logic [$clog2(WAYS)-1:0] rsp_way;

  mp_mesc_tlb_set #(
      .WAYS(WAYS),
      .SUB_WAYS(SUB_WAYS),
      .SET_W(1),
      .ASID_W(ASID_W),
      .VPN_W(VPN_W),
      .PFN_W(PFN_W)
  ) u_set (
      .clk_i,
      .rst_ni         (clock_q != '0),
      .req_valid_i    (clock_q == 4'd1),
      .req_ready_o    (ready),
      .req_op_i       (op),
      .req_asid_i     (req_asid),
      .req_vpn_i      (req_vpn),
      .req_pfn_i      (req_pfn),
      .req_read_only_i(req_read_only),
      .req_first_i    (first),
      .req_last_i     (last),
      .set_o          (set),
      .read_o         (read),
      .row_i          (row_q),
      .order_i        (order_q),
      .row_we_o       (row_we),
      .entry_o        (entry),
      .order_we_o     (order_we),
      .order_o        (new_order),
      .rsp_valid_o    (rsp_valid),
      .rsp_ready_i    (1'b0),
      .rsp_action_o   (action),
      .rsp_pfn_o      (rsp_pfn),
      .rsp_read_only_o(rsp_read_only),
      .rsp_way_o      (rsp_way)
  );

  // A sweep's set is any of the two.
  (* anyconst *) logic sweep_set;
  logic addr, sweeps;
  assign sweeps = op == mp_mesc_tlb_pkg::OpInvalidateAsid | op == mp_mesc_tlb_pkg::OpInvalidateAll;
  assign addr = sweeps ? sweep_set : set;

  always_ff @(posedge clk_i) begin
    if (clock_q == '0) begin
      after <= before;
      order_after <= order;
    end else begin
      if (order_we) order_after[32'(addr)*ORDER_W+:ORDER_W] <= new_order;
      for (int unsigned w = 0; w < 2 * WAYS; w++)
        if (row_we[w%WAYS] && 32'(addr) == w / WAYS) after[w*ENTRY_W+:ENTRY_W] <= entry;
    end
    if (read) begin
      row_q   <= addr ? after[ROW_W+:ROW_W] : after[0+:ROW_W];
      order_q <= addr ? order_after[ORDER_W+:ORDER_W] : order_after[0+:ORDER_W];
    end
  end

  // ---- what rows say of the followed page ----

  logic proper_before, proper_after, apart_before, apart_after, run_before, run_after, page_before, page_after;
  logic maps_before, maps_after;
  logic after_had_run, after_had_page;
  logic [WORD_W-1:0] after_run, after_page, new_word;

  mesc_tlb_set_view #(.WAYS(WAYS), .SUB_WAYS(SUB_WAYS), .ASID_W(ASID_W), .VPN_W(VPN_W), .PFN_W(PFN_W)) u_before (
      .rows_i(before), .asid_i(asid), .vpn_i(vpn), .run_word_i(run_word), .page_word_i(page_word),
      .proper_o(proper_before), .apart_o(apart_before), .run_o(run_before), .page_o(page_before), .maps_o(maps_before));
  mesc_tlb_set_view #(.WAYS(WAYS), .SUB_WAYS(SUB_WAYS), .ASID_W(ASID_W), .VPN_W(VPN_W), .PFN_W(PFN_W)) u_after (
      .rows_i(after), .asid_i(asid), .vpn_i(vpn), .run_word_i(after_run), .page_word_i(after_page),
      .proper_o(proper_after), .apart_o(apart_after), .run_o(run_after), .page_o(page_after), .maps_o(maps_after));

  logic [1:0] ordered_before, ordered_after;
  for (genvar s = 0; s < 2; s++) begin : gen_order
    mesc_tlb_set_order #(.WAYS(WAYS)) u_before (.order_i(order[s*ORDER_W+:ORDER_W]), .ordered_o(ordered_before[s]));
    mesc_tlb_set_order #(.WAYS(WAYS)) u_after (.order_i(order_after[s*ORDER_W+:ORDER_W]), .ordered_o(ordered_after[s]));
  end

  // ---- the request, as far as it concerns the page ----

  logic same_space, same_frame, same, in_run, inserts_run, inserts_page, invalidates;
  assign same_space = req_asid == asid;
  assign same_frame = req_vpn[VPN_W-1:9] == vpn[VPN_W-1:9];
  assign same = same_space & req_vpn == vpn;
  assign in_run = same_space & same_frame & vpn[8:6] >= first & vpn[8:6] <= last;
  assign inserts_run = in_run & op == mp_mesc_tlb_pkg::OpInsertSubregions;
  assign inserts_page = same & op == mp_mesc_tlb_pkg::OpInsertPage;
  // A sweep processes a set at a time; the page's entries of the other set stay.
  assign invalidates = same & op == mp_mesc_tlb_pkg::OpInvalidatePage;
  logic sweeps_it, sweeps_run, sweeps_page;
  assign sweeps_it = op == mp_mesc_tlb_pkg::OpInvalidateAll | (op == mp_mesc_tlb_pkg::OpInvalidateAsid & same_space);
  assign sweeps_run = sweeps_it & sweep_set == vpn[9];
  assign sweeps_page = sweeps_it & sweep_set == vpn[0];

  logic [PFN_W-1:0] new_pfn;
  assign new_pfn = req_pfn + vpn[8:0] - req_vpn[8:0];
  assign new_word = {req_read_only, new_pfn};
  assign after_had_run = inserts_run | (had_run & ~invalidates & ~sweeps_run);
  assign after_had_page = inserts_page | (had_page & ~invalidates & ~sweeps_page);
  assign after_run = inserts_run ? new_word : run_word;
  assign after_page = inserts_page ? {req_read_only, req_pfn} : page_word;

  always_comb begin
    assume (op <= mp_mesc_tlb_pkg::OpInvalidateAll);
    assume (first <= req_vpn[8:6] && last >= req_vpn[8:6]);
    assume (proper_before && maps_before && ordered_before == '1);
    assume (!run_before || had_run);
    assume (!page_before || had_page);
  end

  // ---- results ----

  // An insertion overlaps no run in part that continues it.
  logic fits;
  mesc_tlb_set_fits #(.WAYS(WAYS), .SUB_WAYS(SUB_WAYS), .ASID_W(ASID_W), .VPN_W(VPN_W), .PFN_W(PFN_W)) u_fits (
      .rows_i(before), .asid_i(req_asid), .vpn_i(req_vpn), .pfn_i(req_pfn), .read_only_i(req_read_only), .first_i(first),
      .last_i(last), .fits_o(fits));

  // What the request has written: a new entry, in the place of a valid one.
  logic [2*WAYS-1:0] replaces;
  for (genvar e = 0; e < 2 * WAYS; e++) begin : gen_replaces
    assign replaces[e] = row_we[e%WAYS] & (addr == (e >= WAYS)) & after[e*ENTRY_W+VALID_AT];
  end

  always_ff @(posedge clk_i) begin
    written_q <= clock_q != '0 & (written_q | (row_we != '0 & entry != '0));
    evicted_q <= clock_q != '0 & (evicted_q | (replaces != '0 & entry != '0));
  end

  always_ff @(posedge clk_i)
    if (clock_q == 4'(END)) begin
      // Every request ends.
      assert (rsp_valid);
      // Rows stay proper: each type in its ways, runs in their frame, a page in one regular entry.
      assert (proper_after);
      // Recency stays an order, so that there is an oldest way.
      assert (ordered_after == '1);
      // An entry maps the page as it was inserted last.
      assert (maps_after);
      // What was not inserted, or was invalidated, is not there.
      assert (!run_after || after_had_run);
      assert (!page_after || after_had_page);
      // What is inserted is there.
      assert (!inserts_run || run_after);
      assert (!inserts_page || page_after);
      // Runs that are the longest ones never overlap.
      assert (!(apart_before && (fits || op != mp_mesc_tlb_pkg::OpInsertSubregions)) || apart_after);
      // A lookup finds a subregion entry first, then a regular one, and returns the page's frame: that of the entry's first
      // page and the distance to it.
      if (same && op == mp_mesc_tlb_pkg::OpLookup) begin
        assert (action == (run_before ? mp_mesc_tlb_pkg::ActHitSubregions :
                           page_before ? mp_mesc_tlb_pkg::ActHitPage : mp_mesc_tlb_pkg::ActMiss));
        assert (action == mp_mesc_tlb_pkg::ActMiss ||
                {rsp_read_only, rsp_pfn} == (run_before ? run_word : page_word));
      end
      // Only insertions write entries; they say whether they evict one, or wrote none.
      assert (written_q == (action == mp_mesc_tlb_pkg::ActVacant || action == mp_mesc_tlb_pkg::ActEvict));
      assert (evicted_q == (action == mp_mesc_tlb_pkg::ActEvict));
    end

endmodule
