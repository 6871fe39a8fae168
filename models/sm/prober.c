/* SPDX-License-Identifier: Apache-2.0 */
#include "sm/prober.h"

enum { LOAD_BYTES = 4, LOAD_INSTRUCTIONS = 1 };

static struct gwt_step load_from(uint64_t va)
{
    return (struct gwt_step){.kind = GWT_ACCESS,
                             .op = GWT_LOAD,
                             .gap = LOAD_INSTRUCTIONS,
                             .mode = GWT_SAME,
                             .active = 1,
                             .bytes = LOAD_BYTES,
                             .base = va};
}

/* A barrier of one warp passes as soon as the warp's accesses are done: it is the wait between two loads. */
static uint32_t next(void *self, void *work, uint32_t warp, struct gwt_step *step, uint32_t room)
{
    struct mp_prober *p = self;
    (void)work, (void)warp, (void)room;
    if (p->issued == p->loads)
        *step = (struct gwt_step){.kind = GWT_EXIT};
    else if (p->waits)
        *step = (struct gwt_step){.kind = GWT_BARRIER};
    else
        *step = load_from(p->va[p->issued++]);
    p->waits = p->in_turn && step->kind == GWT_ACCESS;
    return 1;
}

static void answered(void *self, void *work, uint32_t warp, uint64_t issued)
{
    struct mp_prober *p = self;
    uint64_t now = p->sm->wheel->now;
    size_t i = p->answered++;
    (void)work, (void)warp;
    if (i && issued < p->first) { /* of a pair, the second load was answered first */
        if (p->cycles)
            p->cycles[1] = p->cycles[0];
        i = 0;
    }
    if (!i)
        p->first = issued;
    if (p->cycles)
        p->cycles[i] = now - issued;
}

static void ended(void *self, struct mp_sm *sm, void *work)
{
    struct mp_prober *p = self;
    (void)work;
    p->loads = 0;
    p->done(p->self, sm->wheel->now - p->first);
}

static bool fault(void *self, struct mp_sm *sm, struct mp_req *page)
{
    struct mp_prober *p = self;
    (void)sm, (void)page;
    p->faults++;
    return false;
}

void mp_prober_init(struct mp_prober *p, struct mp_sm *sm, uint16_t asid, uint8_t tenant)
{
    *p = (struct mp_prober){.sm = sm};
    p->owner = (struct mp_sm_owner){.self = p,
                                    .asid = asid,
                                    .tenant = tenant,
                                    .next = next,
                                    .access_done = answered,
                                    .cta_done = ended,
                                    .fault = fault};
}

static int start(struct mp_prober *p, const uint64_t *va, size_t n, bool in_turn, uint64_t *cycles,
                 void (*done)(void *self, uint64_t cycles), void *self)
{
    if (p->loads || !mp_sm_has_room(p->sm, 1, 0))
        return -1;
    p->va = va;
    p->loads = n;
    p->issued = p->answered = 0;
    p->in_turn = in_turn;
    p->waits = false;
    p->cycles = cycles;
    p->done = done;
    p->self = self;
    mp_sm_start_cta(p->sm, &p->owner, NULL, 1, 0);
    return 0;
}

int mp_prober_chase(struct mp_prober *p, const uint64_t *va, size_t n, uint64_t *cycles,
                    void (*done)(void *self, uint64_t cycles), void *self)
{
    return start(p, va, n, true, cycles, done, self);
}

int mp_prober_pair(struct mp_prober *p, uint64_t a, uint64_t b, uint64_t *cycles,
                   void (*done)(void *self, uint64_t cycles), void *self)
{
    if (p->loads)
        return -1;
    p->pair[0] = a;
    p->pair[1] = b;
    return start(p, p->pair, 2, false, cycles, done, self);
}
