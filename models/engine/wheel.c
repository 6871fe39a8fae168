/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/wheel.h"

#include <assert.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS_PER_SLAB 1024u

struct slab {
    struct slab *next;
    alignas(64) union {
        struct mp_event event[EVENTS_PER_SLAB];
        struct mp_later later[EVENTS_PER_SLAB / 2];
    };
};

static void out_of_memory(void)
{
    fputs("mempath: engine: out of memory for events\n", stderr);
    abort();
}

/* Events are never returned to the system, so the number of slabs follows the peak number of events. */
static struct slab *new_slab(struct mp_wheel *w)
{
    struct slab *slab = aligned_alloc(64, sizeof *slab);
    if (!slab)
        out_of_memory();
    slab->next = w->slabs;
    w->slabs = slab;
    return slab;
}

static void grow(struct mp_wheel *w)
{
    struct slab *slab = new_slab(w);
    for (unsigned i = EVENTS_PER_SLAB; i-- > 0;) {
        slab->event[i].next = w->spare;
        w->spare = &slab->event[i];
    }
}

void mp_wheel_init(struct mp_wheel *w)
{
    memset(w, 0, sizeof *w);
    w->far_first = MP_NEVER;
    for (unsigned slot = 0; slot < MP_WHEEL_SLOTS; slot++)
        w->near_slot[slot].end = &w->near_slot[slot].head;
    grow(w);
}

void mp_wheel_free(struct mp_wheel *w)
{
    for (struct slab *s = w->slabs; s;) {
        struct slab *next = s->next;
        free(s);
        s = next;
    }
    for (unsigned i = 0; i < 2; i++) {
        free(w->soon[i].event);
        w->soon[i] = (struct mp_soon_list){0};
    }
    w->slabs = NULL;
    w->spare = NULL;
    w->spare_later = NULL;
}

void mp_wheel_grow_and_put(struct mp_wheel *w, unsigned slot, mp_event_fn *fn, void *object, void *argument)
{
    grow(w);
    mp_wheel_put(w, slot, fn, object, argument);
}

void mp_wheel_grow_soon_and_put(struct mp_soon_list *list, mp_event_fn *fn, void *object, void *argument)
{
    size_t count = (size_t)(list->end - list->event), more = count ? 2 * count : 64;
    struct mp_soon *grown = realloc(list->event, more * sizeof *grown);
    if (!grown)
        out_of_memory();
    *list = (struct mp_soon_list){grown, grown + count, grown + more};
    mp_soon_put(list, fn, object, argument);
}

static void grow_later(struct mp_wheel *w)
{
    struct slab *slab = new_slab(w);
    for (unsigned i = EVENTS_PER_SLAB / 2; i-- > 0;) {
        slab->later[i].next = w->spare_later;
        w->spare_later = &slab->later[i];
    }
}

static uint64_t block_of(uint64_t when)
{
    return when >> MP_WHEEL_BITS;
}

static void append(struct mp_later_list *list, struct mp_later *event)
{
    event->next = NULL;
    *(list->head ? &list->tail->next : &list->head) = event;
    list->tail = event;
}

static void put_back(struct mp_wheel *w, struct mp_later *event)
{
    if (block_of(event->when) - block_of(w->now) < MP_WHEEL_SLOTS) {
        unsigned slot = block_of(event->when) % MP_WHEEL_SLOTS;
        append(&w->coarse_slot[slot], event);
        w->coarse_used[slot / 64] |= 1ull << (slot % 64);
        w->coarse_events++;
    } else {
        append(&w->far, event);
        if (event->when < w->far_first)
            w->far_first = event->when;
    }
}

void mp_wheel_put_later(struct mp_wheel *w, uint64_t delay, mp_event_fn *fn, void *object, void *argument)
{
    if (!w->spare_later)
        grow_later(w);
    struct mp_later *event = w->spare_later;
    w->spare_later = event->next;
    *event = (struct mp_later){NULL, fn, object, argument, w->now + delay};
    put_back(w, event);
}

/* Distance from `start` to the first used slot at or after it, going round; MP_NEVER if none is used. */
static uint64_t first_used(const uint64_t *used, unsigned start)
{
    unsigned word = start / 64;
    uint64_t bits = used[word] >> (start % 64);
    if (bits)
        return (unsigned)__builtin_ctzll(bits);
    for (unsigned i = 1; i <= MP_WHEEL_WORDS; i++) {
        bits = used[(word + i) % MP_WHEEL_WORDS];
        if (bits)
            return (word + i) * 64u + (unsigned)__builtin_ctzll(bits) - start;
    }
    return MP_NEVER;
}

