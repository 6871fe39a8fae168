// SPDX-License-Identifier: Apache-2.0
//
// The rules of mp_toy's ports. mp_toy.sv and mp_toy_checks.sv include them.

  // What the ports showed in the last clock, since the first reset: registers may hold anything before it.
  logic seen_reset_q = 1'b0, seen_clock_q, seen_took_q, seen_gave_q;
  logic [ENTRY_W-1:0] seen_entry_q, seen_given_q;
  logic [COUNT_W-1:0] seen_used_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      seen_reset_q <= 1'b1;
      seen_clock_q <= 1'b0;
    end else begin
      seen_clock_q <= seen_reset_q;
    end
  always_ff @(posedge clk_i) begin
    seen_took_q  <= take_i & ~full_o;
    seen_entry_q <= entry_o;
    // An entry that is taken in the same clock is not given back.
    seen_gave_q  <= give_i & COUNT_W'(given_i) < COUNT_W'(ENTRIES) & ~(take_i & ~full_o & given_i == entry_o);
    seen_given_q <= given_i;
    seen_used_q  <= used_o;
  end

  always_ff @(posedge clk_i)
    if (rst_ni && seen_reset_q) begin
      // The list is full or empty exactly if the number says so.
      assert (full_o == (used_o == COUNT_W'(ENTRIES)) && empty_o == (used_o == '0));
      // There is an entry of each number.
      assert (COUNT_W'(entry_o) < COUNT_W'(ENTRIES) && (full_o || used_o < COUNT_W'(ENTRIES)));
    end

  always_ff @(posedge clk_i)
    if (rst_ni && seen_reset_q && seen_clock_q) begin
      // An entry that was taken is not free.
      if (seen_took_q) assert (full_o || entry_o != seen_entry_q);
      // One that was given back is: no higher one is taken before it.
      if (seen_gave_q) assert (!full_o && entry_o <= seen_given_q);
      // Only an entry that is taken or given back changes the number.
      if (!seen_took_q && !seen_gave_q) assert (used_o == seen_used_q);
      if (seen_took_q && !seen_gave_q) assert (used_o - 1'b1 == seen_used_q);
    end
