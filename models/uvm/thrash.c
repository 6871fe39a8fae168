/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages for which the two processors compete (the driver's uvm_perf_thrashing.c). A page that migrates
 * `events` times, each at most `lapse` after the one before, thrashes: a processor that accesses it is held,
 * so that the other has it for a time; after `throttles` holds the page is pinned to one place and mapped
 * remotely by the other processor, for `pin` lapses. The driver's adaptive lapse and revocations are not
 * modelled.
 */
#include "uvm/state.h"

#define MOST_EVENTS 7u
#define MOST_HOLDS  255u

/* ---- the store of states ---- */

static uint32_t pins(const struct mp_uvm *u) /* the head of the list of pins */
{
    return u->p.thrash * MP_UVM_MOST_BIG;
}

static struct mp_uvm_track_page *at(const struct mp_uvm *u, uint32_t i)
{
    return &u->track[i / MP_UVM_MOST_BIG].page[i % MP_UVM_MOST_BIG];
}

void mp_uvm_track_init(struct mp_uvm *u)
{
    for (uint32_t i = 0; i < u->p.thrash; i++)
        u->track[i].next = (uint16_t)(i + 1 < u->p.thrash ? i + 2 : 0);
    u->track_free = 1;
    at(u, pins(u))->next = at(u, pins(u))->prev = pins(u);
}

/* The page's position in the store, or MP_UVM_NONE. */
static uint32_t find(const struct mp_uvm *u, const struct mp_uvm_block *b, uint32_t page)
{
    const uint32_t track = b->track[page / u->big];
    return track ? (track - 1) * MP_UVM_MOST_BIG + page % u->big : MP_UVM_NONE;
}

static uint32_t find_or_make(struct mp_uvm *u, uint32_t block, uint32_t page)
{
    struct mp_uvm_block *b = &u->pool.block[block];
    const uint32_t big = page / u->big, track = u->track_free;
    if (!b->track[big]) {
        if (!track) {
            u->untracked++;
            return MP_UVM_NONE;
        }
        u->track_free = u->track[track - 1].next;
        u->track[track - 1] = (struct mp_uvm_track){.block = block, .big = (uint8_t)big};
        b->track[big] = (uint16_t)track;
    }
    return find(u, b, page);
}

static struct mp_uvm_track *track_of(const struct mp_uvm *u, uint32_t i)
{
    return &u->track[i / MP_UVM_MOST_BIG];
}

static void mark(uint16_t *set, uint32_t i, bool in)
{
    const uint16_t bit = (uint16_t)(1u << i % MP_UVM_MOST_BIG);
    *set = (uint16_t)(in ? *set | bit : *set & ~bit);
}

static void let_all_go(struct mp_uvm_track_page *s)
{
    if (s->held)
        s->held = 0, s->end = 0;
}

static void unpin(struct mp_uvm *u, uint32_t i)
{
    struct mp_uvm_track_page *s = at(u, i);
    if (s->deadline) {
        at(u, s->prev)->next = s->next;
        at(u, s->next)->prev = s->prev;
    }
    s->deadline = 0;
    s->pin = MP_UVM_NOBODY;
    mark(&track_of(u, i)->pinned, i, false);
}

static void forget(struct mp_uvm *u, uint32_t i)
{
    struct mp_uvm_track_page *s = at(u, i);
    unpin(u, i);
    let_all_go(s);
    s->time = 0;
    s->seen = s->events = 0;
    mark(&track_of(u, i)->thrashing, i, false);
}

void mp_uvm_untrack(struct mp_uvm *u, uint32_t block)
{
    struct mp_uvm_block *b = &u->pool.block[block];
    for (uint32_t big = 0; big < MP_UVM_LEAVES; big++) {
        const uint16_t track = b->track[big];
        if (!track)
            continue;
        for (uint32_t i = 0; i < MP_UVM_MOST_BIG; i++)
            unpin(u, (track - 1u) * MP_UVM_MOST_BIG + i);
        u->track[track - 1].next = u->track_free;
        u->track_free = track;
        b->track[big] = 0;
    }
    b->tracked = false;
    b->event = b->thrashed = 0;
    b->event_by = MP_UVM_NOBODY;
}

/* ---- what there is ---- */

bool mp_uvm_is_pinned(const struct mp_uvm *u, const struct mp_uvm_block *b, uint32_t page)
{
    const uint32_t i = find(u, b, page);
    return i != MP_UVM_NONE && at(u, i)->pin;
}

static struct mp_uvm_mask gather(const struct mp_uvm *u, const struct mp_uvm_block *b, size_t set)
{
    struct mp_uvm_mask m = {{0}};
    for (uint32_t big = 0; b->tracked && big < MP_UVM_LEAVES; big++)
        if (b->track[big]) {
            const uint64_t pages = *(const uint16_t *)((const char *)&u->track[b->track[big] - 1] + set);
            m.w[big * u->big / 64] |= pages << big * u->big % 64;
        }
    return m;
}

struct mp_uvm_mask mp_uvm_thrashing(const struct mp_uvm *u, const struct mp_uvm_block *b)
{
    return gather(u, b, offsetof(struct mp_uvm_track, thrashing));
}

struct mp_uvm_mask mp_uvm_pinned(const struct mp_uvm *u, const struct mp_uvm_block *b)
{
    return gather(u, b, offsetof(struct mp_uvm_track, pinned));
}

struct mp_uvm_mask mp_uvm_pins(const struct mp_uvm *u, uint8_t asid, uint64_t va)
{
    uint32_t page;
    const uint32_t block = mp_uvm_find(u, asid, mp_uvm_page(u, va), &page);
    return block == MP_UVM_NONE ? (struct mp_uvm_mask){{0}} : mp_uvm_pinned(u, &u->pool.block[block]);
}

/* ---- events ---- */

static void migrated(struct mp_uvm *u, struct mp_uvm_block *b, uint32_t i, enum mp_uvm_processor to)
{
    struct mp_uvm_track_page *s = at(u, i);
    const uint64_t last = s->time;
    s->time = u->now;
    s->seen |= to;
    if (!last)
        return;
    if (u->now - last > u->p.lapse) {
        if (s->events >= u->p.events)
            forget(u, i);
        return;
    }
    s->events += s->events < MOST_EVENTS;
    if (s->events >= u->p.events) {
        mark(&track_of(u, i)->thrashing, i, true);
        b->thrashed = u->now;
    }
}

void mp_uvm_copied(struct mp_uvm *u, uint32_t block, const struct mp_uvm_mask *pages,
                   enum mp_uvm_processor to)
{
    struct mp_uvm_block *b = &u->pool.block[block];
    if (!u->p.thrashing)
        return;
    struct mp_uvm_mask free = mp_uvm_pinned(u, b);
    MP_UVM_EACH (i)
        free.w[i] = pages->w[i] & ~free.w[i];
    if (!mp_uvm_any(&free))
        return;
    if (b->event && b->event_by != to && u->now - b->event <= u->p.lapse)
        b->tracked = true;
    if (b->tracked)
        MP_UVM_EACH_PAGE (page, &free) {
            const uint32_t i = find_or_make(u, block, page);
            if (i != MP_UVM_NONE)
                migrated(u, b, i, to);
        }
    b->event = u->now;
    b->event_by = (uint8_t)to;
}

/* ---- questions ---- */

/* Whether all that have seen the page can map it there. */
static bool reaches(const struct mp_uvm *u, const struct mp_uvm_track_page *s, uint32_t place)
{
    return place == MP_UVM_BY_HOST || u->p.c2c || s->seen == MP_UVM_BY_GPU;
}

static bool can_map(const struct mp_uvm *u, uint32_t by, uint32_t place)
{
    return u->p.c2c || place == by || place == MP_UVM_BY_HOST;
}

static struct mp_uvm_answer hold(struct mp_uvm_track_page *s, uint32_t by)
{
    if (!(s->held & by) && !s->pin)
        s->holds += s->holds < MOST_HOLDS;
    s->held |= (uint8_t)by;
    return (struct mp_uvm_answer){.held = true, .end = s->end};
}

static struct mp_uvm_answer pin(struct mp_uvm *u, struct mp_uvm_block *b, uint32_t i, uint32_t page,
                                uint32_t place)
{
    struct mp_uvm_track_page *s = at(u, i);
    const uint32_t is = mp_uvm_has(&b->gpu, page) ? MP_UVM_BY_GPU : MP_UVM_BY_HOST;
    if (!s->pin || is != place)
        let_all_go(s);
    if (!s->pin) {
        s->holds = 0;
        b->ever_pinned = true;
        mark(&track_of(u, i)->pinned, i, true);
        if (u->p.pin) {
            s->deadline = u->now + u->p.pin * u->p.lapse;
            s->next = pins(u);
            s->prev = at(u, s->next)->prev;
            at(u, s->prev)->next = at(u, s->next)->prev = i;
        }
    }
    s->pin = (uint8_t)place;
    return (struct mp_uvm_answer){.pin = (uint8_t)place};
}

/* For how long `by` waits: each hold has one processor that is free in it, in turn. */
static bool nap(const struct mp_uvm *u, struct mp_uvm_track_page *s, uint32_t by)
{
    s->seen |= (uint8_t)by;
    if (u->now > s->end) {
        s->end = u->now + u->p.nap * u->p.lapse;
        s->free = (uint8_t)(s->free == by ? MP_UVM_NOBODY : by);
    } else if (!s->free) {
        s->free = (uint8_t)by;
    }
    return s->free == by;
}

/* Thrashing has ended long ago: all is forgotten, a few times. */
static bool start_again(struct mp_uvm *u, uint32_t block)
{
    struct mp_uvm_block *b = &u->pool.block[block];
    if (!b->thrashed || u->now - b->thrashed <= u->p.epoch * u->p.lapse || b->ever_pinned ||
        b->resets >= u->p.resets)
        return false;
    b->resets++;
    mp_uvm_untrack(u, block);
    return true;
}

struct mp_uvm_answer mp_uvm_ask(struct mp_uvm *u, uint32_t block, uint32_t page, enum mp_uvm_processor by)
{
    const struct mp_uvm_answer nothing = {0};
    struct mp_uvm_block *b = &u->pool.block[block];
    const uint32_t is = mp_uvm_has(&b->gpu, page) ? MP_UVM_BY_GPU : MP_UVM_BY_HOST;
    if (!b->tracked || start_again(u, block))
        return nothing;
    const uint32_t i = find(u, b, page);
    struct mp_uvm_track_page *s = i == MP_UVM_NONE ? NULL : at(u, i);
    if (!s || s->events < u->p.events)
        return nothing;
    if (s->held & by) {
        if (u->now < s->end && s->free != by)
            return (struct mp_uvm_answer){.held = true, .end = s->end};
        s->held &= (uint8_t)~by;
        s->end = s->held ? s->end : 0;
    }
    if (u->now - s->time > u->p.lapse && !s->pin)
        return nothing;
    const bool free = nap(u, s, by);
    if (u->p.c2c || !(s->seen & ~is)) { /* all have a fast link to it */
        if (is != MP_UVM_BY_HOST || !reaches(u, s, by))
            return pin(u, b, i, page, is);
        return by == MP_UVM_BY_GPU ? pin(u, b, i, page, by) : nothing;
    }
    if (s->pin) {
        if (free)
            return pin(u, b, i, page, reaches(u, s, by) ? by : MP_UVM_BY_HOST);
        return can_map(u, by, s->pin) ? pin(u, b, i, page, s->pin) : hold(s, by);
    }
    if (!free)
        return hold(s, by);
    return s->holds >= u->p.throttles ? pin(u, b, i, page, by) : nothing;
}

/* ---- deadlines ---- */

/* The head of the list has none. */
uint64_t mp_uvm_deadline(const struct mp_uvm *u)
{
    return at(u, u->track[u->p.thrash].page[0].next)->deadline;
}

/* Is rarely called, so that a caller should not save registers for it. */
__attribute__((noinline)) static void end_pins(struct mp_uvm *u)
{
    uint32_t i;
    while ((i = at(u, pins(u))->next) != pins(u) && at(u, i)->deadline <= u->now) {
        const struct mp_uvm_track *t = track_of(u, i);
        mp_uvm_remove(&u->pool.block[t->block].remote, t->big * u->big + i % MP_UVM_MOST_BIG);
        forget(u, i);
    }
}

void mp_uvm_at(struct mp_uvm *u, uint64_t now)
{
    u->now = now;
    if (mp_uvm_deadline(u))
        end_pins(u);
}
