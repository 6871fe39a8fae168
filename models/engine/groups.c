/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/groups.h"

#include <assert.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/crew.h"
#include "engine/memory.h"

#define ARRIVALS_PER_SLAB 512u

struct slab {
    struct slab *next;
    alignas(64) struct mp_arrival arrival[ARRIVALS_PER_SLAB];
};

static void out_of_memory(void)
{
    fputs("mempath: engine: out of memory for messages\n", stderr);
    abort();
}

/* --- groups --------------------------------------------------------------------------------------- */

static struct mp_group *new_group(struct mp_box *from)
{
    struct mp_group *group = mp_calloc(1, sizeof *group);
    if (!group)
        return NULL;
    mp_wheel_init(&group->wheel);
    group->from = from;
    return group;
}

static void delete_group(struct mp_group *group)
{
    if (!group)
        return;
    for (struct slab *s = group->slabs; s;) {
        struct slab *next = s->next;
        free(s);
        s = next;
    }
    mp_wheel_free(&group->wheel);
    free(group->far);
    free(group->between);
    free(group);
}

static struct mp_box *new_boxes(size_t count)
{
    struct mp_box *box = aligned_alloc(64, count * sizeof *box);
    for (size_t i = 0; box && i < count; i++)
        box[i] = (struct mp_box){.first = MP_NEVER};
    return box;
}

static void set_direct(struct mp_groups *g, bool direct)
{
    for (uint32_t from = 0; from < g->count; from++)
        for (uint32_t to = 0; to < g->count; to++)
            mp_groups_box(g, from, to)->direct = direct ? g->group[to] : NULL;
}

int mp_groups_init(struct mp_groups *g, uint32_t count, const uint32_t *stage, uint32_t lookahead)
{
    *g = (struct mp_groups){.count = count,
                            .stages = stage[count - 1] + 1,
                            .lookahead = lookahead,
                            .group = calloc(count, sizeof(struct mp_group *)),
                            .stage = calloc(stage[count - 1] + 2, sizeof *g->stage),
                            .boxes = new_boxes((size_t)count * count)};
    bool complete = g->group && g->stage && g->boxes;
    for (uint32_t i = 0; complete && i < count; i++) {
        g->group[i] = new_group(g->boxes + (size_t)i * count);
        complete = g->group[i];
        g->stage[stage[i] + 1].first = i + 1;
    }
    if (!complete) {
        mp_groups_free(g);
        return -1;
    }
    set_direct(g, true);
    return 0;
}

int mp_groups_split(struct mp_groups *g, uint32_t count, const uint32_t *stage, uint32_t lookahead)
{
    struct mp_groups several;
    if (mp_groups_init(&several, count, stage, lookahead))
        return -1;
    delete_group(several.group[0]);
    several.group[0] = g->group[0];
    several.group[0]->from = several.boxes;
    g->group[0] = NULL;
    mp_groups_free(g);
    *g = several;
    set_direct(g, true);
    return 0;
}

void mp_groups_free(struct mp_groups *g)
{
    mp_crew_delete(g->crew);
    for (uint32_t i = 0; g->group && i < g->count; i++)
        delete_group(g->group[i]);
    for (size_t i = 0; g->boxes && i < (size_t)g->count * g->count; i++)
        free(g->boxes[i].message);
    free(g->group);
    free(g->stage);
    free(g->boxes);
    *g = (struct mp_groups){0};
}

/* --- messages ------------------------------------------------------------------------------------- */

/* Room for twice as many messages, which is never given back. */
static __attribute__((noinline, cold)) void grow(struct mp_message **message, uint32_t *room)
{
    uint32_t more = *room ? 2 * *room : 64;
    struct mp_message *grown = realloc(*message, more * sizeof *grown);
    if (!grown)
        out_of_memory();
    *message = grown;
    *room = more;
}

static __attribute__((noinline, cold)) void grow_arrivals(struct mp_group *group)
{
    struct slab *slab = aligned_alloc(64, sizeof *slab);
    if (!slab)
        out_of_memory();
    slab->next = group->slabs;
    group->slabs = slab;
    for (uint32_t i = ARRIVALS_PER_SLAB; i-- > 0;) {
        slab->arrival[i].next = group->spare;
        group->spare = &slab->arrival[i];
    }
}

static __attribute__((noinline, cold)) void grow_between(struct mp_group *group, uint32_t order)
{
    const uint32_t room = 2 * order + 64;
    struct mp_between *grown = realloc(group->between, room * sizeof *grown);
    if (!grown)
        out_of_memory();
    memset(grown + group->betweens, 0, (room - group->betweens) * sizeof *grown);
    group->between = grown;
    group->betweens = room;
}

/* Of several arrivals in a cycle, the last one or ones have larger numbers. Seldom, since groups run in the
 * order of their numbers. */
