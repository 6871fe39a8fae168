// SPDX-License-Identifier: Apache-2.0
//
// The sets of a TLB in memories, and their way through resets and sweeps. The logic of a set processes one set at a time:
// that of the current request, or, in a request that concerns all sets (sweeps_i), set after set, with the request's
// operands. A sweep has one response, after all sets. After a reset no request is taken until every set has been
// emptied, which takes SETS cycles.
//
// Rows of entries and the sets' recency are in two separate memories, so the entries' macro has the number of bits that
// a paper counts.
module mp_tlb_sets #(
    /// Sets, a power of two, 2 or more.
    parameter int unsigned SETS = 128,
    /// Ways of a set, 2 or more.
    parameter int unsigned WAYS = 8,
    /// Bits of an entry.
    parameter int unsigned ENTRY_W = 914,
    /// Bits of the operands that a sweep repeats for each set.
    parameter int unsigned OPERANDS_W = 11,
    /// Bits of a set's number; not to be set.
    localparam int unsigned SET_W = $clog2(SETS),
    /// Bits of a set's recency (mp_lru_order); not to be set.
    localparam int unsigned ORDER_W = WAYS * (WAYS - 1) / 2
) (
    /// Clock.
    input  logic                    clk_i,
    /// Reset, active low, asynchronous.
    input  logic                    rst_ni,
    /// A request at the TLB's port.
    input  logic                    req_valid_i,
    /// It is taken.
    output logic                    req_ready_o,
    /// It concerns all sets.
    input  logic                    sweeps_i,
    /// Its operands.
    input  logic [OPERANDS_W-1:0]   operands_i,
    /// A response at the TLB's port: that of the set's logic, or of a sweep.
    output logic                    rsp_valid_o,
    /// It is taken.
    input  logic                    rsp_ready_i,
    /// The response is that of a sweep.
    output logic                    done_o,
    /// A request was taken, its response was not.
    output logic                    busy_o,

    /// A request to the logic of a set.
    output logic                    set_req_valid_o,
    /// It is taken.
    input  logic                    set_req_ready_i,
    /// Its operands: those of the port or, in a sweep, the sweep's.
    output logic [OPERANDS_W-1:0]   operands_o,
    /// It is part of a sweep.
    output logic                    sweep_o,
    /// The response of the logic.
    input  logic                    set_rsp_valid_i,
    /// It is taken.
    output logic                    set_rsp_ready_o,

    /// The logic reads a set: its row and recency appear in the next cycle.
    input  logic                    read_i,
    /// The set that it reads or writes for a request that concerns one.
    input  logic [SET_W-1:0]        set_i,
    /// set_i in the clock in which the request was taken; in a sweep the set in turn.
    output logic [SET_W-1:0]        set_o,
    /// The row read last, way 0 in the lowest bits.
    output logic [WAYS*ENTRY_W-1:0] row_o,
    /// Its recency.
    output logic [ORDER_W-1:0]      order_o,
    /// The ways that are written.
    input  logic [WAYS-1:0]         row_we_i,
    /// The entry to write.
    input  logic [ENTRY_W-1:0]      entry_i,
    /// The recency is written.
    input  logic                    order_we_i,
    /// The recency to write.
    input  logic [ORDER_W-1:0]      order_i
);

  if (SETS < 2 || (SETS & (SETS - 1)) != 0) $error("SETS is a power of two, 2 or more");

  typedef enum logic [1:0] {
    Clear,  // after a reset: set_q counts
    Page,   // requests that concern one set go through
    Sweep,  // set by set: set_q is the next or the present one
    Done    // of a sweep: until the response was taken
  } state_e;

  state_e state_q, state_d;
  logic [SET_W-1:0] set_q, set_d;
  logic [OPERANDS_W-1:0] operands_q;
  logic last_set;

  assign last_set = set_q == SET_W'(SETS - 1);

  always_comb begin
    state_d = state_q;
    set_d = set_q;
    case (state_q)
      Clear: begin
        set_d = set_q + 1'b1;
        if (last_set) state_d = Page;
      end
      Page:
      if (req_valid_i && req_ready_o) begin
        set_d = sweeps_i ? '0 : set_i;
        if (sweeps_i) state_d = Sweep;
      end
      Sweep:
      if (set_rsp_valid_i) begin
        set_d = set_q + 1'b1;
        if (last_set) state_d = Done;
      end
      default: if (rsp_ready_i) state_d = Page;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      state_q <= Clear;
      set_q   <= '0;
    end else begin
      state_q <= state_d;
      set_q   <= set_d;
    end

  always_ff @(posedge clk_i) if (state_q == Page) operands_q <= operands_i;

  assign sweep_o = state_q == Sweep;
  assign done_o = state_q == Done;
  assign busy_o = sweep_o | done_o | ~set_req_ready_i;
  assign set_o = set_q;
  assign operands_o = sweep_o ? operands_q : operands_i;
  assign req_ready_o = state_q == Page & set_req_ready_i;
  assign set_req_valid_o = sweep_o | (state_q == Page & req_valid_i & ~sweeps_i);
  assign set_rsp_ready_o = sweep_o | rsp_ready_i;
  assign rsp_valid_o = done_o | (state_q == Page & set_rsp_valid_i);

  // ---- the memories ----

  logic clears, entries_en, order_en;
  logic [WAYS-1:0] entries_we;
  logic [SET_W-1:0] addr;
  assign clears = state_q == Clear;
  assign addr = state_q == Page ? set_i : set_q;
  assign entries_we = clears ? '1 : row_we_i;
  assign entries_en = read_i | entries_we != '0;
  assign order_en = read_i | clears | order_we_i;

  mp_sram #(
      .DEPTH(SETS),
      .LANES(WAYS),
      .WIDTH(ENTRY_W)
  ) u_entries (
      .clk_i,
      .en_i   (entries_en),
      .addr_i (addr),
      .we_i   (entries_we),
      .wdata_i(clears ? '0 : entry_i),
      .rdata_o(row_o)
  );

  mp_sram #(
      .DEPTH(SETS),
      .LANES(1),
      .WIDTH(ORDER_W)
  ) u_order (
      .clk_i,
      .en_i   (order_en),
      .addr_i (addr),
      .we_i   (clears | order_we_i),
      .wdata_i(clears ? '1 : order_i),
      .rdata_o(order_o)
  );

`ifndef SYNTHESIS
  // ---- the protocol ----
  // verilator coverage_off

  // What the ports showed, in separate registers of the checks, because the logic's registers may be wrong.
  logic seen_reset_q = 1'b0;      // registers may hold anything before the first reset
  logic [SET_W:0] seen_cleared_q; // sets that should be empty
  logic seen_busy_q;              // a request was taken, its response was not
  logic seen_sweep_q;             // and it concerns all sets
  logic [OPERANDS_W-1:0] seen_operands_q;
  logic [SET_W:0] seen_swept_q;   // sets that a sweep has done
  logic seen_clear;

  assign seen_clear = seen_cleared_q != (SET_W + 1)'(SETS);

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      seen_reset_q <= 1'b1;
      seen_cleared_q <= '0;
      seen_busy_q <= 1'b0;
    end else begin
      if (seen_clear) seen_cleared_q <= seen_cleared_q + 1'b1;
      if (req_valid_i & req_ready_o) seen_busy_q <= 1'b1;
      else if (rsp_valid_o & rsp_ready_i) seen_busy_q <= 1'b0;
    end

  always_ff @(posedge clk_i)
    if (req_valid_i & req_ready_o) begin
      seen_sweep_q <= sweeps_i;
      seen_operands_q <= operands_i;
      seen_swept_q <= '0;
    end else if (seen_sweep_q & set_rsp_valid_i & set_rsp_ready_o) seen_swept_q <= seen_swept_q + 1'b1;

  always_ff @(posedge clk_i)
    if (rst_ni && seen_reset_q) begin
      // After a reset every set is emptied once, from set 0 on.
      assert (clears == seen_clear);
      if (seen_clear) assert (addr == seen_cleared_q[SET_W-1:0] && entries_en && entries_we == '1 && order_en);
      // A request can be taken as soon as all sets have been emptied and none is processed.
      assert (seen_busy_q || req_ready_o == !seen_clear);
      // A request is processed from the clock in which it was taken to its response, as is a sweep.
      assert (busy_o == seen_busy_q);
      assert ((sweep_o | done_o) == (seen_busy_q && seen_sweep_q));
      // The response of a sweep comes after all sets, and each of them is processed in turn.
      if (seen_busy_q && seen_sweep_q) assert (rsp_valid_o ? seen_swept_q == (SET_W + 1)'(SETS) : {1'b0, addr} == seen_swept_q);
      // A sweep sends its own operands to each set.
      if (seen_busy_q && seen_sweep_q) assert (operands_q == seen_operands_q);
      // A set is written only for a request, before its response.
      if (!seen_clear && (!seen_busy_q || rsp_valid_o)) assert (entries_we == '0 && !order_we_i);
    end
  // verilator coverage_on
`endif

`ifdef FV_SETS
  `include "formal/tlb_sets.svh"
`endif

endmodule
