// SPDX-License-Identifier: Apache-2.0
//
// What the rows of two sets say, for mesc_tlb_set_proof.sv: written from the format of an entry, not with the logic of the
// set.
module mesc_tlb_set_view #(
    /// As in mp_mesc_tlb_set.
    parameter int unsigned WAYS = 3,
    /// As in mp_mesc_tlb_set.
    parameter int unsigned SUB_WAYS = 2,
    /// As in mp_mesc_tlb_set.
    parameter int unsigned ASID_W = 1,
    /// As in mp_mesc_tlb_set.
    parameter int unsigned VPN_W = 11,
    /// As in mp_mesc_tlb_set.
    parameter int unsigned PFN_W = 7,
    /// Bits of an entry; not to be set.
    localparam int unsigned ENTRY_W = mp_mesc_tlb_pkg::entry_width(SUB_WAYS, ASID_W, VPN_W - 1, PFN_W)
) (
    /// The rows, set 0 in the lowest bits.
    input  logic [2*WAYS*ENTRY_W-1:0] rows_i,
    /// A page.
    input  logic [ASID_W-1:0]         asid_i,
    input  logic [VPN_W-1:0]          vpn_i,
    /// Its permission and frame, by type of the entry.
    input  logic [PFN_W:0]            run_word_i,
    input  logic [PFN_W:0]            page_word_i,
    /// Each type is in its ways, runs are in their frame, and no two regular entries of a set have the same page.
    output logic                      proper_o,
    /// No two runs of a set overlap.
    output logic                      apart_o,
    /// A subregion entry, or a regular one, covers the page.
    output logic                      run_o,
    output logic                      page_o,
    /// All that do map it so.
    output logic                      maps_o
);

  localparam int unsigned N = 2 * WAYS;
  localparam int unsigned TAG_W = VPN_W - 1;

  logic [N-1:0] improper, covers_run, covers_page, wrong, twice, overlaps;

  for (genvar e = 0; e < N; e++) begin : gen_entry
    localparam int unsigned AT = e * ENTRY_W;
    localparam logic SET = e >= WAYS;  // the lowest bit of the page, or of the frame
    localparam logic IN_PARTITION = e % WAYS >= WAYS - SUB_WAYS;
    logic is_run, valid, read_only;
    logic [ASID_W-1:0] asid;
    logic [TAG_W-1:0] tag;
    logic [PFN_W-1:0] data, pfn;  // pfn: of the followed page, if it is in this run
    logic [2:0] first, last;
    logic [3:0] end_of;
    logic [N-1:0] same_page, meets;
    assign {is_run, valid, read_only, asid, tag, data} = rows_i[AT+:ENTRY_W];
    assign first = tag[8:6];
    assign end_of = {1'b0, tag[8:6]} + {1'b0, tag[5:3]};
    assign last = end_of[2:0];
    assign improper[e] = valid & is_run & (~IN_PARTITION | end_of[3] | tag[2:0] != '0);
    assign covers_run[e] = valid & is_run & asid == asid_i & {tag[TAG_W-1:9], SET} == vpn_i[VPN_W-1:9] &
                           vpn_i[8:6] >= first & vpn_i[8:6] <= last;
    assign covers_page[e] = valid & ~is_run & asid == asid_i & {tag, SET} == vpn_i;
    assign pfn = data + vpn_i[8:0];
    assign wrong[e] = (covers_run[e] & {read_only, pfn} != run_word_i) |
                      (covers_page[e] & {read_only, data} != page_word_i);
    for (genvar o = 0; o < N; o++) begin : gen_other
      if (o < e && o / WAYS == e / WAYS) begin : gen_pair
        logic both;
        assign both = valid & gen_entry[o].valid & asid == gen_entry[o].asid;
        assign same_page[o] = both & ~is_run & ~gen_entry[o].is_run & tag == gen_entry[o].tag;
        assign meets[o] = both & is_run & gen_entry[o].is_run & tag[TAG_W-1:9] == gen_entry[o].tag[TAG_W-1:9] &
                          first <= gen_entry[o].last & last >= gen_entry[o].first;
      end else begin : gen_none
        assign same_page[o] = 1'b0;
        assign meets[o] = 1'b0;
      end
    end
    assign twice[e] = same_page != '0;
    assign overlaps[e] = meets != '0;
  end

  assign run_o = covers_run != '0;
  assign page_o = covers_page != '0;
  assign maps_o = wrong == '0;
  assign proper_o = (improper | twice) == '0;
  assign apart_o = overlaps == '0;

endmodule

// Whether a run overlaps none in part that maps the shared pages alike.
module mesc_tlb_set_fits #(
    /// As above.
    parameter int unsigned WAYS = 3,
    parameter int unsigned SUB_WAYS = 2,
    parameter int unsigned ASID_W = 1,
    parameter int unsigned VPN_W = 11,
    parameter int unsigned PFN_W = 7,
    /// Bits of an entry; not to be set.
    localparam int unsigned ENTRY_W = mp_mesc_tlb_pkg::entry_width(SUB_WAYS, ASID_W, VPN_W - 1, PFN_W)
) (
    /// The rows, set 0 in the lowest bits.
    input  logic [2*WAYS*ENTRY_W-1:0] rows_i,
    /// The run, as in a request.
    input  logic [ASID_W-1:0]         asid_i,
    input  logic [VPN_W-1:0]          vpn_i,
    input  logic [PFN_W-1:0]          pfn_i,
    input  logic                      read_only_i,
    input  logic [2:0]                first_i,
    input  logic [2:0]                last_i,
    output logic                      fits_o
);

  localparam int unsigned TAG_W = VPN_W - 1;
  logic [2*WAYS-1:0] parts;

  for (genvar e = 0; e < 2 * WAYS; e++) begin : gen_entry
    localparam int unsigned AT = e * ENTRY_W;
    localparam logic SET = e >= WAYS;
    logic [TAG_W-1:0] tag;
    logic [PFN_W-1:0] data, pfn;
    logic [ASID_W-1:0] asid;
    logic [2:0] first, last;
    logic is_run, valid, read_only, overlaps, alike;
    assign {is_run, valid, read_only, asid, tag, data} = rows_i[AT+:ENTRY_W];
    assign first = tag[8:6];
    assign last = tag[8:6] + tag[5:3];
    assign overlaps = is_run & valid & asid == asid_i & {tag[TAG_W-1:9], SET} == vpn_i[VPN_W-1:9] &
                      first <= last_i & last >= first_i;
    assign pfn = data + vpn_i[8:0];
    assign alike = read_only == read_only_i & pfn == pfn_i;
    assign parts[e] = overlaps & alike & ~(first <= first_i & last >= last_i) & ~(first >= first_i & last <= last_i);
  end

  assign fits_o = parts == '0;

