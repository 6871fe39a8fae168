/* SPDX-License-Identifier: Apache-2.0 */
#include "uvm_carry.h"

#include "ce.h"
#include "gmem.h"
#include "gmmu.h"
#include "gpu.h"
#include "uvm_trace.h"

struct uvm_pool_state uvm_states[MP_MGMT_INSTANCES];
struct uvm_pool_state *uvm_current = uvm_states;

/* Of the pool that is served; there are none before and after. */
static struct uvm_pending pending[UVM_PENDING];
static unsigned pendings;

bool uvm_select(unsigned instance)
{
    if (instance >= MP_MGMT_INSTANCES)
        return false;
    uvm_current = &uvm_states[instance];
    if (uvm_state.on)
        uvm_trace_pool(instance);
    return uvm_state.on;
}

bool uvm_select_space(unsigned asid)
{
    const struct gmmu_space *s = gmmu_space(asid);
    return s && uvm_select(s->instance);
}

/* --- runs of pages -------------------------------------------------------------------------------- */

/* The first page after this page's unit, of a power of two of pages. */
static uint32_t unit_end(uint32_t page, uint32_t unit)
{
    return (page | (unit - 1)) + 1;
}

/* The first run from *page on, which does not leave its unit: its length, or 0. *page receives its first
 * page. */
static uint32_t next_run(const struct mp_uvm_mask *m, uint32_t *page)
{
    const uint32_t first = *page = mp_uvm_next(m, *page);
    if (first == MP_UVM_PAGES)
        return 0;
    const uint32_t gap = mp_uvm_next_gap(m, first), end = unit_end(first, uvm_state.unit_pages);
    return (gap < end ? gap : end) - first;
}

static uint64_t page_at(uint64_t block, uint32_t page)
{
    return block + (uint64_t)page * uvm_state.p.page_bytes;
}

static void fail(enum fw_error e)
{
    uvm_state.failed = uvm_state.failed ? uvm_state.failed : e;
}

/* Copies the `left` pages of a block, between frames and the host's memory; zero: empties frames. Returns the
 * last fence, or 0 if nothing was queued. */
enum how { COPY_IN, COPY_OUT, ZERO };
static uint64_t move(const struct uvm_range *r, uint64_t block, const struct mp_uvm_mask *pages,
                     uint32_t left, enum how how, bool *lost)
{
    uint64_t fence = 0;
    for (uint32_t page = 0, n; left; page += n, left -= n) {
        n = next_run(pages, &page);
        const uint64_t va = page_at(block, page), frame = uvm_frame_of(r, va),
                       host = how == ZERO ? 0 : uvm_host_of(r, va);
        const uint32_t bytes = n * uvm_state.p.page_bytes;
        fence = how == ZERO      ? ce_zero(frame, bytes, lost)
                : how == COPY_IN ? ce_copy(MP_CE_IN, host, frame, bytes, lost)
                                 : ce_copy(MP_CE_OUT, frame, host, bytes, lost);
        if (!fence)
            fail(FW_ETIMEOUT);
    }
    return fence;
}

static enum fw_error await(enum mp_ce_engine engine, uint64_t fence)
{
    const enum fw_error e = ce_wait(engine, fence);
    if (e)
        fail(e);
    return e;
}

enum fw_error uvm_await_out(const struct uvm_range *r, uint64_t va)
{
    struct uvm_block *b = uvm_block_of(r, va);
    const enum fw_error e = await(MP_CE_OUT, b->out);
    if (e || !b->lost)
        return e;
    b->lost = false;
    gpu_spoil(r->asid);
    return FW_EBUS;
}

/* --- decisions, carried out ----------------------------------------------------------------------- */

static void enter_pages(const struct uvm_pending *d)
{
    for (uint32_t page = 0, n, left = d->count; !uvm_state.failed && left; page += n, left -= n) {
        n = next_run(&d->pages, &page);
        const uint64_t va = page_at(d->va, page),
                       pa = d->remote ? uvm_host_of(d->range, va) : uvm_frame_of(d->range, va);
        const enum fw_error e =
            gmmu_enter(d->range->asid, va, (uint64_t)n * uvm_state.p.page_bytes, pa, d->read_only);
        if (e)
            fail(e);
    }
}

/* What the GPU did not receive has no entries, and the host has its data: accesses are given up (uvm_served),
 * until the pages leave. */
static void leave_out(const struct uvm_pending *d, struct uvm_block *b)
{
    MP_UVM_EACH (i)
        b->absent.w[i] |= d->pages.w[i];
    MP_UVM_EACH_PAGE (page, &d->zeroed)
        gmem_zero(uvm_host_of(d->range, page_at(d->va, page)), uvm_state.p.page_bytes);
    uvm_state.counts.absent += mp_uvm_count(&d->pages);
}

