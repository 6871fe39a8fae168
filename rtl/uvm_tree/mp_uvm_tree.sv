// SPDX-License-Identifier: Apache-2.0
//
// The prefetch tree of a block of 2 MB (models/uvm/prefetch/tree.c): marks of pages in, the region that comes with a page
// out. Its leaves are the pages of the block, and each aligned power of two of pages is a node. The region is the largest
// node above the page of which more than `threshold` percent is marked, or the page alone.
//
// Pages are counted from the first big page of the block. The block may begin inside of that, and end anywhere: nodes are
// cut at its end. Marks are in a memory with a row per big page. OpBegin clears them all in a clock, since a bit per row
// says whether the memory holds it; a block without resident pages needs no OpLoad.
module mp_uvm_tree #(
    /// Big pages of a block: 32, or another power of two, 2 to 64.
    parameter int unsigned BIGS = 32,
    /// Pages of a big page: 16, or another power of two, 2 to 64.
    parameter int unsigned BIG = 16,
    /// Bits of a page in its big page, and of a page; not to be set.
    localparam int unsigned BIG_W = $clog2(BIG),
    localparam int unsigned PAGE_W = $clog2(BIG * BIGS)
) (
    /// Clock.
    input  logic              clk_i,
    /// Reset, active low, asynchronous: the block has one page and no marks, and the threshold is 0.
    input  logic              rst_ni,
    /// A request.
    input  logic              req_valid_i,
    output logic              req_ready_o,
    input  logic [1:0]        req_op_i,
    /// OpBegin: the last page of the block. OpLoad: any page of the big page. Otherwise the page.
    input  logic [PAGE_W-1:0] req_page_i,
    /// OpBegin: the first page of the block, and the percentage of pages that is not enough, 0 to 127.
    input  logic [BIG_W-1:0]  req_first_i,
    input  logic [6:0]        req_threshold_i,
    /// OpLoad: the marks.
    input  logic [BIG-1:0]    req_marks_i,
    /// OpMark: the whole big page is marked.
    input  logic              req_grow_i,
    /// Each request has a response. That of a query is the first page of the region, and the number of its pages; both are 0
    /// if the page is not of the block, and for other requests.
    output logic              rsp_valid_o,
    input  logic              rsp_ready_i,
    output logic [PAGE_W-1:0] rsp_first_o,
    output logic [PAGE_W:0]   rsp_count_o
);

  localparam int unsigned ROW_W = $clog2(BIGS);

  logic en, we;
  logic [ROW_W-1:0] addr;
  logic [BIG-1:0] wdata, rdata;

  mp_uvm_tree_unit #(.BIGS(BIGS), .BIG(BIG)) u_unit (
      .mem_en_o(en),
      .mem_we_o(we),
      .mem_addr_o(addr),
      .mem_wdata_o(wdata),
      .mem_rdata_i(rdata),
      .*
  );

  mp_sram #(.DEPTH(BIGS), .LANES(1), .WIDTH(BIG)) u_marks (
      .clk_i,
      .en_i(en),
      .addr_i(addr),
      .we_i(we),
      .wdata_i(wdata),
      .rdata_o(rdata)
  );

`ifndef SYNTHESIS
  // verilator coverage_off

  `include "checks/mp_uvm_tree_rules.svh"

  // verilator coverage_on
`endif

endmodule
