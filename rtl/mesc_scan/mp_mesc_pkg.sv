// SPDX-License-Identifier: Apache-2.0
//
// Where MESC's contiguity bits are in the entry that points to a frame's table (Sec. IV-A): C_0 to C_7, then AC.
package mp_mesc_pkg;

  localparam int unsigned FirstBit = 52;
  localparam int unsigned Bits = 9;

endpackage
