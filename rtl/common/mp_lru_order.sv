// SPDX-License-Identifier: Apache-2.0
//
// Recency of the ways of a set as a matrix: for each pair of ways, one bit says whether the lower one was used more
// recently. A use writes the bits of one way and reads none, so there is no list to shift. The oldest way is the way
// that is older in all of its pairs.
//
// Pairs (i, j), i < j, are numbered (0,1), (0,2), ..., (1,2), ...; all ones is the order 0, 1, 2, ...
module mp_lru_order #(
    /// Ways of a set, 2 or more.
    parameter int unsigned WAYS = 8,
    /// Bits of an order; not to be set.
    localparam int unsigned ORDER_W = WAYS * (WAYS - 1) / 2
) (
    /// The present order.
    input  logic [ORDER_W-1:0] order_i,
    /// The way that moves; one bit, or none.
    input  logic [WAYS-1:0]    way_i,
    /// The way becomes the oldest instead of the most recent.
    input  logic               forget_i,
    /// The order after the move.
    output logic [ORDER_W-1:0] order_o,
    /// The least recently used way of order_i, one bit.
    output logic [WAYS-1:0]    oldest_o
);

  if (WAYS < 2) $error("WAYS is 2 or more");

  for (genvar i = 0; i < WAYS; i++) begin : gen_way
    logic [WAYS-1:0] newer;  // than i, or i itself
    assign newer[i] = 1'b1;
    assign oldest_o[i] = &newer;
    for (genvar j = i + 1; j < WAYS; j++) begin : gen_pair
      localparam int unsigned P = i * (2 * WAYS - i - 1) / 2 + j - i - 1;
      assign newer[j] = ~order_i[P];
      assign gen_way[j].newer[i] = order_i[P];
      assign order_o[P] = way_i[i] ? ~forget_i : way_i[j] ? forget_i : order_i[P];
    end
  end

endmodule
