// SPDX-License-Identifier: Apache-2.0
//
// Limits of a list of free entries.
package mp_toy_pkg;

  // Entries of the largest list.
  localparam int unsigned MostEntries = 64;

endpackage
