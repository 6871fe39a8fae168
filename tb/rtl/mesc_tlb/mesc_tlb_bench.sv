// SPDX-License-Identifier: Apache-2.0
//
// A block in place of mp_mesc_tlb that breaks a rule of its ports: +fault=N breaks the Nth of checks/
// (checks.sh), 0 none.
module mine #(
    parameter int unsigned SETS = 32,
    parameter int unsigned WAYS = 16,
    parameter int unsigned SUB_WAYS = 8,
    parameter int unsigned ASID_W = 8,
    parameter int unsigned VPN_W = 36,
    parameter int unsigned PFN_W = 36,
    localparam int unsigned SET_W = $clog2(SETS),
    localparam int unsigned WAY_W = $clog2(WAYS)
) (
    input  logic              clk_i,
    input  logic              rst_ni,
    input  logic              req_valid_i,
    output logic              req_ready_o,
    input  logic [2:0]        req_op_i,
    input  logic [ASID_W-1:0] req_asid_i,
    input  logic [VPN_W-1:0]  req_vpn_i,
    input  logic [PFN_W-1:0]  req_pfn_i,
    input  logic              req_read_only_i,
    input  logic [2:0]        req_first_i,
    input  logic [2:0]        req_last_i,
    output logic              rsp_valid_o,
    input  logic              rsp_ready_i,
    output logic [2:0]        rsp_action_o,
    output logic [PFN_W-1:0]  rsp_pfn_o,
    output logic              rsp_read_only_o,
    output logic [WAY_W-1:0]  rsp_way_o
);

  int unsigned fault;
  initial if ($value$plusargs("fault=%d", fault) == 0) fault = 0;

  logic req_ready, rsp_valid;
  logic [WAY_W-1:0] way;
  localparam int unsigned LATE = 4;
  mp_mesc_tlb #(.SETS(SETS), .WAYS(WAYS), .SUB_WAYS(SUB_WAYS), .ASID_W(ASID_W), .VPN_W(VPN_W), .PFN_W(PFN_W)) u_block (
      .req_ready_o(req_ready),
      .rsp_valid_o(rsp_valid),
      .rsp_ready_i(rsp_ready_i & fault != LATE),
      .rsp_way_o(way),
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
  assign rsp_way_o = way ^ WAY_W'(fault == 3 & held_q);

endmodule

bind mine mp_mesc_tlb_checks #(.LONGEST(100), .WAYS(WAYS)) u_checks (.*);

module bench;
  logic clk_i = 1'b0, rst_ni = 1'b0, req_valid_i, req_ready_o, rsp_valid_o, rsp_ready_i;
  logic req_read_only_i, rsp_read_only_o;
  logic [2:0] req_op_i, req_first_i, req_last_i, rsp_action_o;
  logic [7:0] req_asid_i;
  logic [35:0] req_vpn_i, req_pfn_i, rsp_pfn_o;
  logic [1:0] rsp_way_o;
  mine #(.SETS(4), .WAYS(4), .SUB_WAYS(2)) u_mine (.*);

  always #1 clk_i = ~clk_i;
  always @(negedge clk_i) begin
    req_valid_i = $urandom_range(1) == 0;
    req_op_i = 3'($urandom_range(15) == 0 ? $urandom_range(mp_mesc_tlb_pkg::OpInvalidateAll) : $urandom_range(1));
    req_asid_i = 8'($urandom_range(1));
    req_vpn_i = 36'($urandom_range(2047));
    req_pfn_i = req_vpn_i;
    req_read_only_i = 1'b0;
    req_first_i = req_vpn_i[8:6];
    req_last_i = req_vpn_i[8:6];
    rsp_ready_i = $urandom_range(1) == 0;
  end
  initial begin
    #6 rst_ni = 1'b1;
    #8000 $finish;
  end
endmodule
