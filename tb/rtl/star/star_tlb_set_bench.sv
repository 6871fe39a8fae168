// SPDX-License-Identifier: Apache-2.0
//
// A block in place of mp_star_tlb_set that breaks a rule of its ports: +fault=N breaks the Nth of checks/
// (checks.sh), 0 none.
module mine #(
    parameter int unsigned MODE = 1,
    parameter int unsigned WAYS = 8,
    parameter int unsigned SUB_ENTRIES = 16,
    parameter int unsigned ASID_W = 8,
    parameter int unsigned VPB_W = 22,
    parameter int unsigned FRAME_W = 51,
    localparam int unsigned INDEX_W = $clog2(SUB_ENTRIES),
    localparam int unsigned WAY_W = $clog2(WAYS),
    localparam int unsigned ENTRY_W = mp_star_pkg::entry_width(MODE, SUB_ENTRIES, ASID_W + VPB_W, FRAME_W),
    localparam int unsigned ORDER_W = WAYS * (WAYS - 1) / 2,
    localparam int unsigned COUNT_W = $clog2(WAYS * SUB_ENTRIES + 1)
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  logic [1:0]              policy_i,
    input  logic [1:0]              stride_i,
    input  logic                    req_valid_i,
    output logic                    req_ready_o,
    input  logic [2:0]              req_op_i,
    input  logic [ASID_W-1:0]       req_asid_i,
    input  logic [VPB_W-1:0]        req_vpb_i,
    input  logic [INDEX_W-1:0]      req_index_i,
    input  logic [FRAME_W-1:0]      req_frame_i,
    input  logic [WAYS*ENTRY_W-1:0] row_i,
    input  logic [ORDER_W-1:0]      order_i,
    output logic [WAYS-1:0]         row_we_o,
    output logic [ENTRY_W-1:0]      entry_o,
    output logic                    order_we_o,
    output logic [ORDER_W-1:0]      order_o,
    output logic                    rsp_valid_o,
    input  logic                    rsp_ready_i,
    output logic [3:0]              rsp_action_o,
    output logic [FRAME_W-1:0]      rsp_frame_o,
    output logic [WAY_W-1:0]        rsp_way_o,
    output logic [1:0]              rsp_base_o,
    output logic [COUNT_W-1:0]      rsp_gone_o
);

  int unsigned fault;
  initial if ($value$plusargs("fault=%d", fault) == 0) fault = 0;

  logic req_ready, rsp_valid;
  logic [COUNT_W-1:0] gone;
  logic [WAYS-1:0] row_we;
  localparam int unsigned LATE = 6;
  mp_star_tlb_set #(
      .MODE(MODE), .WAYS(WAYS), .SUB_ENTRIES(SUB_ENTRIES), .ASID_W(ASID_W), .VPB_W(VPB_W), .FRAME_W(FRAME_W)
  ) u_block (
      .req_ready_o(req_ready),
      .rsp_valid_o(rsp_valid),
      .rsp_ready_i(rsp_ready_i & fault != LATE),
      .rsp_gone_o(gone),
      .row_we_o(row_we),
      .*
  );

  logic busy_q, held_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) {busy_q, held_q} <= '0;
    else begin
      busy_q <= (req_valid_i & req_ready) | (busy_q & ~(rsp_valid & rsp_ready_i));
      held_q <= rsp_valid & ~rsp_ready_i;
    end

  assign req_ready_o = req_ready | (fault == 1 & busy_q);
  assign rsp_valid_o = (rsp_valid & fault != LATE) | (fault == 2 & ~busy_q);
  assign rsp_gone_o = gone ^ COUNT_W'(fault == 3 & held_q);

  logic lookup_q;
  always_ff @(posedge clk_i) if (req_valid_i & req_ready) lookup_q <= req_op_i == mp_star_pkg::OpLookup;
  assign row_we_o = row_we | WAYS'((fault == 4 & ~busy_q) | (fault == 5 & busy_q & lookup_q));

endmodule

bind mine mp_star_tlb_set_checks #(.LONGEST(100), .MODE(MODE), .WAYS(WAYS)) u_checks (.*);

module bench;
  localparam int unsigned ENTRY_W = mp_star_pkg::entry_width(1, 16, 30, 51);
  logic clk_i = 1'b0, rst_ni = 1'b0, req_valid_i, req_ready_o, rsp_valid_o, rsp_ready_i, order_we_o;
  logic [1:0] policy_i = mp_star_pkg::PolicySequential, stride_i = 2'd0, rsp_base_o, row_we_o;
  logic [2:0] req_op_i;
  logic [7:0] req_asid_i;
  logic [21:0] req_vpb_i;
  logic [3:0] req_index_i, rsp_action_o;
  logic [50:0] req_frame_i, rsp_frame_o;
  logic [2*ENTRY_W-1:0] row_i = '0;
  logic [ENTRY_W-1:0] entry_o;
  logic [0:0] order_i = '1, order_o, rsp_way_o;
  logic [5:0] rsp_gone_o;
  mine #(.WAYS(2)) u_mine (.*);

  always #1 clk_i = ~clk_i;
  always @(posedge clk_i) begin
    for (int unsigned w = 0; w < 2; w++) if (row_we_o[w]) row_i[w*ENTRY_W+:ENTRY_W] <= entry_o;
    if (order_we_o) order_i <= order_o;
  end
  always @(negedge clk_i) begin
    req_valid_i = $urandom_range(1) == 0;
    req_op_i = 3'($urandom_range(15) == 0 ? $urandom_range(4) : $urandom_range(1));
    req_asid_i = 8'($urandom_range(1));
    req_vpb_i = 22'($urandom_range(3));
    req_index_i = 4'($urandom());
    req_frame_i = 51'($urandom());
    rsp_ready_i = $urandom_range(1) == 0;
  end
  initial begin
    #6 rst_ni = 1'b1;
    #8000 $finish;
  end
endmodule
