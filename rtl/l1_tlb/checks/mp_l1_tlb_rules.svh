// SPDX-License-Identifier: Apache-2.0
//
// The rules of mp_l1_tlb's ports. mp_l1_tlb.sv and mp_l1_tlb_checks.sv include them.

  // What the ports showed in the last clock, since the first reset: registers may hold anything before it.
  logic seen_reset_q = 1'b0, seen_clock_q, seen_inserted_q, seen_dropped_q, seen_evicted_q, seen_emptied_q;
  logic [PAGE_W-1:0] seen_page_q, seen_evicted_page_q;
  logic [FRAME_W-1:0] seen_frame_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      seen_reset_q <= 1'b1;
      seen_clock_q <= 1'b0;
    end else begin
      seen_clock_q <= seen_reset_q;
    end
  always_ff @(posedge clk_i) begin
    seen_inserted_q     <= insert_i & ~empty_i;
    seen_dropped_q      <= drop_i;
    seen_evicted_q      <= evicted_o;
    seen_emptied_q      <= empty_i;
    seen_page_q         <= page_i;
    seen_frame_q        <= frame_i;
    seen_evicted_page_q <= evicted_page_o;
  end

  always_ff @(posedge clk_i)
    if (rst_ni && seen_reset_q) begin
      // Only an insertion evicts.
      assert (!evicted_o || (insert_i && !empty_i));
      // The page that is inserted is not evicted.
      assert (!evicted_o || evicted_page_o != page_i);
    end

  always_ff @(posedge clk_i)
    if (rst_ni && seen_reset_q && seen_clock_q) begin
      // A page that was inserted is there, with its frame.
      if (seen_inserted_q && lookup_page_i == seen_page_q) assert (hit_o && frame_o == seen_frame_q);
      // A page that was invalidated or evicted is not.
      if (seen_dropped_q && lookup_page_i == seen_page_q) assert (!hit_o);
      if (seen_evicted_q && lookup_page_i == seen_evicted_page_q) assert (hit_o == 1'b0);
      // None is there after all were invalidated.
      if (seen_emptied_q) assert (!(hit_o | evicted_o));
    end
