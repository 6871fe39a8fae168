// SPDX-License-Identifier: Apache-2.0
//
// The rules of mp_neidty_directory's ports. mp_neidty_directory.sv and mp_neidty_directory_checks.sv include them. They compare
// pages, not tags, so they hold for tags of any size.

  // What the ports showed in the last clock, since the first reset: registers may hold anything before it.
  logic seen_reset_q = 1'b0, seen_emptied_q;
  logic seen_left_in_q, seen_left_out_q, seen_right_in_q, seen_right_out_q;  // messages
  logic [PAGE_W-1:0] seen_left_page_q, seen_left_gone_q, seen_right_page_q, seen_right_gone_q;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      seen_reset_q   <= 1'b1;
      seen_emptied_q <= 1'b1;
    end else begin
      seen_emptied_q <= empty_i;
    end
  always_ff @(posedge clk_i) begin
    seen_left_in_q    <= left_inserted_i;
    seen_left_out_q   <= left_evicted_i;
    seen_right_in_q   <= right_inserted_i;
    seen_right_out_q  <= right_evicted_i;
    seen_left_page_q  <= left_inserted_page_i;
    seen_left_gone_q  <= left_evicted_page_i;
    seen_right_page_q <= right_inserted_page_i;
    seen_right_gone_q <= right_evicted_page_i;
  end

  always_ff @(posedge clk_i)
    if (rst_ni && seen_reset_q) begin
      // At most one neighbour is asked.
      assert (!(ask_left_o & ask_right_o));
      if (seen_emptied_q) begin
        // None is asked after a reset, or after the directory was emptied.
        assert (!(ask_left_o | ask_right_o));
      end else begin
        // A neighbour that has inserted the page is asked, unless right took its entry, or left is asked.
        if (seen_left_in_q && !seen_right_in_q && lookup_page_i == seen_left_page_q) assert (ask_left_o == 1'b1);
        if (seen_right_in_q && lookup_page_i == seen_right_page_q) assert ((ask_left_o | ask_right_o) == 1'b1);
        // One that has evicted the page, and has inserted none, is not.
        if (seen_left_out_q && !seen_left_in_q && lookup_page_i == seen_left_gone_q) assert (ask_left_o == 1'b0);
        if (seen_right_out_q && !seen_right_in_q && lookup_page_i == seen_right_gone_q) assert (ask_right_o == 1'b0);
      end
    end
