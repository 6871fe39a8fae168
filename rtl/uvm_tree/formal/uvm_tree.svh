// SPDX-License-Identifier: Apache-2.0
//
// What the prefetch tree promises, for proofs about mp_uvm_tree_unit.sv, which includes this file: with any requests, blocks,
// thresholds and marks.

  localparam int unsigned FV_N = BIG * BIGS;

  always_comb assume (!rst_ni || seen_reset_q);

  // ---- what the ports have asked for ----

  logic [FV_N-1:0] fv_marks_q;     // of all pages
  logic [6:0] fv_threshold_q;
  logic [31:0] fv_clocks_q;        // since a request was taken

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      fv_marks_q <= '0;
      fv_threshold_q <= '0;
    end else if (req_valid_i & req_ready_o) begin
      for (int unsigned p = 0; p < FV_N; p++) begin
        if (req_op_i == mp_uvm_tree_pkg::OpBegin) fv_marks_q[p] <= 1'b0;
        if (req_op_i == mp_uvm_tree_pkg::OpLoad && p / BIG == 32'(req_page_i[PAGE_W-1:BIG_W]))
          fv_marks_q[p] <= req_marks_i[p%BIG];
        if (req_op_i == mp_uvm_tree_pkg::OpMark && p / BIG == 32'(req_page_i[PAGE_W-1:BIG_W]) &&
            (req_grow_i || p == 32'(req_page_i)))
          fv_marks_q[p] <= 1'b1;
      end
      if (req_op_i == mp_uvm_tree_pkg::OpBegin) fv_threshold_q <= req_threshold_i;
    end

  always_ff @(posedge clk_i)
    if (req_ready_o) fv_clocks_q <= '0;
    else fv_clocks_q <= fv_clocks_q + 1'b1;

  // ---- the memory: what was written last, and read last ----

  logic [FV_N-1:0] fv_mem_q;
  logic [BIG-1:0] fv_data_q, fv_row;  // fv_row: of the row that is counted, or gets a mark
  always_ff @(posedge clk_i)
    for (int unsigned r = 0; r < BIGS; r++)
      if (access & addr == ROW_W'(r)) begin
        if (write) fv_mem_q[r*BIG+:BIG] <= wdata;
        else fv_data_q <= fv_mem_q[r*BIG+:BIG];
      end
  always_comb begin
    fv_row = '0;
    for (int unsigned r = 0; r < BIGS; r++) if (row == ROW_W'(r)) fv_row = fv_mem_q[r*BIG+:BIG];
  end
  always_comb assume (data == fv_data_q);

  // ---- what the tree is ----

  logic [FV_N-1:0] fv_in, fv_is;  // pages that the end of the block leaves; marked ones of the block
  for (genvar p = 0; p < FV_N; p++) begin : gen_fv_page
    assign fv_in[p] = PAGE_W'(p) <= seen_last_q;
    assign fv_is[p] = fv_in[p] & fv_marks_q[p] & PAGE_W'(p) >= PAGE_W'(seen_first_q);
  end

  // Pages that a query has counted, and the steps that this took.
  logic [PAGE_W:0] fv_start;
  logic [31:0] fv_steps;
  assign fv_start = at_q == '0 ? '0 :
      at_q[PAGE_W-1:BIG_W] == '0 ? {1'b0, at_q >> 1} + 1'b1 : {1'b0, at_q} + 1'b1 - (PAGE_W + 1)'(BIG);
  assign fv_steps = $countones(at_q[BIG_W-1:0]) + 32'(at_q[PAGE_W-1:BIG_W]);

  // The sums of the pages that are counted. Of each node above the page whether it is dense; of the dense ones the pages,
  // less 1, of the largest, and of the largest that is counted.
  logic [PAGE_W:0] fv_pages, fv_marked, fv_seen_pages, fv_seen_marked;
  logic [PAGE_W:0] fv_dense;
  logic [PAGE_W-1:0] fv_best, fv_seen_best, fv_below;

  always_comb begin
    fv_seen_pages = '0;
    fv_seen_marked = '0;
    for (int unsigned p = 0; p < FV_N; p++)
      if ({1'b0, PAGE_W'(p) ^ page_q} < fv_start) begin
        fv_seen_pages = fv_seen_pages + (PAGE_W + 1)'(fv_in[p]);
        fv_seen_marked = fv_seen_marked + (PAGE_W + 1)'(fv_is[p]);
      end
    fv_best = '0;
    fv_seen_best = '0;
    for (int unsigned k = 0; k <= PAGE_W; k++) begin
      fv_below = ~({PAGE_W{1'b1}} << k);
      fv_pages = '0;
      fv_marked = '0;
      for (int unsigned p = 0; p < FV_N; p++)
        if ((PAGE_W'(p) ^ page_q) <= fv_below) begin
          fv_pages = fv_pages + (PAGE_W + 1)'(fv_in[p]);
          fv_marked = fv_marked + (PAGE_W + 1)'(fv_is[p]);
        end
      fv_dense[k] = SCORE_W'(100) * SCORE_W'(fv_marked) > SCORE_W'(fv_threshold_q) * SCORE_W'(fv_pages);
      if (fv_dense[k]) begin
        fv_best = fv_below;
        if ({1'b0, fv_below} < fv_start) fv_seen_best = fv_below;
      end
    end
  end

  logic [PAGE_W-1:0] fv_low, fv_high;  // of the largest dense node, cut at the ends of the block
  assign fv_low  = (page_q & ~fv_best) < PAGE_W'(seen_first_q) ? PAGE_W'(seen_first_q) : page_q & ~fv_best;
  assign fv_high = (page_q | fv_best) > seen_last_q ? seen_last_q : page_q | fv_best;

  always_ff @(posedge clk_i)
    if (rst_ni && seen_reset_q) begin
      // What the ports showed is what the registers hold.
      assert (seen_busy_q == (state_q != Idle) && seen_first_q == first_q && seen_last_q == last_q);
      assert (fv_threshold_q == threshold_q);
      assert (state_q == Idle || (seen_page_q == page_q && seen_query_q == query_q));
      assert (state_q == Idle || state_q == Done || query_q == (state_q == Count));
      // The rows in the memory have the marks that were asked for; others have none.
      for (int unsigned p = 0; p < FV_N; p++)
        assert ((held_q[p/BIG] & fv_mem_q[p]) == (fv_marks_q[p] & ~(state_q == Add & page_q == PAGE_W'(p))) ||
                (state_q == Add & page_q == PAGE_W'(p)));
      // The row that was read is the one that is counted, or gets a mark.
      assert ((state_q != Add && state_q != Count) || fv_data_q == fv_row);
      assert (state_q != Add || at_q == '0);
      if (state_q == Count) begin
        // Levels of the page's own row come first, then one row after the other, each in a clock.
        assert ((at_q[BIG_W-1:0] & (at_q[BIG_W-1:0] + 1'b1)) == '0 && (at_q[PAGE_W-1:BIG_W] == '0 || &at_q[BIG_W-1:0]));
        assert (fv_clocks_q == fv_steps);
        // The sum is that of the pages that are counted.
        assert (score_q == SCORE_W'(100) * SCORE_W'(fv_seen_marked) - SCORE_W'(fv_threshold_q) * SCORE_W'(fv_seen_pages));
        // The node that was found is the largest dense one of those counted.
        assert (best_q == fv_seen_best);
      end
      assert (state_q != Add || fv_clocks_q == '0);
      // A request is answered in time: a query after a clock for each level of a row and for each row.
      assert (state_q == Idle || rsp_valid_o || fv_clocks_q < BIG_W + BIGS);
      // The region is dense, and no larger node is; without a dense one it is the page.
      if (rsp_valid_o && seen_known) assert (rsp_first_o == fv_low && seen_end == {1'b0, fv_high} + 1'b1);
      // So is the register from which it comes.
      assert (state_q != Done || !query_q || best_q == fv_best);
    end
