/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shortest job first, with batches: page walks by instruction, after the idea of Shin et al., "Scheduling
 * Page Table Walks for Irregular GPU Applications" (ISCA 2018). What follows was written from its public
 * abstract, which says that the order of the walks of an instruction matters, that walks of instructions
 * which need less work go first, and that the walks of one instruction are served together. All rules below
 * were chosen here, and may differ from those of the paper.
 *
 * - A walk's score is the number of page table reads that the page walk cache leaves for it when it joins the
 *   queue (mp_walk_view.work; 1 where nothing says). An instruction's score is the sum of those of its walks
 *   that wait, so that it grows with each walk that joins and falls with each that starts.
 * - An arrival starts at once on the lowest idle walker, if there is one. A walker that becomes idle starts
 *     1. the oldest walk, if `sjf.patience` walks that came later have started before it;
 *     2. else the oldest walk of the instruction whose walk was started last, if `sjf.batch` is set;
 *     3. else the oldest walk of the instruction with the lowest score; of equal ones, of the instruction
 *        that has the oldest walk.
 * - An instruction is what its requests name: address space, SM, warp, and number in the warp modulo 16.
 *   Walks that name none count as one instruction of their address space.
 *
 * The queue is in order of arrival, so a walk is passed over whenever one behind it starts, and no walk has
 * been passed over more often than the first.
 */
#include <string.h>

#include "walk/scheduler/scheduler.h"

enum { PATIENCE, BATCH };

static const struct mp_design_param params[] = {
    [PATIENCE] = {"patience", "walks", NULL, 1000, 1, 1000000000, "mempath",
                  "walks that may start before one that came earlier; then this one is the next", 0},
    [BATCH] = {"batch", NULL, NULL, 1, 0, 1, "mempath",
               "the instruction whose walk was started last goes on before others", 0},
    {0},
};

struct sjf_stats {
    uint64_t batched, shortest, aged;
};

#define COUNTER(field, text) MP_COUNTER_OF(struct sjf_stats, field, "walks", text)

static const struct mp_metric metrics[] = {
    COUNTER(batched, "that went on with the instruction started last"),
    COUNTER(shortest, "of the instruction with the lowest score"),
    COUNTER(aged, "that had been passed over too often"),
};
static const struct mp_metric_table counters = {"walk.sjf", sizeof(struct sjf_stats),
                                                sizeof metrics / sizeof *metrics, metrics};

#define NO_INSTRUCTION UINT64_MAX

struct waiting {
    uint64_t instruction;
    uint64_t total; /* score of the instruction */
    uint32_t score; /* of the walk */
    uint32_t passed;
};

struct sjf {
    struct mp_walk_geometry g;
    const struct mp_walk_view *view; /* or NULL */
    uint64_t patience, last;         /* last: the instruction that was started last */
    bool batch;
    struct mp_req_queue queue;
    struct waiting *waiting; /* of the queue's walks, in its order */
    struct sjf_stats stats[MP_TENANTS];
    uint64_t idle[]; /* a bit per walker; then what `waiting` points to */
};

static uint32_t words_of(const struct mp_walk_geometry *g)
{
    return (g->walkers + 63) / 64;
}

static size_t sjf_bytes(const struct mp_walk_geometry *g)
{
    return sizeof(struct sjf) + words_of(g) * sizeof(uint64_t) + g->queue * sizeof(struct waiting);
}

static void sjf_init(void *state, const struct mp_walk_geometry *g, const struct mp_walk_rules *r)
{
    struct sjf *s = state;
    s->g = *g;
    s->patience = r->own.v[PATIENCE];
    s->batch = r->own.v[BATCH];
    s->last = NO_INSTRUCTION;
    s->waiting = (struct waiting *)(void *)(s->idle + words_of(g));
    for (uint32_t w = 0; w < g->walkers; w++)
        s->idle[w / 64] |= 1ull << (w % 64);
}

static void sjf_watch(void *state, const struct mp_walk_view *view)
{
    ((struct sjf *)state)->view = view;
}

static int lowest_idle(const struct sjf *s)
{
    for (uint32_t i = 0; i < words_of(&s->g); i++)
        if (s->idle[i])
            return (int)(64 * i) + __builtin_ctzll(s->idle[i]);
    return -1;
}

static uint64_t instruction_of(const struct mp_req *walk)
{
    return (uint64_t)walk->asid << 32 | (uint32_t)walk->sm << 16 | (uint32_t)walk->warp << 8 |
           walk->instruction;
}

