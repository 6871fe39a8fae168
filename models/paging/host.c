/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses of the host: it reads or writes a range from its beginning to its end, a fault after the other. */
#include <stdlib.h>

#include "paging/state.h"

/* ---- those that wait ---- */

/* The first that does not wait for its page or for lines. */
struct mp_paging_hosted *mp_paging_awake(const struct mp_paging *p)
{
    struct mp_paging_hosted *h = p->host_access;
    while (h && h->wakes > p->wheel->now)
        h = h->next;
    return h;
}

static void wake(void *paging, void *unused)
{
    struct mp_paging *p = paging;
    (void)unused;
    if (p->busy)
        return;
    p->hosting = mp_paging_awake(p);
    p->busy = p->hosting;
    if (p->busy)
        mp_at(p->wheel, 0, mp_paging_serve, p, NULL);
}

static void wait_until(struct mp_paging *p, struct mp_paging_hosted *h, uint64_t cycle)
{
    h->wakes = cycle;
    mp_at(p->wheel, cycle - p->wheel->now, wake, p, NULL);
}

int mp_paging_host(struct mp_paging *p, const struct mp_paging_host_access *access, struct mp_error *err)
{
    struct mp_paging_hosted *h = calloc(1, sizeof *h), **last = &p->host_access;
    if (!h)
        return mp_fail(err, "out of memory");
    *h = (struct mp_paging_hosted){.of = *access, .at = access->va, .since = p->wheel->now};
    while (*last)
        last = &(*last)->next;
    *last = h;
    wake(p, NULL);
    return 0;
}

static uint64_t end_of(const struct mp_paging_hosted *h)
{
    return h->of.va + h->of.bytes;
}

/* ---- pages ---- */

/* What the page at this address needs. */
static struct mp_uvm_moved access_page(struct mp_paging *p, const struct mp_paging_hosted *h, uint64_t va)
{
    const unsigned asid = h->of.space->asid;
    mp_paging_say(p, "H %llu %u 0x%llx %c", (unsigned long long)mp_paging_ns(p), asid, (unsigned long long)va,
                  h->of.write ? 'w' : 'r');
    return mp_uvm_host(p->uvm, (uint8_t)asid, va, h->of.write ? MP_UVM_WRITE : MP_UVM_READ);
}

/* Pages that the GPU has had come; the one that is pinned stays mapped by the GPU. */
static void add(struct mp_paging *p, const struct mp_paging_hosted *h, uint64_t va,
                const struct mp_uvm_moved *moved)
{
    const unsigned asid = h->of.space->asid;
    struct mp_paging_step *step = mp_paging_add(p, (uint8_t)asid, va / MP_UVM_BLOCK_BYTES, &moved->copied);
    if (!step)
        return;
    mp_paging_lose(p, step->range, step->block, &moved->copied);
    step->evicts = step->hosts = true;
    step->copy = moved->copied;
    if (moved->pinned)
        mp_uvm_add(&step->remote, va % MP_UVM_BLOCK_BYTES >> p->page_shift);
    step->writable = mp_paging_mapped(p, step->range, step->block).writable;
    mp_paging_note_pins(p, step->range, step->block);
    p->stats[asid].host_faults++;
}

/* Lines of a page of the GPU follow each other, and an answer takes the link's latency there and back.
 * Returns the cycle in which the host has all. */
static uint64_t access_lines(struct mp_paging *p, const struct mp_paging_hosted *h, uint64_t va, uint64_t end)
{
    enum { LINE = 64 }; /* of the host's caches */
    struct mp_host_way *way = h->of.write ? &p->link->in : &p->link->out;
    const struct mp_paging_costs *c = &p->p.cost;
    const uint64_t now = p->wheel->now * MP_HOST_CYCLE, gbps = c->gbps * 1000,
                   line = (LINE * p->p.clock_mhz * MP_HOST_CYCLE + gbps - 1) / gbps;
    uint64_t last = now;
    for (uint64_t at = va / LINE * LINE; at < end; at += LINE) {
        last = mp_host_send_line(way, now, (uint32_t)line);
        p->stats[h->of.space->asid].host_lines++;
    }
    return (last + MP_HOST_CYCLE - 1) / MP_HOST_CYCLE + mp_paging_cycles(p, 2 * c->latency);
}

/* The page is the GPU's, and the host accesses it there. The first time is a fault, after which it has an
 * entry. Returns the cycle until which the server is busy with that. */
static uint64_t access_there(struct mp_paging *p, struct mp_paging_hosted *h, struct mp_paging_range *r,
                             uint64_t va)
{
    const uint32_t block = (uint32_t)(va / MP_UVM_BLOCK_BYTES - r->va / MP_UVM_BLOCK_BYTES);
    const uint32_t page = (uint32_t)(va % MP_UVM_BLOCK_BYTES >> p->page_shift);
    const uint64_t now = p->wheel->now, last = end_of(h);
    mp_paging_note_pins(p, r, block);
    if (mp_uvm_has(&r->block[block].shared, page)) {
        wait_until(p, h, access_lines(p, h, va, h->at < last ? h->at : last));
        return now;
    }
    mp_uvm_add(&r->block[block].shared, page);
    p->stats[h->of.space->asid].host_mapped++;
    h->at = va;
    wait_until(p, h, now + mp_paging_cycles(p, p->p.cost.host + p->p.cost.block));
    return h->wakes;
}

/* The host asks again when the hold has ended, but not twice in a cycle. */
static void nap(struct mp_paging *p, struct mp_paging_hosted *h, uint64_t va, uint64_t end)
{
    p->stats[h->of.space->asid].naps++;
    h->at = va;
    wait_until(p, h, mp_paging_later(mp_paging_cycle(p, end), p->wheel->now + 1));
}

/* One page. Returns the cycle until which the server is busy, besides the step that it may add. */
static uint64_t serve_page(struct mp_paging *p, struct mp_paging_hosted *h)
{
    const uint64_t va = h->at, now = p->wheel->now;
    struct mp_paging_range *r = mp_paging_find(p, h->of.space->asid, va);
    h->at = ((va >> p->page_shift) + 1) << p->page_shift;
    if (!r)
        return now;
    const struct mp_uvm_moved moved = access_page(p, h, va);
    switch (moved.what) {
    case MP_UVM_MOVED:
        add(p, h, va, &moved);
        return now;
    case MP_UVM_HELD:
        nap(p, h, va, moved.end);
        return now;
    case MP_UVM_MAPPED:
        return access_there(p, h, r, va);
    case MP_UVM_HOST: /* it may still be copied out, as it was evicted */
        return mp_paging_later(now, (p->link->out.copies + MP_HOST_CYCLE - 1) / MP_HOST_CYCLE);
    default:
        return now;
    }
}

/* Pages that the host has, or that are nowhere, take no time. */
void mp_paging_serve_host(struct mp_paging *p)
{
    struct mp_paging_hosted *h = p->hosting;
    const uint64_t now = p->wheel->now;
    uint64_t from = now;
    mp_paging_advance(p);
    while (!p->steps && h->wakes <= now && h->at < end_of(h))
        from = mp_paging_later(from, serve_page(p, h));
    mp_paging_await_pins(p);
    mp_at(p->wheel, from - now, mp_paging_carry, p, NULL);
}

void mp_paging_served_host(struct mp_paging *p)
{
    struct mp_paging_hosted *h = p->hosting, **at = &p->host_access;
    if (h->wakes > p->wheel->now || h->at < end_of(h))
        return;
    while (*at != h)
        at = &(*at)->next;
    *at = h->next;
    p->stats[h->of.space->asid].host_cycles += p->wheel->now - h->since;
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