void uvm_settle(void)
{
    for (struct uvm_pending *d = pending; d < pending + pendings; d++) {
        if (d->remote)
            uvm_await_out(d->range, d->va);
        else
            await(MP_CE_IN, d->fence);
        if (d->lost)
            leave_out(d, d->block);
        else
            enter_pages(d);
        d->block->pending = false;
    }
    pendings = 0;
}

/* Room for pages of a block, which the caller fills in. */
static struct uvm_pending *pend(struct uvm_block *b)
{
    if (pendings == UVM_PENDING)
        uvm_settle();
    b->pending = true;
    return &pending[pendings++];
}

/* The entries of these pages of a block become invalid, and only these. */
static enum fw_error leave(const struct uvm_range *r, uint64_t block, const struct mp_uvm_mask *pages)
{
    const uint32_t first = mp_uvm_next(pages, 0), end = mp_uvm_end(pages);
    if (uvm_block_of(r, block)->pending)
        uvm_settle();
    if (uvm_state.failed) /* what a frame has not received must not reach the host */
        return uvm_state.failed;
    for (uint32_t page = 0, n; (n = next_run(pages, &page)); page += n)
        gmmu_clear(r->asid, page_at(block, page), (uint64_t)n * uvm_state.p.page_bytes);
    const enum fw_error e =
        gmmu_confirm(r->asid, page_at(block, first), (uint64_t)(end - first) * uvm_state.p.page_bytes);
    if (e)
        fail(e);
    return e;
}

/* The GPU accesses these pages of a block on the host, which has them, or will. A policy with counters moves
 * pages when they are stored to, unless they are pinned. */
static void map_remotely(struct uvm_range *r, uint64_t block, const struct mp_uvm_mask *pages)
{
    if (!mp_uvm_any(pages))
        return;
    struct uvm_block *b = uvm_block_of(r, block);
    MP_UVM_EACH (i)
        b->remote.w[i] |= pages->w[i];
    uvm_state.counts.remote += mp_uvm_count(pages);
    const struct mp_uvm_mapped mapped =
        mp_uvm_mapped(uvm_state.library, (uint8_t)r->asid, page_at(block, mp_uvm_next(pages, 0)));
    for (unsigned writable = 0; writable < 2; writable++) {
        struct mp_uvm_mask these;
        MP_UVM_EACH (i)
            these.w[i] = pages->w[i] & (writable ? mapped.writable.w[i] : ~mapped.writable.w[i]);
        if (mp_uvm_any(&these))
            *pend(b) = (struct uvm_pending){.range = r,
                                            .block = b,
                                            .va = block,
                                            .pages = these,
                                            .count = mp_uvm_count(&these),
                                            .remote = true,
                                            .read_only = !writable};
    }
}

void uvm_evicted(void *context, const struct mp_uvm_victim *v)
{
    struct mp_uvm_mask pages;
    const uint64_t block = v->block * UVM_BLOCK_BYTES;
    (void)context;
    uvm_trace_victim(v);
    MP_UVM_EACH (i)
        pages.w[i] = v->back.w[i] | v->drop.w[i];
    uvm_state.counts.evictions++;
    uvm_state.changed = true;
    if (!mp_uvm_any(&pages) ||
        uvm_state.failed) /* its frame was given back when its pages went to the host */
        return;
    const uint64_t va = page_at(block, mp_uvm_next(&pages, 0));
    struct uvm_range *r = uvm_range_at(v->asid, va);
    if (leave(r, block, &pages))
        return;
    struct uvm_block *b = uvm_block_of(r, va);
    struct mp_uvm_mask back;
    MP_UVM_EACH (i)
        back.w[i] = v->back.w[i] & ~b->absent.w[i];
    const uint64_t fence = move(r, block, &back, mp_uvm_count(&back), COPY_OUT, &b->lost);
    uvm_frame_give(r, va, fence);
    b->out = fence ? fence : b->out;
    MP_UVM_EACH (i) {
        b->here.w[i] &= ~pages.w[i];
        b->absent.w[i] &= ~pages.w[i];
        b->left.w[i] |= v->back.w[i];
    }
    uvm_state.counts.written_back += mp_uvm_count(&v->back);
    const struct mp_uvm_mapped mapped = mp_uvm_mapped(uvm_state.library, v->asid, va);
    MP_UVM_EACH (i)
        pages.w[i] &= mapped.remote.w[i];
    map_remotely(r, block, &pages);
}

/* Frames for all units of these pages; waits until they may be written, and for the block's copies to the
 * host, of which `out` is the last fence. */
