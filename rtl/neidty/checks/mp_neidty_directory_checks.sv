// SPDX-License-Identifier: Apache-2.0
//
// The rules of mp_neidty_directory's ports, to be bound to a block that replaces it:
//   bind mine mp_neidty_directory_checks u_checks (.*);
module mp_neidty_directory_checks #(
    /// As in mp_neidty_directory; not to be set.
    localparam int unsigned PAGE_W = mp_neidty_pkg::PageW
) (
    /// The ports of mp_neidty_directory.
    /* verilator lint_off UNUSEDSIGNAL */
    /* verilator lint_off SYNCASYNCNET */  // the checks look at the reset, too
    input  logic              clk_i,
    input  logic              rst_ni,
    input  logic              empty_i,
    input  logic [PAGE_W-1:0] lookup_page_i,
    input  logic              ask_left_o,
    input  logic              ask_right_o,
    input  logic              own_evicted_i,
    input  logic [PAGE_W-1:0] own_evicted_page_i,
    input  logic              own_inserted_i,
    input  logic [PAGE_W-1:0] own_inserted_page_i,
    input  logic              left_evicted_i,
    input  logic [PAGE_W-1:0] left_evicted_page_i,
    input  logic              left_inserted_i,
    input  logic [PAGE_W-1:0] left_inserted_page_i,
    input  logic              left_local_i,
    input  logic              right_evicted_i,
    input  logic [PAGE_W-1:0] right_evicted_page_i,
    input  logic              right_inserted_i,
    input  logic [PAGE_W-1:0] right_inserted_page_i,
    input  logic              right_local_i
    /* verilator lint_on SYNCASYNCNET */
    /* verilator lint_on UNUSEDSIGNAL */
);

`include "checks/mp_neidty_directory_rules.svh"

  // In a simulator with four states: the answer is known if the page is.
  always_ff @(posedge clk_i)
    if (rst_ni && seen_reset_q) assert ($isunknown(lookup_page_i) || !$isunknown({ask_left_o, ask_right_o}));

endmodule