static __attribute__((noinline)) void put_between(struct mp_group *group, struct mp_arrival *last,
                                                  struct mp_arrival *a, uint64_t when)
{
    if (__builtin_expect(a->order >= group->betweens, 0))
        grow_between(group, a->order);
    struct mp_between *b = &group->between[a->order];
    /* A sender's messages follow each other: thousands, if many pages are invalidated at a time. */
    bool again = b->arrival && b->when == when && b->arrived == group->arrived;
    struct mp_arrival **link = again ? &b->arrival->next : &last->next;
    while ((*link)->order <= a->order)
        link = &(*link)->next;
    a->next = *link;
    *link = a;
    *b = (struct mp_between){a, when, group->arrived};
}

/* What is seldom is in functions that end their callers, so that mp_send() saves no registers. */
static __attribute__((noinline, cold)) void grow_and_put(struct mp_group *group, struct mp_sender *sender,
                                                         uint64_t when, void *argument);

/* Puts the message behind those of its cycle with the same or a smaller number. */
static inline void put(struct mp_group *group, struct mp_sender *sender, uint64_t when, void *argument)
{
    if (__builtin_expect(!group->spare, 0)) {
        grow_and_put(group, sender, when, argument);
        return;
    }
    unsigned slot = when % MP_WHEEL_SLOTS;
    struct mp_arrival *a = group->spare, *last = group->slot[slot];
    group->spare = a->next;
    a->sender = sender;
    a->argument = argument;
    a->order = sender->order;
    if (last && last->order > a->order) {
        put_between(group, last, a, when);
        return;
    }
    a->next = a;
    if (last) {
        a->next = last->next;
        last->next = a;
    }
    group->slot[slot] = a;
    group->used[slot / 64] |= 1ull << (slot % 64);
}

static void grow_and_put(struct mp_group *group, struct mp_sender *sender, uint64_t when, void *argument)
{
    grow_arrivals(group);
    put(group, sender, when, argument);
}

static __attribute__((noinline, cold)) void put_far(struct mp_group *group, struct mp_sender *sender,
                                                    uint64_t when, void *argument)
{
    if (group->fars == group->far_room)
        grow(&group->far, &group->far_room);
    group->far[group->fars++] = (struct mp_message){sender, argument, when};
}

/* Whether a message of that cycle is among the far ones, so that the next one must not overtake it. */
static __attribute__((noinline, cold)) bool is_behind(const struct mp_group *group, uint64_t when)
{
    for (uint32_t i = 0; i < group->fars; i++)
        if (group->far[i].when == when)
            return true;
    return false;
}

/* There are messages that the slots do not reach. */
static __attribute__((noinline, cold)) void put_behind(struct mp_group *group, struct mp_sender *sender,
                                                       uint64_t when, void *argument)
{
    if (is_behind(group, when))
        put_far(group, sender, when, argument);
    else
        put(group, sender, when, argument);
}

static inline void deliver(struct mp_group *group, struct mp_sender *sender, uint64_t when, void *argument)
{
    assert(when >= group->wheel.now);
    if (__builtin_expect(when - group->wheel.now >= MP_WHEEL_SLOTS, 0))
        put_far(group, sender, when, argument);
    else if (__builtin_expect(group->fars != 0, 0))
        put_behind(group, sender, when, argument);
    else
        put(group, sender, when, argument);
}

static __attribute__((noinline)) void put_into(struct mp_box *box, struct mp_sender *sender, uint64_t when,
                                               void *argument)
{
    if (__builtin_expect(box->count == box->room, 0))
        grow(&box->message, &box->room);
    box->message[box->count++] = (struct mp_message){sender, argument, when};
    if (when < box->first)
        box->first = when;
}

void mp_send(struct mp_sender *sender, uint64_t when, void *argument)
{
    struct mp_box *box = sender->box;
    if (box->direct)
        deliver(box->direct, sender, when, argument);
    else
        put_into(box, sender, when, argument);
}

/* Messages that the slots did not reach until now. They come before those sent later, so that messages of one
 * sender stay in order. */
static __attribute__((noinline, cold)) void bring_closer(struct mp_group *group)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < group->fars; i++) {
        struct mp_message *m = &group->far[i];
        if (m->when - group->wheel.now < MP_WHEEL_SLOTS)
            put(group, m->sender, m->when, m->argument);
        else
            group->far[kept++] = *m;
    }
    group->fars = kept;
}

static void empty_boxes(struct mp_groups *g, struct mp_group *group)
{
    for (uint32_t i = 0; i < g->count; i++) {
        struct mp_box *box = &group->from[i];
        for (uint32_t k = 0; k < box->count; k++)
            deliver(group, box->message[k].sender, box->message[k].when, box->message[k].argument);
        box->count = 0;
        box->first = MP_NEVER;
    }
}