endmodule

// Whether a matrix of mp_lru_order is an order: no three ways are each older than the next.
module mesc_tlb_set_order #(
    /// As above.
    parameter int unsigned WAYS = 3,
    /// Bits of a set's recency; not to be set.
    localparam int unsigned ORDER_W = WAYS * (WAYS - 1) / 2
) (
    input  logic [ORDER_W-1:0] order_i,
    output logic               ordered_o
);

  logic [WAYS*WAYS*WAYS-1:0] circle;

  for (genvar i = 0; i < WAYS; i++) begin : gen_i
    for (genvar j = 0; j < WAYS; j++) begin : gen_j
      for (genvar k = 0; k < WAYS; k++) begin : gen_k
        if (i < j && j < k) begin : gen_three
          localparam int unsigned IJ = i * (2 * WAYS - i - 1) / 2 + j - i - 1;
          localparam int unsigned JK = j * (2 * WAYS - j - 1) / 2 + k - j - 1;
          localparam int unsigned IK = i * (2 * WAYS - i - 1) / 2 + k - i - 1;
          assign circle[(i*WAYS+j)*WAYS+k] = order_i[IJ] == order_i[JK] & order_i[IJ] != order_i[IK];
        end else begin : gen_none
          assign circle[(i*WAYS+j)*WAYS+k] = 1'b0;
        end
      end
    end
  end

  assign ordered_o = circle == '0;

endmodule
