// SPDX-License-Identifier: Apache-2.0
//
// The contents of the queues, for proofs about mp_dws_arbiter, which includes this file: the number of walks of each tenant
// in each queue; and for one arbitrary walk, its queue and the number of walks ahead of it. The proofs assume that a
// walk that leaves a queue waited in it.
//
// Sums over walkers are registers, each equal to its neighbour plus one count, because solvers are slow at sums.

  always_comb assume (32'(head_tenant_i) < TENANTS);

  logic fv_out;  // the chosen queue's walk left in the last clock, and is no longer in FWA
  assign fv_out = state_q == Account;

  // ---- walks by queue and tenant ----

  for (genvar w = 0; w < WALKERS; w++) begin : gen_fv
    logic [TENANTS*FREE_W-1:0] count;     // walks, by tenant
    logic [TENANTS*COUNT_W-1:0] up_to;    // in the queues 0 to w
    logic [FREE_W+1:0] here;
    logic [TENANTS-1:0] has;
    for (genvar t = 0; t < TENANTS; t++) begin : gen_tenant
      logic comes, goes, comes_below, goes_below;
      assign comes = push_o & choice_q[w] & who_q == WTM_W'(t);
      assign goes = fv_out & choice_q[w] & head_tenant_i == TENANT_W'(t);
      if (w == 0) begin : gen_first
        assign comes_below = comes;
        assign goes_below = goes;
      end else begin : gen_next
        assign comes_below = comes | gen_fv[w-1].gen_tenant[t].comes_below;
        assign goes_below = goes | gen_fv[w-1].gen_tenant[t].goes_below;
      end
      assign has[t] = count[t*FREE_W+:FREE_W] != '0;
      always_ff @(posedge clk_i or negedge rst_ni)
        if (!rst_ni) begin
          count[t*FREE_W+:FREE_W] <= '0;
          up_to[t*COUNT_W+:COUNT_W] <= '0;
        end else begin
          count[t*FREE_W+:FREE_W] <= count[t*FREE_W+:FREE_W] + FREE_W'(comes) - FREE_W'(goes);
          up_to[t*COUNT_W+:COUNT_W] <= up_to[t*COUNT_W+:COUNT_W] + COUNT_W'(comes_below) - COUNT_W'(goes_below);
        end
      always_comb if (fv_out && choice_q[w] && head_tenant_i == TENANT_W'(t)) assume (has[t]);
      always_ff @(posedge clk_i)
        if (rst_ni) begin
          if (w == 0) assert (up_to[t*COUNT_W+:COUNT_W] == COUNT_W'(count[t*FREE_W+:FREE_W]));
          // PEND_WALKS is the number of the tenant's waiting walks.
          if (w == WALKERS - 1) assert (twm_pend_walks_q[t*COUNT_W+:COUNT_W] == up_to[t*COUNT_W+:COUNT_W]);
        end
      if (w != 0) begin : gen_sum
        always_ff @(posedge clk_i)
          if (rst_ni)
            assert (up_to[t*COUNT_W+:COUNT_W] ==
                    gen_fv[w-1].up_to[t*COUNT_W+:COUNT_W] + COUNT_W'(count[t*FREE_W+:FREE_W]));
      end
    end
    always_comb begin
      here = '0;
      for (int unsigned t = 0; t < TENANTS; t++) here = here + (FREE_W + 2)'(count[t*FREE_W+:FREE_W]);
    end
    always_ff @(posedge clk_i)
      if (rst_ni) begin
        assert (here <= (FREE_W + 2)'(DEPTH));
        for (int unsigned t = 0; t < TENANTS; t++) assert (32'(up_to[t*COUNT_W+:COUNT_W]) <= (w + 1) * DEPTH);
      end
    // FWA is the number of free places.
    always_ff @(posedge clk_i)
      if (rst_ni)
        assert ((FREE_W + 2)'(fwa_free_q[w*FREE_W+:FREE_W]) + here ==
                (FREE_W + 2)'(DEPTH) + (FREE_W + 2)'(fv_out & choice_q[w]));
  end

  // ---- arrivals of an epoch ----

  always_ff @(posedge clk_i)
    if (rst_ni) begin
      // A tenant has at most EPOCH arrivals.
      for (int unsigned t = 0; t < TENANTS; t++)
        assert (twm_enq_epoch_q[t*COUNT_W+:COUNT_W] <= COUNT_W'(epoch_q));
      // EPOCH does not overflow.
      assert (epoch_q != '1 || state_q == Epoch);
    end

  // ---- one arbitrary walk that waits ----

  (* anyseq *) logic fv_mark;
  logic fv_waits, fv_granted;
  logic [WALKERS-1:0] fv_where;
  logic [FREE_W-1:0] fv_ahead;  // walks that came before it and wait
  logic fv_leaves;
  assign fv_leaves = pop_o & fv_waits & fv_where == choice_q & fv_ahead == '0;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      fv_waits   <= 1'b0;
      fv_granted <= 1'b0;
    end else begin
      if (push_o && fv_mark && !fv_waits && !fv_granted) begin
        fv_waits <= 1'b1;
        fv_where <= choice_q;
        fv_ahead <= used_o;
      end
      if (pop_o && fv_waits && fv_where == choice_q) fv_ahead <= fv_ahead - 1'b1;
      if (fv_leaves) begin
        fv_waits   <= 1'b0;
        fv_granted <= 1'b1;
      end
    end
  for (genvar w = 0; w < WALKERS; w++) begin : gen_fv_walk
    // It keeps its place: no other walk gets the place, and the walk is not lost.
    always_ff @(posedge clk_i)
      if (rst_ni && fv_waits && fv_where[w]) assert (fv_ahead < FREE_W'(DEPTH) - fwa_free_q[w*FREE_W+:FREE_W]);
  end
  always_ff @(posedge clk_i)
    if (rst_ni) begin
      if (fv_waits) assert (fv_where != '0 && (fv_where & (fv_where - 1'b1)) == '0);
      // It is granted once: one walker starts it in the next clock, and no other walker starts it.
      assert (!fv_waits || !fv_granted);
      if (fv_leaves) assert (state_d == Account);
    end

`ifdef FV_CLOCKS
  // ---- as long as every walker completes ----

  // At most FV_CLOCKS pass from a walker's start, or its last completion, until its completion is taken. Without this
  // assumption, the proof would bound the completions that a walk awaits, but not the clocks.
  localparam int unsigned AGE_W = $clog2(`FV_CLOCKS + 1);
  localparam int unsigned TURNS_W = $clog2(2 * DEPTH + 2);
  localparam int unsigned WAIT_W = $clog2((2 * DEPTH + 1) * `FV_CLOCKS + 3);
  logic [WALKERS*AGE_W-1:0] fv_age;
  for (genvar w = 0; w < WALKERS; w++) begin : gen_fv_age
    always_ff @(posedge clk_i or negedge rst_ni)
      if (!rst_ni) fv_age[w*AGE_W+:AGE_W] <= '0;
      else if (idle_q[w] | (takes_done & done_walker_i == WALKER_W'(w))) fv_age[w*AGE_W+:AGE_W] <= '0;
      else fv_age[w*AGE_W+:AGE_W] <= fv_age[w*AGE_W+:AGE_W] + 1'b1;
    always_comb assume (32'(fv_age[w*AGE_W+:AGE_W]) < `FV_CLOCKS);
  end

  // For the waiting walk: completions of its queue's walker, clocks, and walks ahead of it when it arrived.
  logic [TURNS_W-1:0] fv_turns, fv_most;
  logic [WAIT_W-1:0] fv_wait;
  logic [FREE_W-1:0] fv_came, fv_passed;
  logic [AGE_W-1:0] fv_age_there;
  logic fv_turn, fv_under_way, fv_stolen;
  assign fv_turn = takes_done & fv_where[done_walker_i];
  assign fv_under_way = done_q & fv_where[walker_q] & (state_q == Choose | state_q == Act | state_q == Account);
  assign fv_stolen = |(fv_where & fwa_is_stolen_q);
  // Under DWS++ a walker may take another tenant's walk before each walk of its own queue.
  assign fv_passed = fv_came - fv_ahead;
  assign fv_most = (TURNS_W'(fv_passed) << plus_i) + TURNS_W'(plus_i & fv_stolen) + TURNS_W'(fv_under_way);
  always_comb begin
    fv_age_there = '0;
    for (int unsigned w = 0; w < WALKERS; w++) if (fv_where[w]) fv_age_there = fv_age_there | fv_age[w*AGE_W+:AGE_W];
  end
  always_ff @(posedge clk_i)
    if (!fv_waits) begin
      fv_turns <= '0;
      fv_wait  <= '0;
      fv_came  <= used_o;
    end else begin
      fv_turns <= fv_turns + TURNS_W'(fv_turn);
      fv_wait  <= fv_wait + 1'b1;
    end
  always_ff @(posedge clk_i)
    if (rst_ni && fv_waits) begin
      // Each completion of its walker advances it.
      assert (fv_ahead <= fv_came && 32'(fv_came) < DEPTH && fv_turns <= fv_most);
      // Completions bound the clocks.
      assert (32'(fv_wait) <= 32'(fv_turns) * `FV_CLOCKS + 32'(fv_age_there));
      // It awaits no more completions of its walker than there are places, twice that under DWS++.
      assert (32'(fv_turns) <= DEPTH << plus_i);
      // It is granted in time.
      assert (32'(fv_wait) <= (DEPTH << plus_i) * `FV_CLOCKS + 2);
    end
`endif

`ifdef FV_OWNERS_STAY
  // ---- as long as no walker's owner changes ----

  always_comb assume (!own_valid_i);
  for (genvar t = 0; t < TENANTS; t++) begin : gen_fv_stay
    always_ff @(posedge clk_i)
      if (rst_ni) begin
        assert (twm_walkers_q[t*WALKERS+:WALKERS] != '0);
        // Under DWS no walk is stolen while any walk of the owner waits.
        if (fv_out && !plus_i && steals && who_q == WTM_W'(t)) assert (twm_pend_walks_q[t*COUNT_W+:COUNT_W] == '0);
      end
    for (genvar w = 0; w < WALKERS; w++) begin : gen_walker
      always_ff @(posedge clk_i)
        if (rst_ni && !twm_walkers_q[t*WALKERS+w]) assert (!gen_fv[w].has[t]);
    end
  end
`endif
