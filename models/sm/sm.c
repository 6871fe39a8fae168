/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "engine/memory.h"
#include "sm/parts.h"

#define COUNTER(field, unit, text) MP_COUNTER_OF(struct mp_sm_stats, field, unit, text)

static const struct mp_metric metrics[] = {
    COUNTER(issued, "instructions", "warp instructions issued"),
    COUNTER(accesses, "instructions", "warp memory instructions done"),
    COUNTER(pages, "requests", "page-level translation requests made"),
    COUNTER(lines, "requests", "lines asked for"),
    COUNTER(access_cycles, "cycles", "from issue to the last answer of a memory instruction, summed"),
    COUNTER(lsu_stalls, "instructions", "memory instructions that found the load-store queue full"),
    COUNTER(ctas, "CTAs", "work-groups done"),
};

const struct mp_metric_table mp_sm_metrics = {"sm", sizeof(struct mp_sm_stats),
                                              sizeof metrics / sizeof *metrics, metrics};

int mp_sm_init(struct mp_sm *sm, struct mp_wheel *wheel, const struct mp_sm_params *p)
{
    uint32_t accesses = p->warps * p->outstanding;
    const size_t scoreboard = p->scoreboard ? sizeof(uint64_t) : 0; /* of a warp */
    /* A scheduler has every n-th slot; those of one are together if n is a power of two. */
    bool together = __builtin_popcount(p->schedulers) == 1;
    uint32_t due_shift = together ? (uint32_t)__builtin_ctz(p->schedulers) : 0;
    uint32_t dues = MP_SM_MAX_WARPS >> due_shift;
    *sm = (struct mp_sm){.wheel = wheel,
                         .p = *p,
                         .stats = mp_calloc(p->tenants, sizeof *sm->stats),
                         .warp = mp_calloc(p->warps, sizeof *sm->warp),
                         .step = mp_calloc(1, p->warps * (MP_SM_STEPS * sizeof *sm->step + scoreboard)),
                         .cta = mp_calloc(p->ctas, sizeof *sm->cta),
                         .room.free_ctas = UINT64_MAX >> (64 - p->ctas),
                         .schedulers = mp_calloc(p->schedulers, sizeof *sm->schedulers),
                         .due = mp_calloc(p->schedulers * dues, sizeof *sm->due),
                         .access = mp_calloc(accesses, sizeof *sm->access),
                         .lsu = mp_calloc(p->lsu_queue, sizeof *sm->lsu),
                         .req_of_head = {.sm = (uint16_t)p->id}};
    if (!sm->stats || !sm->warp || !sm->step || !sm->cta || !sm->schedulers || !sm->due || !sm->access ||
        !sm->lsu) {
        mp_sm_free(sm);
        return -1;
    }
    if (p->sends_virtual)
        mp_sm_join(sm, MP_SM_TRANSLATE, mp_target_of(mp_sm_leave_virtual, sm, 0));
    for (uint32_t i = 0; i < p->schedulers; i++)
        sm->schedulers[i] = (struct mp_sm_scheduler){
            .sm = sm, .wake = MP_NEVER, .due = sm->due + (size_t)i * dues, .due_shift = due_shift};
    for (uint32_t w = 0, s = 0; w < p->warps; w++, s = s + 1 < p->schedulers ? s + 1 : 0) {
        sm->warp[w].scheduler = (uint8_t)s;
        sm->schedulers[s].slots |= 1ull << w;
    }
    for (uint32_t i = 0; i < accesses; i++) {
        sm->access[i].next = sm->spare_access;
        sm->spare_access = &sm->access[i];
    }
    return 0;
}

void mp_sm_free(struct mp_sm *sm)
{
    free(sm->stats);
    free(sm->warp);
    free(sm->step);
    free(sm->cta);
    free(sm->schedulers);
    free(sm->due);
    free(sm->access);
    free(sm->lsu);
    mp_pool_free(&sm->pool);
    *sm = (struct mp_sm){0};
}

void mp_sm_join(struct mp_sm *sm, enum mp_sm_link link, struct mp_target target)
{
    bool translate = link == MP_SM_TRANSLATE;
    struct mp_sm_stage *stage = translate ? &sm->translate : &sm->data;
    stage->out = (struct mp_out){.target = target,
                                 .wheel = sm->wheel,
                                 .response = translate ? mp_sm_translated : mp_sm_response_of_data(sm),
                                 .self = sm};
}
