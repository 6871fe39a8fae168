// SPDX-License-Identifier: Apache-2.0
//
// The rules of mp_mesc_scan's ports, to be bound to a block that replaces it:
//   bind mine mp_mesc_scan_checks u_checks (.*);
module mp_mesc_scan_checks #(
    /// Clocks of a scan in which it waits neither for the memory nor for its end to be taken, at most.
    parameter int unsigned LONGEST = 100000
) (
    /// The ports of mp_mesc_scan.
    /* verilator lint_off UNUSEDSIGNAL */
    /* verilator lint_off SYNCASYNCNET */  // the checks look at the reset, too
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        start_valid_i,
    input  logic        start_ready_o,
    input  logic [47:3] start_at_i,
    input  logic        mem_valid_o,
    input  logic        mem_ready_i,
    input  logic        mem_write_o,
    input  logic [47:3] mem_at_o,
    input  logic [63:0] mem_data_o,
    input  logic        rsp_valid_i,
    input  logic [63:0] rsp_data_i,
    input  logic        done_valid_o,
    input  logic        done_ready_i,
    input  logic [8:0]  done_bits_o,
    input  logic        done_changed_o
    /* verilator lint_on SYNCASYNCNET */
    /* verilator lint_on UNUSEDSIGNAL */
);

`include "checks/mp_mesc_scan_rules.svh"

  logic [31:0] seen_clocks_q;

  always_ff @(posedge clk_i)
    if (!seen_busy_q) seen_clocks_q <= '0;
    else if (!(mem_valid_o | seen_flight_q | done_valid_o)) seen_clocks_q <= seen_clocks_q + 1'b1;

  always_ff @(posedge clk_i)
    if (rst_ni && seen_reset_q) begin
      // A scan ends.
      assert (!seen_busy_q || seen_clocks_q < LONGEST);
      // In a simulator with four states: what the ports say is known.
      assert (!$isunknown({start_ready_o, mem_valid_o, done_valid_o}));
      assert (!mem_valid_o || !$isunknown({mem_write_o, mem_at_o}));
      assert (!done_valid_o || !$isunknown({done_bits_o, done_changed_o}));
    end

endmodule
