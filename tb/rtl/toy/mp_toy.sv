// SPDX-License-Identifier: Apache-2.0
//
// A list of free entries, as a file of MSHRs needs one. In each clock an entry is taken, given back, or both. The answers
// are those of the registers: an entry that is given back can be taken from the next clock on. An entry that is free stays
// free if it is given back, unless it is taken in the same clock.
module mp_toy #(
    /// Entries, 2 to 64.
    parameter int unsigned ENTRIES = 8,
    /// Bits of an entry's number, and of a number of entries; not to be set.
    localparam int unsigned ENTRY_W = $clog2(ENTRIES),
    localparam int unsigned COUNT_W = $clog2(ENTRIES + 1)
) (
    /// Clock.
    input  logic               clk_i,
    /// Reset, active low, asynchronous: all entries are free.
    input  logic               rst_ni,
    /// Takes the free entry with the lowest number; if none is free, nothing happens.
    input  logic               take_i,
    /// That entry, without take_i, too; 0 if none is free.
    output logic [ENTRY_W-1:0] entry_o,
    /// Gives an entry back; if there is no entry of this number, nothing happens.
    input  logic               give_i,
    input  logic [ENTRY_W-1:0] given_i,
    /// The number of taken entries; all are, or none is.
    output logic [COUNT_W-1:0] used_o,
    output logic               full_o,
    output logic               empty_o
);

  if (ENTRIES < 2 || ENTRIES > mp_toy_pkg::MostEntries) $error("ENTRIES is 2 to 64");

  logic [ENTRIES-1:0] busy_q, lowest, taken, freed;
  logic [COUNT_W-1:0] used_q;

  // The lowest bit that is 0 is where the carry of an increment ends.
  assign lowest = ~busy_q & (busy_q + 1'b1);
  assign taken = take_i ? lowest : '0;

  always_comb begin
    entry_o = '0;
    for (int unsigned i = 0; i < ENTRIES; i++) begin
      entry_o = entry_o | ({ENTRY_W{lowest[i]}} & ENTRY_W'(i));
      freed[i] = give_i & busy_q[i] & given_i == ENTRY_W'(i);
    end
  end

  assign used_o = used_q;
  assign full_o = used_q == COUNT_W'(ENTRIES);
  assign empty_o = used_q == '0;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      busy_q <= '0;
      used_q <= '0;
    end else begin
      busy_q <= (busy_q | taken) & ~freed;
      used_q <= used_q + COUNT_W'(|taken) - COUNT_W'(|freed);
    end

`ifndef SYNTHESIS
  // verilator coverage_off

  `include "checks/mp_toy_rules.svh"

  always_ff @(posedge clk_i)
    if (rst_ni && seen_reset_q) begin
      // The count is 0 and ENTRIES exactly if no entry and every entry is taken.
      assert (empty_o == (busy_q == '0) && full_o == (busy_q == '1));
    end

  // verilator coverage_on
`endif

`ifdef FORMAL
  `include "formal/toy.svh"
`endif

endmodule