static uint64_t earliest_in(const struct mp_later_list *list)
{
    uint64_t first = MP_NEVER;
    for (const struct mp_later *e = list->head; e; e = e->next)
        if (e->when < first)
            first = e->when;
    return first;
}

uint64_t mp_wheel_next(const struct mp_wheel *w)
{
    if (mp_soon_any(&w->soon[w->now % 2]))
        return w->now;
    uint64_t distance = first_used(w->near_used, w->now % MP_WHEEL_SLOTS);
    uint64_t first = distance == MP_NEVER ? MP_NEVER : w->now + distance;
    uint64_t blocks =
        !w->coarse_events ? MP_NEVER : first_used(w->coarse_used, block_of(w->now) % MP_WHEEL_SLOTS);
    if (blocks != MP_NEVER) {
        uint64_t block = block_of(w->now) + blocks;
        if (first == MP_NEVER || block_of(first) >= block) {
            uint64_t coarse = earliest_in(&w->coarse_slot[block % MP_WHEEL_SLOTS]);
            if (coarse < first)
                first = coarse;
        }
    }
    if (w->far_first < first)
        first = w->far_first;
    return first > w->now && mp_soon_any(&w->soon[(w->now + 1) % 2]) ? w->now + 1 : first;
}

static struct mp_later *take(struct mp_later_list *list)
{
    struct mp_later *head = list->head;
    list->head = list->tail = NULL;
    return head;
}

static void bring_far_closer(struct mp_wheel *w)
{
    struct mp_later *e = take(&w->far);
    w->far_first = MP_NEVER;
    while (e) {
        struct mp_later *next = e->next;
        put_back(w, e);
        e = next;
    }
}

/* Moves the events of the block that time has entered to the one-cycle slots. */
static void open_block(struct mp_wheel *w, uint64_t block)
{
    unsigned coarse = block % MP_WHEEL_SLOTS;
    struct mp_later *e = take(&w->coarse_slot[coarse]);
    w->coarse_used[coarse / 64] &= ~(1ull << (coarse % 64));
    while (e) {
        struct mp_later *next = e->next;
        w->coarse_events--;
        mp_wheel_put(w, e->when % MP_WHEEL_SLOTS, e->fn, e->object, e->argument);
        e->next = w->spare_later;
        w->spare_later = e;
        e = next;
    }
}

/* Events that the last cycle of a block has scheduled for the next one come before those of the coarse wheel.
 */
static void put_soon_first(struct mp_wheel *w)
{
    struct mp_soon_list *list = &w->soon[w->now % 2];
    for (const struct mp_soon *e = list->event; e != list->end; e++)
        mp_wheel_put(w, w->now % MP_WHEEL_SLOTS, e->fn, e->object, e->argument);
    list->end = list->event;
}

void mp_wheel_enter_block(struct mp_wheel *w, uint64_t when)
{
    assert(when >= w->now);
    w->now = when;
    put_soon_first(w);
    if (w->far_first != MP_NEVER && block_of(w->far_first) - block_of(when) < MP_WHEEL_SLOTS)
        bring_far_closer(w);
    unsigned coarse = block_of(when) % MP_WHEEL_SLOTS;
    if (w->coarse_used[coarse / 64] >> (coarse % 64) & 1)
        open_block(w, block_of(when));
}

static void run_slot(struct mp_wheel *w, unsigned slot)
{
    struct mp_event_list *list = &w->near_slot[slot];
    struct mp_event *event = list->head;
    if (!event)
        return;
    list->head = NULL; /* nothing more comes to this slot in its own cycle */
    list->end = &list->head;
    w->near_used[slot / 64] &= ~(1ull << (slot % 64));
    while (event) {
        struct mp_event *next = event->next;
        mp_event_fn *fn = event->fn;
        void *object = event->object, *argument = event->argument;
        event->next = w->spare;
        w->spare = event;
        w->executed++;
        if (next) { /* its data are fetched while this one runs */
            __builtin_prefetch(next->object);
            __builtin_prefetch(next->argument);
            __builtin_prefetch(next->next);
        }
        fn(object, argument);
        event = next;
    }
}

void mp_wheel_run_cycle(struct mp_wheel *w)
{
    struct mp_soon_list *soon = &w->soon[w->now % 2];
    run_slot(w, w->now % MP_WHEEL_SLOTS);
    size_t n = 0;
    for (; soon->event + n != soon->end; n++) { /* events may come at its end, and move it */
        const struct mp_soon *e = soon->event + n;
        if (e + 1 != soon->end) {
            __builtin_prefetch(e[1].object);
            __builtin_prefetch(e[1].argument);
        }
        e->fn(e->object, e->argument);
    }
    w->executed += n;
    soon->end = soon->event;
}
