// SPDX-License-Identifier: Apache-2.0
//
// The logic of a set as mp_tlb_sets sees it, for proofs about mp_tlb_sets.sv, which includes this file: any logic that
// processes one request at a time, answers it once, and writes its set before the response.

  logic fv_busy_q, fv_held_q;  // a request is processed; its response was there and was not taken

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      fv_busy_q <= 1'b0;
      fv_held_q <= 1'b0;
    end else begin
      if (set_req_valid_o & set_req_ready_i) fv_busy_q <= 1'b1;
      else if (set_rsp_valid_i & set_rsp_ready_o) fv_busy_q <= 1'b0;
      fv_held_q <= set_rsp_valid_i & ~set_rsp_ready_o;
    end

  always_comb begin
    // A reset comes first.
    assume (!rst_ni || seen_reset_q);
    assume (set_req_ready_i == !fv_busy_q);
    assume (fv_busy_q || !set_rsp_valid_i);
    assume (!fv_held_q || set_rsp_valid_i);
    assume ((fv_busy_q && !set_rsp_valid_i) || (row_we_i == '0 && !order_we_i));
  end

  always_ff @(posedge clk_i)
    if (rst_ni && seen_reset_q) begin
      // Nothing is processed while sets are emptied.
      assert (!clears || (!seen_busy_q && !fv_busy_q));
      // The logic is busy with a request, or with a set of a sweep.
      assert (!fv_busy_q || (seen_busy_q && !done_o));
      // A request that concerns one set is processed from the clock in which it was taken to its response.
      assert (!(seen_busy_q && !seen_sweep_q) || fv_busy_q);
      // The response is stable.
      assert (!(fv_held_q && !seen_sweep_q) || rsp_valid_o);
    end
