/* SPDX-License-Identifier: Apache-2.0 */
/* Warps and their schedulers: what issues in a cycle, barriers, the ends of warps and of work-groups. */
#include "sm/parts.h"

static void step_greedy(void *scheduler, void *unused);
static void plan_turns(struct mp_sm *sm, struct mp_sm_scheduler *s);
static void set_due(const struct mp_sm *sm, const struct mp_sm_scheduler *s, uint32_t slot);
static void make_ready_in_turn(struct mp_sm *sm, struct mp_sm_scheduler *s, uint32_t slot);

void mp_sm_more_steps(struct mp_sm *sm, uint32_t slot)
{
    struct mp_sm_warp *w = &sm->warp[slot];
    const struct mp_sm_cta *cta = &sm->cta[w->cta];
    w->at = 0;
    w->steps = (uint8_t)cta->owner->next(cta->owner->self, cta->work, w->index, mp_sm_step_of(sm, slot),
                                         MP_SM_STEPS);
}

void mp_sm_make_ready(struct mp_sm *sm, uint32_t slot)
{
    struct mp_sm_scheduler *s = &sm->schedulers[sm->warp[slot].scheduler];
    if (sm->p.scheduler->takes_turns) {
        make_ready_in_turn(sm, s, slot);
        return;
    }
    sm->warp[slot].state = MP_WARP_READY;
    sm->ready |= 1ull << slot;
    if (s->busy)
        return;
    s->busy = true;
    mp_at(sm->wheel, 0, step_greedy, s, NULL);
}

static void suspend(struct mp_sm *sm, uint32_t slot, enum mp_warp_state state)
{
    sm->warp[slot].state = (uint8_t)state;
    sm->ready &= ~(1ull << slot);
}

static void release_barrier(struct mp_sm *sm, struct mp_sm_cta *cta)
{
    if (!cta->at_barrier || cta->at_barrier < (uint32_t)__builtin_popcountll(cta->warps))
        return;
    cta->at_barrier = 0;
    for (uint64_t rest = cta->warps; rest; rest &= rest - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(rest);
        mp_sm_next_step(sm, slot);
        mp_sm_make_ready(sm, slot);
    }
}

static void end_warp(struct mp_sm *sm, uint32_t slot)
{
    struct mp_sm_cta *cta = &sm->cta[sm->warp[slot].cta];
    suspend(sm, slot, MP_WARP_NONE);
    sm->used &= ~(1ull << slot);
    cta->warps &= ~(1ull << slot);
    if (cta->warps) {
        release_barrier(sm, cta); /* the others may have waited for this one only */
        return;
    }
    mp_sm_cta_ended(sm, cta);
}

/* The warp passes a barrier or ends. None of its accesses is in flight. */
static void pass_point(struct mp_sm *sm, uint32_t slot)
{
    struct mp_sm_cta *cta = &sm->cta[sm->warp[slot].cta];
    if (mp_sm_step_of(sm, slot)->kind == GWT_EXIT) {
        end_warp(sm, slot);
        return;
    }
    suspend(sm, slot, MP_WARP_BARRIER);
    cta->at_barrier++;
    release_barrier(sm, cta);
}

#define HAS_SCOREBOARD(sm) __builtin_expect((sm)->p.scoreboard, 0)

/* Whether the warp's next step needs an access that is in flight. Only the newest 64 are known. */
static __attribute__((noinline, cold)) bool needs_one(const struct mp_sm *sm, uint32_t slot)
{
    const struct gwt_step *step = mp_sm_step_of(sm, slot);
    const uint64_t in_flight = mp_sm_in_flight(sm)[slot];
    return in_flight >> 63 || (step->kind == GWT_ACCESS && step->wait && in_flight >> (step->wait - 1));
}

static __attribute__((noinline, cold)) void has_issued(struct mp_sm *sm, uint32_t slot)
{
    uint64_t *in_flight = &mp_sm_in_flight(sm)[slot];
    *in_flight = *in_flight << 1 | 1;
}

static __attribute__((noinline, cold)) void has_done(struct mp_sm *sm, const struct mp_access *a)
{
    mp_sm_in_flight(sm)[a->warp] &= ~(1ull << (uint8_t)(sm->warp[a->warp].accesses - 1 - a->instruction));
}

