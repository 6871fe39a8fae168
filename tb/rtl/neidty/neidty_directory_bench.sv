// SPDX-License-Identifier: Apache-2.0
//
// A block in place of mp_neidty_directory that breaks a rule of its ports: +fault=N breaks the Nth of checks/
// (checks.sh), 0 none.
module mine #(
    parameter int unsigned ENTRIES = 32,
    parameter int unsigned TAG_W = 18,
    localparam int unsigned PAGE_W = mp_neidty_pkg::PageW
) (
    input  logic              clk_i,
    input  logic              rst_ni,
    input  logic              empty_i,
    input  logic [PAGE_W-1:0] lookup_page_i,
    output logic              ask_left_o,
    output logic              ask_right_o,
    input  logic              own_evicted_i,
    input  logic [PAGE_W-1:0] own_evicted_page_i,
    input  logic              own_inserted_i,
    input  logic [PAGE_W-1:0] own_inserted_page_i,
    input  logic              left_evicted_i,
    input  logic [PAGE_W-1:0] left_evicted_page_i,
    input  logic              left_inserted_i,
    input  logic [PAGE_W-1:0] left_inserted_page_i,
    input  logic              left_local_i,
    input  logic              right_evicted_i,
    input  logic [PAGE_W-1:0] right_evicted_page_i,
    input  logic              right_inserted_i,
    input  logic [PAGE_W-1:0] right_inserted_page_i,
    input  logic              right_local_i
);

  int unsigned fault;
  initial if ($value$plusargs("fault=%d", fault) == 0) fault = 0;

  logic left, right;
  mp_neidty_directory #(.ENTRIES(ENTRIES), .TAG_W(TAG_W)) u_block (.ask_left_o(left), .ask_right_o(right), .*);

  // The last clock's messages.
  logic emptied_q, left_in_q, left_out_q, right_in_q, right_out_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) {emptied_q, left_in_q, left_out_q, right_in_q, right_out_q} <= 5'b10000;
    else {emptied_q, left_in_q, left_out_q, right_in_q, right_out_q} <=
        {empty_i, {left_inserted_i, left_evicted_i, right_inserted_i, right_evicted_i} & {4{~empty_i}}};

  assign ask_left_o = (left & ~(fault == 3 & left_in_q & ~right_in_q)) & ~(fault == 4 & right_in_q & ~left_in_q) |
                      (fault == 2 & emptied_q) | (fault == 5 & left_out_q & ~left_in_q & ~right);
  assign ask_right_o = (right & ~(fault == 4 & right_in_q)) | (fault == 1 & left) |
                       (fault == 6 & right_out_q & ~right_in_q & ~left);

endmodule

bind mine mp_neidty_directory_checks u_checks (.*);

module bench;
  localparam int unsigned PAGE_W = mp_neidty_pkg::PageW;
  logic clk_i = 1'b0, rst_ni = 1'b0, empty_i, ask_left_o, ask_right_o, own_evicted_i, own_inserted_i;
  logic left_evicted_i, left_inserted_i, left_local_i, right_evicted_i, right_inserted_i, right_local_i;
  logic [PAGE_W-1:0] lookup_page_i, own_evicted_page_i, own_inserted_page_i;
  logic [PAGE_W-1:0] left_evicted_page_i, left_inserted_page_i, right_evicted_page_i, right_inserted_page_i;
  mine #(.ENTRIES(4), .TAG_W(3)) u_mine (.*);

  function automatic logic [PAGE_W-1:0] any();
    any = PAGE_W'($urandom_range(7));
  endfunction

  always #1 clk_i = ~clk_i;
  always @(negedge clk_i) begin
    empty_i = $urandom_range(31) == 0;
    {own_evicted_i, own_inserted_i, left_evicted_i, left_inserted_i} = 4'($urandom());
    {right_evicted_i, right_inserted_i, left_local_i, right_local_i} = 4'($urandom());
    {lookup_page_i, own_evicted_page_i, own_inserted_page_i} = {any(), any(), any()};
    {left_evicted_page_i, left_inserted_page_i} = {any(), any()};
    {right_evicted_page_i, right_inserted_page_i} = {any(), any()};
  end
  initial begin
    #6 rst_ni = 1'b1;
    #4000 $finish;
  end
endmodule
