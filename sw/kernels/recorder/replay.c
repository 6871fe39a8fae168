/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From lanes to warps: of the lanes that have not ended, those at the lowest segment take their next step
 * together. Segment numbers make a lane that left a loop, or took the shorter way, wait where the ways meet.
 */
#include "launch.h"

#include <string.h>

void warp_begin(struct warp *w, unsigned number, unsigned lanes)
{
    w->lanes = lanes;
    w->number = number;
    w->active = 0;
    w->gap = 0;
    w->issued = 0;
    w->exited = false;
    w->log.n = 0;
    for (unsigned i = 0; i < LANES; i++) {
        w->at[i] = w->end[i] = NULL;
        w->state[i] = i < lanes ? LANE_RUNS : LANE_DONE;
        w->place[i] = NO_PLACE;
    }
}

/* The place of a lane that comes from segment `from`. */
static uint32_t place_of(const struct launch *l, const struct warp *w, unsigned lane, uint32_t from)
{
    const uint32_t next = (uint32_t)*w->at[lane];
    return next > from || from == NO_PLACE ? 2 * next : 2 * l->kernel->segments[next].loop_end + 1;
}

static void refill(struct launch *l, struct warp *w, unsigned lane, uint32_t from)
{
    if (w->at[lane] == w->end[lane] && w->state[lane] == LANE_RUNS)
        launch_run_lane(l, w, lane);
    w->place[lane] = w->at[lane] == w->end[lane] ? NO_PLACE : place_of(l, w, lane, from);
    const uint64_t bit = 1ull << lane;
    w->active = w->place[lane] == NO_PLACE ? w->active & ~bit : w->active | bit;
}

static unsigned nth_lane(uint64_t mask, unsigned n)
{
    while (n--)
        mask &= mask - 1;
    return (unsigned)__builtin_ctzll(mask);
}

static void check_addresses(struct launch *l, const struct warp *w, uint32_t access,
                            const struct gwt_event *e, uint64_t low, uint64_t high)
{
    struct window *window = &l->window[access];
    if (low >= window->begin && high <= window->end - e->bytes)
        return;
    for (unsigned i = 0; i < e->active; i++) {
        const struct buffer *b = window->only ? NULL : arena_find(l->arena, e->lane[i]);
        if (window->only ? e->lane[i] < window->begin || e->lane[i] > window->end - e->bytes
                         : !b || e->bytes > b->end - e->lane[i])
            fault_access(l, w->number * l->warp_lanes + nth_lane(e->mask, i), access,
                         (uintptr_t)arena_host(l->arena, e->lane[i]));
        if (b)
            *window = (struct window){b->begin, b->end, false};
    }
}

/* The lanes whose addresses are in device memory. */
static uint64_t on_device(const struct launch *l, const struct warp *w, unsigned a, uint64_t mask)
{
    const uint64_t base = (uint64_t)(uintptr_t)l->arena->base;
    uint64_t found = 0;
    for (uint64_t m = mask; m; m &= m - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(m);
        found |= (uint64_t)(w->at[i][1 + a] - base < l->arena->size) << i;
    }
    return found;
}

static void access_step(struct launch *l, struct warp *w, const struct record_segment *s, unsigned a,
                        uint64_t mask, struct gwt_event *e)
{
    const struct record_access *access = &l->kernel->accesses[s->first + a];
    if (access->any && !(mask = on_device(l, w, a, mask))) {
        w->gap += access->gap;
        return;
    }
    const uint64_t shift = ARENA_VA - (uint64_t)(uintptr_t)l->arena->base;
    uint64_t low = UINT64_MAX, high = 0;
    unsigned n = 0;
    if (!(mask & (mask + 1))) /* the lowest lanes; most often all of them */
        for (const unsigned all = 64 - (unsigned)__builtin_clzll(mask); n < all; n++)
            e->lane[n] = w->at[n][1 + a] + shift;
    else
        for (uint64_t m = mask; m; m &= m - 1)
            e->lane[n++] = w->at[__builtin_ctzll(m)][1 + a] + shift;
    for (unsigned i = 0; i < n; i++) {
        low = e->lane[i] < low ? e->lane[i] : low;
        high = e->lane[i] > high ? e->lane[i] : high;
    }
    w->gap += access->gap;
    e->kind = GWT_ACCESS;
    e->op = (uint8_t)access->op;
    e->active = (uint8_t)n;
    e->gap = w->gap > UINT32_MAX ? UINT32_MAX : (uint32_t)w->gap;
    e->mask = mask;
    e->pc = s->first + a;
    e->bytes = access->bytes;
    check_addresses(l, w, s->first + a, e, low, high);
    w->gap = 0;
    l->counts->accesses++;
    l->counts->lane_accesses += n;
    warp_emit(l, w, e);
}

