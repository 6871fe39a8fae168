/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Persistent threads (Fractional GPUs, Section III-B, and the authors' published code). A kernel starts as
 * many blocks as all SMs of the GPU hold. A block on another partition's SM leaves at once. The others run
 * the kernel's work-groups in rounds: the first warp takes the next number by an atomic operation on a
 * counter in memory, all warps meet at a barrier, and then run that work-group. Launches use two counters by
 * turns; a launch clears the counter of the next one.
 */
#include <stdlib.h>

#include "sm/app.h"

/* Instructions that the transformation adds to each warp, as far as the authors' code shows. */
enum { FOREIGN = 6, BEGIN = 10, STORE = 1, POP = 4 + 1, FOUND = 12, NONE = 2 };
enum { LOCAL_BYTES = 16, COUNTER_BYTES = 4, COUNTER_STRIDE = 256 }; /* a line for each counter */

#define COUNTERS 0x7fff00000000ull /* above what a driver gives to buffers */

struct counters {
    uint64_t instructions, pops, foreign;
};

static const struct mp_metric metrics[] = {
    MP_COUNTER_OF(struct counters, instructions, "instructions", "added to those of the trace"),
    MP_COUNTER_OF(struct counters, pops, "requests", "atomic operations that take a work-group's number"),
    MP_COUNTER_OF(struct counters, foreign, "CTAs", "blocks that left, since the SM is of another partition"),
};

static const struct mp_metric_table table = {"dispatch", sizeof(struct counters),
                                             sizeof metrics / sizeof *metrics, metrics};

enum phase {
    LEAVE, /* the SM is another partition's */
    CLEAR, /* stores to the other counter */
    ASK,   /* the first warp asks for a number, others go to the barrier */
    MEET,  /* the first warp goes there, too */
    START, /* the number is known */
    RUN
};

struct block {
    const struct mp_sm *sm;
    struct gwt_cta *cta; /* whose instructions run; NULL: none was left */
    uint64_t stored;     /* cycle in which the store was issued; MP_NEVER: there is none in flight */
    bool asks;           /* the atomic operation has no answer */
    uint8_t phase[MP_SM_MAX_WARPS];
    bool began[MP_SM_MAX_WARPS];
};

struct state {
    struct block *block;
    uint32_t room, blocks, started, warps;
    uint32_t launch;
    bool has_cleared; /* the first block on an own SM clears the other counter */
    bool mapped;
};

/* --- blocks --------------------------------------------------------------------------------------- */

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Blocks that an empty SM holds. */
static uint32_t blocks_of(const struct mp_app *app, uint32_t warps)
{
    const struct mp_sm_params *sm = &app->p.sm[0]->p;
    return least(least(sm->warps / warps, sm->ctas),
                 sm->local_bytes / (app->kernel->local_bytes + LOCAL_BYTES));
}

static void begin(struct mp_app *app)
{
    struct state *s = app->state;
    const struct gwt_cta *first = mp_app_peek(app);
    struct mp_error err;
    s->blocks = s->started = 0;
    s->has_cleared = false;
    s->launch++;
    if (!first)
        return;
    s->warps = first->nwarps;
    s->blocks = app->p.sms * blocks_of(app, s->warps);
    if (!s->blocks) {
        mp_app_fail(app, "persistent: 16 bytes more than a work-group's are larger than sm.local_bytes");
        return;
    }
    if (!s->mapped && app->p.host.map(app->p.host.self, app->p.tenant, MP_APP_NO_BUFFER, COUNTERS,
                                      2 * COUNTER_STRIDE, &err)) {
        mp_app_fail(app, err.text);
        return;
    }
    s->mapped = true;
    if (s->room >= s->blocks)
        return;
    free(s->block);
    s->block = calloc(s->blocks, sizeof *s->block);
    s->room = s->block ? s->blocks : 0;
    if (!s->block)
        mp_app_fail(app, "out of memory");
}

/* Blocks look between two work-groups whether to leave, so a kernel that was preempted starts them again. */
static void resume(struct mp_app *app)
{
    struct state *s = app->state;
    s->started = 0;
}

static void clear(struct mp_app *app)
{
    struct state *s = app->state;
    free(s->block);
}

static bool is_own(const struct mp_app *app, uint32_t k)
{
    return k - app->p.first_sm < app->p.own_sms;
}

static void set_up(struct mp_app *app, struct block *block, uint32_t k)
{
    struct state *s = app->state;
    bool own = is_own(app, k);
    *block = (struct block){.sm = app->p.sm[k], .stored = MP_NEVER};
    for (uint32_t w = 0; w < s->warps; w++)
        block->phase[w] = own ? ASK : LEAVE;
    if (own && !s->has_cleared) {
        block->phase[0] = CLEAR;
        s->has_cleared = true;
    }
    ((struct counters *)app->counters)->foreign += !own;
}

/* Blocks go round all SMs, each to the next one that has room, as hardware places them: a partition whose
 * kernel fills its SMs does not hold back the kernels of others. Hardware may thus place all blocks of a
 * launch on other partitions' SMs, so that nothing runs the kernel. That is excluded: a block whose turn
 * comes at an own SM goes to the next own SM with room, and waits for one if all are full. Returns the number
 * of SMs if there is no room. */
static uint32_t find_room(const struct mp_app *app, uint32_t local_bytes)
{
    const struct state *s = app->state;
    const uint32_t sms = app->p.sms, turn = s->started % sms;
    const bool stays = is_own(app, turn);
    for (uint32_t i = 0; i < sms; i++) {
        uint32_t k = (turn + i) % sms;
        if ((is_own(app, k) || !stays) && mp_app_has_room(app, app->p.sm[k], s->warps, local_bytes))
            return k;
    }
    return sms;
}

/* One that finds no room holds back those behind it. */
static bool place(struct mp_app *app)
{
    struct state *s = app->state;
    uint32_t local_bytes = app->kernel->local_bytes + LOCAL_BYTES;
    for (; s->started < s->blocks; s->started++) {
        uint32_t k = find_room(app, local_bytes);
        if (k == app->p.sms)
            return false;
        set_up(app, &s->block[s->started], k);
        mp_app_run_on(app, app->p.sm[k], &s->block[s->started], s->warps, local_bytes);
    }
    return true;
}

static uint32_t ended(struct mp_app *app, struct mp_sm *sm, void *work)
{
    const struct state *s = app->state;
    struct block *block = work;
    (void)sm;
    if (block->cta) /* the application was aborted */
        mp_app_release(app, block->cta);
    block->cta = NULL;
    return s->warps;
}

/* --- instructions ----------------------------------------------------------------------------------- */

static struct gwt_step access_of(enum gwt_op op, uint64_t va, uint32_t gap)
{
    return (struct gwt_step){.kind = GWT_ACCESS,
                             .op = op & 3,
                             .gap = gap,
                             .mode = GWT_SAME,
                             .active = 1,
                             .bytes = COUNTER_BYTES,
                             .base = va};
}

static uint64_t counter_of(const struct mp_app *app, uint32_t launch)
{
    const uint64_t counters = app->p.part ? mp_colours_gather(app->p.part, COUNTERS) : COUNTERS;
    return counters + (uint64_t)(launch % 2) * COUNTER_STRIDE;
}

/* The warp's part of the work-group, with a barrier at its end. */
static uint32_t run_work_group(struct block *block, uint32_t warp, uint32_t gap, struct gwt_step *step,
                               uint32_t room)
{
    uint32_t n = gwt_warp_steps(block->cta->warp[warp], step, room);
    bool ends = step[n - 1].kind == GWT_EXIT;
    step->gap += gap;
    if (ends)
        step[n - 1].kind = GWT_BARRIER;
    block->phase[warp] = ends ? ASK : RUN;
    return n;
}

static uint32_t next(void *self, void *work, uint32_t warp, struct gwt_step *step, uint32_t room)
{
    struct mp_app *app = self;
    const struct state *s = app->state;
    struct counters *added = app->counters;
    struct block *block = work;
    uint32_t gap = block->began[warp] ? 0 : BEGIN, steps = 1;
    *step = (struct gwt_step){.kind = GWT_BARRIER, .gap = gap};
    switch (block->phase[warp]) {
    case LEAVE:
        *step = (struct gwt_step){.kind = GWT_EXIT, .gap = FOREIGN};
        added->instructions += FOREIGN;
        return 1; /* the SMs of other tenants are not asked for this tenant's instructions */
    case CLEAR:
        gap += STORE;
        *step = access_of(GWT_STORE, counter_of(app, s->launch + 1), gap);
        block->stored = 0;
        block->phase[warp] = ASK;
        break;
    case ASK:
        block->phase[warp] = START;
        if (warp)
            break;
        if (!block->stored) /* it has just been issued, if its answer is not there already */
            block->stored = block->sm->wheel->now;
        gap += POP;
        *step = access_of(GWT_ATOMIC, counter_of(app, s->launch), gap);
        block->asks = true;
        block->phase[warp] = MEET;
        break;
    case MEET:
        block->phase[warp] = START;
        break;
    case START:
        gap = block->cta ? FOUND : NONE;
        if (!block->cta)
            *step = (struct gwt_step){.kind = GWT_EXIT, .gap = gap};
        else
            steps = run_work_group(block, warp, gap, step, room);
        break;
    case RUN:
        return run_work_group(block, warp, 0, step, room);
    }
    block->began[warp] = true;
    added->instructions += gap;
    app->added += gap;
    return steps;
}

/* The order of these answers gives the work-groups their blocks. The first warp has nothing else in flight
 * while it asks, apart from its store. */
static void answered(void *self, void *work, uint32_t warp, uint64_t issued)
{
    struct mp_app *app = self;
    const struct state *s = app->state;
    struct block *block = work;
    bool of_store = block->stored != MP_NEVER && (!block->stored || block->stored == issued);
    if (warp || (!block->asks && !of_store)) {
        app->stats.accesses++;
        return;
    }
    if (of_store) {
        block->stored = MP_NEVER;
        return;
    }
    ((struct counters *)app->counters)->pops++;
    bool leaves = app->stopped || (app->preempting && block->cta);
    block->asks = false;
    if (block->cta)
        mp_app_release(app, block->cta);
    block->cta = leaves ? NULL : mp_app_take(app);
    if (block->cta && block->cta->nwarps != s->warps)
        mp_app_fail(app, "persistent: work-groups of a kernel differ in size; they must be equal");
}

const struct mp_dispatch_policy mp_dispatch_persistent = {
    .design = {.name = "persistent",
               .title = "blocks that stay on the partition's SMs and take work-groups in turn",
               .counters = &table},
    .bytes = sizeof(struct state),
    .begin = begin,
    .place = place,
    .ended = ended,
    .resume = resume,
    .clear = clear,
    .waits_for_host = true, /* launches are serialised through it (FGPU III-B) */
    .next = next,
    .access_done = answered,
};
