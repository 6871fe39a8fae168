// SPDX-License-Identifier: Apache-2.0
//
// Definitions that the parts of a NeiDty L1 TLB share.
package mp_neidty_pkg;

  // A page is its address space and its number: {asid, vpn}. Virtual addresses have 48 bits, pages 4 KB.
  localparam int unsigned AsidW = 8;
  localparam int unsigned VpnW = 36;
  localparam int unsigned PageW = AsidW + VpnW;

endpackage
