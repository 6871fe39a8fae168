// SPDX-License-Identifier: Apache-2.0
//
// Chooses the page walker of each walk: DWS and DWS++ (Sec. V and VI). Every walker has a queue and an owner, which is
// a tenant. A walker whose owner has no waiting walk takes ("steals") a walk of another tenant. Under DWS++ it also
// steals if the other tenant has many more waiting walks than the owner. The queues are in another block
// (mp_walk_queues.sv); the arbiter only counts the waiting walks per queue and per tenant.
//
// The tables, 192 bits at 16 walkers with 12 places each and two tenants:
//   FWA (free walker array)   per walker the places left in its queue, and is_stolen: its last walk was of a
//                             tenant other than its owner                                            16 x (4 + 1)
//   TWM (tenant to walkers)   per tenant its walkers, a bit each; PEND_WALKS, its walks in queues; ENQ_EPOCH, its
//                             arrivals in this epoch                                                 2 x (16 + 24)
//   WTM (walker to tenant)    per walker its owner, or none                                          16 x 2
// The count does not include the registers EPOCH and DIFF_THRES, the idle bit of each walker, and the registers that
// hold a decision's intermediate results.
//
// An arrival goes to the lowest idle walker of its tenant, else to the lowest idle walker, else into the shortest queue
// with room of its tenant's walkers; a tenant without walkers may use all. A walker that completes serves the first of
// these in which a walk waits: under DWS++ and by threshold, the longest queue of the tenant other than the owner with
// the most waiting walks; its own queue; its owner's longest; the others' longest. Of equal queues it takes the lowest.
// One tree of comparisons makes each decision: a walker's key is the rank of its kind, then the queue's length.
//
// Clock by clock:
//   IDLE      takes an event: the completion before the owner before the arrival. Writes a new owner in this
//             clock. For a completion, finds whether it may steal by threshold, and from which tenant.
//   CHOOSE    evaluates the tree
//   ACT       updates the tables; push_o, or pop_o; responds, unless a walk is taken from a queue
//   ACCOUNT   the tenant of the walk taken from a queue is known (head_tenant_i); responds
//   EPOCH     after the last arrival of an epoch: calculates DIFF_THRES from the tenants' arrivals
module mp_dws_arbiter #(
`include "mp_dws_parameters.svh"
) (
`include "mp_dws_ports.svh"
    /// The walk that arrived goes to the end of queue_o.
    output logic                push_o,
    /// The head of queue_o leaves.
    output logic                pop_o,
    /// A queue, by walker.
    output logic [WALKER_W-1:0] queue_o,
    /// Number of walks in it before the push or pop.
    output logic [FREE_W-1:0]   used_o,
    /// Tenant of the walk that left, in the clock after pop_o.
    input  logic [TENANT_W-1:0] head_tenant_i
);

  localparam int unsigned COUNT_W = mp_dws_pkg::CountW;
  localparam int unsigned KEY_W = 2 + FREE_W;
  localparam int unsigned TENANT_LEAVES = 1 << TENANT_W;
  localparam int unsigned LEAVES = 1 << WALKER_W;

  typedef enum logic [2:0] {
    Idle,
    Choose,
    Act,
    Account,
    Epoch
  } state_e;

  // ---- state ----

  logic [WALKERS*FREE_W-1:0] fwa_free_q  /* verilator public_flat_rd */, fwa_free_d;
  logic [WALKERS-1:0] fwa_is_stolen_q  /* verilator public_flat_rd */, fwa_is_stolen_d;
  logic [TENANTS*WALKERS-1:0] twm_walkers_q  /* verilator public_flat_rd */;
  logic [TENANTS*COUNT_W-1:0] twm_pend_walks_q  /* verilator public_flat_rd */, twm_pend_walks_d;
  logic [TENANTS*COUNT_W-1:0] twm_enq_epoch_q  /* verilator public_flat_rd */, twm_enq_epoch_d;
  logic [WALKERS*WTM_W-1:0] wtm_tenant_q  /* verilator public_flat_rd */;

  logic [EPOCH_W-1:0] epoch_q  /* verilator public_flat_rd */, epoch_d;
  logic [DIFF_W-1:0] diff_thres_q  /* verilator public_flat_rd */;
  logic [WALKERS-1:0] idle_q  /* verilator public_flat_rd */, idle_d;

  state_e state_q, state_d;
  logic done_q;                   // the event is a completion
  logic [WALKER_W-1:0] walker_q;  // of it
  logic [WTM_W-1:0] who_q;        // the walker's owner; of an arrival, the tenant
  logic threshold_q;              // it may steal by threshold
  logic [TENANT_W-1:0] other_q;
  logic [WALKERS-1:0] choice_q;   // a bit, or none

  // The paper's count of bits (Sec. VI-A).
  if (WALKERS == 16 && DEPTH == 12 && TENANTS == 2) begin : gen_paper
    if ($bits(fwa_free_q) + $bits(fwa_is_stolen_q) != 80) $error("FWA has 80 bits");
    if ($bits(twm_walkers_q) + $bits(twm_pend_walks_q) + $bits(twm_enq_epoch_q) != 80) $error("TWM has 80 bits");
    if ($bits(wtm_tenant_q) != 32) $error("WTM has 32 bits");
  end
  if (WALKERS < 2) $error("WALKERS is 2 or more");
  if (DEPTH < 1) $error("DEPTH is 1 or more");
  if (TENANTS < 2) $error("TENANTS is 2 or more");
  // PEND_WALKS and ENQ_EPOCH count to 4095.
  if (WALKERS * DEPTH >= 1 << COUNT_W) $error("WALKERS * DEPTH is 4095 at most");
  if (EPOCH_W < 1 || EPOCH_W > COUNT_W) $error("EPOCH_W is 1 to 12");

  // ---- IDLE: tenant or owner, and whether it may steal by threshold ----

  logic takes_done, takes_own, takes_enq;
  logic [WTM_W-1:0] owner;
  logic [FREE_W-1:0] own_used;
  logic [COUNT_W-1:0] own_pend, other_pend, more;
  logic other_any, threshold;
  logic [TENANT_LEAVES-1:0] other_may, other_is;
  logic [TENANT_LEAVES*COUNT_W-1:0] other_key;
  logic [TENANT_W-1:0] other;

  assign done_ready_o = state_q == Idle;
  assign own_ready_o = done_ready_o & ~done_valid_i;
  assign enq_ready_o = own_ready_o & ~own_valid_i;
  assign takes_done = done_valid_i & done_ready_o;
  assign takes_own = own_valid_i & own_ready_o;
  assign takes_enq = enq_valid_i & enq_ready_o;

  assign owner = wtm_tenant_q[done_walker_i*WTM_W+:WTM_W];
  assign own_used = FREE_W'(DEPTH) - fwa_free_q[done_walker_i*FREE_W+:FREE_W];

  for (genvar t = 0; t < TENANT_LEAVES; t++) begin : gen_other
    if (t < TENANTS) begin : gen_tenant
      assign other_may[t] = owner != WTM_W'(t);
      assign other_key[t*COUNT_W+:COUNT_W] = ~twm_pend_walks_q[t*COUNT_W+:COUNT_W];
    end else begin : gen_none
      assign other_may[t] = 1'b0;
      assign other_key[t*COUNT_W+:COUNT_W] = '0;
    end
  end

  mp_least #(
      .WAYS (TENANT_LEAVES),
      .KEY_W(COUNT_W)
  ) u_other (
      .may_i(other_may),
      .key_i(other_key),
      .any_o(other_any),
      .way_o(other_is)
  );

  always_comb begin
    own_pend = '0;
    other_pend = '0;
    other = '0;
    for (int unsigned t = 0; t < TENANTS; t++) begin
      if (owner == WTM_W'(t)) own_pend = own_pend | twm_pend_walks_q[t*COUNT_W+:COUNT_W];
      if (other_is[t]) other_pend = other_pend | twm_pend_walks_q[t*COUNT_W+:COUNT_W];
      if (other_is[t]) other = other | TENANT_W'(t);
    end
  end

  assign more = other_pend - own_pend;
  assign threshold = plus_i & other_any & ~fwa_is_stolen_q[done_walker_i] & own_used <= queue_thres_i &
                     other_pend > own_pend & more > COUNT_W'(diff_thres_q);

  // ---- CHOOSE ----

  logic [WALKERS-1:0] mine, theirs, home, waiting;
  logic [LEAVES-1:0] may;
  logic [LEAVES*KEY_W-1:0] key;
  /* verilator lint_off UNUSEDSIGNAL */  // leaves behind the walkers are never chosen
  logic [LEAVES-1:0] choice;
  /* verilator lint_on UNUSEDSIGNAL */
  logic unused_any;  // none: no bit of choice

  always_comb begin
    mine = '0;
    theirs = '0;
    for (int unsigned t = 0; t < TENANTS; t++) begin
      if (who_q == WTM_W'(t)) mine = mine | twm_walkers_q[t*WALKERS+:WALKERS];
      if (threshold_q && other_q == TENANT_W'(t)) theirs = theirs | twm_walkers_q[t*WALKERS+:WALKERS];
    end
    home = mine == '0 ? '1 : mine;
  end

  for (genvar w = 0; w < WALKERS; w++) begin : gen_key
    logic [FREE_W-1:0] free;
    logic own;
    logic [1:0] rank_done, rank_enq;
    assign free = fwa_free_q[w*FREE_W+:FREE_W];
    assign waiting[w] = free != FREE_W'(DEPTH);
    assign own = walker_q == WALKER_W'(w);
    assign rank_done = theirs[w] ? 2'd0 : own ? 2'd1 : mine[w] ? 2'd2 : 2'd3;
    assign rank_enq = ~idle_q[w] ? 2'd2 : home[w] ? 2'd0 : 2'd1;
    assign may[w] = done_q ? waiting[w] : idle_q[w] | (home[w] & free != '0);
    assign key[w*KEY_W+:KEY_W] = done_q ? {rank_done, free} : {rank_enq, idle_q[w] ? '0 : ~free};
  end

  for (genvar w = WALKERS; w < LEAVES; w++) begin : gen_no_walker
    assign may[w] = 1'b0;
    assign key[w*KEY_W+:KEY_W] = '0;
  end

  mp_least #(
      .WAYS (LEAVES),
      .KEY_W(KEY_W)
  ) u_choice (
      .may_i(may),
      .key_i(key),
      .any_o(unused_any),
      .way_o(choice)
  );

  // ---- ACT, ACCOUNT ----

  logic any, starts, counts, last, steals;
  logic [WALKERS-1:0] busy;
  logic [WALKER_W-1:0] chosen;
  logic [TENANTS-1:0] waits_now, leaves, counted;
  logic [WALKERS-1:0] fills, drains;

  assign any = choice_q != '0;
  assign starts = |(choice_q & idle_q);
  assign push_o = state_q == Act & ~done_q & any & ~starts;
  assign pop_o = state_q == Act & done_q & any;
  assign counts = state_q == Act & ~done_q & any & plus_i;
  assign last = {1'b0, epoch_q} + 1'b1 >= {1'b0, epoch_i};
  assign busy = WALKERS'(1) << walker_q;
  // The walk's tenant decides, not the queue in which the walk waited.
  assign steals = done_q ? who_q != WTM_W'(head_tenant_i) : (choice_q & mine) == '0;

  for (genvar t = 0; t < TENANTS; t++) begin : gen_tenant
    assign waits_now[t] = push_o & who_q == WTM_W'(t);
    assign counted[t] = counts & who_q == WTM_W'(t);
    assign leaves[t] = state_q == Account & head_tenant_i == TENANT_W'(t);
    assign twm_pend_walks_d[t*COUNT_W+:COUNT_W] =
        twm_pend_walks_q[t*COUNT_W+:COUNT_W] + COUNT_W'(waits_now[t]) - COUNT_W'(leaves[t]);
    assign twm_enq_epoch_d[t*COUNT_W+:COUNT_W] =
        state_q == Epoch ? '0 : twm_enq_epoch_q[t*COUNT_W+:COUNT_W] + COUNT_W'(counted[t]);
  end

  assign fills = push_o ? choice_q : '0;
  assign drains = pop_o ? choice_q : '0;
  for (genvar w = 0; w < WALKERS; w++) begin : gen_free
    assign fwa_free_d[w*FREE_W+:FREE_W] =
        fwa_free_q[w*FREE_W+:FREE_W] - FREE_W'(fills[w]) + FREE_W'(drains[w]);
  end

  assign epoch_d = state_q == Epoch ? '0 : epoch_q + EPOCH_W'(counts);

  always_comb begin
    idle_d = idle_q;
    fwa_is_stolen_d = fwa_is_stolen_q;
    if (state_q == Act) begin
      if (done_q) idle_d = any ? idle_q : idle_q | busy;
      else begin
        idle_d = idle_q & ~choice_q;
        if (starts) fwa_is_stolen_d = steals ? fwa_is_stolen_q | choice_q : fwa_is_stolen_q & ~choice_q;
      end
    end
    if (state_q == Account) fwa_is_stolen_d = steals ? fwa_is_stolen_q | busy : fwa_is_stolen_q & ~busy;
  end

  always_comb begin
    chosen = '0;
    used_o = '0;
    for (int unsigned w = 0; w < WALKERS; w++)
      if (choice_q[w]) begin
        chosen = chosen | WALKER_W'(w);
        used_o = used_o | (FREE_W'(DEPTH) - fwa_free_q[w*FREE_W+:FREE_W]);
      end
  end

  assign queue_o = chosen;
  assign rsp_valid_o = (state_q == Act & ~pop_o) | state_q == Account;
  assign rsp_walker_o = done_q ? walker_q : chosen;
  assign rsp_action_o = done_q ? (any ? mp_dws_pkg::RspStart : mp_dws_pkg::RspIdle) :
                        ~any ? mp_dws_pkg::RspNoRoom : starts ? mp_dws_pkg::RspStart : mp_dws_pkg::RspQueued;

  for (genvar t = 0; t < TENANTS; t++) begin : gen_room
    logic [WALKERS-1:0] owned, has_room;
    assign owned = twm_walkers_q[t*WALKERS+:WALKERS];
    for (genvar w = 0; w < WALKERS; w++) begin : gen_walker
      assign has_room[w] = fwa_free_q[w*FREE_W+:FREE_W] != '0 & (owned[w] | owned == '0);
    end
    assign room_o[t] = |idle_q | |has_room;
  end

  // ---- EPOCH ----

  localparam int unsigned RATIO_W = COUNT_W + 3;
  logic [COUNT_W-1:0] most, least;
  logic [RATIO_W-1:0] twice, thrice;  // the most, the least
  logic [2:0] ratio;

  always_comb begin
    most = '0;
    least = '1;
    for (int unsigned t = 0; t < TENANTS; t++)
      if (twm_walkers_q[t*WALKERS+:WALKERS] != '0) begin
        if (twm_enq_epoch_q[t*COUNT_W+:COUNT_W] > most) most = twm_enq_epoch_q[t*COUNT_W+:COUNT_W];
        if (twm_enq_epoch_q[t*COUNT_W+:COUNT_W] < least) least = twm_enq_epoch_q[t*COUNT_W+:COUNT_W];
      end
    if (least == '0) least = COUNT_W'(1);
  end

  assign twice = {2'b00, most, 1'b0};
  assign thrice = {2'b00, least, 1'b0} + RATIO_W'(least);

  always_comb
    if (twice <= thrice) ratio = 3'd0;
    else if (twice <= {1'b0, least, 2'b00}) ratio = 3'd1;
    else if (twice <= {thrice[RATIO_W-2:0], 1'b0}) ratio = 3'd2;
    else if (twice <= {least, 3'b000}) ratio = 3'd3;
    else ratio = 3'd4;

  // ---- clock by clock ----

  always_comb
    case (state_q)
      Idle: state_d = takes_done | takes_enq ? Choose : Idle;
      Choose: state_d = Act;
      Act: state_d = pop_o ? Account : counts & last ? Epoch : Idle;
      default: state_d = Idle;
    endcase

  for (genvar w = 0; w < WALKERS; w++) begin : gen_owner
    logic takes;
    assign takes = takes_own & own_walker_i == WALKER_W'(w);
    always_ff @(posedge clk_i or negedge rst_ni)
      if (!rst_ni) wtm_tenant_q[w*WTM_W+:WTM_W] <= WTM_W'(w % TENANTS);
      else if (takes) wtm_tenant_q[w*WTM_W+:WTM_W] <= own_tenant_i;
    for (genvar t = 0; t < TENANTS; t++) begin : gen_tenant
      always_ff @(posedge clk_i or negedge rst_ni)
        if (!rst_ni) twm_walkers_q[t*WALKERS+w] <= w % TENANTS == t;
        else if (takes) twm_walkers_q[t*WALKERS+w] <= own_tenant_i == WTM_W'(t);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      state_q <= Idle;
      fwa_free_q <= {WALKERS{FREE_W'(DEPTH)}};
      fwa_is_stolen_q <= '0;
      twm_pend_walks_q <= '0;
      twm_enq_epoch_q <= '0;
      epoch_q <= '0;
      diff_thres_q <= '1;
      idle_q <= '1;
    end else begin
      state_q <= state_d;
      fwa_free_q <= fwa_free_d;
      fwa_is_stolen_q <= fwa_is_stolen_d;
      twm_pend_walks_q <= twm_pend_walks_d;
      twm_enq_epoch_q <= twm_enq_epoch_d;
      epoch_q <= epoch_d;
      idle_q <= idle_d;
      if (state_q == Epoch) diff_thres_q <= diff_thres_i[ratio*DIFF_W+:DIFF_W];
    end

  always_ff @(posedge clk_i) begin
    if (state_q == Choose) choice_q <= choice[WALKERS-1:0];
    if (state_q == Idle) begin
      done_q <= done_valid_i;
      walker_q <= done_walker_i;
      who_q <= done_valid_i ? owner : WTM_W'(enq_tenant_i);
      threshold_q <= threshold;
      other_q <= other;
    end
  end

`ifndef SYNTHESIS
  // ---- the protocol ----
  // verilator coverage_off

  `include "checks/mp_dws_events_rules.svh"

  // More of what the ports showed, and the tables.
  localparam int unsigned COUNTS_W = WALKERS * FREE_W + 2 * WALKERS + 2 * TENANTS * COUNT_W + EPOCH_W + DIFF_W;
  logic seen_counted_q;                     // an arrival had its response in the last clock: an epoch may have ended
  logic seen_still_q;                       // no event changed the tables in the last clock
  logic seen_popped_q;                      // a walk left a queue in the last clock
  logic [1:0] seen_clocks_q;                // clocks since the event was taken
  logic [WTM_W-1:0] seen_who_q;             // the walker's owner, or the tenant of the arrival
  logic [TENANT_W:0] seen_threshold_q;
  logic [WALKERS*WTM_W-1:0] seen_wtm_q;     // owners
  logic [COUNTS_W-1:0] counts_now, seen_counts_q;  // all other tables

  assign counts_now = {fwa_free_q, fwa_is_stolen_q, twm_pend_walks_q, twm_enq_epoch_q, epoch_q, diff_thres_q, idle_q};

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      seen_counted_q <= 1'b0;
      seen_still_q <= 1'b0;
      seen_popped_q <= 1'b0;
      for (int unsigned w = 0; w < WALKERS; w++) seen_wtm_q[w*WTM_W+:WTM_W] <= WTM_W'(w % TENANTS);
    end else begin
      seen_counted_q <= rsp_valid_o & ~seen_done_q;
      seen_still_q <= ~seen_busy_q & done_ready_o & ~taken[2] & ~taken[0];
      seen_popped_q <= pop_o;
      if (taken[1]) seen_wtm_q[own_walker_i*WTM_W+:WTM_W] <= own_tenant_i;
    end

  always_ff @(posedge clk_i) begin
    if (taken[2] | taken[0]) begin
      seen_who_q <= taken[2] ? seen_wtm_q[done_walker_i*WTM_W+:WTM_W] : WTM_W'(enq_tenant_i);
      seen_clocks_q <= 2'd1;
    end else if (seen_clocks_q != '1) seen_clocks_q <= seen_clocks_q + 1'b1;
    if (seen_busy_q) seen_threshold_q <= {threshold_q, other_q};
    if (done_ready_o & ~taken[2] & ~taken[0]) seen_counts_q <= counts_now;
  end

  always_ff @(posedge clk_i)
    if (rst_ni && seen_reset_q) begin
      // No event waits without need: the arbiter is ready,
      if (done_ready_o) assert (taken != '0 || !(done_valid_i | own_valid_i | enq_valid_i));
      // for all events or for none,
      if (!done_ready_o) assert (!own_ready_o && !enq_ready_o);
      // but for one clock after an arrival, if an epoch ends.
      if (!seen_busy_q && !done_ready_o) assert (seen_counted_q && plus_i);
      // The response arrives in time.
      if (seen_busy_q) assert (rsp_valid_o || seen_clocks_q < 2'd3);
      // The operands keep the values of the clock in which the event was taken until the response.
      if (seen_busy_q)
        assert (done_q == seen_done_q && who_q == seen_who_q && (!seen_done_q || walker_q == seen_walker_q));
      if (seen_busy_q && seen_clocks_q != 2'd1) assert ({threshold_q, other_q} == seen_threshold_q);
      // A walk enters a queue only for an arrival, and leaves it only for a completion.
      if (push_o)
        assert (seen_busy_q && !seen_done_q && !pop_o && rsp_valid_o && rsp_action_o == mp_dws_pkg::RspQueued);
      if (pop_o) assert (seen_busy_q && seen_done_q && !rsp_valid_o);
      if (seen_popped_q) assert (rsp_valid_o && rsp_action_o == mp_dws_pkg::RspStart);
      // The owners are those written last.
      assert (wtm_tenant_q == seen_wtm_q);
      // The other tables change only for an arrival or a completion.
      if (seen_still_q) assert (counts_now == seen_counts_q);
      // A reset clears all state.
      if (seen_fresh_q)
        assert (counts_now == {{WALKERS{FREE_W'(DEPTH)}}, {WALKERS{1'b0}}, {2*TENANTS*COUNT_W{1'b0}}, {EPOCH_W{1'b0}},
                               {DIFF_W{1'b1}}, {WALKERS{1'b1}}});
    end
  // verilator coverage_on

  // ---- invariants ----

  for (genvar w = 0; w < WALKERS; w++) begin : gen_assert
    logic [WTM_W-1:0] wtm;
    assign wtm = wtm_tenant_q[w*WTM_W+:WTM_W];
    always_ff @(posedge clk_i)
      if (rst_ni && seen_reset_q) begin
        // FWA neither over- nor underflows.
        assert (32'(fwa_free_q[w*FREE_W+:FREE_W]) <= DEPTH);
        if (push_o && choice_q[w]) assert (fwa_free_q[w*FREE_W+:FREE_W] != '0);
        if (pop_o && choice_q[w]) assert (fwa_free_q[w*FREE_W+:FREE_W] != FREE_W'(DEPTH));
      end
    for (genvar t = 0; t < TENANTS; t++) begin : gen_tenant
      // TWM and WTM agree.
      always_ff @(posedge clk_i)
        if (rst_ni && seen_reset_q) assert (twm_walkers_q[t*WALKERS+w] == (wtm == WTM_W'(t)));
    end
  end

`ifndef FV_PROTOCOL
  for (genvar t = 0; t < TENANTS; t++) begin : gen_assert_tenant
    // PEND_WALKS neither over- nor underflows.
    always_ff @(posedge clk_i)
      if (rst_ni && seen_reset_q) begin
        assert (twm_pend_walks_q[t*COUNT_W+:COUNT_W] <= COUNT_W'(WALKERS * DEPTH));
        if (leaves[t]) assert (twm_pend_walks_q[t*COUNT_W+:COUNT_W] != '0);
      end
  end
`endif

  always_ff @(posedge clk_i)
    if (rst_ni && seen_reset_q) begin
      // The choice is at most one queue or walker.
      if (state_q == Act) assert ((choice_q & (choice_q - 1'b1)) == '0);
      // Nothing is stolen under DWS while a queue of the owner's walkers, or the walker's own, is not empty.
      if (pop_o && !plus_i && (choice_q & (mine | busy)) == '0) assert ((waiting & (mine | busy)) == '0);
      // No walker is idle while a walk waits.
      assert (idle_q == '0 || waiting == '0);
    end
`endif

`ifdef FORMAL
  // The assumptions are the rules for users of the block: a reset comes first; the mode changes only in reset; tenant
  // numbers are valid; a walker that completes is not idle.
  logic fv_plus;
  always_ff @(posedge clk_i) fv_plus <= plus_i;
  always_comb assume (!rst_ni || seen_reset_q);
  always_comb assume (!rst_ni || seen_fresh_q || plus_i == fv_plus);
  always_comb assume (32'(enq_tenant_i) < TENANTS);
  always_comb assume (!(done_valid_i & done_ready_o) || !idle_q[done_walker_i]);
`ifndef FV_PROTOCOL
`include "formal/dws_arbiter.svh"
`endif
`endif

endmodule
