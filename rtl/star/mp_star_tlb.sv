// SPDX-License-Identifier: Apache-2.0
//
// A STAR TLB: sets in a memory, and one mp_star_tlb_set that processes the set of the current request. A page number is
// {virtual page base, set, sub-entry index}. Invalidations of more than a page process all sets. After a reset no
// request is taken until every set has been emptied, which takes SETS cycles.
//
// Rows of entries and the sets' recency are in two separate memories, so the entries' macro has the number of bits
// that the paper counts.
module mp_star_tlb #(
    /// 0: one base to an entry (baseline), 1: up to two (STAR), 2: up to four.
    parameter int unsigned MODE = 1,
    /// Sets, a power of two, 2 or more.
    parameter int unsigned SETS = 128,
    /// Ways of a set, a power of two, 2 or more.
    parameter int unsigned WAYS = 8,
    /// Sub-entries of an entry: 2, 4, 8 or 16; 16 where bases share.
    parameter int unsigned SUB_ENTRIES = 16,
    /// Bits of an address space's number.
    parameter int unsigned ASID_W = 8,
    /// Bits of a virtual page base, without the set's.
    parameter int unsigned VPB_W = 22,
    /// Bits of a frame: physical page number and attributes.
    parameter int unsigned FRAME_W = 51,
    /// Bits of a set's number; not to be set.
    localparam int unsigned SET_W = $clog2(SETS),
    /// Bits of a sub-entry index; not to be set.
    localparam int unsigned INDEX_W = $clog2(SUB_ENTRIES),
    /// Bits of a page number; not to be set.
    localparam int unsigned VPN_W = VPB_W + SET_W + INDEX_W,
    /// Bits of a way's number; not to be set.
    localparam int unsigned WAY_W = $clog2(WAYS),
    /// Bits of a count of translations; not to be set.
    localparam int unsigned COUNT_W = $clog2(SETS * WAYS * SUB_ENTRIES + 1)
) (
    /// Clock.
    input  logic               clk_i,
    /// Reset, active low, asynchronous.
    input  logic               rst_ni,
    /// Layout of newly shared entries in MODE 1: mp_star_pkg::Policy*. It belongs to the request, and is the same for all
    /// between which something is shared.
    input  logic [1:0]         policy_i,
    /// log2 of the stride of the stride layout in MODE 1, 0 to 2; as policy_i.
    input  logic [1:0]         stride_i,
    /// A request.
    input  logic               req_valid_i,
    /// It is taken.
    output logic               req_ready_o,
    /// The operation: mp_star_pkg::Op*.
    input  logic [2:0]         req_op_i,
    /// Its address space.
    input  logic [ASID_W-1:0]  req_asid_i,
    /// Its virtual page number.
    input  logic [VPN_W-1:0]   req_vpn_i,
    /// The frame to insert.
    input  logic [FRAME_W-1:0] req_frame_i,
    /// A response.
    output logic               rsp_valid_o,
    /// It is taken.
    input  logic               rsp_ready_i,
    /// The action: mp_star_pkg::Act*.
    output logic [3:0]         rsp_action_o,
    /// The frame, on a hit.
    output logic [FRAME_W-1:0] rsp_frame_o,
    /// The way, on a hit and after an insertion.
    output logic [WAY_W-1:0]   rsp_way_o,
    /// The base position that was compared last: each position above 0 took one more comparison.
    output logic [1:0]         rsp_base_o,
    /// Translations that are gone.
    output logic [COUNT_W-1:0] rsp_gone_o
);

  localparam int unsigned ENTRY_W = mp_star_pkg::entry_width(MODE, SUB_ENTRIES, ASID_W + VPB_W, FRAME_W);
  localparam int unsigned ORDER_W = WAYS * (WAYS - 1) / 2;
  localparam int unsigned SET_COUNT_W = $clog2(WAYS * SUB_ENTRIES + 1);

  if (SETS < 2 || (SETS & (SETS - 1)) != 0) $error("SETS is a power of two, 2 or more");

  typedef enum logic [1:0] {
    Clear,  // after a reset: set_q counts
    Page,   // requests that concern one set go through
    Sweep,  // set by set: set_q is the next or the present one
    Done    // of a sweep: until the response was taken
  } state_e;

  state_e state_q, state_d;
  logic [SET_W-1:0] set_q, set_d;
  logic [COUNT_W-1:0] gone_q, gone_d;
  logic last_set, sweeps;

  logic set_req_valid, set_req_ready, set_rsp_valid, set_rsp_ready, order_we;
  logic [WAYS-1:0] row_we;
  logic [SET_COUNT_W-1:0] set_gone;
  logic [2:0] sweep_op_q;
  logic [ASID_W-1:0] sweep_asid_q;
  logic [1:0] sweep_stride_q;
  logic [ENTRY_W-1:0] entry;
  logic [WAYS*ENTRY_W-1:0] row;
  logic [ORDER_W-1:0] order, new_order;

  assign last_set = set_q == SET_W'(SETS - 1);
  assign sweeps = req_op_i == mp_star_pkg::OpInvalidateAsid | req_op_i == mp_star_pkg::OpInvalidateAll;

  always_comb begin
    state_d = state_q;
    set_d = set_q;
    gone_d = gone_q;
    case (state_q)
      Clear: begin
        set_d = set_q + 1'b1;
        if (last_set) state_d = Page;
      end
      Page:
      if (req_valid_i && req_ready_o) begin
        set_d  = sweeps ? '0 : req_vpn_i[INDEX_W+:SET_W];
        gone_d = '0;
        if (sweeps) state_d = Sweep;
      end
      Sweep:
      if (set_rsp_valid) begin
        set_d  = set_q + 1'b1;
        gone_d = gone_q + COUNT_W'(set_gone);
        if (last_set) state_d = Done;
      end
      default: if (rsp_ready_i) state_d = Page;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      state_q <= Clear;
      set_q   <= '0;
    end else begin
      state_q <= state_d;
      set_q   <= set_d;
    end

  always_ff @(posedge clk_i) begin
    gone_q <= gone_d;
    if (state_q == Page) begin
      sweep_op_q   <= req_op_i;
      sweep_asid_q <= req_asid_i;
      sweep_stride_q <= stride_i;
    end
  end

  // ---- the set being processed ----

  assign req_ready_o = state_q == Page & set_req_ready;
  assign set_req_valid = state_q == Sweep | (state_q == Page & req_valid_i & ~sweeps);
  assign set_rsp_ready = state_q == Sweep | rsp_ready_i;

  mp_star_tlb_set #(
      .MODE(MODE),
      .WAYS(WAYS),
      .SUB_ENTRIES(SUB_ENTRIES),
      .ASID_W(ASID_W),
      .VPB_W(VPB_W),
      .FRAME_W(FRAME_W)
  ) u_set (
      .clk_i,
      .rst_ni,
      .policy_i,
      .stride_i    (state_q == Sweep ? sweep_stride_q : stride_i),
      .req_valid_i (set_req_valid),
      .req_ready_o (set_req_ready),
      .req_op_i    (state_q == Sweep ? sweep_op_q : req_op_i),
      .req_asid_i  (state_q == Sweep ? sweep_asid_q : req_asid_i),
      .req_vpb_i   (req_vpn_i[INDEX_W+SET_W+:VPB_W]),
      .req_index_i (req_vpn_i[0+:INDEX_W]),
      .req_frame_i,
      .row_i       (row),
      .order_i     (order),
      .row_we_o    (row_we),
      .entry_o     (entry),
      .order_we_o  (order_we),
      .order_o     (new_order),
      .rsp_valid_o (set_rsp_valid),
      .rsp_ready_i (set_rsp_ready),
      .rsp_action_o,
      .rsp_frame_o,
      .rsp_way_o,
      .rsp_base_o,
      .rsp_gone_o  (set_gone)
  );

  assign rsp_valid_o = state_q == Done | (state_q == Page & set_rsp_valid);
  assign rsp_gone_o = state_q == Done ? gone_q : COUNT_W'(set_gone);

  // ---- the memories ----

  logic reads, clears, entries_en, order_en;
  logic [WAYS-1:0] entries_we;
  logic [SET_W-1:0] addr;
  assign clears = state_q == Clear;
  assign reads = set_req_valid & set_req_ready;
  assign addr = reads & state_q == Page ? req_vpn_i[INDEX_W+:SET_W] : set_q;
  assign entries_we = clears ? '1 : row_we;
  assign entries_en = reads | entries_we != '0;
  assign order_en = reads | clears | order_we;

  mp_sram #(
      .DEPTH(SETS),
      .LANES(WAYS),
      .WIDTH(ENTRY_W)
  ) u_entries (
      .clk_i,
      .en_i   (entries_en),
      .addr_i (addr),
      .we_i   (entries_we),
      .wdata_i(clears ? '0 : entry),
      .rdata_o(row)
  );

  mp_sram #(
      .DEPTH(SETS),
      .LANES(1),
      .WIDTH(ORDER_W)
  ) u_order (
      .clk_i,
      .en_i   (order_en),
      .addr_i (addr),
      .we_i   (clears | order_we),
      .wdata_i(clears ? '1 : new_order),
      .rdata_o(order)
  );

`ifndef SYNTHESIS
  // ---- the protocol ----
  // verilator coverage_off

  `include "checks/mp_star_tlb_rules.svh"

  // More of what the ports showed, and the work on the sets.
  localparam int unsigned PAGE_LONGEST = mp_star_pkg::bases(MODE) + 3;  // clocks from request to response
  localparam int unsigned SWEEP_LONGEST = WAYS + 3;                  // clocks for a set; one more for the response
  localparam int unsigned CLOCKS_W = $clog2(PAGE_LONGEST + SWEEP_LONGEST + 1);
  logic [SET_W:0] seen_cleared_q;      // sets that should be empty
  logic [CLOCKS_W-1:0] seen_clocks_q;  // since the request was taken, or the sweep was done with a set
  logic [2:0] seen_op_q;               // in the clock in which it was taken
  logic [ASID_W-1:0] seen_asid_q;
  logic [SET_W:0] seen_set_q;          // at work; a sweep: sets that it has done
  logic seen_clear, seen_sweep;

  assign seen_clear = seen_cleared_q != (SET_W + 1)'(SETS);
  assign seen_sweep = seen_op_q == mp_star_pkg::OpInvalidateAsid | seen_op_q == mp_star_pkg::OpInvalidateAll;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) seen_cleared_q <= '0;
    else if (seen_clear) seen_cleared_q <= seen_cleared_q + 1'b1;

  always_ff @(posedge clk_i)
    if (req_valid_i & req_ready_o) begin
      seen_op_q <= req_op_i;
      seen_asid_q <= req_asid_i;
      seen_set_q <= sweeps ? '0 : {1'b0, req_vpn_i[INDEX_W+:SET_W]};
      seen_clocks_q <= CLOCKS_W'(1);
    end else if (seen_sweep & set_rsp_valid & set_rsp_ready) begin
      seen_set_q <= seen_set_q + 1'b1;
      seen_clocks_q <= CLOCKS_W'(1);
    end else if (seen_clocks_q != '1) seen_clocks_q <= seen_clocks_q + 1'b1;

  always_ff @(posedge clk_i)
    if (rst_ni && seen_reset_q) begin
      // After a reset every set is emptied once, from set 0 on.
      assert (clears == seen_clear);
      if (seen_clear) assert (addr == seen_cleared_q[SET_W-1:0] && entries_en && entries_we == '1 && order_en);
      // A request can be taken as soon as all sets have been emptied and none is processed.
      assert (seen_busy_q || req_ready_o == !seen_clear);
      // The response arrives in time.
      if (seen_busy_q && !rsp_valid_o)
        assert (32'(seen_clocks_q) < (seen_sweep ? SWEEP_LONGEST + 1 : PAGE_LONGEST));
      // The response of a sweep comes after all sets.
      if (rsp_valid_o && seen_sweep) assert (seen_set_q == (SET_W + 1)'(SETS));
      // A sweep sends its own operands to each set.
      if (seen_busy_q && seen_sweep) assert ({sweep_op_q, sweep_asid_q} == {seen_op_q, seen_asid_q});
      // A set is written only for a request, before its response.
      if (!seen_clear && (!seen_busy_q || rsp_valid_o)) assert (entries_we == '0 && !order_we);
      // Only the request's set is read and written.
      if (req_valid_i && req_ready_o && !sweeps)
        assert (entries_en && order_en && addr == req_vpn_i[INDEX_W+:SET_W]);
      if (seen_busy_q && !rsp_valid_o) assert ({1'b0, addr} == seen_set_q);
      // Except between two sets of a sweep, mp_star_tlb_set processes the current request, or none.
      if (!seen_busy_q || !seen_sweep || rsp_valid_o) assert (set_req_ready == !(seen_busy_q && !seen_sweep));
    end
  // verilator coverage_on
`endif

`ifdef FORMAL
  // A reset comes first, and request codes are valid.
  always_comb assume (!rst_ni || seen_reset_q);
  always_comb assume (!req_valid_i || req_op_i <= mp_star_pkg::OpInvalidateAll);
`endif

endmodule