/* Puts the warp's access into the load-store queue; false: the queue is full. */
static bool issue_access(struct mp_sm *sm, uint32_t slot)
{
    if (sm->lsu_count == sm->p.lsu_queue)
        return false;
    const struct gwt_step *step = mp_sm_step_of(sm, slot);
    struct mp_access *a = sm->spare_access;
    sm->spare_access = a->next;
    *a = (struct mp_access){
        .issued = sm->wheel->now, .warp = (uint16_t)slot, .instruction = sm->warp[slot].accesses++};
    sm->warp[slot].outstanding++;
    if (HAS_SCOREBOARD(sm))
        has_issued(sm, slot);
    uint32_t last = sm->lsu_head + sm->lsu_count++;
    sm->lsu[last < sm->p.lsu_queue ? last : last - sm->p.lsu_queue] = (struct mp_lsu_slot){a, *step};
    struct mp_sm_stage *stage = &sm->translate;
    if (!stage->scheduled && !stage->stopped && !stage->out.held && stage->free_at <= sm->wheel->now) {
        mp_sm_step_translate(sm, NULL);
        return true;
    }
    if (step->mode == GWT_SCATTER)
        __builtin_prefetch(step->deltas); /* it is coalesced in a later cycle */
    mp_sm_schedule(sm, stage, sm->wheel->now, mp_sm_step_translate);
    return true;
}

/* The warp has issued everything before its event. */
static void do_event(struct mp_sm *sm, uint32_t slot)
{
    struct mp_sm_warp *w = &sm->warp[slot];
    if (mp_sm_step_of(sm, slot)->kind == GWT_ACCESS) {
        if (!issue_access(sm, slot)) {
            sm->cta[w->cta].stats->lsu_stalls++;
            sm->lsu_waiting |= 1ull << slot;
            suspend(sm, slot, MP_WARP_LSU);
            return;
        }
        mp_sm_next_step(sm, slot);
        if (w->outstanding >= sm->p.outstanding || (HAS_SCOREBOARD(sm) && needs_one(sm, slot)))
            suspend(sm, slot, MP_WARP_LIMIT);
    } else if (w->outstanding) {
        suspend(sm, slot, MP_WARP_DRAIN);
    } else {
        pass_point(sm, slot);
    }
}

static void step_greedy(void *scheduler, void *unused)
{
    struct mp_sm_scheduler *s = scheduler;
    struct mp_sm *sm = s->sm;
    (void)unused;
    for (uint64_t ready; (ready = sm->ready & s->slots);) {
        uint32_t slot = sm->p.scheduler->pick(ready, sm->age, s->last, sm->age[s->last] == s->last_age);
        struct mp_sm_warp *w = &sm->warp[slot];
        s->last = slot;
        s->last_age = sm->age[slot];
        if (w->remaining) {
            sm->cta[w->cta].stats->issued += w->remaining;
            mp_at(sm->wheel, w->remaining, step_greedy, s, NULL);
            w->remaining = 0;
            return;
        }
        do_event(sm, slot);
    }
    s->busy = false;
}

/*
 * Warps that take turns issue one instruction in a cycle, one warp after the other. The turns go round the
 * slots in sweeps, and a ready warp has one turn in each. So a warp knows when it becomes ready in which
 * sweep it has nothing left to issue, whatever other warps do, and nothing is counted while it waits: in
 * mp_sm_warp.remaining is what it had when it became ready.
 */

/* The sweep in which the slot has its next turn. */
static uint64_t next_sweep(const struct mp_sm_scheduler *s, uint32_t slot)
{
    return s->sweep + (slot <= s->last);
}

static uint64_t *due_of(const struct mp_sm_scheduler *s, uint32_t slot)
{
    return &s->due[slot >> s->due_shift];
}

static void set_due(const struct mp_sm *sm, const struct mp_sm_scheduler *s, uint32_t slot)
{
    *due_of(s, slot) = next_sweep(s, slot) + sm->warp[slot].remaining;
}

