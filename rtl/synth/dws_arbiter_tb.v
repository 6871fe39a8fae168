// SPDX-License-Identifier: Apache-2.0
//
// Runs RTL and netlist of mp_dws_arbiter, 16 walkers and 2 tenants, on the same random walks: first DWS, then DWS++. Only
// busy walkers complete. Compares every output before every clock edge, except bits that the RTL does not determine
// before the first event.
`timescale 1ns / 10ps
module tb;
  localparam CLOCKS = 20000;

  reg clk, rst_n, plus, own_valid, enq_valid, enq_tenant, done_valid, head_tenant;
  reg [3:0] own_walker, done_walker;
  reg [1:0] own_tenant;
  reg [15:0] busy;
  integer seed, clock, known;

  wire [31:0] is, should;
  wire [1:0] action = should[3:2];
  wire [3:0] walker = should[7:4];

  rtl u_rtl (
      .clk_i(clk), .rst_ni(rst_n), .plus_i(plus), .epoch_i(8'd50), .diff_thres_i({8'd6, 8'd5, 8'd4, 8'd3, 8'd2}),
      .queue_thres_i(4'd8), .own_valid_i(own_valid), .own_walker_i(own_walker), .own_tenant_i(own_tenant),
      .enq_valid_i(enq_valid), .enq_tenant_i(enq_tenant), .done_valid_i(done_valid), .done_walker_i(done_walker),
      .head_tenant_i(head_tenant), .own_ready_o(should[0]), .rsp_valid_o(should[1]), .rsp_action_o(should[3:2]),
      .rsp_walker_o(should[7:4]), .room_o(should[9:8]), .push_o(should[10]), .pop_o(should[11]),
      .queue_o(should[15:12]), .used_o(should[19:16]), .enq_ready_o(should[20]), .done_ready_o(should[21])
  );
  netlist u_netlist (
      .clk_i(clk), .rst_ni(rst_n), .plus_i(plus), .epoch_i(8'd50), .diff_thres_i({8'd6, 8'd5, 8'd4, 8'd3, 8'd2}),
      .queue_thres_i(4'd8), .own_valid_i(own_valid), .own_walker_i(own_walker), .own_tenant_i(own_tenant),
      .enq_valid_i(enq_valid), .enq_tenant_i(enq_tenant), .done_valid_i(done_valid), .done_walker_i(done_walker),
      .head_tenant_i(head_tenant), .own_ready_o(is[0]), .rsp_valid_o(is[1]), .rsp_action_o(is[3:2]),
      .rsp_walker_o(is[7:4]), .room_o(is[9:8]), .push_o(is[10]), .pop_o(is[11]),
      .queue_o(is[15:12]), .used_o(is[19:16]), .enq_ready_o(is[20]), .done_ready_o(is[21])
  );
  assign is[31:22] = 0;
  assign should[31:22] = 0;

  always #50 clk = ~clk;

  initial begin
    seed = 1;
    known = 0;
    clk = 0;
    for (clock = 0; clock < CLOCKS; clock = clock + 1) begin
      @(negedge clk);
      if (clock % (CLOCKS / 2) < 2) begin
        rst_n = 0;
        plus = clock >= CLOCKS / 2;
        busy = 0;
        {own_valid, enq_valid, enq_tenant, done_valid, head_tenant, own_walker, done_walker, own_tenant} = 0;
      end else begin
        rst_n = 1;
        enq_valid = $random(seed);
        enq_tenant = ($random(seed) & 7) == 0 ^ clock[9];
        done_walker = $random(seed);
        done_valid = busy[done_walker] & ($random(seed) & 1);
        own_valid = ($random(seed) & 255) == 0;
        own_walker = $random(seed);
        own_tenant = $random(seed) & 1;
        head_tenant = $random(seed);
      end
      #40;
      if (|(is ^ should) === 1'b1) begin
        $display("clock %0d: the netlist differs: %b instead of %b", clock, is, should);
        $finish;
      end
      if (^{is, should} !== 1'bx) known = known + 1;
      // A walker that starts a walk is busy (RspStart), a walker without a walk is idle (RspIdle).
      if (rst_n & should[1]) busy[walker] = action == 2'd2 ? 1'b1 : action == 2'd3 ? 1'b0 : busy[walker];
    end
    $display("RESULT netlist_clocks %0d", known);
    $finish;
  end
endmodule