/* --- running -------------------------------------------------------------------------------------- */

static uint64_t earliest(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The cycle of the group's first arrival or event before `end`, or `end`. */
static inline uint64_t next_slot(const struct mp_group *group, uint64_t now, uint64_t end)
{
    if (mp_soon_any(&group->wheel.soon[now % 2]))
        return now;
    if (mp_soon_any(&group->wheel.soon[(now + 1) % 2]))
        end = earliest(now + 1, end);
    while (now < end) {
        unsigned slot = now % MP_WHEEL_SLOTS;
        uint64_t bits = (group->used[slot / 64] | group->wheel.near_used[slot / 64]) >> (slot % 64);
        if (bits)
            return earliest(now + (unsigned)__builtin_ctzll(bits), end);
        now += 64 - slot % 64;
    }
    return end;
}

static uint64_t first_arrival(const struct mp_group *group)
{
    uint64_t now = group->wheel.now;
    for (uint64_t when = now; when < now + MP_WHEEL_SLOTS; when += 64 - when % 64) {
        uint64_t bits = group->used[when % MP_WHEEL_SLOTS / 64] >> (when % 64);
        if (bits)
            return when + (unsigned)__builtin_ctzll(bits);
    }
    unsigned slot = now % MP_WHEEL_SLOTS; /* the last part of the round is in the first word */
    uint64_t bits = group->used[slot / 64] & ((1ull << (slot % 64)) - 1);
    return bits ? now + MP_WHEEL_SLOTS - slot % 64 + (unsigned)__builtin_ctzll(bits) : MP_NEVER;
}

/* Messages in boxes are not counted. */
static uint64_t next_of(const struct mp_group *group)
{
    uint64_t next = earliest(first_arrival(group), mp_wheel_next(&group->wheel));
    for (uint32_t i = 0; i < group->fars; i++)
        next = earliest(next, group->far[i].when);
    return next;
}

static uint64_t first_in_boxes(const struct mp_groups *g, const struct mp_group *group)
{
    uint64_t first = MP_NEVER;
    for (uint32_t i = 0; g->crew && i < g->count; i++)
        first = earliest(first, group->from[i].first);
    return first;
}

uint64_t mp_groups_next(const struct mp_groups *g)
{
    uint64_t next = MP_NEVER;
    for (uint32_t i = 0; i < g->count; i++)
        next = earliest(next, earliest(next_of(g->group[i]), first_in_boxes(g, g->group[i])));
    return next;
}

static void run_arrivals(struct mp_group *group)
{
    unsigned slot = group->wheel.now % MP_WHEEL_SLOTS;
    struct mp_arrival *last = group->slot[slot], *a = last ? last->next : NULL;
    if (!a)
        return;
    group->slot[slot] = NULL;
    group->used[slot / 64] &= ~(1ull << (slot % 64));
    last->next = NULL;
    while (a) {
        struct mp_arrival *next = a->next;
        struct mp_sender *sender = a->sender;
        void *argument = a->argument;
        a->next = group->spare;
        group->spare = a;
        group->arrived++;
        if (next) { /* its data are fetched while this one runs */
            __builtin_prefetch(next->sender);
            __builtin_prefetch(next->argument);
        }
        a = next;
        sender->arrive(sender, argument);
    }
}

/* Fetches the data of what happens first in a later cycle. */
static inline void prefetch_cycle(const struct mp_group *group, uint64_t when)
{
    const struct mp_event *event = group->wheel.near_slot[when % MP_WHEEL_SLOTS].head;
    const struct mp_arrival *last = group->slot[when % MP_WHEEL_SLOTS];
    if (event) {
        __builtin_prefetch(event->object);
        __builtin_prefetch(event->argument);
    }
    if (last) {
        __builtin_prefetch(last->next->sender);
        __builtin_prefetch(last->next->argument);
    }
}

/* Returns the cycle before which it has stopped: `end`, or earlier if the group, alone in its stage, stops
 * the run. */
static uint64_t run_group(struct mp_groups *g, struct mp_group *group, uint64_t end, bool alone)
{
    struct mp_wheel *w = &group->wheel;
    uint64_t now = g->begin;
    if (g->crew)
        empty_boxes(g, group);
    while (now < end) {
        mp_wheel_advance(w, now); /* further events come to the slots when time enters their block */
        const uint64_t last = earliest(end, (now / MP_WHEEL_SLOTS + 1) * MP_WHEEL_SLOTS);
        while (now < last) {
            w->now = now;
            now = next_slot(group, now, last);
            if (now == last)
                break;
            w->now = now;
            prefetch_cycle(group, now + 1);
            run_arrivals(group);
            mp_wheel_run_cycle(w);
            now++;
            if (alone && g->stopped)
                return now;
        }
    }
    return end;
}

static void run_one(void *groups, uint32_t number, uint64_t end)
{
    struct mp_groups *g = groups;
    run_group(g, g->group[number], end, false);
}

static uint64_t executed_by(const struct mp_group *group)
{
    return group->wheel.executed + group->arrived;
}

/* Events of a window, below which threads would wait for each other longer than they work. */
enum { FEW = 48 };

/* Whether the stage had much to do in the last window. */
static bool is_busy(struct mp_groups *g, struct mp_stage *stage)
{
    uint64_t executed = 0;
    for (uint32_t i = stage->first; i < stage[1].first; i++)
        executed += executed_by(g->group[i]);
    bool busy = executed - stage->executed >= FEW;
    stage->executed = executed;
    return busy;
}

/* Gives the work to the thread that is free first. */
static void divide(uint64_t load[MP_BALANCE_THREADS], unsigned threads, uint64_t events)
{
    unsigned least = 0;
    for (unsigned i = 1; i < threads; i++)
        if (load[i] < load[least])
            least = i;
    load[least] += events;
}

/* A stage of which threads would make a round is divided, another one is not. */
static uint64_t run_measured(struct mp_groups *g, uint32_t first, uint32_t last, uint64_t end)
{
    uint64_t load[MP_BALANCE_THREADS][MP_BALANCE_THREADS] = {{0}};
    uint64_t all = 0, stop = end;
    for (uint32_t i = first; i < last; i++) {
        uint64_t before = executed_by(g->group[i]);
        stop = earliest(stop, run_group(g, g->group[i], end, last - first == 1));
        uint64_t events = executed_by(g->group[i]) - before;
        for (unsigned n = 0; n < MP_BALANCE_THREADS; n++)
            divide(load[n], n + 1, events);
        all += events;
    }
    bool divided = last - first > 1 && all >= FEW;
    g->balance->stages += divided;
    for (unsigned n = 0; n < MP_BALANCE_THREADS; n++) {
        uint64_t most = divided ? 0 : all;
        for (unsigned i = 0; i <= n; i++)
            most = load[n][i] > most ? load[n][i] : most;
        g->balance->events[n] += most;
    }
    return stop;
}

/* Returns the end for later stages: if a stage's only group stops the run, the cycle after. */
static uint64_t run_stage(struct mp_groups *g, uint32_t stage, uint64_t end)
{
    uint32_t first = g->stage[stage].first, last = g->stage[stage + 1].first;
    if (g->balance)
        return run_measured(g, first, last, end);
    if (last - first == 1)
        return run_group(g, g->group[first], end, true);
    if (g->crew && is_busy(g, &g->stage[stage])) {
        mp_crew_run(g->crew, run_one, g, first, last, end);
        return end;
    }
    for (uint32_t i = first; i < last; i++)
        run_group(g, g->group[i], end, false);
    return end;
}

void mp_groups_run(struct mp_groups *g, uint64_t begin, uint64_t end)
{
    bool stopped = g->stopped;
    g->begin = begin;
    if (g->balance)
        g->balance->windows++;
    for (uint32_t i = 0; i < g->count; i++) {
        mp_wheel_advance(&g->group[i]->wheel, begin);
        if (g->group[i]->fars)
            bring_closer(g->group[i]);
    }
    for (uint32_t stage = 0; stage < g->stages; stage++) {
        g->stopped = false;
        end = run_stage(g, stage, end);
        stopped |= g->stopped;
    }
    g->stopped = stopped;
}

void mp_groups_advance(struct mp_groups *g, uint64_t when)
{
    for (uint32_t i = 0; i < g->count; i++)
        if (g->group[i]->wheel.now < when)
            mp_wheel_advance(&g->group[i]->wheel, when);
}

void mp_groups_stop(struct mp_groups *g)
{
    __atomic_store_n(&g->stopped, true, __ATOMIC_RELAXED); /* several threads may */
}

uint64_t mp_groups_now(const struct mp_groups *g)
{
    uint64_t now = 0;
    for (uint32_t i = 0; i < g->count; i++)
        if (g->group[i]->wheel.now > now)
            now = g->group[i]->wheel.now;
    return now;
}

uint64_t mp_groups_executed(const struct mp_groups *g)
{
    uint64_t executed = 0;
    for (uint32_t i = 0; i < g->count; i++)
        executed += executed_by(g->group[i]);
    return executed;
}

int mp_groups_use_threads(struct mp_groups *g, unsigned threads)
{
    mp_crew_delete(g->crew);
    g->crew = threads > 1 ? mp_crew_new(threads) : NULL;
    if (g->crew)
        (void)mp_crew_gain(g->crew); /* so that its threads wait as this host allows */
    set_direct(g, !g->crew);
    return threads > 1 && !g->crew ? -1 : 0;
}
