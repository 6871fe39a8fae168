// SPDX-License-Identifier: Apache-2.0
//
// What MESC's scan promises, for proofs about mp_mesc_scan.sv, which includes this file: with an arbitrary table that does
// not change during a scan, and a memory that answers whenever it wants.

  localparam int unsigned FV_N = PAGES * SUBREGIONS;

  (* anyconst *) logic [FV_N*64-1:0] fv_leaves;  // in the order of the pages

  always_comb assume (!rst_ni || seen_reset_q);
  // A read of a leaf is answered with that leaf.
  always_comb if (state_q == Leaf && answer) assume (rsp_data_i == fv_leaves[{region_q, page_q}*64+:64]);

  // ---- Algorithm 1, of the whole table ----

  logic [FV_N-1:0] fv_follows;        // the page continues the one before it, wherever that is
  logic [SUBREGIONS-1:0] fv_good;     // contiguous subregions
  logic [SUBREGIONS-1:0] fv_chained;  // this one and all before it are, and each continues the one before it

  for (genvar p = 0; p < FV_N; p++) begin : gen_fv_follows
    if (p == 0) begin : gen_fv_none
      assign fv_follows[p] = 1'b0;
    end else begin : gen_fv_before
      assign fv_follows[p] = fv_leaves[p*64+:64] ==
          {fv_leaves[(p-1)*64+12+:52] + 1'b1, fv_leaves[(p-1)*64+:12]};
    end
  end
  for (genvar r = 0; r < SUBREGIONS; r++) begin : gen_fv_good
    assign fv_good[r] = fv_leaves[r*PAGES*64] & &fv_follows[r*PAGES+1+:PAGES-1];
    if (r == 0) begin : gen_fv_first
      assign fv_chained[r] = fv_good[r];
    end else begin : gen_fv_rest
      assign fv_chained[r] = fv_good[r] & fv_chained[r-1] & fv_follows[r*PAGES];
    end
  end

  // ---- how far the scan is ----

  logic [PageW+RegionW-1:0] fv_at;
  logic [SUBREGIONS-1:0] fv_ended;  // subregions that it has left
  logic fv_part;                    // the pages of this subregion that it has read are contiguous

  assign fv_at    = {region_q, page_q};
  assign fv_ended = (SUBREGIONS'(1) << region_q) - 1'b1;

  always_comb begin
    fv_part = page_q == '0 | fv_leaves[{region_q, PageW'(0)}*64];
    for (int unsigned p = 1; p < FV_N; p++)
      if ((PageW+RegionW)'(p) < fv_at && (PageW+RegionW)'(p) > {region_q, PageW'(0)}) fv_part = fv_part & fv_follows[p];
  end

  // It goes on: in each clock in which it does not wait, the next of these numbers is larger.
  logic fv_waits;
  logic [3+RegionW+PageW:0] fv_rank, fv_next;
  assign fv_waits = (mem_valid_o & ~mem_ready_i) | (sent_q & ~rsp_valid_i) | (done_valid_o & ~done_ready_i);
  assign fv_rank = {state_q, region_q, page_q, sent_q};
  assign fv_next = {state_d, state_q == Leaf & answer ? {region_d, page_d} : fv_at, sent_d};

  always_ff @(posedge clk_i)
    if (rst_ni && seen_reset_q) begin
      // A scan goes on unless it waits for the memory or for its end to be taken, so it ends.
      assert (state_q == Idle || fv_waits || state_d == Idle || fv_next > fv_rank);
      // Only a read is in flight, and only while the scan waits for it.
      assert (!sent_q || state_q == Table || state_q == Leaf);
      // States are those of the list.
      assert (state_q == Idle || state_q == Table || state_q == Leaf || state_q == Update || state_q == Done);
      // What the ports showed is what the registers hold: those of the rules agree with those of the scan.
      assert (seen_busy_q == (state_q != Idle) && seen_flight_q == sent_q);
      assert (state_q == Idle || (seen_start_q == at_q && seen_read_q == (state_q != Table) &&
                                  (state_q == Table || state_q == Done || seen_entry_q == entry_q)));
      assert (state_q == Idle || state_q == Done || !seen_wrote_q && (state_q != Table || !changed_q));
      // Before the leaves are read no bit is set.
      assert (state_q != Table || (bits_q == '0 && !whole_q && fv_at == '0));
      // The leaves are those of a table.
      assert ((state_q != Leaf && state_q != Update) || entry_q[0]);
      if (state_q == Leaf) begin
        // Subregions that were left have their bits.
        assert (bits_q == (fv_good & fv_ended));
        // All pages read of the present subregion are contiguous.
        assert (fv_part);
        // The frame may be whole as long as all that was read is in order.
        assert (whole_q == ((fv_chained & fv_ended) == fv_ended &&
                            (page_q == '0 || region_q == '0 || fv_follows[{region_q, PageW'(0)}])));
        // The next leaf is compared with what follows the last one that was in order.
        assert (page_q == '0 && !(whole_q && region_q != '0) ||
                next_q == {fv_leaves[(fv_at-1'b1)*64+12+:52] + 1'b1, fv_leaves[(fv_at-1'b1)*64+:12]});
      end
      if (state_q == Update || state_q == Done && entry_q[0]) begin
        // A bit is set if and only if the subregion is contiguous, and AC if and only if the frame is.
        assert (bits_q == fv_good && whole_q == fv_chained[SUBREGIONS-1]);
      end
      // Without a table there are no bits, and nothing is written.
      assert (state_q != Done || entry_q[0] || (done_bits_o == '0 && !done_changed_o));
    end
