/* SPDX-License-Identifier: Apache-2.0 */
/* Pages that thrash are pinned to one place for a time. When it is over, the GPU does not access them on the
 * host any more. */
#include "paging/state.h"

void mp_paging_note_pins(struct mp_paging *p, struct mp_paging_range *r, uint32_t block)
{
    struct mp_paging_block *b = &r->block[block];
    if (!p->p.uvm.thrashing)
        return;
    const struct mp_uvm_mask pinned =
        mp_uvm_pins(p->uvm, (uint8_t)r->space->asid, mp_paging_block_va(r, block));
    MP_UVM_EACH (i) {
        p->stats[r->space->asid].pinned += mp_uvm_bits(pinned.w[i] & ~b->pinned.w[i]);
        b->pinned.w[i] |= pinned.w[i];
    }
}

/* The page has no entry to the host's memory any more. */
static void leave_host(struct mp_paging *p, struct mp_paging_range *r, uint32_t block, uint32_t page)
{
    const uint64_t va =
        (r->va / MP_UVM_BLOCK_BYTES + block) * MP_UVM_BLOCK_BYTES + ((uint64_t)page << p->page_shift);
    uint64_t pa;
    if (!mp_page_table_find(&r->space->table, va, &pa) || pa < MP_HOST_MEMORY)
        return;
    mp_space_remove(r->space, va, p->p.uvm.page_bytes);
    r->block[block].unpinned_at = p->wheel->now;
}

/* Nor do steps of the batch that were decided before make entries for these pages. */
static void forget(struct mp_paging *p, const struct mp_paging_range *r, uint32_t block,
                   const struct mp_uvm_mask *pages)
{
    for (uint32_t n = 0; n < p->steps; n++)
        if (p->step[n].range == r && p->step[n].block == block)
            MP_UVM_EACH (i)
                p->step[n].remote.w[i] &= ~pages->w[i];
}

/* A migration policy may have mapped a page again, for another reason. */
static void end_pins_of(struct mp_paging *p, struct mp_paging_range *r, uint32_t block)
{
    struct mp_paging_block *b = &r->block[block];
    const struct mp_uvm_mask pinned =
        mp_uvm_pins(p->uvm, (uint8_t)r->space->asid, mp_paging_block_va(r, block));
    const struct mp_uvm_mapped mapped = mp_paging_mapped(p, r, block);
    struct mp_uvm_mask ended;
    MP_UVM_EACH (i) {
        ended.w[i] = b->pinned.w[i] & ~pinned.w[i];
        b->pinned.w[i] &= pinned.w[i];
        b->shared.w[i] &= pinned.w[i];
    }
    p->stats[r->space->asid].unpinned += mp_uvm_count(&ended);
    MP_UVM_EACH (i)
        ended.w[i] &= ~mapped.remote.w[i];
    forget(p, r, block, &ended);
    MP_UVM_EACH_PAGE (page, &ended)
        leave_host(p, r, block, page);
}

static void end_pins(struct mp_paging *p)
{
    for (uint32_t i = 0; i < p->ranges; i++)
        for (uint32_t block = 0; block < p->range[i]->blocks; block++)
            if (mp_uvm_any(&p->range[i]->block[block].pinned))
                end_pins_of(p, p->range[i], block);
}

/* An access in this cycle may have moved the library's time before, which ends its pins, but not the entries
 * here. */
void mp_paging_advance(struct mp_paging *p)
{
    const uint64_t now = mp_paging_ns(p);
    mp_uvm_at(p->uvm, now);
    if (!p->deadline || p->deadline > now)
        return;
    end_pins(p);
    mp_paging_await_pins(p);
}

static void ring(void *paging, void *unused)
{
    struct mp_paging *p = paging;
    (void)unused;
    p->alarm = false;
    mp_paging_advance(p);
    mp_paging_await_pins(p);
}

/* Pins last equally long, so the first deadline only becomes later, and an alarm is never too late. */
void mp_paging_await_pins(struct mp_paging *p)
{
    p->deadline = mp_uvm_deadline(p->uvm);
    if (!p->deadline || p->alarm)
        return;
    p->alarm = true;
    mp_at(p->wheel, mp_paging_cycle(p, p->deadline) - p->wheel->now, ring, p, NULL);
}
