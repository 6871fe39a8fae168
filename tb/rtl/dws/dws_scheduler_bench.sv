// SPDX-License-Identifier: Apache-2.0
//
// A block in place of mp_dws_scheduler that breaks a rule of its ports: +fault=N breaks the Nth of checks/
// (checks.sh), 0 none.
module mine #(
    /// Bits of a walk's number.
    parameter int unsigned ID_W = 8,
`include "mp_dws_parameters.svh"
) (
`include "mp_dws_ports.svh"
    /// The number of the walk that arrives.
    input  logic [ID_W-1:0]     enq_id_i,
    /// The walk that starts, waits, or finds no room; undefined if the walker is idle.
    output logic [ID_W-1:0]     rsp_id_o,
    /// Its tenant.
    output logic [TENANT_W-1:0] rsp_tenant_o
);

  int unsigned fault;
  initial if ($value$plusargs("fault=%d", fault) == 0) fault = 0;

  logic own_ready, enq_ready, done_ready, rsp_valid;
  logic [1:0] action;
  logic [WALKER_W-1:0] walker;
  logic [TENANTS-1:0] room;
  logic [ID_W-1:0] id;
  mp_dws_scheduler #(.ID_W(ID_W), .WALKERS(WALKERS), .DEPTH(DEPTH), .TENANTS(TENANTS), .EPOCH_W(EPOCH_W)) u_block (
      .own_ready_o(own_ready),
      .enq_ready_o(enq_ready),
      .done_ready_o(done_ready),
      .rsp_valid_o(rsp_valid),
      .rsp_action_o(action),
      .rsp_walker_o(walker),
      .room_o(room),
      .rsp_id_o(id),
      .*
  );

  logic busy_q, done_q, fresh_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) {busy_q, fresh_q} <= 2'b01;
    else begin
      fresh_q <= 1'b0;
      busy_q <= ((enq_valid_i & enq_ready) | (done_valid_i & done_ready) | busy_q) & ~rsp_valid;
    end
  always_ff @(posedge clk_i) if (done_ready) done_q <= done_valid_i;

  assign own_ready_o = own_ready & fault != 7;
  assign enq_ready_o = (enq_ready & fault != 7) | (fault == 1 & own_ready);
  assign done_ready_o = (done_ready & fault != 7) | (fault == 2 & busy_q);
  assign rsp_valid_o = (rsp_valid & fault != 7) | (fault == 3 & ~busy_q);
  assign rsp_action_o = fault == 4 & ~done_q ? mp_dws_pkg::RspIdle : action;
  assign rsp_walker_o = walker;
  assign room_o = room & {TENANTS{~(fault == 5 & fresh_q)}};
  assign rsp_id_o = id ^ ID_W'(fault == 6 & ~done_q);

endmodule

bind mine mp_dws_scheduler_checks #(.WALKERS(WALKERS), .DEPTH(DEPTH)) u_checks (.*);

module bench;
  logic clk_i = 1'b0, rst_ni = 1'b0, plus_i = 1'b1, own_valid_i, own_ready_o, enq_valid_i, enq_ready_o;
  logic done_valid_i, done_ready_o, rsp_valid_o;
  logic [7:0] epoch_i = 8'd20, enq_id_i, rsp_id_o;
  logic [19:0] diff_thres_i = {5{4'd1}};
  logic [1:0] queue_thres_i = 2'd1, own_walker_i, own_tenant_i, done_walker_i, rsp_action_o, rsp_walker_o, room_o;
  logic enq_tenant_i, rsp_tenant_o;
  mine #(.WALKERS(4), .DEPTH(2)) u_mine (.*);

  // Only a walker that is not idle completes.
  logic [3:0] works_q = '0;
  always #1 clk_i = ~clk_i;
  always @(posedge clk_i)
    if (rsp_valid_o)
      works_q[rsp_walker_o] <= rsp_action_o == mp_dws_pkg::RspStart |
                              works_q[rsp_walker_o] & rsp_action_o != mp_dws_pkg::RspIdle;
  always @(negedge clk_i) begin
    enq_valid_i = $urandom_range(1) == 0;
    enq_tenant_i = 1'($urandom());
    enq_id_i = 8'($urandom());
    own_valid_i = $urandom_range(7) == 0;
    own_walker_i = 2'($urandom());
    own_tenant_i = 2'($urandom_range(1));
    done_walker_i = 2'($urandom());
    done_valid_i = works_q[done_walker_i] & $urandom_range(1) == 0;
  end
  initial begin
    #6 rst_ni = 1'b1;
    #4000 $finish;
  end
endmodule
