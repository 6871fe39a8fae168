// SPDX-License-Identifier: Apache-2.0
//
// What the array of an L1 TLB promises, for proofs about mp_l1_tlb.sv, which includes this file.
//
// The proofs follow two arbitrary pages, A and B: whether each is there and with which frame, and which of them was used
// last. They know only the ports.

  (* anyconst *) logic [PAGE_W-1:0] fv_a, fv_b;

  // A reset comes first. A clock invalidates a page or inserts one.
  always_comb assume (!rst_ni || seen_reset_q);
  always_comb assume (!(insert_i && drop_i));
  always_comb assume (fv_a != fv_b);

  // ---- what the ports have shown ----

  logic fv_a_in_q, fv_b_in_q, fv_a_last_q;  // A is there; B is; A was used after B
  logic [FRAME_W-1:0] fv_a_frame_q;
  logic fv_a_in, fv_b_in, fv_a_used, fv_b_used;

  assign fv_a_in = insert_i & page_i == fv_a ? 1'b1 :
                   (drop_i & page_i == fv_a) | (evicted_o & evicted_page_o == fv_a) ? 1'b0 : fv_a_in_q;
  assign fv_b_in = insert_i & page_i == fv_b ? 1'b1 :
                   (drop_i & page_i == fv_b) | (evicted_o & evicted_page_o == fv_b) ? 1'b0 : fv_b_in_q;
  // The change of a clock comes first, then the use by its lookup.
  assign fv_a_used = lookup_i & lookup_page_i == fv_a & fv_a_in_q & fv_a_in;
  assign fv_b_used = lookup_i & lookup_page_i == fv_b & fv_b_in_q & fv_b_in;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      fv_a_in_q <= 1'b0;
      fv_b_in_q <= 1'b0;
    end else begin
      fv_a_in_q <= fv_a_in & ~empty_i;
      fv_b_in_q <= fv_b_in & ~empty_i;
    end

  always_ff @(posedge clk_i) begin
    if (insert_i & page_i == fv_a) fv_a_frame_q <= frame_i;
    fv_a_last_q <= fv_a_used ? 1'b1 : fv_b_used ? 1'b0 :
                   insert_i & page_i == fv_a ? 1'b1 : insert_i & page_i == fv_b ? 1'b0 : fv_a_last_q;
  end

  // ---- the entries ----

  // Whether entry i was used after entry j.
  function automatic logic fv_after(input int unsigned i, input int unsigned j);
    fv_after = i < j ? order_q[i*(2*ENTRIES-i-1)/2+j-i-1] : ~order_q[j*(2*ENTRIES-j-1)/2+i-j-1];
  endfunction

  localparam int unsigned FvEntries = ENTRIES <= 8 ? ENTRIES : 0;  // yosys elaborates the usual size first, which takes long
  logic [ENTRIES-1:0] fv_is_a, fv_is_b;

  for (genvar i = 0; i < FvEntries; i++) begin : gen_fv
    assign fv_is_a[i] = valid_q[i] & page_q[i*PAGE_W+:PAGE_W] == fv_a;
    assign fv_is_b[i] = valid_q[i] & page_q[i*PAGE_W+:PAGE_W] == fv_b;
    // An entry holds the frame that was inserted last.
    always_ff @(posedge clk_i)
      if (rst_ni && seen_reset_q && fv_is_a[i]) assert (frame_q[i*FRAME_W+:FRAME_W] == fv_a_frame_q);
    for (genvar j = 0; j < ENTRIES; j++) begin : gen_fv_pair
      if (i != j) begin : gen_other
        always_ff @(posedge clk_i)
          if (rst_ni && seen_reset_q) begin
            // No page is in two entries.
            assert (!(valid_q[i] && valid_q[j] && page_q[i*PAGE_W+:PAGE_W] == page_q[j*PAGE_W+:PAGE_W]));
            // An entry that is free is older than one that is not.
            assert (!(valid_q[i] && !valid_q[j]) || fv_after(i, j));
            // The order of two pages is that of their last uses.
            assert (!(fv_is_a[i] && fv_is_b[j]) || fv_after(i, j) == fv_a_last_q);
          end
        for (genvar k = 0; k < ENTRIES; k++) begin : gen_fv_triple
          if (k != i && k != j) begin : gen_third
            // The order is one.
            always_ff @(posedge clk_i)
              if (rst_ni && seen_reset_q) assert (!(fv_after(i, j) && fv_after(j, k)) || fv_after(i, k) == 1'b1);
          end
        end
      end
    end
  end

  always_ff @(posedge clk_i)
    if (rst_ni && seen_reset_q) begin
      // A page that was inserted stays until it is invalidated or evicted; no other is there.
      assert ((fv_is_a != '0) == fv_a_in_q && (fv_is_b != '0) == fv_b_in_q);
      // A lookup answers so.
      if (lookup_page_i == fv_a) assert (hit_o == fv_a_in_q && (!hit_o || frame_o == fv_a_frame_q));
      // An insertion evicts exactly if the page is not there and no entry is free: a page that is there, and none that was
      // used after another.
      if (insert_i && !empty_i && page_i == fv_a) assert (evicted_o == (!fv_a_in_q && valid_q == '1));
      if (evicted_o && evicted_page_o == fv_a) assert (fv_a_in_q && !(fv_b_in_q && fv_a_last_q));
    end
