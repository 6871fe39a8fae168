/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event engine: a timing wheel of one-cycle slots, a coarse wheel of 256-cycle slots above it, and a
 * list of later events. The events of one cycle run in this order: first those scheduled from an earlier
 * block of 256 cycles, less than 256 cycles before; then those that came down from the coarse wheel; then
 * those scheduled from the same block. Each group runs in the order of scheduling. The order depends on the
 * model only, so that a run repeats exactly.
 *
 * Events of this cycle and of the next one, which are some two in five, do not go through the wheel. Of the
 * events of a cycle they are scheduled last, so an array in the order of scheduling, which runs after the
 * cycle's slot, keeps the order.
 *
 * Times and delays are in cycles of the memory path's clock.
 */
#ifndef MP_ENGINE_WHEEL_H
#define MP_ENGINE_WHEEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MP_WHEEL_BITS  8u
#define MP_WHEEL_SLOTS (1u << MP_WHEEL_BITS)
#define MP_WHEEL_WORDS (MP_WHEEL_SLOTS / 64)
#define MP_NEVER       UINT64_MAX

typedef void mp_event_fn(void *object, void *argument);

struct mp_event { /* 32 bytes: two fill a line of the host's cache */
    struct mp_event *next;
    mp_event_fn *fn;
    void *object, *argument;
};

struct mp_event_list {
    struct mp_event *head, **end; /* end: where the next event is linked, &head if there is none */
};

struct mp_later { /* an event that no one-cycle slot is for yet */
    struct mp_later *next;
    mp_event_fn *fn;
    void *object, *argument;
    uint64_t when;
};

struct mp_later_list {
    struct mp_later *head, *tail;
};

struct mp_soon {
    mp_event_fn *fn;
    void *object, *argument;
};

struct mp_soon_list { /* events of one cycle, in the order of scheduling */
    struct mp_soon *event, *end, *limit;
};

struct mp_wheel {
    uint64_t now;
    struct mp_soon_list soon[2]; /* events of this cycle and of the next, by the last bit of their cycle */
    struct mp_event *spare;      /* free events, last used first */
    struct mp_later *spare_later;
    uint64_t near_used[MP_WHEEL_WORDS], coarse_used[MP_WHEEL_WORDS];
    uint64_t coarse_events; /* in coarse_slot */
    uint64_t far_first;     /* earliest event of far, MP_NEVER without one */
    struct mp_later_list far, coarse_slot[MP_WHEEL_SLOTS];
    struct mp_event_list near_slot[MP_WHEEL_SLOTS];
    void *slabs; /* chain of slabs of events, freed with the wheel */
    uint64_t executed;
};

void mp_wheel_init(struct mp_wheel *w);
void mp_wheel_free(struct mp_wheel *w);

/* The cycle of the earliest event; MP_NEVER if there is none. Does not change the wheel. */
uint64_t mp_wheel_next(const struct mp_wheel *w);

/* Moves time to `when`, which must not be before now or after the earliest event. */
void mp_wheel_enter_block(struct mp_wheel *w,
                          uint64_t when); /* `when` is in another block of MP_WHEEL_SLOTS cycles */
static inline void mp_wheel_advance(struct mp_wheel *w, uint64_t when)
{
    if (when >> MP_WHEEL_BITS != w->now >> MP_WHEEL_BITS)
        mp_wheel_enter_block(w, when);
    w->now = when;
}

/* Runs all events of the current cycle, including those that they schedule for this cycle. */
void mp_wheel_run_cycle(struct mp_wheel *w);

/* Slow parts of mp_at. They end it, so that a function whose last act is mp_at saves no registers for them.
 */
void mp_wheel_grow_and_put(struct mp_wheel *w, unsigned slot, mp_event_fn *fn, void *object, void *argument);
void mp_wheel_grow_soon_and_put(struct mp_soon_list *list, mp_event_fn *fn, void *object, void *argument);
void mp_wheel_put_later(struct mp_wheel *w, uint64_t delay, mp_event_fn *fn, void *object, void *argument);

static inline void mp_wheel_put(struct mp_wheel *w, unsigned slot, mp_event_fn *fn, void *object,
                                void *argument)
{
    struct mp_event_list *list = &w->near_slot[slot];
    struct mp_event *event = w->spare;
    if (__builtin_expect(!event, 0)) {
        mp_wheel_grow_and_put(w, slot, fn, object, argument);
        return;
    }
    w->spare = event->next;
    event->next = NULL;
    event->fn = fn;
    event->object = object;
    event->argument = argument;
    *list->end = event;
    list->end = &event->next;
    w->near_used[slot / 64] |= 1ull << (slot % 64);
}

static inline bool mp_soon_any(const struct mp_soon_list *list)
{
    return list->event != list->end;
}

static inline void mp_soon_put(struct mp_soon_list *list, mp_event_fn *fn, void *object, void *argument)
{
    struct mp_soon *event = list->end;
    if (__builtin_expect(event == list->limit, 0)) {
        mp_wheel_grow_soon_and_put(list, fn, object, argument);
        return;
    }
    list->end = event + 1;
    event->fn = fn;
    event->object = object;
    event->argument = argument;
}

/* Calls fn(object, argument) in `delay` cycles. */
static inline void mp_at(struct mp_wheel *w, uint64_t delay, mp_event_fn *fn, void *object, void *argument)
{
    if (delay <= 1)
        mp_soon_put(&w->soon[(w->now + delay) % 2], fn, object, argument);
    else if (__builtin_expect(delay < MP_WHEEL_SLOTS, 1))
        mp_wheel_put(w, (unsigned)(w->now + delay) % MP_WHEEL_SLOTS, fn, object, argument);
    else
        mp_wheel_put_later(w, delay, fn, object, argument);
}

#ifdef __cplusplus
}
#endif
#endif
