// SPDX-License-Identifier: Apache-2.0
//
// The rules of mp_l1_tlb's ports, to be bound to a block that replaces it:
//   bind mine mp_l1_tlb_checks u_checks (.*);
module mp_l1_tlb_checks #(
    /// As in mp_l1_tlb.
    parameter int unsigned FRAME_W = 36,
    /// As in mp_l1_tlb; not to be set.
    localparam int unsigned PAGE_W = mp_neidty_pkg::PageW
) (
    /// The ports of mp_l1_tlb.
    /* verilator lint_off UNUSEDSIGNAL */
    /* verilator lint_off SYNCASYNCNET */  // the checks look at the reset, too
    input  logic               clk_i,
    input  logic               rst_ni,
    input  logic               empty_i,
    input  logic               lookup_i,
    input  logic [PAGE_W-1:0]  lookup_page_i,
    input  logic               hit_o,
    input  logic [FRAME_W-1:0] frame_o,
    input  logic               insert_i,
    input  logic               drop_i,
    input  logic [PAGE_W-1:0]  page_i,
    input  logic [FRAME_W-1:0] frame_i,
    input  logic               evicted_o,
    input  logic [PAGE_W-1:0]  evicted_page_o
    /* verilator lint_on SYNCASYNCNET */
    /* verilator lint_on UNUSEDSIGNAL */
);

`include "checks/mp_l1_tlb_rules.svh"

  // In a simulator with four states: what the ports say of known pages is known.
  always_ff @(posedge clk_i)
    if (rst_ni && seen_reset_q) begin
      assert ($isunknown(lookup_page_i) || (!$isunknown(hit_o) && !(hit_o && $isunknown(frame_o))));
      assert ($isunknown({insert_i, empty_i, page_i}) ||
              (!$isunknown(evicted_o) && !(evicted_o && $isunknown(evicted_page_o))));
    end

endmodule