static void mark(struct launch *l, struct warp *w, enum gwt_event_kind kind, struct gwt_event *e)
{
    e->kind = (uint8_t)kind;
    e->active = 0;
    e->mask = 0;
    e->gap = w->gap > UINT32_MAX ? UINT32_MAX : (uint32_t)w->gap;
    w->gap = 0;
    warp_emit(l, w, e);
}

/* Returns the lanes at the lowest place, or 0 if no lane has a place. Of the lanes that wait to return to a
 * loop's begin, it returns those of the innermost loop. */
static uint64_t lowest(const struct warp *w, uint32_t *segment)
{
    const unsigned lanes = w->lanes <= GWT_WARP_LANES ? GWT_WARP_LANES : LANES;
    uint32_t low = NO_PLACE;
    uint64_t mask = 0;
    for (unsigned i = 0; i < lanes; i++)
        low = w->place[i] < low ? w->place[i] : low;
    for (unsigned i = 0; i < lanes; i++)
        mask |= (uint64_t)(w->place[i] == low) << i;
    if (low == NO_PLACE)
        return 0;
    *segment = low / 2;
    if (low % 2 == 0)
        return mask;
    uint32_t inner = 0;
    uint64_t there = 0;
    for (uint64_t m = mask; m; m &= m - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(m);
        const uint32_t back = (uint32_t)*w->at[i];
        there = back > inner ? 0 : there;
        inner = back > inner ? back : inner;
        there |= (uint64_t)(back == inner) << i;
    }
    *segment = inner;
    return there;
}

/* Returns the segment to which all these lanes go now, NO_PLACE if they diverge. */
static uint32_t step(struct launch *l, struct warp *w, uint32_t number, uint64_t mask, struct gwt_event *e)
{
    const struct record_segment *s = &l->kernel->segments[number];
    for (unsigned a = 0; a < s->count; a++)
        access_step(l, w, s, a, mask, e);
    w->gap += s->tail;
    w->issued += s->issued;
    const unsigned first = (unsigned)__builtin_ctzll(mask);
    if (w->issued > l->rules.limit && l->rules.limit)
        launch_fail(l, w->number * l->warp_lanes + first, s->place,
                    "its warp has issued more than %llu instructions in this launch (--limit)",
                    (unsigned long long)l->rules.limit);
    uint32_t parted = 0;
    for (uint64_t m = mask; m; m &= m - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(m);
        w->at[i] += 1 + s->count;
        if (w->at[i] == w->end[i])
            refill(l, w, i, number);
        else
            w->place[i] = place_of(l, w, i, number);
        parted |= w->place[i] ^ w->place[first];
        if (!parted && w->place[i] != NO_PLACE)
            parted |= (uint32_t)(*w->at[i] ^ *w->at[first]);
    }
    return parted || w->place[first] == NO_PLACE ? NO_PLACE : (uint32_t)*w->at[first];
}

static void advance_lanes(struct launch *l, struct warp *w, struct gwt_event *e)
{
    uint32_t number;
    uint64_t mask = lowest(w, &number);
    while (mask) {
        const uint32_t next = step(l, w, number, mask, e);
        if (next != NO_PLACE && mask == w->active)
            number = next; /* no other lane can be lower */
        else
            mask = lowest(w, &number);
    }
}

/* When no lane can go on, those at the first collective run it. Returns false if none is at one. */
static bool run_warp_collective(struct launch *l, struct warp *w)
{
    const unsigned first = w->number * l->warp_lanes;
    uint32_t at = NO_PLACE;
    for (unsigned i = 0; i < w->lanes; i++)
        if (w->state[i] == LANE_JOINS && w->barrier[i] < at)
            at = w->barrier[i];
    if (at == NO_PLACE)
        return false;
    for (unsigned i = 0; i < w->lanes; i++)
        l->present[first + i] = w->state[i] == LANE_JOINS && w->barrier[i] == at;
    run_collective(&l->collective[first], &l->present[first], w->lanes);
    for (unsigned i = 0; i < w->lanes; i++)
        if (l->present[first + i]) {
            w->state[i] = LANE_RUNS;
            refill(l, w, i, NO_PLACE);
        }
    return true;
}

void warp_advance(struct launch *l, struct warp *w)
{
    struct gwt_event e;
    memset(&e, 0, sizeof e);
    for (unsigned i = 0; i < w->lanes; i++) {
        if (w->state[i] == LANE_WAITS)
            w->state[i] = LANE_RUNS; /* the whole group has reached the barrier */
        refill(l, w, i, NO_PLACE);
    }
    do
        advance_lanes(l, w, &e);
    while (run_warp_collective(l, w));
    w->exited = true;
    for (unsigned i = 0; i < w->lanes; i++)
        w->exited &= w->state[i] == LANE_DONE;
    mark(l, w, w->exited ? GWT_EXIT : GWT_BARRIER, &e);
}
