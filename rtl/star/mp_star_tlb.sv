// SPDX-License-Identifier: Apache-2.0
//
// A STAR TLB: sets in memories (mp_tlb_sets), and one mp_star_tlb_set that processes the set of the current request. A page
// number is {virtual page base, set, sub-entry index}. Invalidations of more than a page process all sets.
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
    /// Layout of newly shared entries: mp_star_pkg::Policy*. MODE 2 has only PolicyLone, and PolicyDynamic for others. It
    /// belongs to the request, and is the same for all between which something is shared.
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
  localparam int unsigned OPERANDS_W = 3 + ASID_W + 2;

  logic sweeps, sweep, done, set_req_valid, set_req_ready, set_rsp_valid, set_rsp_ready, reads, order_we;
  /* verilator lint_off UNUSEDSIGNAL */
  logic busy;  // for the checks
  /* verilator lint_on UNUSEDSIGNAL */
  logic [WAYS-1:0] row_we;
  logic [SET_W-1:0] set, held_set;
  logic [SET_COUNT_W-1:0] set_gone;
  logic [COUNT_W-1:0] gone_q, gone_d;
  logic [2:0] set_op;
  logic [ASID_W-1:0] set_asid;
  logic [1:0] set_stride;
  logic [ENTRY_W-1:0] entry;
  logic [WAYS*ENTRY_W-1:0] row;
  logic [ORDER_W-1:0] order, new_order;

  assign sweeps = req_op_i == mp_star_pkg::OpInvalidateAsid | req_op_i == mp_star_pkg::OpInvalidateAll;

  // The set of a request is read in the clock in which the request is taken, and written later.
  assign reads = set_req_valid & set_req_ready;
  assign set = reads ? req_vpn_i[INDEX_W+:SET_W] : held_set;

  mp_tlb_sets #(
      .SETS(SETS),
      .WAYS(WAYS),
      .ENTRY_W(ENTRY_W),
      .OPERANDS_W(OPERANDS_W)
  ) u_sets (
      .clk_i,
      .rst_ni,
      .req_valid_i,
      .req_ready_o,
      .sweeps_i       (sweeps),
      .operands_i     ({req_op_i, req_asid_i, stride_i}),
      .rsp_valid_o,
      .rsp_ready_i,
      .done_o         (done),
      .busy_o         (busy),
      .set_req_valid_o(set_req_valid),
      .set_req_ready_i(set_req_ready),
      .operands_o     ({set_op, set_asid, set_stride}),
      .sweep_o        (sweep),
      .set_rsp_valid_i(set_rsp_valid),
      .set_rsp_ready_o(set_rsp_ready),
      .read_i         (reads),
      .set_i          (set),
      .set_o          (held_set),
      .row_o          (row),
      .order_o        (order),
      .row_we_i       (row_we),
      .entry_i        (entry),
      .order_we_i     (order_we),
      .order_i        (new_order)
  );

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
      .stride_i    (set_stride),
      .req_valid_i (set_req_valid),
      .req_ready_o (set_req_ready),
      .req_op_i    (set_op),
      .req_asid_i  (set_asid),
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

  // ---- translations that a sweep has invalidated ----

  always_comb begin
    gone_d = gone_q;
    if (req_valid_i & req_ready_o) gone_d = '0;
    else if (sweep & set_rsp_valid) gone_d = gone_q + COUNT_W'(set_gone);
  end

  always_ff @(posedge clk_i) gone_q <= gone_d;

  assign rsp_gone_o = done ? gone_q : COUNT_W'(set_gone);

`ifndef SYNTHESIS
  // ---- the protocol ----
  // verilator coverage_off

  `include "checks/mp_star_tlb_rules.svh"

  // More of what the ports showed.
  localparam int unsigned PAGE_LONGEST = mp_star_pkg::bases(MODE) + 3;  // clocks from request to response
  localparam int unsigned SWEEP_LONGEST = WAYS + 3;                  // clocks for a set; one more for the response
  localparam int unsigned CLOCKS_W = $clog2(PAGE_LONGEST + SWEEP_LONGEST + 1);
  logic [CLOCKS_W-1:0] seen_clocks_q;  // since the request was taken, or the sweep was done with a set
  logic seen_sweep_q;                  // the request concerns all sets
  logic [SET_W-1:0] seen_set_q;        // or this one

  always_ff @(posedge clk_i)
    if (req_valid_i & req_ready_o) begin
      seen_sweep_q <= sweeps;
      seen_set_q <= req_vpn_i[INDEX_W+:SET_W];
      seen_clocks_q <= CLOCKS_W'(1);
    end else if (seen_sweep_q & set_rsp_valid & set_rsp_ready) seen_clocks_q <= CLOCKS_W'(1);
    else if (seen_clocks_q != '1) seen_clocks_q <= seen_clocks_q + 1'b1;

  always_ff @(posedge clk_i)
    if (rst_ni && seen_reset_q) begin
      // The sets process each request, and sweep for those that concern all of them.
      assert (busy == seen_busy_q && (sweep | done) == (seen_busy_q && seen_sweep_q));
      if (sweep) assert (set_op == mp_star_pkg::OpInvalidateAsid || set_op == mp_star_pkg::OpInvalidateAll);
      // The response arrives in time.
      if (seen_busy_q && !rsp_valid_o)
        assert (32'(seen_clocks_q) < (seen_sweep_q ? SWEEP_LONGEST + 1 : PAGE_LONGEST));
      // Only the request's set is read and written.
      if (req_valid_i && req_ready_o && !sweeps) assert (reads && set == req_vpn_i[INDEX_W+:SET_W]);
      if (seen_busy_q && !seen_sweep_q && !rsp_valid_o) assert (set == seen_set_q);
    end
  // verilator coverage_on
`endif

`ifdef FORMAL
  // A reset comes first, and request codes are valid.
  always_comb assume (!rst_ni || seen_reset_q);
  always_comb assume (!req_valid_i || req_op_i <= mp_star_pkg::OpInvalidateAll);
`endif

endmodule
