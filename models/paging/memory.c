/* SPDX-License-Identifier: Apache-2.0 */
/* Managed ranges and the frames of their units. */
#include <stdlib.h>
#include <string.h>

#include "paging/state.h"

/* The first range that ends after this address of the space. */
static uint32_t position(const struct mp_paging *p, uint16_t asid, uint64_t va)
{
    uint32_t low = 0, high = p->ranges;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        const struct mp_paging_range *r = p->range[middle];
        if (r->space->asid < asid || (r->space->asid == asid && r->end <= va))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct mp_paging_range *mp_paging_find(const struct mp_paging *p, uint16_t asid, uint64_t va)
{
    const uint32_t i = position(p, asid, va);
    return i < p->ranges && p->range[i]->space->asid == asid && p->range[i]->va <= va ? p->range[i] : NULL;
}

struct mp_paging_range *mp_paging_find_host(const struct mp_paging *p, uint64_t pa, uint64_t *va)
{
    const uint64_t number = (pa - MP_HOST_MEMORY) / MP_UVM_BLOCK_BYTES;
    struct mp_paging_range *r = number < p->hosts ? p->host[number] : NULL;
    if (r)
        *va = (r->va / MP_UVM_BLOCK_BYTES + number - r->host) * MP_UVM_BLOCK_BYTES + pa % MP_UVM_BLOCK_BYTES;
    return r;
}

/* Frames of the host follow each other, at the same place of their 2 MB as the pages. No other range gets
 * them later. */
static int take_host(struct mp_paging *p, struct mp_paging_range *r)
{
    while (p->hosts + r->blocks > p->host_room) {
        const uint32_t room = p->host_room ? 2 * p->host_room : 256;
        struct mp_paging_range **host = realloc(p->host, room * sizeof(struct mp_paging_range *));
        if (!host)
            return -1;
        p->host = host;
        p->host_room = room;
    }
    r->host = p->hosts;
    for (uint32_t i = 0; i < r->blocks; i++)
        p->host[p->hosts++] = r;
    return 0;
}

/* The library has freed as many frames as it gives. The one that was given back last may have a copy out in
 * progress; with one more frame, the one that was given back first need not. */
void mp_paging_take(struct mp_paging *p, struct mp_paging_range *r, uint32_t unit)
{
    if (r->frame[unit])
        return;
    p->stats[r->space->asid].units++;
    p->spares--;
    r->frame[unit] = 1 + p->spare[(p->oldest + (p->p.overlaps ? 0 : p->spares)) % p->frames];
    p->oldest = (p->oldest + p->p.overlaps) % p->frames;
}

void mp_paging_give(struct mp_paging *p, struct mp_paging_range *r, uint32_t unit, uint64_t from,
                    uint64_t out)
{
    if (!r->frame[unit])
        return;
    struct mp_paging_frame *f = &p->frame[r->frame[unit] - 1];
    f->free_at = from;
    f->delay = p->link->out.delay;
    f->out = out;
    p->spare[(p->oldest + p->spares++) % p->frames] = r->frame[unit] - 1;
    p->stats[r->space->asid].units--;
    r->frame[unit] = 0;
}

void mp_paging_lose(struct mp_paging *p, struct mp_paging_range *r, uint32_t block,
                    const struct mp_uvm_mask *pages)
{
    struct mp_uvm_mask *brought = &r->block[block].brought;
    MP_UVM_EACH (i) {
        p->stats[r->space->asid].prefetch_lost += mp_uvm_bits(brought->w[i] & pages->w[i]);
        brought->w[i] &= ~pages->w[i];
    }
}

/* What the host has written before the GPU runs. */
static void put_on_host(struct mp_paging *p, const struct mp_paging_range *r)
{
    for (uint64_t va = r->va; p->p.from_host && va < r->end; va += p->p.uvm.page_bytes) {
        mp_uvm_host(p->uvm, (uint8_t)r->space->asid, va, MP_UVM_WRITE);
        mp_paging_say(p, "H %llu %u 0x%llx w", (unsigned long long)mp_paging_ns(p), r->space->asid,
                      (unsigned long long)va);
    }
}

int mp_paging_open(struct mp_paging *p, struct mp_space *space, uint64_t va, uint64_t bytes,
                   struct mp_error *err)
{
    const uint64_t page = p->p.uvm.page_bytes, first = va & ~(page - 1),
                   end = (va + bytes + page - 1) & ~(page - 1);
    mp_paging_advance(p);
    if (mp_space_reach(space, first, end - first, p->page_shift, err))
        return -1;
    const uint32_t blocks = (uint32_t)((end - 1) / MP_UVM_BLOCK_BYTES - first / MP_UVM_BLOCK_BYTES + 1);
    struct mp_paging_range *r =
        calloc(1, sizeof *r + blocks * (sizeof *r->block + p->per_block * sizeof *r->frame));
    if (!r)
        return mp_fail(err, "out of memory");
    *r = (struct mp_paging_range){
        .space = space, .va = first, .end = end, .blocks = blocks, .frame = (uint32_t *)&r->block[blocks]};
    if (take_host(p, r)) {
        free(r);
        return mp_fail(err, "out of memory");
    }
    if (!mp_uvm_open(p->uvm, (uint8_t)space->asid, first, end - first, false, err)) {
        p->hosts -= blocks;
        free(r);
        return -1;
    }
    const uint32_t at = position(p, space->asid, first);
    memmove(&p->range[at + 1], &p->range[at], (p->ranges++ - at) * sizeof(struct mp_paging_range *));
    p->range[at] = r;
    mp_paging_say(p, "R %u 0x%llx 0x%llx", space->asid, (unsigned long long)first,
                  (unsigned long long)(end - first));
    put_on_host(p, r);
    return 0;
}

/* Steps of a batch that is served may still name the range. */
bool mp_paging_close(struct mp_paging *p, const struct mp_space *space, uint64_t va)
{
    struct mp_uvm_freed freed;
    struct mp_uvm_mask all = {{0}};
    struct mp_error err;
    const uint64_t first = va & ~(uint64_t)(p->p.uvm.page_bytes - 1);
    const uint32_t at = position(p, space->asid, first);
    struct mp_paging_range *r = at < p->ranges ? p->range[at] : NULL;
    mp_paging_advance(p);
    if (!r || r->va != first || mp_uvm_close(p->uvm, (uint8_t)space->asid, first, &freed, &err))
        return false;
    mp_paging_say(p, "U %llu %u 0x%llx", (unsigned long long)mp_paging_ns(p), space->asid,
                  (unsigned long long)first);
    mp_space_remove(r->space, r->va, r->end - r->va);
    for (uint32_t i = 0; i < r->blocks; i++)
        if (r->block[i].resident)
            mp_paging_tell(
                p, &(struct mp_paging_action){MP_PAGING_UNMAPPED, space->asid, p->wheel->now, p->wheel->now,
                                              (r->va / MP_UVM_BLOCK_BYTES + i) * MP_UVM_BLOCK_BYTES,
                                              r->block[i].resident});
    mp_uvm_add_all(&all, 0, MP_UVM_PAGES);
    for (uint32_t i = 0; i < r->blocks; i++)
        mp_paging_lose(p, r, i, &all);
    for (uint32_t i = 0; i < r->blocks * p->per_block; i++)
        mp_paging_give(p, r, i, mp_paging_later(r->block[i / p->per_block].ready, p->wheel->now), 0);
    for (uint32_t i = 0; i < r->blocks; i++)
        p->host[r->host + i] = NULL;
    r->closed = true;
    memmove(&p->range[at], &p->range[at + 1], (--p->ranges - at) * sizeof(struct mp_paging_range *));
    r->next = p->closed;
    p->closed = r;
    if (!p->busy)
        mp_paging_forget_closed(p);
    return true;
}

void mp_paging_forget_closed(struct mp_paging *p)
{
    for (struct mp_paging_range *r; (r = p->closed);) {
        p->closed = r->next;
        free(r);
    }
}
