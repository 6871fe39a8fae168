// SPDX-License-Identifier: Apache-2.0
//
// An mp_mesc_tlb_set, or a mutant of it (module dut), and its surroundings, for the proof that both are the same: any requests
// to any rows that mesc_tlb_set_proof shows to be possible. The outputs are 0 while they mean nothing.
module mesc_tlb_set_env #(
    /// As in mp_mesc_tlb_set.
    parameter int unsigned WAYS = 16,
    /// As in mp_mesc_tlb_set, not 0.
    parameter int unsigned SUB_WAYS = 8,
    /// As in mp_mesc_tlb_set.
    parameter int unsigned SET_W = 5,
    /// As in mp_mesc_tlb_set.
    parameter int unsigned ASID_W = 8,
    /// As in mp_mesc_tlb_set.
    parameter int unsigned VPN_W = 36,
    /// As in mp_mesc_tlb_set.
    parameter int unsigned PFN_W = 36,
    /// Bits of an entry; not to be set.
    localparam int unsigned ENTRY_W = mp_mesc_tlb_pkg::entry_width(SUB_WAYS, ASID_W, VPN_W - SET_W, PFN_W),
    /// Bits of a set's recency; not to be set.
    localparam int unsigned ORDER_W = WAYS * (WAYS - 1) / 2
) (
    /// Clock.
    input  logic                    clk_i,
    /// Reset, active low, asynchronous.
    input  logic                    rst_ni,
    /// A request.
    input  logic                    req_valid_i,
    input  logic [2:0]              op_i,
    input  logic [ASID_W-1:0]       asid_i,
    input  logic [VPN_W-1:0]        vpn_i,
    input  logic [PFN_W-1:0]        pfn_i,
    input  logic                    read_only_i,
    input  logic [2:0]              first_i,
    input  logic [2:0]              last_i,
    /// What the memory shows after a read.
    input  logic [WAYS*ENTRY_W-1:0] row_i,
    input  logic [ORDER_W-1:0]      order_i,
    input  logic                    rsp_ready_i,
    /// The request is legal; each type of entry is in its ways, and one regular entry at most maps the page.
    output logic                    rules_o,
    /// Outputs of the set.
    output logic                    req_ready_o,
    output logic                    read_o,
    output logic [SET_W-1:0]        set_o,
    output logic [WAYS-1:0]         row_we_o,
    output logic [ENTRY_W-1:0]      entry_o,
    output logic                    order_we_o,
    output logic [ORDER_W-1:0]      order_o,
    output logic                    rsp_valid_o,
    output logic [2:0]              rsp_action_o,
    output logic [PFN_W-1:0]        rsp_pfn_o,
    output logic                    rsp_read_only_o,
    output logic [$clog2(WAYS)-1:0] rsp_way_o
);

  logic [WAYS*ENTRY_W-1:0] row_q;
  logic [ORDER_W-1:0] order_q;
  logic [ASID_W-1:0] asid_q;
  logic [VPN_W-1:0] vpn_q;
  always_ff @(posedge clk_i) begin
    if (read_o) begin
      row_q   <= row_i;
      order_q <= order_i;
    end
    if (req_valid_i & req_ready_o) begin
      asid_q <= asid_i;
      vpn_q  <= vpn_i;
    end
  end

  logic [SET_W-1:0] set;
  logic [ENTRY_W-1:0] entry;
  logic [ORDER_W-1:0] order;
  logic [2:0] action;
  logic [PFN_W-1:0] pfn;
  logic [$clog2(WAYS)-1:0] way;
  logic read_only;
  dut u_dut (
      .clk_i,
      .rst_ni,
      .req_valid_i,
      .req_ready_o,
      .req_op_i       (op_i),
      .req_asid_i     (asid_i),
      .req_vpn_i      (vpn_i),
      .req_pfn_i      (pfn_i),
      .req_read_only_i(read_only_i),
      .req_first_i    (first_i),
      .req_last_i     (last_i),
      .set_o          (set),
      .read_o,
      .row_i          (row_q),
      .order_i        (order_q),
      .row_we_o,
      .entry_o        (entry),
      .order_we_o,
      .order_o        (order),
      .rsp_valid_o,
      .rsp_ready_i,
      .rsp_action_o   (action),
      .rsp_pfn_o      (pfn),
      .rsp_read_only_o(read_only),
      .rsp_way_o      (way)
  );

  logic hit;
  assign hit = rsp_valid_o & (action == mp_mesc_tlb_pkg::ActHitPage | action == mp_mesc_tlb_pkg::ActHitSubregions);
  assign set_o = read_o | order_we_o | row_we_o != '0 ? set : '0;
  assign entry_o = row_we_o != '0 ? entry : '0;
  assign order_o = order_we_o ? order : '0;
  assign rsp_action_o = rsp_valid_o ? action : '0;
  assign rsp_pfn_o = hit ? pfn : '0;
  assign rsp_read_only_o = hit & read_only;
  assign rsp_way_o = rsp_valid_o & action != mp_mesc_tlb_pkg::ActMiss & action != mp_mesc_tlb_pkg::ActInvalidated ? way : '0;

  logic [WAYS-1:0] misplaced, maps;
  for (genvar w = 0; w < WAYS; w++) begin : gen_way
    logic is_run, valid, unused_read_only;
    logic [ASID_W-1:0] asid;
    logic [VPN_W-SET_W-1:0] tag;
    logic [PFN_W-1:0] unused_data;
    assign {is_run, valid, unused_read_only, asid, tag, unused_data} = row_q[w*ENTRY_W+:ENTRY_W];
    assign misplaced[w] = valid & is_run & (w < WAYS - SUB_WAYS);
    assign maps[w] = valid & ~is_run & asid == asid_q & tag == vpn_q[VPN_W-1:SET_W];
  end
  assign rules_o = op_i <= mp_mesc_tlb_pkg::OpInvalidateAll & first_i <= vpn_i[8:6] & last_i >= vpn_i[8:6] &
                   misplaced == '0 & (maps & (maps - 1'b1)) == '0;

endmodule