static enum fw_error take_frames(const struct uvm_range *r, uint64_t block, const struct mp_uvm_mask *pages,
                                 uint64_t out)
{
    uint64_t fence, last = out;
    const uint32_t unit = uvm_state.unit_pages;
    for (uint32_t page = mp_uvm_next(pages, 0); page < MP_UVM_PAGES;
         page = mp_uvm_next(pages, unit_end(page, unit))) {
        const enum fw_error e = uvm_frame_take(r, page_at(block, page), &fence);
        if (e)
            return e;
        last = fence > last ? fence : last;
    }
    if (last)
        await(MP_CE_OUT, last);
    if (out && !uvm_state.failed)
        uvm_await_out(r, block);
    return uvm_state.failed;
}

enum fw_error uvm_leave_host(const struct uvm_range *r, uint64_t block, const struct mp_uvm_mask *pages)
{
    struct mp_uvm_mask were;
    struct uvm_block *b = uvm_block_of(r, block);
    if (!uvm_state.maps_host || !mp_uvm_any(&b->remote))
        return FW_OK;
    MP_UVM_EACH (i)
        were.w[i] = b->remote.w[i] & pages->w[i];
    const enum fw_error e = mp_uvm_any(&were) ? leave(r, block, &were) : FW_OK;
    MP_UVM_EACH (i)
        b->remote.w[i] &= e ? UINT64_MAX : ~were.w[i];
    return e;
}

/* zero, copy: the numbers of these pages, of which there are some. */
static void bring(const struct mp_uvm_service *s, uint32_t zero, uint32_t copy)
{
    const uint64_t block = s->block * UVM_BLOCK_BYTES;
    struct mp_uvm_mask pages;
    MP_UVM_EACH (i)
        pages.w[i] = s->zero.w[i] | s->copy.w[i];
    struct uvm_range *r = uvm_range_at(s->asid, page_at(block, mp_uvm_next(&pages, 0)));
    struct uvm_block *b = uvm_block_of(r, block);
    enum fw_error e = uvm_leave_host(r, block, &pages);
    if (!e)
        e = take_frames(r, block, &pages, b->out);
    if (e) {
        fail(e);
        return;
    }
    struct uvm_pending *d = pend(b); /* each member, so that the compiler does not make a copy first */
    d->range = r;
    d->block = b;
    d->va = block;
    d->pages = pages;
    d->count = zero + copy;
    d->remote = d->lost = false;
    d->read_only = r->read_only;
    d->zeroed = s->zero;
    d->fence = move(r, block, &s->zero, zero, ZERO, &d->lost);
    if (copy) {
        d->fence = move(r, block, &s->copy, copy, COPY_IN, &d->lost);
        MP_UVM_EACH (i)
            uvm_state.counts.refetched += mp_uvm_bits(s->copy.w[i] & b->left.w[i]);
    }
    MP_UVM_EACH (i)
        if (pages.w[i])
            b->here.w[i] |= pages.w[i];
}

/* Pages outside ranges, and stores to those that are read only. */
static void cancel(const struct mp_uvm_service *s)
{
    MP_UVM_EACH_PAGE (page, &s->cancel) {
        const uint64_t va = page_at(s->block * UVM_BLOCK_BYTES, page);
        gpu_cancel(s->asid, va, uvm_range_at(s->asid, va) != NULL);
        uvm_state.counts.cancelled++;
    }
    uvm_state.changed = true;
}

/* Pages whose copies have failed stay away from the GPU. */
static void cancel_absent(const struct mp_uvm_service *s)
{
    const uint64_t block = s->block * UVM_BLOCK_BYTES;
    MP_UVM_EACH_PAGE (page, &s->done) {
        const uint64_t va = page_at(block, page);
        if (!mp_uvm_has(&uvm_block_of(uvm_range_at(s->asid, va), va)->absent, page))
            continue;
        gpu_cancel(s->asid, va, false);
        uvm_state.counts.cancelled++;
        uvm_state.changed = true;
    }
}

/* Pages stay on the host. One that was read only there may be pinned by now. */
static void stay(unsigned asid, uint64_t block, const struct mp_uvm_mask *pages)
{
    struct uvm_range *r = uvm_range_at(asid, page_at(block, mp_uvm_next(pages, 0)));
    if (!uvm_leave_host(r, block, pages))
        map_remotely(r, block, pages);
}

/* What a block gets: `came` pages of faults, or notices, and prefetches. A prefetch may bring a page that is
 * mapped remotely otherwise. */
static void carry_out(const struct mp_uvm_service *s, uint32_t came)
{
    const uint32_t zero = mp_uvm_count(&s->zero), copy = came - zero;
    uvm_state.counts.blocks++;
    uvm_state.counts.zeroed += zero;
    uvm_state.counts.copied += copy;
    uvm_state.changed |= came != 0;
    if (came && !uvm_state.failed)
        bring(s, zero, copy);
    if (!mp_uvm_any(&s->remote))
        return;
    const uint64_t block = s->block * UVM_BLOCK_BYTES;
    struct mp_uvm_mask remote;
    MP_UVM_EACH (i)
        remote.w[i] = s->remote.w[i] & ~(s->zero.w[i] | s->copy.w[i]);
    uvm_state.changed |= mp_uvm_any(&remote);
    if (mp_uvm_any(&remote) && !uvm_state.failed)
        stay(s->asid, block, &remote);
}

