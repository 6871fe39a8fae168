/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dispatch policies that only this test has. Two tenants use them on shared SMs: one fills an SM before the
 * next, one limits a tenant's resident warps, and one runs work-groups in rounds and adds instructions.
 */
#include "../app_bench.h"

static uint32_t seen[TENANTS][SMS]; /* requests of a tenant from an SM */

static void translate(struct fake_target *t, struct mp_req *req)
{
    seen[req->asid == asid_of(1)][t - b.tlb]++;
    req->pa = req->va - HEAP;
}

static void set_up(uint32_t ctas)
{
    memset(seen, 0, sizeof seen);
    set_up_sms(ctas, translate);
}

static int tear_down(void **state)
{
    (void)state;
    tear_down_tenants();
    return 0;
}

/* A trace of one kernel, whose work-group k issues gap + k instructions in each of its warps. */
static void write_idle(uint32_t ctas, uint32_t gap)
{
    begin_trace();
    kernel(ctas, 1, 0);
    for (uint32_t c = 0; c < ctas; c++)
        idle_cta(c, 1, gap + c);
    gwt_write_kernel_end(b.writer);
}

static uint32_t running_on(uint32_t sm, uint32_t i)
{
    uint32_t n = 0;
    for (uint32_t c = 0; c < b.sm[sm].p.ctas; c++)
        n += !(b.sm[sm].room.free_ctas >> c & 1) && b.sm[sm].cta[c].owner == &tenants[i].app.owner;
    return n;
}

static uint32_t next_of_trace(void *app, void *work, uint32_t warp, struct gwt_step *step, uint32_t room)
{
    const struct gwt_cta *cta = work;
    (void)app;
    return gwt_warp_steps(cta->warp[warp], step, room);
}

/* --- one SM first --------------------------------------------------------------------------------- */

static bool fill_first(struct mp_app *app)
{
    struct gwt_cta *cta;
    while ((cta = mp_app_peek(app))) {
        uint32_t k = 0;
        while (k < app->p.sms && !mp_sm_has_room(app->p.sm[k], cta->nwarps, app->kernel->local_bytes))
            k++;
        if (k == app->p.sms)
            return false;
        mp_app_run_on(app, app->p.sm[k], mp_app_take(app), cta->nwarps, app->kernel->local_bytes);
    }
    return true;
}

static uint32_t release(struct mp_app *app, struct mp_sm *sm, void *work)
{
    struct gwt_cta *cta = work;
    uint32_t warps = cta->nwarps;
    (void)sm;
    mp_app_release(app, cta);
    return warps;
}

static const struct mp_dispatch_policy depth_first = {
    .design = {.name = "depth_first"}, .place = fill_first, .ended = release, .next = next_of_trace};

static void an_sm_is_filled_before_the_next(void **state)
{
    (void)state;
    set_up(3);
    write_idle(10, 20);
    start_tenant(0, &depth_first, 0, 0, SMS);
    run_until(&b.wheel, 0);
    for (uint32_t k = 0; k < SMS; k++)
        for (uint32_t c = 0; c < 3; c++)
            assert_int_equal(((const struct gwt_cta *)b.sm[k].cta[c].work)->id, 3 * k + c);
    run_dry(&b.wheel);
    assert_int_equal(tenants[0].completed, 1);
    assert_int_equal(tenants[0].end, 20 + 29 + LAUNCH); /* the tenth starts when the first ends */
}

/* --- a limit of resident warps -------------------------------------------------------------------- */

struct limited {
    uint32_t warps, next;
};

static bool place_limited(struct mp_app *app)
{
    struct limited *s = app->state;
    struct gwt_cta *cta;
    while ((cta = mp_app_peek(app))) {
        uint32_t i = 0;
        if (s->warps + cta->nwarps > app->p.values.v[0])
            return false;
        while (i < app->p.sms && !mp_sm_has_room(app->p.sm[(s->next + i) % app->p.sms], cta->nwarps, 0))
            i++;
        if (i == app->p.sms)
            return false;
        uint32_t k = (s->next + i) % app->p.sms;
        s->next = (k + 1) % app->p.sms;
        s->warps += cta->nwarps;
        mp_app_run_on(app, app->p.sm[k], mp_app_take(app), cta->nwarps, 0);
    }
    return true;
}

static uint32_t release_limited(struct mp_app *app, struct mp_sm *sm, void *work)
{
    struct limited *s = app->state;
    const struct gwt_cta *cta = work;
    s->warps -= cta->nwarps;
    return release(app, sm, work);
}

static const struct mp_dispatch_policy threads = {.design = {.name = "threads"},
                                                  .bytes = sizeof(struct limited),
                                                  .place = place_limited,
                                                  .ended = release_limited,
                                                  .next = next_of_trace};