/* The ready warp that is due first; within a sweep, turns come in the order of the slots. */
static void find_first(const struct mp_sm *sm, struct mp_sm_scheduler *s)
{
    uint64_t least = MP_NEVER;
    for (uint64_t rest = sm->ready & s->slots; rest; rest &= rest - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(rest);
        uint64_t due = *due_of(s, slot);
        s->first = due < least ? slot : s->first;
        least = due < least ? due : least;
    }
}

/* The slot has become ready. */
static void add_due(const struct mp_sm *sm, struct mp_sm_scheduler *s, uint32_t slot)
{
    set_due(sm, s, slot);
    uint64_t due = *due_of(s, slot), least = *due_of(s, s->first);
    if (!(sm->ready & s->slots & ~(1ull << slot)) || due < least || (due == least && slot < s->first))
        s->first = slot;
}

static uint64_t above(uint32_t slot)
{
    return ~1ull << slot;
}

static uint32_t nth_slot(uint64_t mask, uint32_t n) /* from 0 */
{
#ifdef __BMI2__
    return (uint32_t)__builtin_ctzll(__builtin_ia32_pdep_di(1ull << n, mask));
#else
    while (n--)
        mask &= mask - 1;
    return (uint32_t)__builtin_ctzll(mask);
#endif
}

static uint64_t count(uint64_t slots)
{
    return (uint64_t)__builtin_popcountll(slots);
}

/* Gives the ready warps this many turns, at least 1. */
static void advance(struct mp_sm_scheduler *s, uint64_t ready, uint64_t turns)
{
    uint64_t rest = ready & above(s->last);
    uint64_t in_sweep = count(rest), k = count(ready);
    turns--;
    if (turns >= in_sweep) {
        turns -= in_sweep;
        s->sweep++;
        if (turns >= k) {
            s->sweep += turns / k;
            turns %= k;
        }
        rest = ready;
    }
    s->last = nth_slot(rest, (uint32_t)turns);
}

/* As advance(); the turns are issued instructions of several tenants. */
static __attribute__((noinline, cold)) void advance_each(struct mp_sm *sm, struct mp_sm_scheduler *s,
                                                         uint64_t ready, uint64_t turns)
{
    const struct mp_sm_scheduler before = *s;
    advance(s, ready, turns);
    for (uint64_t rest = ready; rest; rest &= rest - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(rest);
        sm->cta[sm->warp[slot].cta].stats->issued += next_sweep(s, slot) - next_sweep(&before, slot);
    }
}

/* Counts the turns of the cycles that have passed, as issued instructions. */
static inline __attribute__((always_inline)) void count_turns(struct mp_sm *sm, struct mp_sm_scheduler *s,
                                                              bool mixed)
{
    uint64_t ready = sm->ready & s->slots, cycles = sm->wheel->now - s->since;
    s->since = sm->wheel->now;
    if (!ready || !cycles)
        return;
    if (mixed) {
        advance_each(sm, s, ready, cycles);
        return;
    }
    sm->newest->issued += cycles;
    advance(s, ready, cycles);
}

static void step_turns(void *scheduler, void *unused);

/* The step is in the host's memory by the time of its turn. Without this, a tenth of star/w7's time is spent
 * waiting for it. */
static void fetch_step(const struct mp_sm *sm, uint32_t slot)
{
    const struct gwt_step *step = mp_sm_step_of(sm, slot);
    __builtin_prefetch(step);
    __builtin_prefetch(step + 1);
}

/* Plans the event of s->first. */
static void plan_turns(struct mp_sm *sm, struct mp_sm_scheduler *s)
{
    uint64_t ready = sm->ready & s->slots;
    if (!ready) {
        s->wake = MP_NEVER;
        return;
    }
    uint64_t before = ready & ((1ull << s->first) - 1), rest = ready & above(s->last);
    uint64_t sweeps = *due_of(s, s->first) - s->sweep;
    uint64_t turns =
        sweeps ? count(rest) + (sweeps - 1) * count(ready) + count(before) : count(before & rest);
    uint64_t wake = sm->wheel->now + turns;
    if (wake == s->wake)
        return;
    s->wake = wake;
    fetch_step(sm, s->first);
    mp_at(sm->wheel, turns, step_turns, s, NULL);
}

