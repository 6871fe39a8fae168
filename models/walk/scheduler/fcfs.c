/* SPDX-License-Identifier: Apache-2.0 */
/* First come, first served: one queue for all tenants. A walk that arrives starts on the lowest idle walker,
 * if there is one. The baseline of STAR and DWS. */
#include <string.h>

#include "walk/scheduler/scheduler.h"

struct fcfs {
    struct mp_walk_geometry g;
    struct mp_req_queue queue;
    uint64_t idle[]; /* a bit per walker */
};

static size_t fcfs_bytes(const struct mp_walk_geometry *g)
{
    return sizeof(struct fcfs) + (g->walkers + 63) / 64 * sizeof(uint64_t);
}

static void fcfs_init(void *state, const struct mp_walk_geometry *g, const struct mp_walk_rules *r)
{
    struct fcfs *f = state;
    (void)r;
    f->g = *g;
    for (uint32_t w = 0; w < g->walkers; w++)
        f->idle[w / 64] |= 1ull << (w % 64);
}

static int lowest_idle(const struct fcfs *f)
{
    for (uint32_t i = 0; i < (f->g.walkers + 63) / 64; i++)
        if (f->idle[i])
            return (int)(64 * i) + __builtin_ctzll(f->idle[i]);
    return -1;
}

static int fcfs_arrive(void *state, struct mp_req *walk)
{
    struct fcfs *f = state;
    int walker = lowest_idle(f);
    if (walker >= 0) {
        f->idle[walker / 64] &= ~(1ull << (walker % 64));
        return walker;
    }
    if (f->queue.length == f->g.queue)
        return MP_WALK_NO_ROOM;
    mp_queue_push(&f->queue, walk);
    return MP_WALK_QUEUED;
}

static bool fcfs_room(const void *state, uint8_t tenant)
{
    const struct fcfs *f = state;
    (void)tenant;
    return f->queue.length < f->g.queue || lowest_idle(f) >= 0;
}

static struct mp_req *fcfs_complete(void *state, uint32_t walker)
{
    struct fcfs *f = state;
    struct mp_req *walk = mp_queue_pop(&f->queue);
    if (!walk)
        f->idle[walker / 64] |= 1ull << (walker % 64);
    return walk;
}

static struct mp_req *fcfs_take(void *state, uint32_t walker, uint32_t at)
{
    (void)walker;
    return mp_queue_take(&((struct fcfs *)state)->queue, at);
}

static const struct mp_req_queue *fcfs_queue(const void *state, uint32_t walker)
{
    (void)walker;
    return &((const struct fcfs *)state)->queue;
}

static const struct mp_design_param params[] = {MP_WALK_COMPAT_PARAM, {0}};

const struct mp_walk_scheduler mp_walk_fcfs = {
    .design = {.name = "fcfs", .title = "one queue, first come first served", .params = params},
    .published = MP_TENANTS,
    .one_line = true,
    .bytes = fcfs_bytes,
    .init = fcfs_init,
    .arrive = fcfs_arrive,
    .room = fcfs_room,
    .complete = fcfs_complete,
    .take = fcfs_take,
    .queue = fcfs_queue,
};
