// SPDX-License-Identifier: Apache-2.0
//
// A block in place of mp_uvm_tree that breaks a rule of its ports: +fault=N breaks the Nth of checks/ (checks.sh), 0 none.
module mine #(
    parameter int unsigned BIGS = 32,
    parameter int unsigned BIG = 16,
    localparam int unsigned BIG_W = $clog2(BIG),
    localparam int unsigned PAGE_W = $clog2(BIG * BIGS)
) (
    input  logic              clk_i,
    input  logic              rst_ni,
    input  logic              req_valid_i,
    output logic              req_ready_o,
    input  logic [1:0]        req_op_i,
    input  logic [PAGE_W-1:0] req_page_i,
    input  logic [BIG_W-1:0]  req_first_i,
    input  logic [6:0]        req_threshold_i,
    input  logic [BIG-1:0]    req_marks_i,
    input  logic              req_grow_i,
    output logic              rsp_valid_o,
    input  logic              rsp_ready_i,
    output logic [PAGE_W-1:0] rsp_first_o,
    output logic [PAGE_W:0]   rsp_count_o
);

  int unsigned fault;
  initial if ($value$plusargs("fault=%d", fault) == 0) fault = 0;

  logic req_ready, rsp_valid;
  logic [PAGE_W-1:0] first;
  logic [PAGE_W:0] count;
  mp_uvm_tree #(.BIGS(BIGS), .BIG(BIG)) u_block (
      .req_ready_o(req_ready),
      .rsp_valid_o(rsp_valid),
      .rsp_first_o(first),
      .rsp_count_o(count),
      .rsp_ready_i(rsp_ready_i & fault != 8),
      .*
  );

  // What a rule is about: a request in progress, a response that waits, the block.
  logic busy_q, held_q;
  logic [PAGE_W-1:0] last_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      {busy_q, held_q} <= '0;
      last_q <= '0;
    end else begin
      if (req_valid_i & req_ready) busy_q <= 1'b1;
      else if (rsp_valid & rsp_ready_i) busy_q <= 1'b0;
      held_q <= rsp_valid & ~rsp_ready_i;
      if (req_valid_i & req_ready & req_op_i == mp_uvm_tree_pkg::OpBegin) last_q <= req_page_i;
    end

  assign req_ready_o = req_ready | (fault == 1 & busy_q);
  assign rsp_valid_o = (rsp_valid & ~(fault == 3 & held_q) & fault != 8) | (fault == 2 & ~busy_q);
  // A region without its page; one page too long at the end of the block; less than a node; one of nothing.
  logic [PAGE_W:0] above;
  assign above = {1'b0, first} + count;
  assign rsp_first_o = first;
  always_comb begin
    rsp_count_o = count;
    if (fault == 4 && count == 1) rsp_count_o = '0;
    if (fault == 5 && count != '0 && above == {1'b0, last_q} + 1'b1) rsp_count_o = count + 1'b1;
    if (fault == 6 && count > 2 && above <= {1'b0, last_q}) rsp_count_o = count + 1'b1;
    if (fault == 7 && count == '0) rsp_count_o = 1;
  end

endmodule

bind mine mp_uvm_tree_checks #(.BIGS(BIGS), .BIG(BIG), .LONGEST(40)) u_checks (.*);

module bench;
  logic clk_i = 1'b0, rst_ni = 1'b0, req_valid_i, req_ready_o, req_grow_i, rsp_valid_o, rsp_ready_i;
  logic [1:0] req_op_i;
  logic [3:0] req_page_i, rsp_first_o;
  logic [1:0] req_first_i;
  logic [6:0] req_threshold_i;
  logic [3:0] req_marks_i;
  logic [4:0] rsp_count_o;
  mine #(.BIGS(4), .BIG(4)) u_mine (.*);

  always #1 clk_i = ~clk_i;
  always @(negedge clk_i) begin
    req_valid_i = $urandom_range(1) == 0;
    req_op_i = $urandom_range(5) == 0 ? 2'd0 : 2'(1 + $urandom_range(2));
    req_page_i = 4'($urandom());
    req_first_i = 2'($urandom());
    req_threshold_i = 7'($urandom_range(100));
    req_marks_i = 4'($urandom());
    req_grow_i = $urandom_range(1) == 0;
    rsp_ready_i = $urandom_range(1) == 0;
  end
  initial begin
    #6 rst_ni = 1'b1;
    #20000 $finish;
  end
endmodule
