// SPDX-License-Identifier: Apache-2.0
//
// NeiDty's neighbouring directory table (Sec. III-B): which of an L1 TLB's two neighbours hold a page. In every clock it
// takes a lookup, a change of the TLB's own array, and a message of each neighbour about a change of its array.
//
// A lookup sees the registers. The other inputs of a clock take effect at its edge, in this order: the own change, left's
// message, right's message, and within each the eviction before the insertion. So a message that is on the wires in the
// clock in which it is sent is seen from the next clock on: this is the hop of one cycle. A longer hop has registers on
// the wires. A page that is invalidated leaves as an eviction by both neighbours.
//
// Entries are kept in the order of their allocation, entry 0 the oldest, and valid ones before free ones. So age needs no
// bits, and neither does validity: an entry without a neighbour is free. When an entry leaves, those above move down.
// At most two leave in a clock: an eviction frees an entry, and then the insertion after it needs no victim.
module mp_neidty_directory #(
    /// Entries, 2 or more.
    parameter int unsigned ENTRIES = 32,
    /// Bits of a tag, 1 or more.
    parameter int unsigned TAG_W = 18,
    /// Bits of a page; not to be set.
    localparam int unsigned PAGE_W = mp_neidty_pkg::PageW
) (
    /// Clock.
    input  logic              clk_i,
    /// Reset, active low, asynchronous: empties the directory.
    input  logic              rst_ni,
    /// Empties the directory after all changes of this clock: an address space, or everything, is invalidated.
    input  logic              empty_i,
    /// The page that the TLB looks up.
    input  logic [PAGE_W-1:0] lookup_page_i,
    /// A miss is to ask the left neighbour.
    output logic              ask_left_o,
    /// A miss is to ask the right neighbour; never together with ask_left_o.
    output logic              ask_right_o,
    /// The TLB itself evicts this page.
    input  logic              own_evicted_i,
    input  logic [PAGE_W-1:0] own_evicted_page_i,
    /// The TLB itself inserts this page.
    input  logic              own_inserted_i,
    input  logic [PAGE_W-1:0] own_inserted_page_i,
    /// The left neighbour has evicted this page.
    input  logic              left_evicted_i,
    input  logic [PAGE_W-1:0] left_evicted_page_i,
    /// The left neighbour has inserted this page.
    input  logic              left_inserted_i,
    input  logic [PAGE_W-1:0] left_inserted_page_i,
    /// The TLB itself holds the page that left has inserted, after its own change of this clock.
    input  logic              left_local_i,
    /// The same of the right neighbour.
    input  logic              right_evicted_i,
    input  logic [PAGE_W-1:0] right_evicted_page_i,
    input  logic              right_inserted_i,
    input  logic [PAGE_W-1:0] right_inserted_page_i,
    input  logic              right_local_i
);

  if (ENTRIES < 2) $error("ENTRIES is 2 or more");
  if (TAG_W < 1) $error("TAG_W is 1 or more");

  typedef logic [ENTRIES-1:0] entries_t;  // a bit for each entry

  // ---- the entries ----

  logic [ENTRIES*TAG_W-1:0] tag_q;
  entries_t left_q, local_q, right_q;
  entries_t valid;

  assign valid = left_q | right_q;

  // ---- tags of the inputs, and the entries that have them ----

  logic [TAG_W-1:0] lookup_tag, own_evicted_tag, own_inserted_tag;
  logic [TAG_W-1:0] left_evicted_tag, left_inserted_tag, right_evicted_tag, right_inserted_tag;
  entries_t lookup, own_evicted, own_inserted, left_evicted, left_inserted, right_evicted, right_inserted;

  mp_neidty_tag #(.TAG_W(TAG_W)) u_lookup (.page_i(lookup_page_i), .tag_o(lookup_tag));
  mp_neidty_tag #(.TAG_W(TAG_W)) u_own_evicted (.page_i(own_evicted_page_i), .tag_o(own_evicted_tag));
  mp_neidty_tag #(.TAG_W(TAG_W)) u_own_inserted (.page_i(own_inserted_page_i), .tag_o(own_inserted_tag));
  mp_neidty_tag #(.TAG_W(TAG_W)) u_left_evicted (.page_i(left_evicted_page_i), .tag_o(left_evicted_tag));
  mp_neidty_tag #(.TAG_W(TAG_W)) u_left_inserted (.page_i(left_inserted_page_i), .tag_o(left_inserted_tag));
  mp_neidty_tag #(.TAG_W(TAG_W)) u_right_evicted (.page_i(right_evicted_page_i), .tag_o(right_evicted_tag));
  mp_neidty_tag #(.TAG_W(TAG_W)) u_right_inserted (.page_i(right_inserted_page_i), .tag_o(right_inserted_tag));

  for (genvar i = 0; i < ENTRIES; i++) begin : gen_match
    logic [TAG_W-1:0] tag;
    assign tag = tag_q[i*TAG_W+:TAG_W];
    assign lookup[i] = valid[i] & tag == lookup_tag;
    assign own_evicted[i] = own_evicted_i & tag == own_evicted_tag;
    assign own_inserted[i] = own_inserted_i & tag == own_inserted_tag;
    assign left_evicted[i] = left_evicted_i & tag == left_evicted_tag;
    assign left_inserted[i] = left_inserted_i & tag == left_inserted_tag;
    assign right_evicted[i] = right_evicted_i & tag == right_evicted_tag;
    assign right_inserted[i] = right_inserted_i & tag == right_inserted_tag;
  end

  assign ask_left_o  = |(lookup & left_q);
  assign ask_right_o = |(lookup & right_q) & ~ask_left_o;

  // ---- one change after the other ----

  entries_t is_local;               // after the own change
  entries_t left_kept, left_set;    // left's bits after its eviction, and after its insertion
  entries_t right_kept, right_set;  // right's
  entries_t alive, left_freed;      // valid after left's eviction, or not any more
  entries_t idle, found;            // right's eviction frees it; right's insertion finds it: unless left took it
  logic left_new, right_new;        // an insertion allocates an entry
  logic left_takes, right_takes;    // for which a valid one leaves
  logic took_idle, took_found;      // left took this entry
  logic same;                       // right inserts a page of the tag of left's new entry
  logic left_stays;                 // left's new entry, as right's insertion does not take it
  entries_t locals;                  // whose pages the TLB itself holds
  entries_t upto_local, upto_other;  // the two oldest of them
  entries_t upto_first, first;       // the first victim: without a local entry the oldest of all
  entries_t upto_next;               // the victim after it
  logic any_rest;                    // it is local
  entries_t upto_left, upto_right;   // what leaves for left's message, and for right's

  assign is_local    = (local_q & ~own_evicted) | own_inserted;

  assign left_kept   = left_q & ~left_evicted;
  assign alive       = left_kept | right_q;
  assign left_freed  = valid & ~alive;
  assign left_set    = left_kept | (left_inserted & alive);
  assign left_new    = left_inserted_i & (left_inserted & alive) == '0;
  assign left_takes  = left_new & valid[ENTRIES-1] & left_freed == '0;

  assign right_kept  = right_q & ~right_evicted;
  assign right_set   = right_kept | (right_inserted & alive);
  assign idle        = alive & ~left_set & ~right_kept;
  assign found       = right_inserted & alive & ~idle;
  assign took_idle   = left_takes & (idle & first) != '0;
  assign took_found  = left_takes & (found & first) != '0;
  assign same        = left_new & left_inserted_tag == right_inserted_tag;
  assign right_new   = right_inserted_i & ~same & (found == '0 | took_found);
  // If all entries are valid, one is free if left has freed one and used none; if one is free, left uses it.
  assign right_takes = right_new & (idle == '0 | took_idle) &
                       (valid[ENTRIES-1] ? left_new | left_freed == '0
                                         : valid[ENTRIES-2] & left_new & left_freed == '0);
  assign left_stays  = left_new & ~(right_takes & ~any_rest & left_local_i);

  // ---- which entries leave: an entry and all above it ----

  // The lowest of these entries, which is the oldest, and all above it.
  function automatic entries_t upward(input entries_t of);
    upward = of;
    for (int unsigned s = 1; s < ENTRIES; s = 2 * s) upward = upward | (upward << s);
  endfunction

  assign locals     = is_local & alive;
  assign upto_local = upward(locals);
  assign upto_other = upward(locals & (upto_local << 1));
  assign upto_first = locals != '0 ? upto_local : '1;
  assign first      = upto_first & ~(upto_first << 1);
  assign any_rest   = left_takes ? upto_other[ENTRIES-1] : upto_local[ENTRIES-1];
  assign upto_left  = left_takes ? upto_first : upward(left_freed);
  assign upto_next  = ~any_rest ? {{ENTRIES - 1{1'b1}}, ~upto_left[0]} : left_takes ? upto_other : upto_local;
  assign upto_right = right_takes & (left_stays | ~left_new) ? upto_next : took_idle ? '0 : upward(idle);

  // ---- moving down ----

  entries_t once;                     // one entry at or below has left, or two
  logic [ENTRIES:0] twice;            // two
  logic [ENTRIES:0] edge_of;          // the first free place
  entries_t place_left, place_right;  // of new entries

  assign once        = upto_left | upto_right;
  assign twice       = {upto_left[ENTRIES-1] & upto_right[ENTRIES-1], upto_left & upto_right};

  // The first free place, then as many places lower as entries leave.
  assign edge_of     = {valid, 1'b1} & ~{1'b0, valid};
  assign place_left  = ENTRIES'(twice[ENTRIES] ? edge_of >> 2 : once[ENTRIES-1] ? edge_of >> 1 : edge_of);
  assign place_right = left_stays ? place_left << 1 : place_left;

  logic [ENTRIES*TAG_W-1:0] tag_d;
  entries_t left_d, local_d, right_d;

  for (genvar i = 0; i < ENTRIES; i++) begin : gen_move
    localparam int unsigned WIDTH = TAG_W + 3;
    logic [WIDTH-1:0] here, above, after;
    assign here = {tag_q[i*TAG_W+:TAG_W], left_set[i], is_local[i], right_set[i]};
    if (i + 1 < ENTRIES) begin : gen_above
      assign above = {tag_q[(i+1)*TAG_W+:TAG_W], left_set[i+1], is_local[i+1], right_set[i+1]};
    end else begin : gen_free
      assign above = '0;
    end
    if (i + 2 < ENTRIES) begin : gen_after
      assign after = {tag_q[(i+2)*TAG_W+:TAG_W], left_set[i+2], is_local[i+2], right_set[i+2]};
    end else begin : gen_free_after
      assign after = '0;
    end
    assign {tag_d[i*TAG_W+:TAG_W], left_d[i], local_d[i], right_d[i]} =
        left_stays & place_left[i] ? {left_inserted_tag, 1'b1, left_local_i, right_inserted_i & same} :
        right_new & place_right[i] ? {right_inserted_tag, 1'b0, right_local_i, 1'b1} :
        twice[i+1] ? after : once[i] ? above : here;
  end

  always_ff @(posedge clk_i) begin
    tag_q   <= tag_d;
    local_q <= local_d;
  end

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      left_q  <= '0;
      right_q <= '0;
    end else begin
      left_q  <= empty_i ? '0 : left_d;
      right_q <= empty_i ? '0 : right_d;
    end

`ifndef SYNTHESIS
  // verilator coverage_off

  `include "checks/mp_neidty_directory_rules.svh"

  always_ff @(posedge clk_i)
    if (rst_ni && seen_reset_q) begin
      // Valid entries come first.
      assert ((valid & (valid + 1'b1)) == '0);
      // A page has at most one entry.
      assert ((lookup & (lookup - 1'b1)) == '0);
      // Only a valid entry leaves.
      assert ((upto_left & ~(upto_left << 1) & ~valid) == '0 && (upto_right & ~(upto_right << 1) & ~valid) == '0);
    end
  // verilator coverage_on
`endif

`ifdef FORMAL
  `include "formal/neidty_directory.svh"
`endif

endmodule