/* Six slots: the first tenant may have four warps, the second as many, but finds only two free. It takes the
 * first slot that is free, which is one of the first tenant's. */
static void a_tenant_at_its_limit_waits_and_others_do_not(void **state)
{
    (void)state;
    set_up(2);
    write_idle(4, 30);
    start_tenant(0, &threads, 4, 0, SMS);
    write_idle(3, 100);
    start_tenant(1, &threads, 4, 0, SMS);
    run_until(&b.wheel, 0);
    assert_int_equal(running_on(0, 0) + running_on(1, 0) + running_on(2, 0), 4);
    assert_int_equal(running_on(0, 1), 0);
    assert_int_equal(running_on(1, 1), 1);
    assert_int_equal(running_on(2, 1), 1);
    run_until(&b.wheel, 29);
    assert_int_equal(running_on(0, 1), 0);
    run_until(&b.wheel, 30);
    assert_int_equal(running_on(0, 1), 1);
    run_dry(&b.wheel);
    assert_int_equal(tenants[0].end, 33 + LAUNCH);
    assert_int_equal(tenants[1].end, 30 + 102 + LAUNCH);
    tear_down(state);
    set_up(2);
    write_idle(4, 30);
    start_tenant(0, &threads, 1, 0, SMS); /* one after the other, in spite of five free slots */
    run_dry(&b.wheel);
    assert_int_equal(tenants[0].end, 30 + 31 + 32 + 33 + LAUNCH);
}

/* --- rounds --------------------------------------------------------------------------------------- */

/*
 * As many blocks start as the SMs hold. A block on an SM outside the tenant's partition leaves at once. Every
 * other block runs one work-group after the other; which one is next, it learns from an atomic operation of
 * its first warp: work-groups are handed out in the order of the answers.
 */
enum { BLOCKS = 24, FOREIGN = 6, BEGIN = 10, POP = 4, FOUND = 12, NONE = 2 };
enum step { ASK, MEET, START, RUN, LEAVE };

struct rounds {
    uint32_t blocks, started;
    struct block {
        struct gwt_cta *cta;
        uint32_t begin; /* instructions before the first round */
        enum step step[8];
    } block[BLOCKS];
};

struct rounds_counters {
    uint64_t instructions, pops, foreign;
};

#define COUNTER(field, unit, text) MP_COUNTER_OF(struct rounds_counters, field, unit, text)
static const struct mp_metric rounds_metrics[] = {
    COUNTER(instructions, "instructions", "added"),
    COUNTER(pops, "requests", "atomic operations added"),
    COUNTER(foreign, "blocks", "that left at once"),
};
static const struct mp_metric_table rounds_table = {"rounds", sizeof(struct rounds_counters), 3,
                                                    rounds_metrics};

static void begin_rounds(struct mp_app *app)
{
    struct rounds *s = app->state;
    *s = (struct rounds){.blocks = BLOCKS / mp_app_peek(app)->nwarps};
}

static bool place_rounds(struct mp_app *app)
{
    struct rounds *s = app->state;
    uint32_t warps = BLOCKS / s->blocks;
    for (; s->started < s->blocks; s->started++) {
        uint32_t k = s->started % app->p.sms;
        bool own = k - app->p.first_sm < app->p.own_sms;
        struct block *block = &s->block[s->started];
        if (!mp_sm_has_room(app->p.sm[k], warps, 0))
            return false;
        *block = (struct block){.begin = BEGIN};
        for (uint32_t w = 0; w < warps; w++)
            block->step[w] = own ? ASK : LEAVE;
        ((struct rounds_counters *)app->counters)->foreign += !own;
        mp_app_run_on(app, app->p.sm[k], block, warps, 0);
    }
    return true;
}

/* The warp's part of the work-group that was found, with a barrier at its end. */
static uint32_t run_work_group(struct block *block, uint32_t warp, uint32_t gap, struct gwt_step *step,
                               uint32_t room)
{
    uint32_t n = gwt_warp_steps(block->cta->warp[warp], step, room);
    bool ends = step[n - 1].kind == GWT_EXIT;
    step->gap += gap;
    if (ends)
        step[n - 1].kind = GWT_BARRIER;
    block->step[warp] = ends ? ASK : RUN;
    return n;
}

