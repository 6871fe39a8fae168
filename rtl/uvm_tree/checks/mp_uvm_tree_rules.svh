// SPDX-License-Identifier: Apache-2.0
//
// The rules of mp_uvm_tree's ports. mp_uvm_tree.sv and mp_uvm_tree_checks.sv include them.

  // What the ports showed, in separate registers of the checks, because the logic's registers may be wrong.
  logic seen_reset_q = 1'b0;  // registers may hold anything before the first reset
  logic seen_busy_q;          // a request was taken, its response was not
  logic seen_held_q;          // the response was there and was not taken
  logic seen_query_q;
  logic [PAGE_W-1:0] seen_page_q, seen_last_q;
  logic [BIG_W-1:0] seen_first_q;
  logic [2*PAGE_W:0] rsp, seen_rsp_q;

  assign rsp = {rsp_first_o, rsp_count_o};

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      seen_reset_q <= 1'b1;
      seen_busy_q  <= 1'b0;
      seen_held_q  <= 1'b0;
      seen_first_q <= '0;
      seen_last_q  <= '0;
    end else begin
      if (req_valid_i & req_ready_o) seen_busy_q <= 1'b1;
      else if (rsp_valid_o & rsp_ready_i) seen_busy_q <= 1'b0;
      seen_held_q <= rsp_valid_o & ~rsp_ready_i;
      if (req_valid_i & req_ready_o & req_op_i == mp_uvm_tree_pkg::OpBegin) begin
        seen_first_q <= req_first_i;
        seen_last_q  <= req_page_i;
      end
    end

  always_ff @(posedge clk_i) begin
    if (rsp_valid_o & ~rsp_ready_i) seen_rsp_q <= rsp;
    if (req_valid_i & req_ready_o) begin
      seen_query_q <= req_op_i == mp_uvm_tree_pkg::OpQuery;
      seen_page_q  <= req_page_i;
    end
  end

  // The region's last page, and whether it is a node of the tree, cut at the ends of the block.
  logic seen_known, seen_node;
  logic [PAGE_W:0] seen_end;
  logic [PAGE_W-1:0] seen_below, seen_low, seen_high;
  assign seen_known = seen_query_q & seen_page_q >= PAGE_W'(seen_first_q) & seen_page_q <= seen_last_q;
  assign seen_end   = {1'b0, rsp_first_o} + rsp_count_o;
  always_comb begin
    seen_node  = 1'b0;
    seen_below = '0;
    seen_low   = '0;
    seen_high  = '0;
    for (int unsigned k = 0; k <= PAGE_W; k++) begin
      seen_below = ~({PAGE_W{1'b1}} << k);
      seen_low   = seen_page_q & ~seen_below;
      seen_high  = seen_page_q | seen_below;
      if (seen_low < PAGE_W'(seen_first_q)) seen_low = PAGE_W'(seen_first_q);
      if (seen_high > seen_last_q) seen_high = seen_last_q;
      if (rsp_first_o == seen_low && seen_end == {1'b0, seen_high} + 1'b1) seen_node = 1'b1;
    end
  end

  always_ff @(posedge clk_i)
    if (rst_ni && seen_reset_q) begin
      // No request is taken while one is processed.
      assert (!(req_ready_o & seen_busy_q));
      // Each response belongs to a request that was taken.
      assert (!rsp_valid_o || seen_busy_q);
      // It is stable until it is taken.
      if (seen_held_q) assert (rsp_valid_o && rsp == seen_rsp_q);
      if (rsp_valid_o && seen_known) begin
        // The region has the page of the query.
        assert (rsp_first_o <= seen_page_q && seen_end > {1'b0, seen_page_q});
        // No page of it is outside of the block.
        assert (rsp_first_o >= PAGE_W'(seen_first_q) && seen_end <= {1'b0, seen_last_q} + 1'b1);
        // It is a node: aligned, and a power of two, but for the ends of the block.
        assert (seen_node);
      end
      // There is no region for a page outside of the block, or for another request.
      if (rsp_valid_o && !seen_known) assert (rsp == '0);
    end
