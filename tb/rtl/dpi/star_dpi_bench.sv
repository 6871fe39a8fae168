// SPDX-License-Identifier: Apache-2.0
//
// STAR's TLB (rtl/star/mp_star_tlb.sv) and its reference model, which is called through DPI-C: random requests, each
// response compared, and after each request every way of the set it concerned. An example of how mempath_dpi.svh is
// used; nothing here is Verilator's own.
//
//   +requests=N  how many (default: 20000)
//   +seed=N      of the random numbers (default: 1)
//   +model=TEXT  further parameters of the model, which may make it another one than the hardware: "stride=2"
`include "mempath_dpi.svh"

module star_dpi_bench;
  import mempath_dpi::*;

  localparam int unsigned Sets = 4;
  localparam int unsigned Ways = 4;
  localparam int unsigned VpbW = 8;
  localparam int unsigned VpnW = VpbW + 2 + 4;
  localparam int unsigned FrameW = 40;

  logic clk = 1'b0;
  logic rst_n = 1'b0;
  logic req_valid = 1'b0;
  logic req_ready, rsp_valid;
  logic [2:0] req_op;
  logic [7:0] req_asid;
  logic [VpnW-1:0] req_vpn;
  logic [FrameW-1:0] req_frame, rsp_frame;
  logic [3:0] rsp_action;
  logic [1:0] rsp_way, rsp_base;
  logic [$clog2(Sets*Ways*16+1)-1:0] rsp_gone;

  always #5 clk = ~clk;

  mp_star_tlb #(
      .MODE   (1),
      .SETS   (Sets),
      .WAYS   (Ways),
      .VPB_W  (VpbW),
      .FRAME_W(FrameW)
  ) dut (
      .clk_i       (clk),
      .rst_ni      (rst_n),
      .policy_i    (mp_star_pkg::PolicyDynamic),
      .stride_i    (2'd0),
      .req_valid_i (req_valid),
      .req_ready_o (req_ready),
      .req_op_i    (req_op),
      .req_asid_i  (req_asid),
      .req_vpn_i   (req_vpn),
      .req_frame_i (req_frame),
      .rsp_valid_o (rsp_valid),
      .rsp_ready_i (1'b1),
      .rsp_action_o(rsp_action),
      .rsp_frame_o (rsp_frame),
      .rsp_way_o   (rsp_way),
      .rsp_base_o  (rsp_base),
      .rsp_gone_o  (rsp_gone)
  );

  // ---- random numbers: the same in every simulator ----

  longint unsigned random;

  function automatic int unsigned below(input int unsigned bound);
    random = random ^ (random << 13);
    random = random ^ (random >> 7);
    random = random ^ (random << 17);
    return random[63:32] % bound;
  endfunction

  // ---- the model ----

  chandle model;

  task automatic differs(input string what);
    $display("star_dpi_bench: %s differs: op %0d asid %0d vpn 0x%0h", what, req_op, req_asid, req_vpn);
    $display("RTL: action %0d way %0d gone %0d frame 0x%0h base %0d", rsp_action, rsp_way, rsp_gone, rsp_frame, rsp_base);
    $display("the model holds: %s", mempath_state(model));
    $fatal(1, "RTL and model differ");
  endtask

  function automatic logic [3:0] code_of(input string action);
    case (action)
      "update": return mp_star_pkg::ActUpdate;
      "replace": return mp_star_pkg::ActReplace;
      "vacant": return mp_star_pkg::ActVacant;
      "share-sequential": return mp_star_pkg::ActShareSequential;
      "share-stride": return mp_star_pkg::ActShareStride;
      "revert": return mp_star_pkg::ActRevert;
      "evict": return mp_star_pkg::ActEvict;
      default: return '1;
    endcase
  endfunction

  task automatic check_lookup();
    longint unsigned pfn;
    int unsigned cycles;
    int hit;
    hit = mempath_tlb_lookup(model, 32'(req_asid), 64'(req_vpn), pfn, cycles);
    if (hit == Error) $fatal(1, "%s", mempath_error());
    if (rsp_action != (hit == 1 ? mp_star_pkg::ActHit : mp_star_pkg::ActMiss)) differs("hit or miss");
    if (hit == 1 && 64'(rsp_frame) != pfn) differs("the frame");
    if (cycles != 40 + 10 * 32'(rsp_base)) differs("the number of comparisons");
  endtask

  task automatic check_insert();
    string action;
    int unsigned way, lost;
    if (mempath_tlb_insert(model, 32'(req_asid), 64'(req_vpn), 64'(req_frame), action, way, lost) == Error)
      $fatal(1, "%s", mempath_error());
    if (rsp_action != code_of(action)) differs({"not ", action, ": the action"});
    if (32'(rsp_way) != way) differs("the way");
    if (32'(rsp_gone) != lost) differs("the number of translations lost");
  endtask

  task automatic check_gone(input int gone);
    if (gone == Error) $fatal(1, "%s", mempath_error());
    if (rsp_action != mp_star_pkg::ActInvalidated || int'(rsp_gone) != gone) differs("the number of translations gone");
  endtask

  // ---- the state: an entry of MODE 1, from bit 0 (mp_star_entry.sv) ----

  localparam int unsigned ValidAt = 16 * FrameW;
  localparam int unsigned AibAt = ValidAt + 16;
  localparam int unsigned BaseAt = AibAt + 16;
  localparam int unsigned BaseW = 8 + VpbW + 2;
  localparam int unsigned EntryW = BaseAt + 2 * BaseW + 2;

  task automatic check_way(input int unsigned set, input int unsigned way);
    logic [EntryW-1:0] entry;
    int unsigned layout, bases, subs, rank, asid, aib;
    longint unsigned base, pfn;
    entry = dut.u_sets.u_entries.mem[set*Ways+way];
    if (mempath_tlb_way(model, set, way, layout, bases, subs, rank) == Error) $fatal(1, "%s", mempath_error());
    if (entry[EntryW-1-:2] != layout[1:0]) differs("a layout");
    if (entry[ValidAt+:16] != subs[15:0]) differs("the valid sub-entries of a way");
    for (int unsigned b = 0; b < 2; b++) begin
      logic there;
      there = mempath_tlb_base(model, set, way, b, asid, base) == 1;
      if (entry[BaseAt+b*BaseW+BaseW-1] != there) differs("a base's valid bit");
      if (there && entry[BaseAt+b*BaseW+:BaseW-2] != {asid[7:0], base[2+:VpbW]}) differs("a base");
    end
    for (int unsigned s = 0; s < 16; s++)
      if (mempath_tlb_sub(model, set, way, s, aib, pfn) == 1) begin
        if (entry[AibAt+s] != aib[0]) differs("an AIB");
        if (entry[s*FrameW+:FrameW] != pfn[FrameW-1:0]) differs("a sub-entry's frame");
      end
  endtask

  // ---- requests ----

  task automatic request();
    int unsigned kind;
    kind = below(1000);
    req_op = kind < 400 ? mp_star_pkg::OpLookup : kind < 800 ? mp_star_pkg::OpInsert
           : kind < 990 ? mp_star_pkg::OpInvalidatePage : kind < 998 ? mp_star_pkg::OpInvalidateAsid : mp_star_pkg::OpInvalidateAll;
    req_asid = 8'(below(2));
    req_vpn = VpnW'(below(16) * Sets * 16 + below(Sets) * 16 + below(16));
    req_frame = FrameW'({below(256), below(1 << 29)});
    @(negedge clk);
    while (!req_ready) @(negedge clk);
    req_valid = 1'b1;
    @(negedge clk);
    req_valid = 1'b0;
    while (!rsp_valid) @(negedge clk);
    case (req_op)
      mp_star_pkg::OpLookup: check_lookup();
      mp_star_pkg::OpInsert: check_insert();
      mp_star_pkg::OpInvalidatePage: check_gone(mempath_tlb_invalidate_page(model, 32'(req_asid), 64'(req_vpn)));
      mp_star_pkg::OpInvalidateAsid: check_gone(mempath_tlb_invalidate_asid(model, 32'(req_asid)));
      default: check_gone(mempath_tlb_invalidate_all(model));
    endcase
    for (int unsigned w = 0; w < Ways; w++) check_way(32'(req_vpn[5:4]), w);
    @(negedge clk);
  endtask

  int unsigned requests, seed;
  string parameters;

  initial begin
    if (!$value$plusargs("requests=%d", requests)) requests = 20000;
    if (!$value$plusargs("seed=%d", seed)) seed = 1;
    random = {32'h9e3779b9, seed};
    if (!$value$plusargs("model=%s", parameters)) parameters = "";
    model = mempath_tlb_new("star", {$sformatf("sets=%0d ways=%0d ", Sets, Ways), parameters});
    if (model == null) $fatal(1, "%s", mempath_error());
    repeat (4) @(negedge clk);
    rst_n = 1'b1;
    for (int unsigned i = 0; i < requests; i++) request();
    if (mempath_destroy(model) == Error) $fatal(1, "%s", mempath_error());
    $display("star_dpi_bench: %0d requests of seed %0d, RTL and model equal", requests, seed);
    $finish;
  end

endmodule
