// SPDX-License-Identifier: Apache-2.0
//
// The prefetch tree without its memory (mp_uvm_tree.sv).
//
// A query counts the nodes above its page from the smallest one up: half of a node is counted already, and the page's
// number with its bits exclusive-or those of a counter goes through the other half. So one sum is enough for all nodes:
// 100 for each marked page, less `threshold` for each page, is above 0 if the node is dense. Half of the page's own big
// page takes a clock for each of its levels, and every other big page takes one.
module mp_uvm_tree_unit #(
    /// Big pages of a block: 32, or another power of two, 2 to 64.
    parameter int unsigned BIGS = 32,
    /// Pages of a big page: 16, or another power of two, 2 to 64.
    parameter int unsigned BIG = 16,
    /// Bits of a page in its big page, and of a page; not to be set.
    localparam int unsigned BIG_W = $clog2(BIG),
    localparam int unsigned PAGE_W = $clog2(BIG * BIGS),
    localparam int unsigned ROW_W = $clog2(BIGS)
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
    output logic [PAGE_W:0]   rsp_count_o,
    /// The memory of the marks (mp_sram.sv): a row per big page.
    output logic              mem_en_o,
    output logic              mem_we_o,
    output logic [ROW_W-1:0]  mem_addr_o,
    output logic [BIG-1:0]    mem_wdata_o,
    input  logic [BIG-1:0]    mem_rdata_i
);

  localparam int unsigned COUNT_W = BIG_W + 1;  // of the pages of a row
  localparam int unsigned STEP_W = BIG_W + 8;   // of what a row adds, signed: 100 pages, less 127
  localparam int unsigned SCORE_W = PAGE_W + 8;

  if (BIGS < 2 || BIGS > 64 || (BIGS & (BIGS - 1)) != 0) $error("BIGS is a power of two, 2 to 64");
  if (BIG < 2 || BIG > 64 || (BIG & (BIG - 1)) != 0) $error("BIG is a power of two, 2 to 64");

  typedef enum logic [1:0] {
    Idle,
    Add,    // a mark to its row
    Count,  // the nodes above the page
    Done
  } state_e;

  state_e state_q, state_d;
  logic query_q;
  logic [BIG_W-1:0] first_q  /* verilator public_flat_rd */;  // of the block
  logic [PAGE_W-1:0] last_q  /* verilator public_flat_rd */;
  logic [6:0] threshold_q  /* verilator public_flat_rd */;
  logic [BIGS-1:0] held_q  /* verilator public_flat_rd */;  // rows that are in the memory; others have no marks
  logic [PAGE_W-1:0] page_q;
  logic [PAGE_W-1:0] at_q, at_d;   // the last of the pages that are counted in this clock, exclusive-or the page
  logic [PAGE_W-1:0] best_q;       // pages of the largest dense node, less 1
  logic [SCORE_W-1:0] score_q, score;

  logic taken, begins, loads, marks, queries;
  assign taken   = req_valid_i & req_ready_o;
  assign begins  = taken & req_op_i == mp_uvm_tree_pkg::OpBegin;
  assign loads   = taken & req_op_i == mp_uvm_tree_pkg::OpLoad;
  assign marks   = taken & req_op_i == mp_uvm_tree_pkg::OpMark;
  assign queries = taken & req_op_i == mp_uvm_tree_pkg::OpQuery;

  // ---- the rows ----

  logic [ROW_W-1:0] row, addr;
  logic [BIG-1:0] data, held, wdata;
  logic access, write;

  assign row    = page_q[PAGE_W-1:BIG_W] ^ at_q[PAGE_W-1:BIG_W];
  assign held   = held_q[row] ? data : '0;
  assign write  = loads | (marks & req_grow_i) | state_q == Add;
  assign access = write | marks | queries | state_q == Count & (&at_q[BIG_W-1:0]);

  always_comb begin
    addr = state_q == Idle ? req_page_i[PAGE_W-1:BIG_W] : page_q[PAGE_W-1:BIG_W] ^ at_d[PAGE_W-1:BIG_W];
    wdata = loads ? req_marks_i : '1;
    if (state_q == Add) begin
      addr = row;
      wdata = held;
      wdata[page_q[BIG_W-1:0]] = 1'b1;
    end
  end

  assign mem_en_o    = access;
  assign mem_we_o    = write;
  assign mem_addr_o  = addr;
  assign mem_wdata_o = wdata;
  assign data        = mem_rdata_i;

  // ---- what a clock counts ----

  logic high;                       // of another big page
  logic [BIG-1:0] counted;          // pages of the row that this clock counts and that the block's end leaves
  logic [BIG-1:0] marked;           // of these, those that are marked
  logic [COUNT_W-1:0] pages, marked_pages;
  logic [STEP_W-1:0] step;

  assign high = at_q[PAGE_W-1:BIG_W] != '0;

  for (genvar p = 0; p < BIG; p++) begin : gen_page
    logic [BIG_W-1:0] from;  // the page that is asked about
    logic now;
    assign from = BIG_W'(p) ^ page_q[BIG_W-1:0];
    assign now = high | (from <= at_q[BIG_W-1:0] & (from > (at_q[BIG_W-1:0] >> 1) | at_q == '0));
    assign counted[p] = now & {row, BIG_W'(p)} <= last_q;
  end
  assign marked = counted & held & (row == '0 ? {BIG{1'b1}} << first_q : {BIG{1'b1}});

  always_comb begin
    pages = '0;
    marked_pages = '0;
    for (int unsigned p = 0; p < BIG; p++) begin
      pages = pages + COUNT_W'(counted[p]);
      marked_pages = marked_pages + COUNT_W'(marked[p]);
    end
  end

  assign step  = STEP_W'(marked_pages) * STEP_W'(100) - STEP_W'(pages) * STEP_W'(threshold_q);
  assign score = score_q + {{(SCORE_W - STEP_W) {step[STEP_W-1]}}, step};

  // A node is complete if its last page is a number of ones.
  logic complete, dense, last;
  assign complete = (at_q & (at_q + 1'b1)) == '0;
  assign dense    = ~score[SCORE_W-1] & score != '0;
  assign last     = &at_q;
  assign at_d     = &at_q[BIG_W-1:0] ? {at_q[PAGE_W-1:BIG_W] + 1'b1, at_q[BIG_W-1:0]} : at_q << 1 | PAGE_W'(1);

  // ---- the region ----

  logic [PAGE_W-1:0] node_first, node_last, region_first, region_last;
  logic known;  // the page is of the block
  assign node_first   = page_q & ~best_q;
  assign node_last    = page_q | best_q;
  assign region_first = node_first < PAGE_W'(first_q) ? PAGE_W'(first_q) : node_first;
  assign region_last  = node_last > last_q ? last_q : node_last;
  assign known        = query_q & page_q >= PAGE_W'(first_q) & page_q <= last_q;

  assign req_ready_o = state_q == Idle;
  assign rsp_valid_o = state_q == Done;
  assign rsp_first_o = known ? region_first : '0;
  assign rsp_count_o = known ? {1'b0, region_last} - {1'b0, region_first} + 1'b1 : '0;

  // ---- state ----

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle:    if (taken) state_d = queries ? Count : marks & ~req_grow_i ? Add : Done;
      Add:     state_d = Done;
      Count:   if (last) state_d = Done;
      default: if (rsp_ready_i) state_d = Idle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      state_q     <= Idle;
      first_q     <= '0;
      last_q      <= '0;
      threshold_q <= '0;
      held_q      <= '0;
    end else begin
      state_q <= state_d;
      if (begins) begin
        first_q     <= req_first_i;
        last_q      <= req_page_i;
        threshold_q <= req_threshold_i;
        held_q      <= '0;
      end else if (write) begin
        held_q[addr] <= 1'b1;
      end
    end

  always_ff @(posedge clk_i)
    if (state_q == Idle) begin
      query_q <= queries;
      page_q  <= req_page_i;
      at_q    <= '0;
      best_q  <= '0;
      score_q <= '0;
    end else if (state_q == Count) begin
      at_q    <= at_d;
      score_q <= score;
      if (complete & dense) best_q <= at_q;
    end

`ifdef FORMAL
  `include "checks/mp_uvm_tree_rules.svh"
  `include "formal/uvm_tree.svh"
`endif

endmodule