/* The score of an instruction changes; returns the new one. */
static uint64_t change(struct sjf *s, uint64_t instruction, uint64_t total, int64_t by)
{
    total += (uint64_t)by;
    for (uint32_t i = 0; i < s->queue.length; i++)
        if (s->waiting[i].instruction == instruction)
            s->waiting[i].total = total;
    return total;
}

/* Position of the instruction's oldest walk, or the queue's length. */
static uint32_t oldest_of(const struct sjf *s, uint64_t instruction)
{
    uint32_t i = 0;
    while (i < s->queue.length && s->waiting[i].instruction != instruction)
        i++;
    return i;
}

static void join(struct sjf *s, struct mp_req *walk)
{
    uint64_t instruction = instruction_of(walk);
    uint32_t score = s->view ? s->view->work(s->view->self, walk) : 1;
    uint32_t at = s->queue.length, same = oldest_of(s, instruction);
    uint64_t total = same < at ? s->waiting[same].total : 0;
    s->waiting[at] = (struct waiting){
        .instruction = instruction, .score = score, .total = change(s, instruction, total, score)};
    mp_queue_push(&s->queue, walk);
}

static int sjf_arrive(void *state, struct mp_req *walk)
{
    struct sjf *s = state;
    int walker = lowest_idle(s);
    if (walker >= 0) {
        s->idle[walker / 64] &= ~(1ull << (walker % 64));
        s->last = instruction_of(walk);
        return walker;
    }
    if (s->queue.length == s->g.queue)
        return MP_WALK_NO_ROOM;
    join(s, walk);
    return MP_WALK_QUEUED;
}

static bool sjf_room(const void *state, uint8_t tenant)
{
    const struct sjf *s = state;
    (void)tenant;
    return s->queue.length < s->g.queue || lowest_idle(s) >= 0;
}

static uint32_t lowest_score(const struct sjf *s)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < s->queue.length; i++)
        if (s->waiting[i].total < s->waiting[best].total)
            best = i;
    return best;
}

/* The walk at this position leaves the queue; *was is what was kept of it. */
static struct mp_req *leave(struct sjf *s, uint32_t at, struct waiting *was)
{
    struct mp_req *walk = mp_queue_take(&s->queue, at);
    *was = s->waiting[at];
    memmove(s->waiting + at, s->waiting + at + 1, (s->queue.length - at) * sizeof *s->waiting);
    change(s, was->instruction, was->total, -(int64_t)was->score);
    return walk;
}

static struct mp_req *start(struct sjf *s, uint32_t at)
{
    struct waiting was;
    for (uint32_t i = 0; i < at; i++)
        s->waiting[i].passed++;
    struct mp_req *walk = leave(s, at, &was);
    s->last = was.instruction;
    return walk;
}

/* The walks before it have not been passed over: it takes no walker from them. */
static struct mp_req *sjf_take(void *state, uint32_t walker, uint32_t at)
{
    struct waiting was;
    (void)walker;
    return leave(state, at, &was);
}

static struct mp_req *sjf_complete(void *state, uint32_t walker)
{
    struct sjf *s = state;
    if (!s->queue.length) {
        s->idle[walker / 64] |= 1ull << (walker % 64);
        return NULL;
    }
    bool aged = s->waiting[0].passed >= s->patience;
    uint32_t same = !aged && s->batch ? oldest_of(s, s->last) : s->queue.length;
    bool batched = same < s->queue.length;
    struct mp_req *walk = start(s, aged ? 0 : batched ? same : lowest_score(s));
    struct sjf_stats *stats = &s->stats[walk->tenant];
    stats->aged += aged;
    stats->batched += batched;
    stats->shortest += !aged && !batched;
    return walk;
}

static const struct mp_req_queue *sjf_queue(const void *state, uint32_t walker)
{
    (void)walker;
    return &((const struct sjf *)state)->queue;
}

static void *sjf_counters(void *state)
{
    return ((struct sjf *)state)->stats;
}

const struct mp_walk_scheduler mp_walk_sjf = {
    .design = {.name = "sjf",
               .title = "walks of one instruction together, of the instruction with the fewest reads first",
               .params = params,
               .counters = &counters},
    .one_line = true,
    .counters = sjf_counters,
    .bytes = sjf_bytes,
    .init = sjf_init,
    .watch = sjf_watch,
    .arrive = sjf_arrive,
    .room = sjf_room,
    .complete = sjf_complete,
    .take = sjf_take,
    .queue = sjf_queue,
};
