/* SPDX-License-Identifier: Apache-2.0 */
/* Functional mode: warps move on without time, and their accesses warm the tags behind both links. */
#include <stdlib.h>
#include <string.h>

#include "sm/parts.h"

static const uint8_t op_of[] = {[GWT_LOAD] = MP_LOAD, [GWT_STORE] = MP_STORE, [GWT_ATOMIC] = MP_ATOMIC};

void mp_sm_warm_virtual(void *sm, struct mp_req *page)
{
    (void)sm;
    page->pa = page->va;
    page->fault = MP_FAULT_NONE;
}

/* Translates a page and requests its lines; those of a page without a translation are not requested. */
static void warm_page(struct mp_sm *sm, const struct mp_sm_owner *owner, struct mp_req *req,
                      const uint64_t *line, uint32_t lines)
{
    const struct mp_target *tlb = &sm->translate.out.target, *cache = &sm->data.out.target;
    uint64_t offset = (1ull << sm->p.coalescer->page_shift) - 1;
    req->va = line[0];
    tlb->warm(tlb->self, req);
    uint64_t frame = req->pa & ~offset;
    for (uint32_t i = 0; i < lines && !req->fault; i++) {
        req->va = line[i];
        req->pa = frame | (line[i] & offset);
        cache->warm(cache->self, req);
    }
    if (__builtin_expect(req->fault, 0))
        owner->fault(owner->self, sm, req);
}

static void warm_access(struct mp_sm *sm, uint32_t slot)
{
    const struct mp_sm_owner *owner = sm->cta[sm->warp[slot].cta].owner;
    const struct gwt_step *step = mp_sm_step_of(sm, slot);
    struct mp_coalesced c;
    struct mp_req req = {.sm = (uint16_t)sm->p.id,
                         .asid = (uint8_t)owner->asid,
                         .tenant = owner->tenant,
                         .warp = (uint8_t)slot,
                         .op = op_of[step->op]};
    mp_coalesce(sm->p.coalescer, step, &c);
    for (uint32_t page = 0, start = 0; page < c.pages; start = c.end[page++])
        warm_page(sm, owner, &req, &c.line[start], c.end[page] - start);
}

/* The warps that can move on: all but those at a barrier. */
static uint64_t movable(const struct mp_sm *sm)
{
    uint64_t slots = 0;
    for (uint64_t rest = sm->used; rest; rest &= rest - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(rest);
        slots |= (uint64_t)(sm->warp[slot].state != MP_WARP_BARRIER) << slot;
    }
    return slots;
}

/* Executes the warp up to and including its step; false if that is no access. */
static bool run_step(struct mp_sm *sm, uint32_t slot, uint64_t *executed, bool warm)
{
    struct mp_sm_warp *w = &sm->warp[slot];
    const struct mp_sm_cta *cta = &sm->cta[w->cta];
    *executed += w->remaining;
    cta->stats->issued += w->remaining;
    w->remaining = 0;
    if (mp_sm_step_of(sm, slot)->kind != GWT_ACCESS) {
        mp_sm_pass_point(sm, slot);
        return false;
    }
    if (warm)
        warm_access(sm, slot);
    cta->stats->accesses++;
    if (cta->owner->access_done)
        cta->owner->access_done(cta->owner->self, cta->work, w->index, sm->wheel->now);
    mp_sm_next_step(sm, slot);
    return true;
}

/* A warp has as many accesses in a row as it may have in flight, unless the scheduler takes turns. */
uint64_t mp_sm_run_ahead(struct mp_sm *sm, uint64_t instructions, bool warm)
{
    uint32_t in_a_row = sm->p.scheduler->takes_turns ? 1 : sm->p.outstanding;
    uint64_t executed = 0, slots = movable(sm);
    while (slots && executed < instructions) {
        uint32_t slot = mp_next_warp(slots, sm->ran_ahead), i = 0;
        sm->ran_ahead = (uint8_t)slot;
        while (i < in_a_row && run_step(sm, slot, &executed, warm))
            i++;
        if (i < in_a_row)
            slots = movable(sm);
    }
    return executed;
}

#define DELTAS 320u /* bytes of 31 deltas, each at most 10; some more can be read */

/* The work-groups of queued accesses may end before these are coalesced. */
static void keep_deltas(struct mp_sm *sm)
{
    for (uint32_t i = 0; i < sm->lsu_count; i++) {
        uint32_t at = (sm->lsu_head + i) % sm->p.lsu_queue;
        struct gwt_step *step = &sm->lsu[at].step;
        uint8_t *kept = sm->kept_deltas + (size_t)at * DELTAS;
        if (step->mode != GWT_SCATTER || step->deltas == kept)
            continue;
        memcpy(kept, step->deltas, DELTAS);
        step->deltas = kept;
    }
}

int mp_sm_freeze(struct mp_sm *sm)
{
    if (!sm->kept_deltas)
        sm->kept_deltas = calloc(sm->p.lsu_queue, DELTAS);
    if (!sm->kept_deltas)
        return -1;
    sm->frozen = true;
    mp_sm_stop_schedulers(sm);
    keep_deltas(sm);
    return 0;
}

void mp_sm_thaw(struct mp_sm *sm)
{
    sm->frozen = false;
    mp_sm_start_schedulers(sm);
}
