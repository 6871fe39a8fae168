// SPDX-License-Identifier: Apache-2.0
//
// A single-ported memory macro: a row of LANES words, read as a whole, written word by word. The row appears in the
// cycle after the access and stays until the next read. In simulation it is an array. For synthesis it is an empty
// box, which the memory compiler's macro replaces.
`ifdef SYNTHESIS
// The box has ports that nothing in it uses.
/* verilator lint_off UNDRIVEN */
/* verilator lint_off UNUSEDSIGNAL */
`endif
module mp_sram #(
    /// Rows, 2 or more.
    parameter int unsigned DEPTH = 128,
    /// Words of a row.
    parameter int unsigned LANES = 8,
    /// Bits of a word.
    parameter int unsigned WIDTH = 914
) (
    /// Clock.
    input  logic                     clk_i,
    /// An access: a write if any bit of we_i is set, else a read.
    input  logic                     en_i,
    /// Its row.
    input  logic [$clog2(DEPTH)-1:0] addr_i,
    /// The words of the row that are written.
    input  logic [LANES-1:0]         we_i,
    /// The values of these words.
    input  logic [WIDTH-1:0]         wdata_i,
    /// The row read last.
    output logic [LANES*WIDTH-1:0]   rdata_o
);

  if (DEPTH < 2) $error("DEPTH is 2 or more");

`ifndef SYNTHESIS
  logic [WIDTH-1:0] mem[DEPTH*LANES]  /* verilator public_flat_rd */;
  logic [LANES*WIDTH-1:0] rdata_q;
  always_ff @(posedge clk_i)
    if (en_i)
      for (int unsigned lane = 0; lane < LANES; lane++) begin
        if (we_i[lane]) mem[32'(addr_i)*LANES+lane] <= wdata_i;
        if (we_i == '0) rdata_q[lane*WIDTH+:WIDTH] <= mem[32'(addr_i)*LANES+lane];
      end
  assign rdata_o = rdata_q;
`endif

endmodule
`ifdef SYNTHESIS
/* verilator lint_on UNDRIVEN */
/* verilator lint_on UNUSEDSIGNAL */
`endif
