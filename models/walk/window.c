/* SPDX-License-Identifier: Apache-2.0 */
#include "walk/window.h"

#include <stdlib.h>

/* Makes room for one more element of `size` bytes. Returns false if memory has run out; then nothing more is
 * recorded. */
static bool room(struct mp_walk_window *o, void **array, size_t n, size_t *there, size_t size)
{
    if (o->failed || n < *there)
        return !o->failed;
    size_t more = *there ? 2 * *there : 256;
    void *grown = realloc(*array, more * size);
    o->failed = !grown;
    if (grown) {
        *array = grown;
        *there = more;
    }
    return !o->failed;
}

static void keep_wait(struct mp_walk_window *o, uint64_t cycle, uint32_t tenant)
{
    size_t at = o->waits;
    while (at && o->wait[at - 1].cycle == cycle)
        if (o->wait[--at].tenant == tenant) { /* the last change of a cycle counts */
            o->wait[at].walks = o->waiting[tenant];
            return;
        }
    if (room(o, (void **)&o->wait, o->waits, &o->wait_room, sizeof *o->wait))
        o->wait[o->waits++] = (struct mp_walk_waiting){cycle, tenant, o->waiting[tenant]};
}

static void keep_owner(struct mp_walk_window *o, uint64_t cycle, uint32_t walker)
{
    if (o->owner[walker] != MP_WALK_NOBODY &&
        room(o, (void **)&o->owned, o->owners, &o->owned_room, sizeof *o->owned))
        o->owned[o->owners++] = (struct mp_walk_ownership){cycle, walker, (uint32_t)o->owner[walker]};
}

/* Records the state at the window's first cycle, before the first event in it. */
static void open_window(struct mp_walk_window *o)
{
    o->open = true;
    for (uint32_t t = 0; t < MP_TENANTS; t++)
        if (o->tenants >> t & 1)
            keep_wait(o, o->first, t);
    for (uint32_t k = 0; k < o->walk->p.geometry.walkers; k++)
        keep_owner(o, o->first, k);
}

/* Returns whether this cycle is in the window. */
static bool inside(struct mp_walk_window *o)
{
    uint64_t now = o->walk->wheel->now;
    if (now < o->first)
        return false;
    if (!o->open)
        open_window(o);
    return now < o->last;
}

static void waits(void *self, uint8_t tenant, int change)
{
    struct mp_walk_window *o = self;
    bool kept = inside(o);
    o->waiting[tenant] += (uint32_t)change;
    if (kept)
        keep_wait(o, o->walk->wheel->now, tenant);
}

static void starts(void *self, uint32_t walker, const struct mp_req *walk)
{
    struct mp_walk_window *o = self;
    o->arrived[walker] = mp_walk_record_of(&o->walk->records, walk)->arrived;
    o->levels[walker] = 0;
    o->started_by[walker] = o->owner[walker];
}

static void reads(void *self, uint32_t walker)
{
    struct mp_walk_window *o = self;
    o->levels[walker]++;
}

/* Records the walker's walk; ended: MP_NEVER if it is still in flight. */
static void keep_span(struct mp_walk_window *o, uint32_t walker, uint64_t ended)
{
    const struct mp_walker *k = &o->walk->walker[walker];
    const struct mp_page_format *f = o->walk->p.format;
    if (k->started >= o->last || ended <= o->first ||
        !room(o, (void **)&o->span, o->spans, &o->span_room, sizeof *o->span))
        return;
    o->span[o->spans++] = (struct mp_walk_span){.page = k->walk->va >> f->page_shift << f->page_shift,
                                                .arrived = o->arrived[walker],
                                                .started = k->started,
                                                .ended = ended,
                                                .walker = walker,
                                                .levels = o->levels[walker],
                                                .asid = k->walk->asid,
                                                .tenant = k->walk->tenant,
                                                .owner = o->started_by[walker]};
}

static void ends(void *self, uint32_t walker)
{
    struct mp_walk_window *o = self;
    keep_span(o, walker, o->walk->wheel->now);
}

static int8_t owner_of(const struct mp_walk_window *o, uint32_t walker)
{
    const struct mp_walk_scheduler *s = o->walk->p.scheduler;
    return s->owner ? (int8_t)s->owner(o->walk->intake.state, walker) : MP_WALK_NOBODY;
}

static void divided(void *self)
{
    struct mp_walk_window *o = self;
    bool kept = inside(o);
    for (uint32_t k = 0; k < o->walk->p.geometry.walkers; k++) {
        int8_t owner = owner_of(o, k);
        if (owner == o->owner[k])
            continue;
        o->owner[k] = owner;
        if (kept)
            keep_owner(o, o->walk->wheel->now, k);
    }
}

int mp_walk_window_init(struct mp_walk_window *o, struct mp_walk *walk, uint64_t first, uint64_t last,
                        uint32_t tenants)
{
    uint32_t walkers = walk->p.geometry.walkers;
    *o = (struct mp_walk_window){.walk = walk,
                                 .observer = {o, waits, starts, reads, ends, divided},
                                 .first = first,
                                 .last = last,
                                 .tenants = tenants,
                                 .arrived = calloc(walkers, sizeof *o->arrived),
                                 .levels = calloc(walkers, sizeof *o->levels),
                                 .owner = calloc(walkers, sizeof *o->owner),
                                 .started_by = calloc(walkers, sizeof *o->started_by)};
    if (!o->arrived || !o->levels || !o->owner || !o->started_by) {
        mp_walk_window_free(o);
        return -1;
    }
    for (uint32_t k = 0; k < walkers; k++)
        o->owner[k] = owner_of(o, k);
    walk->observer = &o->observer;
    return 0;
}

int mp_walk_window_close(struct mp_walk_window *o)
{
    uint64_t now = o->walk->wheel->now;
    if (!o->open)
        open_window(o);
    o->last = now < o->last ? now : o->last;
    while (o->waits && o->wait[o->waits - 1].cycle >= o->last)
        o->waits--;
    while (o->owners && o->owned[o->owners - 1].cycle >= o->last)
        o->owners--;
    for (uint32_t k = 0; k < o->walk->p.geometry.walkers; k++)
        if (o->walk->walker[k].walk)
            keep_span(o, k, MP_NEVER);
    return o->failed ? -1 : 0;
}

void mp_walk_window_free(struct mp_walk_window *o)
{
    if (o->walk)
        o->walk->observer = NULL;
    free(o->arrived);
    free(o->levels);
    free(o->owner);
    free(o->started_by);
    free(o->span);
    free(o->wait);
    free(o->owned);
    *o = (struct mp_walk_window){0};
}
