/* SPDX-License-Identifier: Apache-2.0 */
/* A walk scheduler for the tests of this folder: the newest walk is served first, and after `patience` of
 * them the oldest. With `fair` off, the oldest has to wait for ever. */
#include "walk/scheduler/scheduler.h"

enum { PATIENCE, FAIR };

static const struct mp_design_param params[] = {
    [PATIENCE] = {"patience", "walks", NULL, 4, 1, 1000, "test", "newest walks served before the oldest is",
                  0},
    [FAIR] = {"fair", NULL, NULL, 1, 0, 1, "test",
              "whether the oldest walk is served at all before the others", 0},
    {0},
};

struct counters {
    uint64_t newest;
};

static const struct mp_metric metrics[] = {
    MP_COUNTER_OF(struct counters, newest, "walks", "served although an older one was waiting")};

static const struct mp_metric_table table = {"lifo", sizeof(struct counters), 1, metrics};

struct lifo {
    struct mp_walk_geometry g;
    uint64_t patience, in_a_row;
    bool fair;
    uint32_t idle;
    struct mp_req_queue queue; /* the newest first */
    struct counters count[MP_TENANTS];
    bool busy[];
};

static size_t bytes(const struct mp_walk_geometry *g)
{
    return sizeof(struct lifo) + g->walkers * sizeof(bool);
}

static void init(void *state, const struct mp_walk_geometry *g, const struct mp_walk_rules *r)
{
    struct lifo *l = state;
    l->g = *g;
    l->idle = g->walkers;
    l->patience = r->own.v[PATIENCE];
    l->fair = r->own.v[FAIR];
}

static void *counters(void *state)
{
    return ((struct lifo *)state)->count;
}

static int arrive(void *state, struct mp_req *walk)
{
    struct lifo *l = state;
    for (uint32_t w = 0; l->idle && w < l->g.walkers; w++)
        if (!l->busy[w]) {
            l->busy[w] = true;
            l->idle--;
            return (int)w;
        }
    if (l->queue.length == l->g.queue)
        return MP_WALK_NO_ROOM;
    walk->next = l->queue.head;
    l->queue.head = walk;
    l->queue.length++;
    return MP_WALK_QUEUED;
}

static bool room(const void *state, uint8_t tenant)
{
    const struct lifo *l = state;
    (void)tenant;
    return l->idle || l->queue.length < l->g.queue;
}

static struct mp_req *complete(void *state, uint32_t walker)
{
    struct lifo *l = state;
    struct mp_req *walk = l->queue.head;
    if (!walk) {
        l->busy[walker] = false;
        l->idle++;
        return NULL;
    }
    if (l->fair && l->in_a_row == l->patience) {
        l->in_a_row = 0;
        return mp_queue_take(&l->queue, l->queue.length - 1);
    }
    l->in_a_row++;
    l->count[walk->tenant].newest += walk->next != NULL;
    return mp_queue_pop(&l->queue);
}

static struct mp_req *take(void *state, uint32_t walker, uint32_t at)
{
    (void)walker;
    return mp_queue_take(&((struct lifo *)state)->queue, at);
}

static const struct mp_req_queue *queue(const void *state, uint32_t walker)
{
    (void)walker;
    return &((const struct lifo *)state)->queue;
}

const struct mp_walk_scheduler mp_walk_lifo = {
    .design = {.name = "lifo", .title = "last come, first served", .params = params, .counters = &table},
    .one_line = true,
    .counters = counters,
    .bytes = bytes,
    .init = init,
    .arrive = arrive,
    .room = room,
    .complete = complete,
    .take = take,
    .queue = queue,
};
