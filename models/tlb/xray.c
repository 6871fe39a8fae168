/* SPDX-License-Identifier: Apache-2.0 */
/* A TLB's part of an X-ray: its MSHRs and the requests that wait for them or for room. */
#include "tlb/tlb.h"

static void show_miss(const struct mp_tlb *t, const struct mp_mshr *m, const struct mp_xray *x)
{
    const struct mp_req *down = &t->down[m - t->mshr.entry];
    struct mp_xray_wait wait = mp_xray_wait_of("MSHR", down);
    wait.out = t->next_of[down->tenant];
    wait.asks = down->va;
    if (m->last) {
        mp_xray_ring(x, &wait, m->last, m->length);
        return;
    }
    wait.where = "MSHR, answered early";
    wait.since = m->since;
    x->wait(x->self, &wait);
}

void mp_tlb_xray(const void *model, const struct mp_xray *x)
{
    const struct mp_tlb *t = model;
    uint64_t unsent = 0;
    for (uint32_t i = 0; i < t->links; i++)
        unsent += t->next[i].waiting.length;
    mp_xray_room(x, "MSHRs", t->mshr.used, t->mshr.capacity);
    mp_xray_room(x, "held at ports", t->ports.held.length, t->ports.count);
    mp_xray_room(x, "waiting for a look-up", t->intake.length, 0);
    mp_xray_room(x, "waiting for the link below", unsent, 0);
    for (uint32_t b = 0; b <= t->mshr.mask; b++)
        for (uint16_t i = t->mshr.bucket[b]; i; i = t->mshr.entry[i - 1].chain)
            show_miss(t, &t->mshr.entry[i - 1], x);
    if (t->prefetch)
        mp_prefetch_xray(t->prefetch, x);
    mp_xray_queue(x, "held, no MSHR", MP_XRAY_NONE, &t->ports.held);
    mp_xray_queue(x, "waits for a look-up", MP_XRAY_NONE, &t->intake);
}
