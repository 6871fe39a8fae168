/* SPDX-License-Identifier: Apache-2.0 */
/* The walk scheduler @NAME@: one queue, from which the oldest walk starts first, or the newest. With the
 * oldest it is the scheduler fcfs. walk/scheduler/scheduler.h says what each function has to do. */
#include "engine/plugin.h"
#include "walk/scheduler/scheduler.h"

enum { NEWEST };
static const struct mp_design_param params[] = {
    [NEWEST] = {"newest", NULL, NULL, 0, 0, 1, "@NAME@", "the newest walk starts first", 0},
    {0},
};

struct state {
    uint32_t most; /* walks that wait */
    bool newest;
    uint64_t idle; /* a bit per walker */
    struct mp_req_queue queue;
};

static size_t bytes(const struct mp_walk_geometry *g)
{
    (void)g;
    return sizeof(struct state);
}

static void init(void *state, const struct mp_walk_geometry *g, const struct mp_walk_rules *r)
{
    struct state *s = state;
    s->most = g->queue;
    s->newest = r->own.v[NEWEST];
    s->idle = ~0ull >> (64 - g->walkers);
}

static int arrive(void *state, struct mp_req *walk)
{
    struct state *s = state;
    if (s->idle) {
        int walker = __builtin_ctzll(s->idle);
        s->idle &= s->idle - 1;
        return walker;
    }
    if (s->queue.length == s->most)
        return MP_WALK_NO_ROOM;
    if (s->newest && s->queue.length) {
        walk->next = s->queue.head;
        s->queue.head = walk;
        s->queue.length++;
    } else {
        mp_queue_push(&s->queue, walk);
    }
    return MP_WALK_QUEUED;
}

static bool room(const void *state, uint8_t tenant)
{
    const struct state *s = state;
    (void)tenant;
    return s->idle || s->queue.length < s->most;
}

static struct mp_req *complete(void *state, uint32_t walker)
{
    struct state *s = state;
    struct mp_req *walk = mp_queue_pop(&s->queue);
    if (!walk)
        s->idle |= 1ull << walker;
    return walk;
}

static struct mp_req *take(void *state, uint32_t walker, uint32_t at)
{
    (void)walker;
    return mp_queue_take(&((struct state *)state)->queue, at);
}

static const struct mp_req_queue *queue(const void *state, uint32_t walker)
{
    (void)walker;
    return &((const struct state *)state)->queue;
}

static const struct mp_walk_scheduler scheduler = {
    .design = {.name = "@NAME@", .title = "one queue, the oldest or the newest walk first", .params = params},
    .most_walkers = 64,
    .one_line = true,
    .bytes = bytes,
    .init = init,
    .arrive = arrive,
    .room = room,
    .complete = complete,
    .take = take,
    .queue = queue,
};

static const struct mp_plugin_design designs[] = {{"walk_scheduler", &scheduler}, {0}};
const struct mp_plugin mempath_plugin = {MP_PLUGIN_INTERFACE, "@NAME@", designs, NULL};
