// SPDX-License-Identifier: Apache-2.0
//
// Definitions that the parts of MESC's unified TLB share.
//
// A frame is 2 MB of virtual memory, 8 subregions of 64 pages. The low 9 bits of a page number are {subregion, page of
// the subregion}.
/* verilator lint_off UNUSEDPARAM */
package mp_mesc_tlb_pkg;

  // ---- requests ----
  localparam logic [2:0] OpLookup = 3'd0;
  localparam logic [2:0] OpInsertPage = 3'd1;
  localparam logic [2:0] OpInsertSubregions = 3'd2;
  localparam logic [2:0] OpInvalidatePage = 3'd3;
  localparam logic [2:0] OpInvalidateAsid = 3'd4;
  localparam logic [2:0] OpInvalidateAll = 3'd5;

  // ---- actions ----
  localparam logic [2:0] ActMiss = 3'd0;
  localparam logic [2:0] ActHitPage = 3'd1;
  localparam logic [2:0] ActHitSubregions = 3'd2;
  localparam logic [2:0] ActUpdate = 3'd3;  // an entry covers the new one and becomes the most recent
  localparam logic [2:0] ActVacant = 3'd4;  // a new entry in a vacant way
  localparam logic [2:0] ActEvict = 3'd5;   // a new entry in the least recently used way
  localparam logic [2:0] ActInvalidated = 3'd6;

  // ---- a page number ----
  localparam int unsigned OffsetW = 9;     // page of a frame
  localparam int unsigned SubregionW = 3;  // subregion of a frame: the upper bits of it

  // Bits of an entry, from bit 0 on: frame, tag, address space, read-only, valid; of an array with subregion entries also
  // the type (the paper's T).
  function automatic int unsigned entry_width(input int unsigned sub_ways, asid_w, tag_w, pfn_w);
    entry_width = pfn_w + tag_w + asid_w + 2 + (sub_ways != 0 ? 1 : 0);
  endfunction

endpackage
