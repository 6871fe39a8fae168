// SPDX-License-Identifier: Apache-2.0
//
// The way with the smallest key, by a tree of comparisons; of equal keys the lowest way.
module mp_least #(
    /// Ways of a set, a power of two, 2 or more.
    parameter int unsigned WAYS  = 8,
    /// Bits of a key.
    parameter int unsigned KEY_W = 7
) (
    /// The ways that may be chosen.
    input  logic [WAYS-1:0]       may_i,
    /// Their keys, way 0 in the lowest bits.
    input  logic [WAYS*KEY_W-1:0] key_i,
    /// At least one way may be chosen.
    output logic                  any_o,
    /// The chosen way, one bit.
    output logic [WAYS-1:0]       way_o
);

  if (WAYS < 2 || (WAYS & (WAYS - 1)) != 0) $error("WAYS is a power of two, 2 or more");

  localparam int unsigned NODES = 2 * WAYS - 1;

  // Node n has the children 2n + 1 and 2n + 2; the ways are the last nodes, in order.
  for (genvar n = 0; n < NODES; n++) begin : gen_node
    logic             may;
    logic             chosen;
    /* verilator lint_off UNUSEDSIGNAL */  // the root's key is not used
    logic [KEY_W-1:0] key;
    /* verilator lint_on UNUSEDSIGNAL */
    if (n >= WAYS - 1) begin : gen_leaf
      localparam int unsigned W = n - (WAYS - 1);
      assign may = may_i[W];
      assign key = key_i[W*KEY_W+:KEY_W];
      assign way_o[W] = chosen;
    end else begin : gen_inner
      logic left;
      assign left = gen_node[2*n+1].may &
                    (~gen_node[2*n+2].may | gen_node[2*n+1].key <= gen_node[2*n+2].key);
      assign may = gen_node[2*n+1].may | gen_node[2*n+2].may;
      assign key = left ? gen_node[2*n+1].key : gen_node[2*n+2].key;
      assign gen_node[2*n+1].chosen = chosen & left;
      assign gen_node[2*n+2].chosen = chosen & ~left;
    end
  end
  assign gen_node[0].chosen = gen_node[0].may;
  assign any_o = gen_node[0].may;

endmodule
