// SPDX-License-Identifier: Apache-2.0
//
// A block in place of mp_l1_tlb that breaks a rule of its ports: +fault=N breaks the Nth of checks/
// (checks.sh), 0 none.
module mine #(
    parameter int unsigned ENTRIES = 32,
    parameter int unsigned FRAME_W = 36,
    localparam int unsigned PAGE_W = mp_neidty_pkg::PageW
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    input  logic               empty_i,
    input  logic               lookup_i,
    input  logic [PAGE_W-1:0]  lookup_page_i,
    output logic               hit_o,
    output logic [FRAME_W-1:0] frame_o,
    input  logic               insert_i,
    input  logic               drop_i,
    input  logic [PAGE_W-1:0]  page_i,
    input  logic [FRAME_W-1:0] frame_i,
    output logic               evicted_o,
    output logic [PAGE_W-1:0]  evicted_page_o
);

  int unsigned fault;
  initial if ($value$plusargs("fault=%d", fault) == 0) fault = 0;

  logic hit, evicted;
  logic [FRAME_W-1:0] frame;
  logic [PAGE_W-1:0] evicted_page;
  mp_l1_tlb #(.ENTRIES(ENTRIES), .FRAME_W(FRAME_W)) u_block (
      .hit_o(hit),
      .frame_o(frame),
      .evicted_o(evicted),
      .evicted_page_o(evicted_page),
      .*
  );

  // The last clock's change.
  logic inserted_q, dropped_q, evicted_q, emptied_q;
  logic [PAGE_W-1:0] page_q, evicted_page_q;
  always_ff @(posedge clk_i) begin
    {inserted_q, dropped_q, evicted_q, emptied_q} <= {insert_i & ~empty_i, drop_i, evicted, empty_i};
    {page_q, evicted_page_q} <= {page_i, evicted_page};
  end

  assign evicted_o = evicted | (fault == 1 & ~insert_i);
  assign evicted_page_o = fault == 2 ? page_i : fault == 1 ? ~page_i : evicted_page;
  assign frame_o = frame ^ FRAME_W'(fault == 3 & inserted_q);
  assign hit_o = hit | (fault == 4 & dropped_q & lookup_page_i == page_q & ~emptied_q) |
                 (fault == 5 & evicted_q & lookup_page_i == evicted_page_q) |
                 (fault == 6 & emptied_q & ~evicted_q & ~dropped_q);

endmodule

bind mine mp_l1_tlb_checks #(.FRAME_W(FRAME_W)) u_checks (.*);

module bench;
  logic clk_i = 1'b0, rst_ni = 1'b0, empty_i, lookup_i, hit_o, insert_i, drop_i, evicted_o;
  logic [mp_neidty_pkg::PageW-1:0] lookup_page_i, page_i, evicted_page_o;
  logic [7:0] frame_o, frame_i;
  int unsigned change;
  mine #(.ENTRIES(3), .FRAME_W(8)) u_mine (.*);

  always #1 clk_i = ~clk_i;
  always @(negedge clk_i) begin
    empty_i = $urandom_range(15) == 0;
    lookup_i = $urandom_range(1) == 0;
    lookup_page_i = mp_neidty_pkg::PageW'($urandom_range(7));
    change = $urandom_range(2);
    insert_i = change == 1;
    drop_i = change == 2;
    page_i = mp_neidty_pkg::PageW'($urandom_range(7));
    frame_i = 8'($urandom());
  end
  initial begin
    #6 rst_ni = 1'b1;
    #4000 $finish;
  end
endmodule
