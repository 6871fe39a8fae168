// SPDX-License-Identifier: Apache-2.0
//
// A block in place of mp_mesc_scan that breaks a rule of its ports: +fault=N breaks the Nth of checks/
// (checks.sh), 0 none.
module mine #(
    parameter int unsigned PAGES = 64,
    parameter int unsigned SUBREGIONS = 8,
    parameter int unsigned HEADS_FIRST = 0
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        start_valid_i,
    output logic        start_ready_o,
    input  logic [47:3] start_at_i,
    output logic        mem_valid_o,
    input  logic        mem_ready_i,
    output logic        mem_write_o,
    output logic [47:3] mem_at_o,
    output logic [63:0] mem_data_o,
    input  logic        rsp_valid_i,
    input  logic [63:0] rsp_data_i,
    output logic        done_valid_o,
    input  logic        done_ready_i,
    output logic [8:0]  done_bits_o,
    output logic        done_changed_o
);

  int unsigned fault;
  initial if ($value$plusargs("fault=%d", fault) == 0) fault = 0;

  logic start_ready, mem_valid, mem_write, done_valid, done_changed;
  logic [47:3] mem_at;
  logic [63:0] mem_data;
  logic [8:0] done_bits;
  mp_mesc_scan #(.PAGES(PAGES), .SUBREGIONS(SUBREGIONS), .HEADS_FIRST(HEADS_FIRST)) u_block (
      .start_ready_o(start_ready),
      .mem_valid_o(mem_valid),
      .mem_write_o(mem_write),
      .mem_at_o(mem_at),
      .mem_data_o(mem_data),
      .done_valid_o(done_valid),
      .done_bits_o(done_bits),
      .done_changed_o(done_changed),
      .*
  );

  // What a rule is about: a waiting access, a read in flight, the first access, an end that waits.
  logic [47:3] at_q;
  logic busy_q, waits_q, flight_q, first_q, wrote_q, held_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) {busy_q, waits_q, flight_q, first_q, wrote_q, held_q} <= 6'b000100;
    else begin
      if (start_valid_i & start_ready) {busy_q, first_q, wrote_q} <= 3'b110;
      else if (done_valid & done_ready_i) busy_q <= 1'b0;
      else if (flight_q & rsp_valid_i) first_q <= 1'b0;
      waits_q <= mem_valid_o & ~mem_ready_i;
      flight_q <= mem_valid & mem_ready_i & ~mem_write | (flight_q & ~rsp_valid_i);
      if (mem_valid & mem_write & mem_ready_i) wrote_q <= 1'b1;
      held_q <= done_valid & ~done_ready_i;
    end

  always_ff @(posedge clk_i) if (start_valid_i & start_ready) at_q <= start_at_i;

  assign start_ready_o = start_ready | (fault == 1 & busy_q);
  // One more access, a write, after the write, or at the end.
  logic more;
  assign more = (fault == 8 & busy_q & wrote_q) | (fault == 9 & done_valid & ~wrote_q);
  assign mem_valid_o = (mem_valid & ~(fault == 3 & waits_q) & fault != 12) | (fault == 2 & ~busy_q) |
                       (fault == 4 & flight_q) | more;
  assign mem_write_o = mem_write | more;
  assign mem_at_o = more ? at_q : mem_at ^ 45'(fault == 5 & first_q) ^ 45'(fault == 7 & mem_write) ^
                    (45'(fault == 6 & ~first_q & ~mem_write) << 40);
  assign mem_data_o = mem_data;
  assign done_valid_o = done_valid & ~(fault == 11 & held_q);
  assign done_bits_o = done_bits ^ 9'(fault == 10);
  assign done_changed_o = done_changed;

endmodule

bind mine mp_mesc_scan_checks #(.LONGEST(40)) u_checks (.*);

module bench;
  logic clk_i = 1'b0, rst_ni = 1'b0, start_valid_i, start_ready_o, mem_valid_o, mem_ready_i, mem_write_o;
  logic rsp_valid_i, done_valid_o, done_ready_i, done_changed_o;
  logic [47:3] start_at_i, mem_at_o;
  logic [63:0] mem_data_o, rsp_data_i;
  logic [8:0] done_bits_o;
  mine #(.PAGES(2), .SUBREGIONS(2)) u_mine (.*);

  // The memory: an answer is a valid entry whose frame follows the one before, most often.
  logic flight_q = 1'b0;
  logic [51:0] frame_q = '0;
  always #1 clk_i = ~clk_i;
  always @(posedge clk_i) begin
    flight_q <= mem_valid_o & mem_ready_i & ~mem_write_o | (flight_q & ~rsp_valid_i);
    if (rsp_valid_i) frame_q <= frame_q + 1'b1;
  end
  always @(negedge clk_i) begin
    start_valid_i = $urandom_range(3) == 0;
    start_at_i = 45'($urandom());
    mem_ready_i = $urandom_range(1) == 0;
    rsp_valid_i = flight_q & $urandom_range(1) == 0;
    rsp_data_i = {frame_q, 12'($urandom_range(7) != 0)};
    done_ready_i = $urandom_range(1) == 0;
  end
  initial begin
    #6 rst_ni = 1'b1;
    #8000 $finish;
  end
endmodule
