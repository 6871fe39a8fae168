/* SPDX-License-Identifier: Apache-2.0 */
/* Warps and their schedulers: what issues in a cycle, barriers, the ends of warps and of work-groups. */
#include "sm/parts.h"

static void step_greedy(void *scheduler, void *unused);
static void count_turns(struct mp_sm *sm, struct mp_sm_scheduler *s);
static void plan_turns(struct mp_sm *sm, struct mp_sm_scheduler *s);

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
    if (sm->p.scheduler->takes_turns)
        count_turns(sm, s); /* of the warps that were ready until now */
    sm->warp[slot].state = MP_WARP_READY;
    sm->ready |= 1ull << slot;
    if (s->busy)
        return;
    if (sm->p.scheduler->takes_turns) {
        plan_turns(sm, s);
        return;
    }
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
        if (w->outstanding >= sm->p.outstanding)
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

/* The mask with slot `first` (modulo 64) as its lowest bit, so that warps come in the order of their turns.
 */
static uint64_t turn_to(uint64_t mask, uint32_t first)
{
    return mask >> first % 64 | mask << -first % 64;
}

/* Warps that take turns issue one instruction in a cycle, one warp after the other. Nothing else happens
 * before one of them has its turn and no instruction left, or another becomes ready. So the turns up to then
 * are counted and not executed: of k ready warps, the one p places behind the last has its turns in p, p + k,
 * p + 2 k, ... cycles. */
static void count_turns(struct mp_sm *sm, struct mp_sm_scheduler *s)
{
    uint64_t ready = sm->ready & s->slots, cycles = sm->wheel->now - s->since;
    s->since = sm->wheel->now;
    if (!ready || !cycles)
        return;
    uint32_t k = (uint32_t)__builtin_popcountll(ready), first = s->last + 1;
    uint32_t rounds = (uint32_t)(cycles / k), rest = (uint32_t)(cycles % k), counted = rounds ? k : rest;
    uint64_t turned = turn_to(ready, first), issued = 0;
    struct mp_sm_stats *stats = sm->cta[sm->warp[__builtin_ctzll(ready)].cta].stats;
    for (uint32_t p = 0; p < counted; p++, turned &= turned - 1) {
        uint32_t slot = (first + (uint32_t)__builtin_ctzll(turned)) % 64, turns = rounds + (p < rest);
        struct mp_sm_warp *w = &sm->warp[slot];
        w->remaining -= turns;
        if (sm->cta[w->cta].stats != stats) { /* seldom: an SM's work-groups are usually of one tenant */
            stats->issued += issued;
            stats = sm->cta[w->cta].stats;
            issued = 0;
        }
        issued += turns;
        if (p + 1 == (rest ? rest : k))
            s->last = slot;
    }
    stats->issued += issued;
}

static void step_turns(void *scheduler, void *unused);

static void plan_turns(struct mp_sm *sm, struct mp_sm_scheduler *s)
{
    uint64_t ready = sm->ready & s->slots, first = MP_NEVER, now = sm->wheel->now;
    uint32_t k = (uint32_t)__builtin_popcountll(ready), start = s->last + 1, p = 0, next = s->last;
    for (uint64_t turned = turn_to(ready, start); turned && p < first; turned &= turned - 1, p++) {
        uint32_t slot = (start + (uint32_t)__builtin_ctzll(turned)) % 64;
        uint64_t turn = p + (uint64_t)sm->warp[slot].remaining * k;
        if (turn < first) {
            first = turn;
            next = slot;
        }
    }
    /* Its step is in the host's memory by the time of its turn. Without this, a tenth of star/w7's time is
     * spent waiting for it. */
    const struct gwt_step *step = mp_sm_step_of(sm, next);
    __builtin_prefetch(step);
    __builtin_prefetch(step + 1);
    uint64_t wake = first == MP_NEVER ? MP_NEVER : now + first;
    if (wake != s->wake && wake != MP_NEVER)
        mp_at(sm->wheel, first, step_turns, s, NULL);
    s->wake = wake;
}

static void step_turns(void *scheduler, void *unused)
{
    struct mp_sm_scheduler *s = scheduler;
    struct mp_sm *sm = s->sm;
    (void)unused;
    if (s->wake != sm->wheel->now)
        return; /* the plan has changed */
    s->wake = MP_NEVER;
    s->busy = true;
    count_turns(sm, s);
    for (uint64_t ready; (ready = sm->ready & s->slots);) {
        uint32_t slot = sm->p.scheduler->pick(ready, sm->age, s->last, false);
        if (sm->warp[slot].remaining)
            break;
        s->last = slot;
        do_event(sm, slot);
    }
    s->busy = false;
    plan_turns(sm, s);
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
    if (cta->owner->access_done)
        cta->owner->access_done(cta->owner->self, cta->work, w->index, a->issued);
    if (w->state == MP_WARP_LIMIT)
        mp_sm_make_ready(sm, slot);
    else if (w->state == MP_WARP_DRAIN && !w->outstanding)
        pass_point(sm, slot);
}

void mp_sm_abort(struct mp_sm *sm, const struct mp_sm_owner *owner)
{
    bool turns = sm->p.scheduler->takes_turns;
    for (uint32_t i = 0; turns && i < sm->p.schedulers; i++)
        count_turns(sm, &sm->schedulers[i]);
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
    }
    for (uint32_t i = 0; turns && i < sm->p.schedulers; i++)
        if (!sm->schedulers[i].busy)
            plan_turns(sm, &sm->schedulers[i]);
}
