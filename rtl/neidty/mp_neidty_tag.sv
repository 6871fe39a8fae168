// SPDX-License-Identifier: Apache-2.0
//
// The tag of a page in a NeiDty directory: the XOR of all pieces of the page number with TAG_W bits, the lowest first
// and the last filled with zeros; then bit k of the address space flips bit TAG_W - 1 - k mod TAG_W.
module mp_neidty_tag #(
    /// Bits of a tag, 1 or more.
    parameter int unsigned TAG_W = 18
) (
    /// A page, as in mp_neidty_pkg.
    input  logic [mp_neidty_pkg::PageW-1:0] page_i,
    /// Its tag.
    output logic [TAG_W-1:0]             tag_o
);

  if (TAG_W < 1) $error("TAG_W is 1 or more");

  always_comb begin
    tag_o = '0;
    for (int unsigned k = 0; k < mp_neidty_pkg::VpnW; k++) tag_o[k%TAG_W] = tag_o[k%TAG_W] ^ page_i[k];
    for (int unsigned k = 0; k < mp_neidty_pkg::AsidW; k++)
      tag_o[TAG_W-1-k%TAG_W] = tag_o[TAG_W-1-k%TAG_W] ^ page_i[mp_neidty_pkg::VpnW+k];
  end

endmodule
