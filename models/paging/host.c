/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses of the host: it reads or writes a range from its beginning to its end, a fault after the other. */
#include <stdlib.h>

#include "paging/state.h"

int mp_paging_host(struct mp_paging *p, const struct mp_paging_host_access *access, struct mp_error *err)
{
    struct mp_paging_hosted *h = calloc(1, sizeof *h), **last = &p->host_access;
    if (!h)
        return mp_fail(err, "out of memory");
    *h = (struct mp_paging_hosted){.of = *access, .at = access->va, .since = p->wheel->now};
    while (*last)
        last = &(*last)->next;
    *last = h;
    if (p->busy)
        return 0;
    p->busy = p->hosted = true;
    mp_at(p->wheel, 0, mp_paging_serve, p, NULL);
    return 0;
}

static uint64_t end_of(const struct mp_paging_hosted *h)
{
    return h->of.va + h->of.bytes;
}

/* What the page at this address needs. */
static struct mp_uvm_moved access_page(struct mp_paging *p, const struct mp_paging_hosted *h, uint64_t va)
{
    const unsigned asid = h->of.space->asid;
    mp_paging_say(p, "H %llu %u 0x%llx %c", (unsigned long long)mp_paging_ns(p), asid, (unsigned long long)va,
                  h->of.write ? 'w' : 'r');
    return mp_uvm_host(p->uvm, (uint8_t)asid, va, h->of.write ? MP_UVM_WRITE : MP_UVM_READ);
}

static void add(struct mp_paging *p, const struct mp_paging_hosted *h, uint64_t va,
                const struct mp_uvm_mask *copied)
{
    const unsigned asid = h->of.space->asid;
    struct mp_paging_step *step = mp_paging_add(p, (uint8_t)asid, va / MP_UVM_BLOCK_BYTES, copied);
    if (!step)
        return;
    step->evicts = step->hosts = true;
    step->copy = *copied;
    p->stats[asid].host_faults++;
}

/* Pages that the host has, or that are nowhere, take no time, but those that were evicted may still be copied
 * out. */
void mp_paging_serve_host(struct mp_paging *p)
{
    struct mp_paging_hosted *h = p->host_access;
    const uint64_t now = p->wheel->now;
    uint64_t from = now;
    mp_uvm_at(p->uvm, mp_paging_ns(p));
    while (!p->steps && h->at < end_of(h)) {
        const uint64_t va = h->at;
        h->at = ((va >> p->page_shift) + 1) << p->page_shift;
        if (!mp_paging_find(p, h->of.space->asid, va))
            continue;
        const struct mp_uvm_moved moved = access_page(p, h, va);
        if (moved.what == MP_UVM_MOVED)
            add(p, h, va, &moved.copied);
        else if (moved.what == MP_UVM_HOST)
            from = mp_paging_later(from, (p->link->out.copies + MP_HOST_CYCLE - 1) / MP_HOST_CYCLE);
    }
    mp_at(p->wheel, from - now, mp_paging_carry, p, NULL);
}

void mp_paging_served_host(struct mp_paging *p)
{
    struct mp_paging_hosted *h = p->host_access;
    if (h->at < end_of(h))
        return;
    p->stats[h->of.space->asid].host_cycles += p->wheel->now - h->since;
    p->host_access = h->next;
    h->of.done(h->of.self);
    free(h);
}

void mp_paging_forget_host(struct mp_paging *p)
{
    for (struct mp_paging_hosted *h; (h = p->host_access);) {
        p->host_access = h->next;
        free(h);
    }
}