static inline __attribute__((always_inline)) void make_ready(struct mp_sm *sm, struct mp_sm_scheduler *s,
                                                             uint32_t slot, bool mixed)
{
    count_turns(sm, s, mixed); /* of the warps that were ready until now */
    sm->warp[slot].state = MP_WARP_READY;
    sm->ready |= 1ull << slot;
    add_due(sm, s, slot);
    if (!s->busy)
        plan_turns(sm, s);
}

/* Apart, so that the usual case calls nothing before its end. */
static __attribute__((noinline, cold)) void make_ready_of_several(struct mp_sm *sm, struct mp_sm_scheduler *s,
                                                                  uint32_t slot)
{
    make_ready(sm, s, slot, true);
}

static void make_ready_in_turn(struct mp_sm *sm, struct mp_sm_scheduler *s, uint32_t slot)
{
    if (__builtin_expect(sm->mixed, 0))
        make_ready_of_several(sm, s, slot);
    else
        make_ready(sm, s, slot, false);
}

static __attribute__((noinline)) void take_turns(struct mp_sm *sm, struct mp_sm_scheduler *s)
{
    s->wake = MP_NEVER;
    s->busy = true;
    count_turns(sm, s, sm->mixed);
    for (uint64_t ready; (ready = sm->ready & s->slots);) {
        uint32_t slot = mp_next_warp(ready, s->last);
        uint64_t sweep = next_sweep(s, slot);
        if (*due_of(s, slot) != sweep)
            break;
        s->sweep = sweep;
        s->last = slot;
        sm->warp[slot].remaining = 0; /* it may have to do the step again */
        do_event(sm, slot);
        if (sm->ready >> slot & 1)
            set_due(sm, s, slot);
    }
    s->busy = false;
    find_first(sm, s);
    plan_turns(sm, s);
}

static void step_turns(void *scheduler, void *unused)
{
    struct mp_sm_scheduler *s = scheduler;
    (void)unused;
    if (s->wake == s->sm->wheel->now) /* otherwise the plan has changed */
        take_turns(s->sm, s);
}

void mp_sm_access_done(void *self, void *access)
{
    struct mp_sm *sm = self;
    struct mp_access *a = access;
    struct mp_sm_warp *w = &sm->warp[a->warp];
    uint32_t slot = a->warp;
    const struct mp_sm_cta *cta = &sm->cta[w->cta];
    cta->stats->accesses++;
    cta->stats->access_cycles += sm->wheel->now - a->issued;
    a->next = sm->spare_access;
    sm->spare_access = a;
    w->outstanding--;
    if (HAS_SCOREBOARD(sm))
        has_done(sm, a);
    if (cta->owner->access_done)
        cta->owner->access_done(cta->owner->self, cta->work, w->index, a->issued);
    if (w->state == MP_WARP_LIMIT && !(HAS_SCOREBOARD(sm) && needs_one(sm, slot)))
        mp_sm_make_ready(sm, slot);
    else if (w->state == MP_WARP_DRAIN && !w->outstanding)
        pass_point(sm, slot);
}

void mp_sm_abort(struct mp_sm *sm, const struct mp_sm_owner *owner)
{
    bool turns = sm->p.scheduler->takes_turns;
    for (uint32_t i = 0; turns && i < sm->p.schedulers; i++)
        count_turns(sm, &sm->schedulers[i], sm->mixed);
    for (uint64_t rest = sm->used; rest; rest &= rest - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(rest);
        struct mp_sm_warp *w = &sm->warp[slot];
        if (sm->cta[w->cta].owner != owner)
            continue;
        sm->cta[w->cta].at_barrier = 0;
        w->remaining = 0;
        mp_sm_step_of(sm, slot)->kind = GWT_EXIT;
        sm->lsu_waiting &= ~(1ull << slot);
        if (w->state == MP_WARP_LSU || w->state == MP_WARP_BARRIER)
            mp_sm_make_ready(sm, slot);
        else if (turns && w->state == MP_WARP_READY)
            set_due(sm, &sm->schedulers[w->scheduler], slot);
    }
    for (uint32_t i = 0; turns && i < sm->p.schedulers; i++)
        if (!sm->schedulers[i].busy) {
            find_first(sm, &sm->schedulers[i]);
            plan_turns(sm, &sm->schedulers[i]);
        }
}
