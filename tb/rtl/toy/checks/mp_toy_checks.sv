// SPDX-License-Identifier: Apache-2.0
//
// The rules of mp_toy's ports, to be bound to a block that replaces it:
//   bind mine mp_toy_checks u_checks (.*);
module mp_toy_checks #(
    /// As in mp_toy.
    parameter int unsigned ENTRIES = 8,
    /// As in mp_toy; not to be set.
    localparam int unsigned ENTRY_W = $clog2(ENTRIES),
    localparam int unsigned COUNT_W = $clog2(ENTRIES + 1)
) (
    /// The ports of mp_toy.
    /* verilator lint_off SYNCASYNCNET */  // the checks look at the reset, too
    input logic               clk_i,
    input logic               rst_ni,
    input logic               take_i,
    input logic [ENTRY_W-1:0] entry_o,
    input logic               give_i,
    input logic [ENTRY_W-1:0] given_i,
    input logic [COUNT_W-1:0] used_o,
    input logic               full_o,
    input logic               empty_o
    /* verilator lint_on SYNCASYNCNET */
);

`include "checks/mp_toy_rules.svh"

  // In a simulator with four states: what the ports say is known.
  always_ff @(posedge clk_i)
    if (rst_ni && seen_reset_q) assert (!$isunknown({entry_o, used_o, full_o, empty_o}));

endmodule
