// SPDX-License-Identifier: Apache-2.0
//
// MESC's scan of a frame (Sec. IV-D, Algorithm 1): reads the leaf entries of a frame of 2 MB through a memory port, and
// gives the entry that points to their table its contiguity bits. Bit C_r is set if all pages of subregion r are mapped,
// lie one after the other in memory, and have one permission; bit AC if all C_r are set and each subregion continues the
// one before it.
//
// The port has one access in flight. A read is answered in any later clock, in which the block always takes it; a write
// has no answer. The reads are those of the algorithm in its order: a subregion is left at the first page that does not
// continue it. An entry that changes during a scan counts as it was read; a driver that changes a mapping scans its
// frame afterwards. The entry of the table itself must not change during the scan, because all of it is written back.
module mp_mesc_scan #(
    /// Pages of a subregion: 64, or a smaller power of two, 2 or more, in proofs.
    parameter int unsigned PAGES = 64,
    /// Subregions of a frame: 8, or a smaller power of two, 2 or more, in proofs.
    parameter int unsigned SUBREGIONS = 8,
    /// The order of the leaf entries: 1 if those of the subregions' first pages come first (Sec. V-B), else 0.
    parameter int unsigned HEADS_FIRST = 0
) (
    /// Clock.
    input  logic        clk_i,
    /// Reset, active low, asynchronous: the scan ends, and so does the wait for the memory's answer.
    input  logic        rst_ni,
    /// A frame is to be scanned, whose entry with the address of its table has this address.
    input  logic        start_valid_i,
    output logic        start_ready_o,
    input  logic [47:3] start_at_i,
    /// An access to memory; it stays the same until it is accepted.
    output logic        mem_valid_o,
    input  logic        mem_ready_i,
    output logic        mem_write_o,
    output logic [47:3] mem_at_o,
    output logic [63:0] mem_data_o,
    /// The answer to the read in flight.
    input  logic        rsp_valid_i,
    input  logic [63:0] rsp_data_i,
    /// The scan has ended; the entry has these bits {AC, C} now, and they are other ones than before.
    output logic        done_valid_o,
    input  logic        done_ready_i,
    output logic [8:0]  done_bits_o,
    output logic        done_changed_o
);

  localparam int unsigned PageW = $clog2(PAGES);
  localparam int unsigned RegionW = $clog2(SUBREGIONS);
  localparam int unsigned First = mp_mesc_pkg::FirstBit;
  localparam int unsigned Above = First + mp_mesc_pkg::Bits;

  if (PAGES < 2 || PAGES > 64 || (PAGES & (PAGES - 1)) != 0) $error("PAGES is a power of two, 2 to 64");
  if (SUBREGIONS < 2 || SUBREGIONS > 8 || (SUBREGIONS & (SUBREGIONS - 1)) != 0) $error("SUBREGIONS is a power of two, 2 to 8");
  if (HEADS_FIRST > 1) $error("HEADS_FIRST is 0 or 1");

  typedef enum logic [2:0] {
    Idle,
    Table,   // the entry with the address of the table
    Leaf,    // the leaf entries
    Update,  // the entry with its new bits, if they are other ones
    Done
  } state_e;

  state_e state_q, state_d;
  logic sent_q, sent_d;                        // the read is in flight
  logic [47:3] at_q;                           // of the entry of the table
  logic [63:0] entry_q;                        // the entry of the table
  logic [63:0] next_q;                         // what the page after the last one must have
  logic [PageW-1:0] page_q, page_d;            // in its subregion
  logic [RegionW-1:0] region_q, region_d;
  logic [SUBREGIONS-1:0] bits_q, bits_d;
  logic whole_q, whole_d;                      // each subregion so far continues the one before it
  logic changed_q;

  // ---- what an answer says ----

  logic answer, head, continues, good, ends;

  assign answer    = sent_q & rsp_valid_i;
  assign head      = page_q == '0;
  assign continues = rsp_data_i == next_q;
  assign good      = head ? rsp_data_i[0] : continues;
  assign ends      = ~good | page_q == PageW'(PAGES - 1);

  always_comb begin
    bits_d   = bits_q;
    whole_d  = whole_q & good & (~head | region_q == '0 | continues);
    page_d   = ends ? '0 : page_q + 1'b1;
    region_d = ends ? region_q + 1'b1 : region_q;
    for (int unsigned r = 0; r < SUBREGIONS; r++) if (ends & region_q == RegionW'(r)) bits_d[r] = good;
  end

  // ---- the new entry ----

  logic [8:0] bits;
  logic [63:0] entry;

  assign bits  = {whole_q, 8'(bits_q)};
  assign entry = {entry_q[63:Above], bits, entry_q[First-1:0]};

  // ---- the ports ----

  logic [8:0] index;  // of the leaf entry in its table

  if (HEADS_FIRST != 0) begin : gen_heads_first
    /* verilator lint_off WIDTH */  // {region_q, page_q} has 9 bits except in proofs
    assign index = head ? 9'(region_q) : 9'(SUBREGIONS - 1) + {region_q, page_q} - 9'(region_q);
    /* verilator lint_on WIDTH */
  end else begin : gen_in_order
    assign index = 9'({region_q, page_q});
  end

  assign start_ready_o  = state_q == Idle;
  assign mem_write_o    = state_q == Update;
  assign mem_valid_o    = ((state_q == Table | state_q == Leaf) & ~sent_q) | (mem_write_o & entry != entry_q);
  assign mem_at_o       = state_q == Leaf ? {entry_q[47:12], index} : at_q;
  assign mem_data_o     = entry;
  assign done_valid_o   = state_q == Done;
  assign done_bits_o    = bits;
  assign done_changed_o = changed_q;

  // ---- state ----

  always_comb begin
    state_d = state_q;
    sent_d  = answer ? 1'b0 : sent_q | (mem_valid_o & mem_ready_i & ~mem_write_o);
    unique case (state_q)
      Idle:    if (start_valid_i) state_d = Table;
      Table:   if (answer) state_d = rsp_data_i[0] ? Leaf : Done;
      Leaf:    if (answer & ends & region_q == RegionW'(SUBREGIONS - 1)) state_d = Update;
      Update:  if (mem_ready_i | ~mem_valid_o) state_d = Done;
      default: if (done_ready_i) state_d = Idle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      state_q <= Idle;
      sent_q  <= 1'b0;
    end else begin
      state_q <= state_d;
      sent_q  <= sent_d;
    end

  always_ff @(posedge clk_i) begin
    if (start_ready_o) begin
      at_q      <= start_at_i;
      bits_q    <= '0;
      whole_q   <= 1'b0;
      changed_q <= 1'b0;
      page_q    <= '0;
      region_q  <= '0;
    end
    if (state_q == Table & answer) begin
      entry_q <= rsp_data_i;
      whole_q <= rsp_data_i[0];  // without a table there are no bits
    end
    if (state_q == Leaf & answer) begin
      next_q   <= {rsp_data_i[63:12] + 1'b1, rsp_data_i[11:0]};
      bits_q   <= bits_d;
      whole_q  <= whole_d;
      page_q   <= page_d;
      region_q <= region_d;
    end
    if (state_q == Update) changed_q <= mem_valid_o;
  end

`ifndef SYNTHESIS
  // verilator coverage_off

  `include "checks/mp_mesc_scan_rules.svh"

  // verilator coverage_on
`endif

`ifdef FORMAL
  `include "formal/mesc_scan.svh"
`endif

endmodule
