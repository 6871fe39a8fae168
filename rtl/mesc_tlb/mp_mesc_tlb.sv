// SPDX-License-Identifier: Apache-2.0
//
// The unified (IOMMU) TLB of MESC (Sec. IV-C): sets in a memory, and one mp_mesc_tlb_set that processes the current request.
// Regular entries are in the set of the page's low bits, subregion entries in that of the 2 MB frame's. Invalidations of
// more than a page process all sets. After a reset no request is taken until every set has been emptied, which takes SETS
// cycles.
//
// Rows of entries and the sets' recency are in two separate memories. With SUB_WAYS 0 it is the TLB that MESC is compared
// with.
module mp_mesc_tlb #(
    /// Sets, a power of two, 2 or more.
    parameter int unsigned SETS = 32,
    /// Ways of a set, 2 or more.
    parameter int unsigned WAYS = 16,
    /// The last ways of a set, in which subregion entries may be: 0, or 2 to WAYS.
    parameter int unsigned SUB_WAYS = 8,
    /// Bits of an address space's number.
    parameter int unsigned ASID_W = 8,
    /// Bits of a virtual page number, more than those of a set's number and 9.
    parameter int unsigned VPN_W = 36,
    /// Bits of a physical page number, 9 or more.
    parameter int unsigned PFN_W = 36,
    /// Bits of a set's number; not to be set.
    localparam int unsigned SET_W = $clog2(SETS),
    /// Bits of a way's number; not to be set.
    localparam int unsigned WAY_W = $clog2(WAYS)
) (
    /// Clock.
    input  logic              clk_i,
    /// Reset, active low, asynchronous.
    input  logic              rst_ni,
    /// A request.
    input  logic              req_valid_i,
    /// It is taken.
    output logic              req_ready_o,
    /// The operation: mp_mesc_tlb_pkg::Op*.
    input  logic [2:0]        req_op_i,
    /// Its address space.
    input  logic [ASID_W-1:0] req_asid_i,
    /// Its virtual page number.
    input  logic [VPN_W-1:0]  req_vpn_i,
    /// The page's frame, to insert.
    input  logic [PFN_W-1:0]  req_pfn_i,
    /// Its permission: the page is not to be written.
    input  logic              req_read_only_i,
    /// The subregions to insert, of those of the 2 MB frame: the first and the last. The page's is one of them.
    input  logic [2:0]        req_first_i,
    input  logic [2:0]        req_last_i,
    /// A response.
    output logic              rsp_valid_o,
    /// It is taken.
    input  logic              rsp_ready_i,
    /// The action: mp_mesc_tlb_pkg::Act*.
    output logic [2:0]        rsp_action_o,
    /// The page's frame and permission, on a hit.
    output logic [PFN_W-1:0]  rsp_pfn_o,
    output logic              rsp_read_only_o,
    /// The way, on a hit and after an insertion.
    output logic [WAY_W-1:0]  rsp_way_o
);

  localparam int unsigned ENTRY_W = mp_mesc_tlb_pkg::entry_width(SUB_WAYS, ASID_W, VPN_W - SET_W, PFN_W);
  localparam int unsigned ORDER_W = WAYS * (WAYS - 1) / 2;

  if (SETS < 2 || (SETS & (SETS - 1)) != 0) $error("SETS is a power of two, 2 or more");

  typedef enum logic [1:0] {
    Clear,  // after a reset: set_q counts
    Page,   // requests that concern a page go through
    Sweep,  // set by set: set_q is the next or the present one
    Done    // of a sweep: until the response was taken
  } state_e;

  state_e state_q, state_d;
  logic [SET_W-1:0] set_q, set_d;
  logic last_set, sweeps;

  logic set_req_valid, set_req_ready, set_rsp_valid, set_rsp_ready, read, order_we;
  logic [WAYS-1:0] row_we;
  logic [SET_W-1:0] page_set;
  logic [2:0] sweep_op_q;
  logic [ASID_W-1:0] sweep_asid_q;
  logic [ENTRY_W-1:0] entry;
  logic [WAYS*ENTRY_W-1:0] row;
  logic [ORDER_W-1:0] order, new_order;

  assign last_set = set_q == SET_W'(SETS - 1);
  assign sweeps = req_op_i == mp_mesc_tlb_pkg::OpInvalidateAsid | req_op_i == mp_mesc_tlb_pkg::OpInvalidateAll;

  always_comb begin
    state_d = state_q;
    set_d = set_q;
    case (state_q)
      Clear: begin
        set_d = set_q + 1'b1;
        if (last_set) state_d = Page;
      end
      Page:
      if (req_valid_i && req_ready_o && sweeps) begin
        set_d   = '0;
        state_d = Sweep;
      end
      Sweep:
      if (set_rsp_valid) begin
        set_d = set_q + 1'b1;
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

  always_ff @(posedge clk_i)
    if (state_q == Page) begin
      sweep_op_q   <= req_op_i;
      sweep_asid_q <= req_asid_i;
    end

  // ---- the set being processed ----

  assign req_ready_o   = state_q == Page & set_req_ready;
  assign set_req_valid = state_q == Sweep | (state_q == Page & req_valid_i & ~sweeps);
  assign set_rsp_ready = state_q == Sweep | rsp_ready_i;

  mp_mesc_tlb_set #(
      .WAYS(WAYS),
      .SUB_WAYS(SUB_WAYS),
      .SET_W(SET_W),
      .ASID_W(ASID_W),
      .VPN_W(VPN_W),
      .PFN_W(PFN_W)
  ) u_set (
      .clk_i,
      .rst_ni,
      .req_valid_i(set_req_valid),
      .req_ready_o(set_req_ready),
      .req_op_i   (state_q == Sweep ? sweep_op_q : req_op_i),
      .req_asid_i (state_q == Sweep ? sweep_asid_q : req_asid_i),
      .req_vpn_i,
      .req_pfn_i,
      .req_read_only_i,
      .req_first_i,
      .req_last_i,
      .set_o      (page_set),
      .read_o     (read),
      .row_i      (row),
      .order_i    (order),
      .row_we_o   (row_we),
      .entry_o    (entry),
      .order_we_o (order_we),
      .order_o    (new_order),
      .rsp_valid_o(set_rsp_valid),
      .rsp_ready_i(set_rsp_ready),
      .rsp_action_o,
      .rsp_pfn_o,
      .rsp_read_only_o,
      .rsp_way_o
  );

  assign rsp_valid_o = state_q == Done | (state_q == Page & set_rsp_valid);

  // ---- the memories ----

  logic clears, entries_en, order_en;
  logic [WAYS-1:0] entries_we;
  logic [SET_W-1:0] addr;
  assign clears = state_q == Clear;
  assign addr = state_q == Page ? page_set : set_q;
  assign entries_we = clears ? '1 : row_we;
  assign entries_en = read | entries_we != '0;
  assign order_en = read | clears | order_we;

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

  `include "checks/mp_mesc_tlb_rules.svh"

  // More of what the ports showed, and the work on the sets.
  logic [SET_W:0] seen_cleared_q;  // sets that should be empty
  logic [2:0] seen_op_q;           // in the clock in which it was taken
  logic [ASID_W-1:0] seen_asid_q;
  logic [SET_W:0] seen_swept_q;    // sets that a sweep has done
  logic seen_clear, seen_sweep;

  assign seen_clear = seen_cleared_q != (SET_W + 1)'(SETS);
  assign seen_sweep = seen_op_q == mp_mesc_tlb_pkg::OpInvalidateAsid | seen_op_q == mp_mesc_tlb_pkg::OpInvalidateAll;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) seen_cleared_q <= '0;
    else if (seen_clear) seen_cleared_q <= seen_cleared_q + 1'b1;

  always_ff @(posedge clk_i)
    if (req_valid_i & req_ready_o) begin
      seen_op_q <= req_op_i;
      seen_asid_q <= req_asid_i;
      seen_swept_q <= '0;
    end else if (seen_sweep & set_rsp_valid & set_rsp_ready) seen_swept_q <= seen_swept_q + 1'b1;

  always_ff @(posedge clk_i)
    if (rst_ni && seen_reset_q) begin
      // After a reset every set is emptied once, from set 0 on.
      assert (clears == seen_clear);
      if (seen_clear) assert (addr == seen_cleared_q[SET_W-1:0] && entries_en && entries_we == '1 && order_en);
      // A request can be taken as soon as all sets have been emptied and none is processed.
      assert (seen_busy_q || req_ready_o == !seen_clear);
      // The response of a sweep comes after all sets, and each of them is processed in turn.
      if (seen_busy_q && seen_sweep) assert (rsp_valid_o ? seen_swept_q == (SET_W + 1)'(SETS) : {1'b0, addr} == seen_swept_q);
      // A sweep sends its own operands to each set.
      if (seen_busy_q && seen_sweep) assert ({sweep_op_q, sweep_asid_q} == {seen_op_q, seen_asid_q});
      // A set is written only for a request, before its response.
      if (!seen_clear && (!seen_busy_q || rsp_valid_o)) assert (entries_we == '0 && !order_we);
      // Except between two sets of a sweep, mp_mesc_tlb_set processes the current request, or none.
      if (!seen_busy_q || !seen_sweep || rsp_valid_o) assert (set_req_ready == !(seen_busy_q && !seen_sweep));
    end
  // verilator coverage_on
`endif

`ifdef FORMAL
  // A reset comes first, and request codes are valid.
  always_comb assume (!rst_ni || seen_reset_q);
  always_comb assume (!req_valid_i || req_op_i <= mp_mesc_tlb_pkg::OpInvalidateAll);
`endif

endmodule
