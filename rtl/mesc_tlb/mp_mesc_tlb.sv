// SPDX-License-Identifier: Apache-2.0
//
// The unified (IOMMU) TLB of MESC (Sec. IV-C): sets in memories (mp_tlb_sets), and one mp_mesc_tlb_set that processes the
// current request. Regular entries are in the set of the page's low bits, subregion entries in that of the 2 MB frame's.
// Invalidations of more than a page process all sets. With SUB_WAYS 0 it is the TLB that MESC is compared with.
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
  localparam int unsigned OPERANDS_W = 3 + ASID_W;

  logic sweeps, set_req_valid, set_req_ready, set_rsp_valid, set_rsp_ready, read, order_we;
  /* verilator lint_off UNUSEDSIGNAL */
  logic busy;  // for the checks
  /* verilator lint_on UNUSEDSIGNAL */
  logic [WAYS-1:0] row_we;
  logic [SET_W-1:0] set;
  logic [2:0] set_op;
  logic [ASID_W-1:0] set_asid;
  logic [ENTRY_W-1:0] entry;
  logic [WAYS*ENTRY_W-1:0] row;
  logic [ORDER_W-1:0] order, new_order;

  assign sweeps = req_op_i == mp_mesc_tlb_pkg::OpInvalidateAsid | req_op_i == mp_mesc_tlb_pkg::OpInvalidateAll;

  /* verilator lint_off PINCONNECTEMPTY */
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
      .operands_i     ({req_op_i, req_asid_i}),
      .rsp_valid_o,
      .rsp_ready_i,
      .done_o         (),
      .busy_o         (busy),
      .set_req_valid_o(set_req_valid),
      .set_req_ready_i(set_req_ready),
      .operands_o     ({set_op, set_asid}),
      .sweep_o        (),
      .set_rsp_valid_i(set_rsp_valid),
      .set_rsp_ready_o(set_rsp_ready),
      .read_i         (read),
      .set_i          (set),
      .set_o          (),
      .row_o          (row),
      .order_o        (order),
      .row_we_i       (row_we),
      .entry_i        (entry),
      .order_we_i     (order_we),
      .order_i        (new_order)
  );
  /* verilator lint_on PINCONNECTEMPTY */

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
      .req_op_i   (set_op),
      .req_asid_i (set_asid),
      .req_vpn_i,
      .req_pfn_i,
      .req_read_only_i,
      .req_first_i,
      .req_last_i,
      .set_o      (set),
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

`ifndef SYNTHESIS
  // ---- the protocol ----
  // verilator coverage_off

  `include "checks/mp_mesc_tlb_rules.svh"

  // The sets process each request.
  always_ff @(posedge clk_i) if (rst_ni && seen_reset_q) assert (busy == seen_busy_q);
  // verilator coverage_on
`endif

`ifdef FORMAL
  // A reset comes first, and request codes are valid.
  always_comb assume (!rst_ni || seen_reset_q);
  always_comb assume (!req_valid_i || req_op_i <= mp_mesc_tlb_pkg::OpInvalidateAll);
`endif

endmodule