static uint32_t next_of_round(void *self, void *work, uint32_t warp, struct gwt_step *step, uint32_t room)
{
    struct mp_app *app = self;
    struct rounds_counters *added = app->counters;
    struct block *block = work;
    uint32_t begin = block->begin;
    switch (block->step[warp]) {
    case LEAVE:
        *step = (struct gwt_step){.kind = GWT_EXIT, .gap = FOREIGN};
        break;
    case ASK:
        *step = (struct gwt_step){.kind = GWT_BARRIER, .gap = begin};
        if (!warp)
            *step = (struct gwt_step){.kind = GWT_ACCESS,
                                      .op = GWT_ATOMIC,
                                      .mode = GWT_SAME,
                                      .active = 1,
                                      .bytes = 4,
                                      .base = HEAP + 7 * PAGE,
                                      .gap = begin + POP};
        block->step[warp] = warp ? START : MEET;
        break;
    case MEET:
        *step = (struct gwt_step){.kind = GWT_BARRIER};
        block->step[warp] = START;
        break;
    case START:
        block->begin = 0;
        *step = (struct gwt_step){.kind = GWT_EXIT, .gap = NONE};
        if (!block->cta)
            break;
        added->instructions += FOUND;
        return run_work_group(block, warp, FOUND, step, room);
    case RUN:
        return run_work_group(block, warp, 0, step, room);
    }
    added->instructions += step->gap;
    return 1;
}

/* The first warp has nothing else in flight when it waits at the barrier behind its atomic operation. */
static void answered(void *self, void *work, uint32_t warp, uint64_t issued)
{
    struct mp_app *app = self;
    struct block *block = work;
    (void)issued;
    if (warp || block->step[0] != START) {
        app->stats.accesses++;
        return;
    }
    ((struct rounds_counters *)app->counters)->pops++;
    if (block->cta)
        mp_app_release(app, block->cta);
    block->cta = mp_app_take(app);
}

static uint32_t block_ended(struct mp_app *app, struct mp_sm *sm, void *block)
{
    const struct rounds *s = app->state;
    (void)sm;
    assert_null(((struct block *)block)->cta);
    return BLOCKS / s->blocks;
}

static const struct mp_dispatch_policy rounds = {.design = {.name = "rounds", .counters = &rounds_table},
                                                 .bytes = sizeof(struct rounds),
                                                 .begin = begin_rounds,
                                                 .place = place_rounds,
                                                 .ended = block_ended,
                                                 .next = next_of_round,
                                                 .access_done = answered};

static void write_loads(uint32_t ctas, uint32_t warps)
{
    begin_trace();
    for (uint32_t k = 0; k < 2; k++)
        kernel_of_random_loads(ctas, warps, 0);
}

/* Of `blocks` blocks, `foreign` leave; `warps` are those of a block. */
static void check_rounds(uint32_t i, uint32_t warps, uint32_t foreign)
{
    const struct gwt_totals *all = gwt_totals(tenants[i].reader);
    const struct rounds_counters *added = tenants[i].app.counters;
    uint32_t kernels = 2, blocks = BLOCKS / warps, own = blocks - foreign;
    assert_int_equal(tenants[i].completed, 1);
    assert_int_equal(added->foreign, kernels * foreign);
    assert_int_equal(added->pops, all->ctas + kernels * own);
    assert_int_equal(added->instructions, kernels * warps * (foreign * FOREIGN + own * (BEGIN + NONE)) +
                                              added->pops * POP + all->ctas * warps * FOUND);
    assert_int_equal(counted(i).issued, all->instructions + added->instructions);
    assert_int_equal(counted(i).accesses, all->accesses + added->pops);
    assert_int_equal(tenants[i].app.stats.accesses, all->accesses);
    assert_int_equal(counted(i).ctas, kernels * blocks);
}

static void blocks_run_work_groups_in_rounds(void **state)
{
    b.rng = rng_start("rounds", 31);
    for (uint32_t round = 0; round < 30; round++) {
        uint32_t warps = 1u << rng_below(&b.rng, 4);
        set_up(8);
        write_loads(rng_between(&b.rng, 1, 60), warps);
        start_tenant(0, &rounds, 0, 0, 1);
        write_loads(rng_between(&b.rng, 1, 60), warps);
        start_tenant(1, &rounds, 0, 1, 2);
        run_dry(&b.wheel);
        check_rounds(0, warps, BLOCKS / warps / 3 * 2);
        check_rounds(1, warps, BLOCKS / warps / 3);
        assert_int_equal(seen[0][1] + seen[0][2] + seen[1][0], 0);
        if (round < 29)
            tear_down(state);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(an_sm_is_filled_before_the_next, tear_down),
        cmocka_unit_test_teardown(a_tenant_at_its_limit_waits_and_others_do_not, tear_down),
        cmocka_unit_test_teardown(blocks_run_work_groups_in_rounds, tear_down),
    };
    return cmocka_run_group_tests_name("dispatch", tests, NULL, NULL);
}
