// SPDX-License-Identifier: Apache-2.0
//
// What a NeiDty directory promises, for proofs about mp_neidty_directory.sv, which includes this file.
//
// The proofs follow two arbitrary tags, A and B. The neighbours' arrays are counts of their pages of tag A. A neighbour
// evicts only what it holds; but a page that is invalidated leaves as an eviction by both, whether they hold it or not.

  localparam int unsigned FV_COUNT_W = 2;
  (* anyconst *) logic [TAG_W-1:0] fv_a, fv_b;
  (* anyseq *) logic fv_left_held, fv_right_held;  // the neighbour did hold the page that it evicts
  (* anyseq *) logic [FV_COUNT_W-1:0] fv_left_kept, fv_right_kept;  // pages that an invalidation of many keeps
  logic [FV_COUNT_W-1:0] fv_left_q, fv_right_q, fv_left, fv_right, fv_left_out, fv_right_out;

  assign fv_left_out = fv_left_q - FV_COUNT_W'(left_evicted_i & left_evicted_tag == fv_a & fv_left_held);
  assign fv_right_out = fv_right_q - FV_COUNT_W'(right_evicted_i & right_evicted_tag == fv_a & fv_right_held);
  assign fv_left = fv_left_out + FV_COUNT_W'(left_inserted_i & left_inserted_tag == fv_a);
  assign fv_right = fv_right_out + FV_COUNT_W'(right_inserted_i & right_inserted_tag == fv_a);

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      fv_left_q  <= '0;
      fv_right_q <= '0;
    end else begin
      fv_left_q  <= empty_i ? fv_left_kept : fv_left;
      fv_right_q <= empty_i ? fv_right_kept : fv_right;
    end

  // A reset comes first. What is evicted was there, and the counts are large enough for the pages of a tag.
  always_comb assume (!rst_ni || seen_reset_q);
  always_comb assume (!(left_evicted_i && left_evicted_tag == fv_a && fv_left_held) || fv_left_q != '0);
  always_comb assume (!(right_evicted_i && right_evicted_tag == fv_a && fv_right_held) || fv_right_q != '0);
  always_comb assume (!(left_inserted_i && left_inserted_tag == fv_a) || fv_left_out != '1);
  always_comb assume (!(right_inserted_i && right_inserted_tag == fv_a) || fv_right_out != '1);
  always_comb assume (!empty_i || (fv_left_kept <= fv_left && fv_right_kept <= fv_right));

  // ---- the entries of A and B ----

  entries_t fv_is_a, fv_is_b;
  for (genvar i = 0; i < ENTRIES; i++) begin : gen_fv
    assign fv_is_a[i] = valid[i] & tag_q[i*TAG_W+:TAG_W] == fv_a;
    assign fv_is_b[i] = valid[i] & tag_q[i*TAG_W+:TAG_W] == fv_b;
    for (genvar j = i + 1; j < ENTRIES; j++) begin : gen_fv_pair
      // No two valid entries have the same tag.
      always_ff @(posedge clk_i)
        if (rst_ni && seen_reset_q) assert (!(valid[i] && valid[j] && tag_q[i*TAG_W+:TAG_W] == tag_q[j*TAG_W+:TAG_W]));
    end
  end

  logic fv_has_left, fv_has_right;  // the bits of A's entry
  assign fv_has_left = (fv_is_a & left_q) != '0;
  assign fv_has_right = (fv_is_a & right_q) != '0;

  // Whether x is in an older entry than y; each is in one at most.
  function automatic logic fv_older(input entries_t x, input entries_t y);
    fv_older = x != '0 & y != '0 & (upward(x) & y) != '0 & (x & y) == '0;
  endfunction

  always_ff @(posedge clk_i)
    if (rst_ni && seen_reset_q) begin
      // A set bit means that the neighbour holds a page of the tag.
      if (fv_has_left) assert (fv_left_q != '0);
      if (fv_has_right) assert (fv_right_q != '0);
      // A lookup asks who the entry of its tag names.
      if (lookup_tag == fv_a) assert ({ask_left_o, ask_right_o} == {fv_has_left, fv_has_right & ~fv_has_left});
    end

  // ---- from clock to clock ----

  // What the last clock had, as long as no reset came.
  logic fv_past_q, fv_emptied_q;
  logic fv_left_in_q, fv_right_in_q, fv_left_out_q, fv_right_out_q;  // messages about A
  logic fv_other_left_q, fv_other_right_q;                           // insertions of another page
  logic fv_right_frees_q;                                            // an eviction by right
  logic fv_b_told_q;                                                 // messages about B
  entries_t fv_was_a_q, fv_was_b_q;                                  // their entries, with these bits
  logic fv_had_left_q, fv_had_right_q, fv_a_local_q, fv_b_local_q;   // local: after the own change

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) fv_past_q <= 1'b0;
    else fv_past_q <= 1'b1;

  always_ff @(posedge clk_i) begin
    fv_emptied_q <= empty_i;
    fv_left_in_q <= left_inserted_i & left_inserted_tag == fv_a;
    fv_right_in_q <= right_inserted_i & right_inserted_tag == fv_a;
    fv_left_out_q <= left_evicted_i & left_evicted_tag == fv_a;
    fv_right_out_q <= right_evicted_i & right_evicted_tag == fv_a;
    fv_right_frees_q <= right_evicted_i;
    fv_other_left_q <= left_inserted_i & left_inserted_tag != fv_a;
    fv_other_right_q <= right_inserted_i & right_inserted_tag != fv_a;
    fv_b_told_q <= (left_inserted_i & left_inserted_tag == fv_b) | (right_inserted_i & right_inserted_tag == fv_b) |
                   (left_evicted_i & left_evicted_tag == fv_b) | (right_evicted_i & right_evicted_tag == fv_b);
    fv_was_a_q <= fv_is_a;
    fv_was_b_q <= fv_is_b;
    fv_had_left_q <= fv_has_left;
    fv_had_right_q <= fv_has_right;
    fv_a_local_q <= own_inserted_i & own_inserted_tag == fv_a ? 1'b1 :
                    own_evicted_i & own_evicted_tag == fv_a ? 1'b0 : (fv_is_a & local_q) != '0;
    fv_b_local_q <= own_inserted_i & own_inserted_tag == fv_b ? 1'b1 :
                    own_evicted_i & own_evicted_tag == fv_b ? 1'b0 : (fv_is_b & local_q) != '0;
  end

  logic fv_told, fv_replaced, fv_b_stays;
  assign fv_told = fv_left_in_q | fv_right_in_q | fv_left_out_q | fv_right_out_q;
  // A had an entry, no message was about it, and it has none.
  assign fv_replaced = fv_was_a_q != '0 & fv_is_a == '0 & ~fv_told;
  // B had an entry, no message was about it, and it has one.
  assign fv_b_stays = fv_was_b_q != '0 & fv_is_b != '0 & ~fv_b_told_q;

  always_ff @(posedge clk_i)
    if (rst_ni && seen_reset_q && fv_past_q) begin
      // An invalidation of many empties the directory.
      if (fv_emptied_q) assert (valid == '0);
      if (!fv_emptied_q) begin
        // After right's insertion its page has an entry with right's bit; after left's with left's, unless right's
        // insertion has taken the entry.
        if (fv_right_in_q) assert (fv_has_right == 1'b1);
        if (fv_left_in_q && !(fv_other_right_q && fv_is_a == '0)) assert (fv_has_left == 1'b1);
        // After an eviction without an insertion the bit is not set.
        if (fv_left_out_q && !fv_left_in_q) assert (fv_has_left == 1'b0);
        if (fv_right_out_q && !fv_right_in_q) assert (fv_has_right == 1'b0);
        // Without a message the bits of an entry stay, and no entry appears.
        if (!fv_told && fv_is_a != '0)
          assert ({fv_has_left, fv_has_right} == {fv_had_left_q, fv_had_right_q});
        // The local bit of an entry that stays is that of the own change.
        if (!fv_told && fv_is_a != '0) assert (((fv_is_a & local_q) != '0) == fv_a_local_q);
        // An entry leaves without an eviction only for an insertion of another page, and only if no entry is free; then right
        // may free another one.
        if (fv_replaced) assert ((fv_other_left_q || fv_other_right_q) && (valid[ENTRIES-1] || fv_right_frees_q));
        // A local entry leaves before one that is not, and of two alike the older one.
        if (fv_replaced && fv_b_stays && fv_a != fv_b) begin
          assert (fv_a_local_q || !fv_b_local_q);
          if (fv_a_local_q == fv_b_local_q) assert (!fv_older(fv_was_b_q, fv_was_a_q));
        end
        // Entries keep their order, and a new one is the youngest.
        if (fv_b_stays && !fv_told && fv_is_a != '0) assert (fv_older(fv_is_a, fv_is_b) == fv_older(fv_was_a_q, fv_was_b_q));
        if (fv_b_stays && fv_was_a_q == '0 && fv_is_a != '0) assert (fv_older(fv_is_b, fv_is_a));
      end
    end
