// SPDX-License-Identifier: Apache-2.0
//
// What a list of free entries promises, for proofs about mp_toy.sv, which includes this file. They follow an arbitrary
// entry, of which they know what the ports have shown.

  (* anyconst *) logic [ENTRY_W-1:0] fv_entry;
  logic fv_busy_q;
  logic [COUNT_W-1:0] fv_count;

  // A reset comes first. There is an entry of this number.
  always_comb assume (!rst_ni || seen_reset_q);
  always_comb assume (COUNT_W'(fv_entry) < COUNT_W'(ENTRIES));

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) fv_busy_q <= 1'b0;
    else if (take_i & ~full_o & entry_o == fv_entry) fv_busy_q <= 1'b1;
    else if (give_i & given_i == fv_entry) fv_busy_q <= 1'b0;

  always_comb begin
    fv_count = '0;
    for (int unsigned i = 0; i < ENTRIES; i++) fv_count = fv_count + COUNT_W'(busy_q[i]);
  end

  always_ff @(posedge clk_i)
    if (rst_ni && seen_reset_q) begin
      // The number is that of the taken entries.
      assert (used_o == fv_count);
      // An entry is taken from then on until it is given back.
      assert (busy_q[fv_entry] == fv_busy_q);
      // The list is full only if it is taken, and empty only if it is free.
      assert (!(full_o && !fv_busy_q) && !(empty_o && fv_busy_q));
      // What is shown is free, and no lower entry is.
      if (!full_o) assert (fv_entry == entry_o ? !fv_busy_q : fv_busy_q || fv_entry > entry_o);
    end