void uvm_replay(unsigned asid, bool give_up)
{
    uvm_state.faulted &= ~(1u << asid);
    uvm_state.replayed |= 1u << asid;
    if (!gmmu_space(asid)) /* it has been closed since */
        return;
    gpu_replay(asid, give_up);
    uvm_state.counts.replays++;
}

/* The space is to be replayed: at once, if each block is, and accesses may wait for this one. Those that the
 * batch has replayed before have faulted again, or find what there is. */
static void note_replay(const struct mp_uvm_service *s)
{
    const bool waits = !(uvm_state.replayed >> s->asid & 1) || mp_uvm_any(&s->zero) || mp_uvm_any(&s->copy);
    uvm_state.faulted |= 1u << s->asid;
    if (uvm_state.p.replay != MP_UVM_REPLAY_BLOCK)
        return;
    uvm_settle();
    if (waits && !uvm_state.failed)
        uvm_replay(s->asid, false);
    else if (!waits)
        uvm_state.faulted &= ~(1u << s->asid);
}

void uvm_served(void *context, const struct mp_uvm_service *s)
{
    const uint32_t faulted = mp_uvm_count(&s->fault), prefetched = mp_uvm_count(&s->prefetch),
                   held = mp_uvm_count(&s->held);
    (void)context;
    uvm_trace_service(s);
    uvm_state.held |= held != 0;
    uvm_state.changed |= held != 0;
    uvm_state.counts.held += held;
    uvm_state.counts.faulted += faulted;
    uvm_state.counts.prefetched += prefetched;
    if (mp_uvm_any(&s->cancel))
        cancel(s);
    if (uvm_state.counts.absent)
        cancel_absent(s);
    carry_out(s, faulted + prefetched);
    note_replay(s);
}

void uvm_noticed(void *context, const struct mp_uvm_service *s)
{
    const uint32_t came = mp_uvm_count(&s->fault) + mp_uvm_count(&s->prefetch);
    (void)context;
    uvm_trace_noticed(s);
    uvm_state.counts.noticed += came;
    carry_out(s, came);
}

/* --- the host ------------------------------------------------------------------------------------- */

/* The units that have no page any more give their frames back. */
static void give_empty(const struct uvm_range *r, uint64_t block, const struct mp_uvm_mask *went,
                       uint64_t fence)
{
    const struct mp_uvm_mask *here = &uvm_block_of(r, page_at(block, mp_uvm_next(went, 0)))->here;
    const uint32_t unit = uvm_state.unit_pages;
    for (uint32_t first = 0; first < MP_UVM_PAGES; first += unit)
        if (mp_uvm_any_in(went, first, first + unit) && !mp_uvm_any_in(here, first, first + unit))
            uvm_frame_give(r, page_at(block, mp_uvm_next(went, first)), fence);
}

enum fw_error uvm_move_to_host(struct uvm_range *r, uint64_t va, const struct mp_uvm_moved *moved)
{
    const struct mp_uvm_mask *pages = &moved->pages;
    const uint64_t block = va & -(uint64_t)UVM_BLOCK_BYTES;
    struct uvm_block *b = uvm_block_of(r, va);
    struct mp_uvm_mask went;
    MP_UVM_EACH (i)
        went.w[i] = pages->w[i] & b->here.w[i];
    enum fw_error e = leave(r, block, &went);
    if (e)
        return e;
    const uint32_t leaving = mp_uvm_count(&went);
    struct mp_uvm_mask back;
    MP_UVM_EACH (i) {
        back.w[i] = went.w[i] & ~b->absent.w[i];
        b->absent.w[i] &= ~went.w[i];
    }
    const uint64_t fence = move(r, block, &back, mp_uvm_count(&back), COPY_OUT, &b->lost);
    b->out = fence ? fence : b->out;
    MP_UVM_EACH_PAGE (page, pages)
        if (!mp_uvm_has(&went, page))
            gmem_zero(uvm_host_of(r, page_at(block, page)), uvm_state.p.page_bytes);
    e = uvm_await_out(r, va);
    MP_UVM_EACH (i)
        b->here.w[i] &= ~went.w[i];
    give_empty(r, block, &went, fence);
    uvm_state.counts.host_moves += leaving;
    if (moved->pinned && !uvm_state.failed) {
        struct mp_uvm_mask pinned = {{0}};
        mp_uvm_add(&pinned, (uint32_t)((va - block) / uvm_state.p.page_bytes));
        map_remotely(r, block, &pinned);
        uvm_settle();
    }
    return e;
}
