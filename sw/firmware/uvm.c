/* SPDX-License-Identifier: Apache-2.0 */
#include "uvm.h"

#include <stdlib.h>
#include <string.h>

#include "ce.h"
#include "clint.h"
#include "cpu.h"
#include "fault.h"
#include "gmem.h"
#include "gmmu.h"
#include "gpu.h"
#include "mig.h"
#include "rings.h"
#include "uvm/uvm.h"
#include "uvm_notices.h"
#include "uvm_space.h"
#include "uvm_trace.h"

enum {
    RING_ENTRIES = 4096,
    NOTICES = 256, /* of their ring */
    BATCH = 256,
    BATCHES = 20,    /* of a service */
    PENDING = BATCH, /* at most, before they are awaited */
    PATIENCE = 64    /* batches that change nothing, one after the other */
};

/* Pages of a block whose copies are in progress, or may be: then their entries become valid. */
struct pending {
    struct uvm_range *range;
    uint64_t va; /* of the aligned 2 MB */
    struct mp_uvm_mask pages;
    bool remote;    /* entries lead to the host's memory */
    uint64_t fence; /* of MP_CE_OUT if they do, else of MP_CE_IN */
};

static struct {
    bool on; /* there is a pool */
    unsigned instance;
    struct uvm_setup setup;
    struct mp_uvm_params p;
    struct mp_uvm *library;
    void *memory; /* of the library */
    struct ring ring, notices;
    struct pending pending[PENDING];
    unsigned pendings;
    unsigned faulted;     /* address spaces of the batch, a bit each */
    uint64_t lost;        /* entries of the ring that had not come before the latest replay */
    bool changed;         /* the batch has changed something */
    unsigned idle;        /* batches that have not, one after the other */
    enum fw_error failed; /* the hardware has; nothing is decided any more */
    struct uvm_counts counts;
} uvm;

void uvm_init(void)
{
    if (uvm.on)
        free(uvm.memory);
    uvm.on = false;
    uvm_space_init();
}

/* ns. */
static uint64_t now(void)
{
    return clint_now() * 100 + 1;
}

static uint64_t advance(void)
{
    const uint64_t at = now();
    mp_uvm_at(uvm.library, at);
    return at;
}

/* --- runs of pages -------------------------------------------------------------------------------- */

static uint32_t pages_per_unit(void)
{
    return uvm.p.evict->unit > uvm.p.page_bytes ? uvm.p.evict->unit / uvm.p.page_bytes : 1;
}

/* The first run from *page on, which does not leave its unit: its length, or 0. *page receives its first
 * page. */
static uint32_t next_run(const struct mp_uvm_mask *m, uint32_t *page)
{
    const uint32_t unit = pages_per_unit(), first = *page = mp_uvm_next(m, *page);
    if (first == MP_UVM_PAGES)
        return 0;
    const uint32_t gap = mp_uvm_next_gap(m, first), end = (first / unit + 1) * unit;
    return (gap < end ? gap : end) - first;
}

static uint64_t page_at(uint64_t block, uint32_t page)
{
    return block + (uint64_t)page * uvm.p.page_bytes;
}

static void fail(enum fw_error e)
{
    uvm.failed = uvm.failed ? uvm.failed : e;
}

/* Copies the pages of a block, between frames and the host's memory; zero: empties frames. Returns the last
 * fence, or 0 if nothing was queued. */
enum how { COPY_IN, COPY_OUT, ZERO };
static uint64_t move(const struct uvm_range *r, uint64_t block, const struct mp_uvm_mask *pages, enum how how)
{
    uint64_t fence = 0;
    for (uint32_t page = 0, n; (n = next_run(pages, &page)); page += n) {
        const uint64_t va = page_at(block, page), frame = uvm_frame_of(r, va), host = uvm_host_of(r, va);
        const uint32_t bytes = n * uvm.p.page_bytes;
        fence = how == ZERO      ? ce_zero(frame, bytes)
                : how == COPY_IN ? ce_copy(MP_CE_IN, host, frame, bytes)
                                 : ce_copy(MP_CE_OUT, frame, host, bytes);
        if (!fence)
            fail(FW_ETIMEOUT);
    }
    return fence;
}

/* A copy that has failed has lost data, of which space is not known; an engine that hangs ends everything. */
static enum fw_error await(enum mp_ce_engine engine, uint64_t fence)
{
    const enum fw_error e = ce_wait(engine, fence);
    const struct uvm_range *r;
    for (unsigned i = 0; e == FW_EBUS && (r = uvm_range(i)); i++)
        gpu_spoil(r->asid);
    if (e && e != FW_EBUS)
        fail(e);
    return e;
}

/* --- decisions, carried out ----------------------------------------------------------------------- */

/* A policy with counters moves pages of the host when they are stored to. */
static void enter_pages(const struct pending *d)
{
    const bool read_only = d->range->read_only || (d->remote && uvm.p.migrate->threshold);
    for (uint32_t page = 0, n; !uvm.failed && (n = next_run(&d->pages, &page)); page += n) {
        const uint64_t va = page_at(d->va, page),
                       pa = d->remote ? uvm_host_of(d->range, va) : uvm_frame_of(d->range, va);
        const enum fw_error e = gmmu_enter(d->range->asid, va, (uint64_t)n * uvm.p.page_bytes, pa, read_only);
        if (e)
            fail(e);
    }
}

/* Waits for the copies of all blocks, whose entries then become valid. */
static void settle(void)
{
    for (struct pending *d = uvm.pending; d < uvm.pending + uvm.pendings; d++) {
        await(d->remote ? MP_CE_OUT : MP_CE_IN, d->fence);
        enter_pages(d);
        uvm_block_of(d->range, d->va + page_at(0, mp_uvm_next(&d->pages, 0)))->pending = false;
    }
    uvm.pendings = 0;
}

static void pend(struct uvm_range *r, const struct pending *pages)
{
    if (uvm.pendings == PENDING)
        settle();
    uvm.pending[uvm.pendings++] = *pages;
    uvm_block_of(r, page_at(pages->va, mp_uvm_next(&pages->pages, 0)))->pending = true;
}

/* The entries of these pages of a block become invalid, and only these. */
static enum fw_error leave(const struct uvm_range *r, uint64_t block, const struct mp_uvm_mask *pages)
{
    const uint32_t first = mp_uvm_next(pages, 0), end = mp_uvm_end(pages);
    if (uvm_block_of(r, page_at(block, first))->pending)
        settle();
    if (uvm.failed) /* what a frame has not received must not reach the host */
        return uvm.failed;
    for (uint32_t page = 0, n; (n = next_run(pages, &page)); page += n)
        gmmu_clear(r->asid, page_at(block, page), (uint64_t)n * uvm.p.page_bytes);
    const enum fw_error e =
        gmmu_confirm(r->asid, page_at(block, first), (uint64_t)(end - first) * uvm.p.page_bytes);
    if (e)
        fail(e);
    return e;
}

/* The GPU accesses these pages of a block on the host, which has them, or will. */
static void map_remotely(struct uvm_range *r, uint64_t block, const struct mp_uvm_mask *pages)
{
    if (!mp_uvm_any(pages))
        return;
    struct uvm_block *b = uvm_block_of(r, page_at(block, mp_uvm_next(pages, 0)));
    MP_UVM_EACH (i)
        b->remote.w[i] |= pages->w[i];
    uvm.counts.remote += mp_uvm_count(pages);
    pend(r, &(struct pending){.range = r, .va = block, .pages = *pages, .remote = true, .fence = b->out});
}

static void evicted(void *context, const struct mp_uvm_victim *v)
{
    struct mp_uvm_mask pages;
    const uint64_t block = v->block * UVM_BLOCK_BYTES;
    (void)context;
    uvm_trace_victim(v);
    MP_UVM_EACH (i)
        pages.w[i] = v->back.w[i] | v->drop.w[i];
    uvm.counts.evictions++;
    uvm.changed = true;
    if (!mp_uvm_any(&pages) || uvm.failed) /* its frame was given back when its pages went to the host */
        return;
    const uint64_t va = page_at(block, mp_uvm_next(&pages, 0));
    struct uvm_range *r = uvm_range_at(v->asid, va);
    if (leave(r, block, &pages))
        return;
    struct uvm_block *b = uvm_block_of(r, va);
    const uint64_t fence = move(r, block, &v->back, COPY_OUT);
    uvm_frame_give(r, va, fence);
    b->out = fence ? fence : b->out;
    MP_UVM_EACH (i) {
        b->here.w[i] &= ~pages.w[i];
        b->left.w[i] |= v->back.w[i];
    }
    uvm.counts.written_back += mp_uvm_count(&v->back);
    const struct mp_uvm_mapped mapped = mp_uvm_mapped(uvm.library, v->asid, va);
    MP_UVM_EACH (i)
        pages.w[i] &= mapped.remote.w[i];
    map_remotely(r, block, &pages);
}

/* Frames for all units of these pages; waits until they may be written, and until the host has what the block
 * copied to it. */
static enum fw_error take_frames(const struct uvm_range *r, uint64_t block, const struct mp_uvm_mask *pages)
{
    uint64_t fence, last = uvm_block_of(r, page_at(block, mp_uvm_next(pages, 0)))->out;
    for (uint32_t page = 0, n; (n = next_run(pages, &page)); page += n) {
        const enum fw_error e = uvm_frame_take(r, page_at(block, page), &fence);
        if (e)
            return e;
        last = fence > last ? fence : last;
    }
    if (last)
        await(MP_CE_OUT, last);
    return uvm.failed;
}

/* Pages that the GPU accesses on the host come: it stops doing that. */
static enum fw_error leave_host(const struct uvm_range *r, uint64_t block, struct uvm_block *b,
                                const struct mp_uvm_mask *pages)
{
    struct mp_uvm_mask were;
    MP_UVM_EACH (i) {
        were.w[i] = b->remote.w[i] & pages->w[i];
        b->remote.w[i] &= ~pages->w[i];
    }
    return mp_uvm_any(&were) ? leave(r, block, &were) : FW_OK;
}

static void bring(const struct mp_uvm_service *s, const struct mp_uvm_mask *pages)
{
    const uint64_t block = s->block * UVM_BLOCK_BYTES, va = page_at(block, mp_uvm_next(pages, 0));
    struct uvm_range *r = uvm_range_at(s->asid, va);
    struct uvm_block *b = uvm_block_of(r, va);
    enum fw_error e = leave_host(r, block, b, pages);
    if (!e)
        e = take_frames(r, block, pages);
    if (e) {
        fail(e);
        return;
    }
    const uint64_t zeroed = move(r, block, &s->zero, ZERO), copied = move(r, block, &s->copy, COPY_IN);
    pend(r, &(struct pending){
                .range = r, .va = block, .pages = *pages, .fence = zeroed > copied ? zeroed : copied});
    MP_UVM_EACH (i) {
        b->here.w[i] |= pages->w[i];
        uvm.counts.refetched += mp_uvm_bits(s->copy.w[i] & b->left.w[i]);
    }
}

/* Pages outside ranges, and stores to those that are read only. */
static void cancel(const struct mp_uvm_service *s)
{
    MP_UVM_EACH_PAGE (page, &s->cancel) {
        const uint64_t va = page_at(s->block * UVM_BLOCK_BYTES, page);
        gpu_cancel(s->asid, va, uvm_range_at(s->asid, va) != NULL);
        uvm.counts.cancelled++;
    }
}

/* What a block gets. A prefetch may bring a page that is mapped remotely otherwise. */
static void carry_out(const struct mp_uvm_service *s)
{
    const uint64_t block = s->block * UVM_BLOCK_BYTES;
    struct mp_uvm_mask pages, remote;
    MP_UVM_EACH (i) {
        pages.w[i] = s->zero.w[i] | s->copy.w[i];
        remote.w[i] = s->remote.w[i] & ~pages.w[i];
    }
    uvm.counts.blocks++;
    uvm.counts.zeroed += mp_uvm_count(&s->zero);
    uvm.counts.copied += mp_uvm_count(&s->copy);
    uvm.changed |= mp_uvm_any(&pages) || mp_uvm_any(&remote);
    if (mp_uvm_any(&pages) && !uvm.failed)
        bring(s, &pages);
    if (mp_uvm_any(&remote) && !uvm.failed)
        map_remotely(uvm_range_at(s->asid, page_at(block, mp_uvm_next(&remote, 0))), block, &remote);
}

static void served(void *context, const struct mp_uvm_service *s)
{
    (void)context;
    uvm_trace_service(s);
    uvm.changed |= mp_uvm_any(&s->cancel) || mp_uvm_any(&s->held);
    uvm.counts.faulted += mp_uvm_count(&s->fault);
    uvm.counts.prefetched += mp_uvm_count(&s->prefetch);
    cancel(s);
    carry_out(s);
}

static void notice_served(void *context, const struct mp_uvm_service *s)
{
    (void)context;
    uvm_trace_noticed(s);
    uvm.counts.noticed += mp_uvm_count(&s->fault) + mp_uvm_count(&s->prefetch);
    carry_out(s);
}

/* --- batches -------------------------------------------------------------------------------------- */

/* Whether the page table allows the access already. */
static bool is_possible(const struct mp_mgmt_fault *f)
{
    struct gmmu_walk w;
    return !gmmu_walk(f->asid, f->va, &w) && w.mapped && !w.guarded && !(f->write && w.read_only);
}

/* Enters the fault, unless its page is not managed and fault.h has served it. */
static void enter(const struct mp_gpu_fault_entry *e)
{
    const uint32_t info = (uint32_t)e->info;
    const struct mp_mgmt_fault f = {
        .va = e->va,
        .entry = e->entry,
        .asid = (uint8_t)(info & MP_GPU_FAULT_INFO_ASID),
        .sm = (uint16_t)((info & MP_GPU_FAULT_INFO_SM) >> MP_GPU_FAULT_INFO_SM_LOW),
        .write = info & MP_GPU_FAULT_INFO_WRITE,
        .cause = (uint8_t)((info & MP_GPU_FAULT_INFO_CAUSE) >> MP_GPU_FAULT_INFO_CAUSE_LOW)};
    const unsigned access = (unsigned)((e->info & MP_GPU_FAULT_ACCESS) >> MP_GPU_FAULT_ACCESS_LOW);
    uvm.faulted |= 1u << f.asid;
    uvm.counts.entries++;
    if (!gmmu_space(f.asid)) /* it has been closed since */
        return;
    const bool managed = gmmu_is_managed(f.asid, f.va), possible = !managed && is_possible(&f);
    if (f.cause >= MP_MGMT_CAUSE_RESERVED) { /* no replay would change the entry */
        gpu_cancel(f.asid, f.va, false);
        uvm.counts.cancelled++;
        uvm.changed = true;
    } else if (managed || !fault_serve(&f)) {
        uvm_trace_fault(advance(), &f, access);
        uvm_trace_entry(mp_uvm_fault(uvm.library, f.sm, f.asid, f.va, (enum mp_uvm_access)access));
    } else {
        uvm.changed |= !possible;
    }
}

/* Takes the faults of a batch; returns their number. */
static unsigned fetch(void)
{
    struct mp_gpu_fault_entry e;
    unsigned taken = 0;
    uvm.counts.storms += ring_look(&uvm.ring) == RING_ENTRIES - 1;
    while (taken < BATCH && ring_take(&uvm.ring, !taken, &e)) {
        enter(&e);
        taken++;
    }
    ring_release(&uvm.ring);
    return taken;
}

/* Discards the entries that ring_look has found: their accesses are replayed, and fault again if need be. */
static void flush(void)
{
    uint64_t info;
    for (; ring_drop(&uvm.ring, &info); uvm.counts.dropped++)
        uvm.faulted |= 1u << (info & MP_GPU_FAULT_INFO_ASID);
    ring_release(&uvm.ring);
}

/* An entry that was lost is of any space. */
static void replay(bool give_up)
{
    if (uvm.ring.lost != uvm.lost)
        uvm.faulted |= mig_instance(uvm.instance)->spaces;
    uvm.lost = uvm.ring.lost;
    for (unsigned a = 0; a < MP_MGMT_SPACES; a++)
        if (uvm.faulted >> a & 1 && gmmu_space(a)) {
            gpu_replay(a, give_up);
            uvm.counts.replays++;
        }
}

static void serve_batch(void)
{
    const struct mp_uvm_report report = {evicted, served, NULL};
    uvm.faulted = 0;
    uvm.changed = false;
    if (!fetch() || uvm.failed) {
        flush();
        replay(uvm.failed);
        return;
    }
    uvm_trace_batch(advance());
    const struct mp_uvm_batch b = mp_uvm_serve(uvm.library, &report);
    uvm_trace_batch_end(&b);
    settle();
    flush();
    if (b.duplicates * 100 > b.entries * 50 && ring_look(&uvm.ring))
        flush();
    uvm.idle = uvm.changed ? 0 : uvm.idle + 1;
    uvm.counts.batches++;
    uvm.counts.merged += b.merged;
    uvm.counts.duplicates += b.duplicates;
    uvm.counts.idle += !uvm.changed;
    const bool give_up = uvm.failed || uvm.idle > PATIENCE;
    if (give_up)
        uvm.idle = 0;
    replay(give_up);
}

/* Accesses to pages that move meanwhile fault. */
static void serve_notices(void)
{
    const struct mp_uvm_report report = {evicted, notice_served, NULL};
    uvm.counts.notices += uvm_notices_take(&uvm.notices, uvm.library, advance());
    if (uvm.failed)
        return;
    uvm.changed = false;
    uvm_trace_notices(advance());
    const struct mp_uvm_noticed n = mp_uvm_notices(uvm.library, &report);
    uvm_trace_notices_end(&n);
    settle();
    if (uvm.changed)
        uvm.idle = 0;
}

static bool has_notices(void)
{
    return uvm.notices.entries && ring_look(&uvm.notices);
}

static void serve(void)
{
    for (unsigned n = 0; ring_look(&uvm.ring) || has_notices(); n++) {
        if (n == BATCHES) {
            gpu_remind(MP_GPU_INT_STATUS_FAULT);
            return;
        }
        if (ring_look(&uvm.ring))
            serve_batch();
        if (has_notices())
            serve_notices();
    }
}

void uvm_service(void)
{
    if (!uvm.on)
        return;
    const uint64_t before = cpu_instructions();
    serve();
    uvm.counts.instructions += cpu_instructions() - before;
}

/* --- pool and ranges ------------------------------------------------------------------------------ */

static const struct mp_uvm_prefetch *prefetch(unsigned n)
{
    unsigned i = 0;
    while (i < n && mp_uvm_prefetches[i])
        i++;
    return mp_uvm_prefetches[i];
}

static const struct mp_uvm_evict *evict(unsigned n)
{
    unsigned i = 0;
    while (i < n && mp_uvm_evicts[i])
        i++;
    return mp_uvm_evicts[i];
}

static const struct mp_uvm_migrate *migrate(unsigned n)
{
    unsigned i = 0;
    while (i < n && mp_uvm_migrates[i])
        i++;
    return mp_uvm_migrates[i];
}

const char *uvm_prefetch_name(unsigned n)
{
    return prefetch(n) ? prefetch(n)->design.name : NULL;
}

const char *uvm_evict_name(unsigned n)
{
    return evict(n) ? evict(n)->design.name : NULL;
}

const char *uvm_migrate_name(unsigned n)
{
    return migrate(n) ? migrate(n)->design.name : NULL;
}

static void end_ring(struct ring *r)
{
    const uint64_t bytes = (uint64_t)r->entries * MP_GPU_RING_ENTRY_BYTES;
    if (!bytes)
        return;
    ring_begin(r, r->of, uvm.instance, r->base, 0);
    mig_give(uvm.instance, bytes, r->base);
}

static enum fw_error end_pool(void)
{
    const enum fw_error e = ce_drain();
    if (e)
        return e;
    gpu_count_remote(uvm.instance, uvm.p.granule_bytes, 0);
    end_ring(&uvm.ring);
    end_ring(&uvm.notices);
    uvm_space_end();
    free(uvm.memory);
    uvm.memory = NULL;
    uvm.on = false;
    return FW_OK;
}

static enum fw_error begin_library(void)
{
    enum { ALIGNED = 64 };
    const size_t bytes = (mp_uvm_bytes(&uvm.p) + ALIGNED - 1) / ALIGNED * ALIGNED;
    uvm.memory = aligned_alloc(ALIGNED, bytes);
    if (!uvm.memory)
        return FW_ENOMEM;
    memset(uvm.memory, 0, bytes);
    uvm.library = mp_uvm_init(uvm.memory, &uvm.p);
    return FW_OK;
}

static enum fw_error begin_ring(struct ring *r, enum gpu_ring of, uint32_t entries)
{
    const uint64_t bytes = (uint64_t)entries * MP_GPU_RING_ENTRY_BYTES;
    uint64_t base;
    enum fw_error e = mig_take(uvm.instance, bytes, &base);
    if (e)
        return e;
    e = ring_begin(r, of, uvm.instance, base, entries);
    if (e) {
        mig_give(uvm.instance, bytes, base);
        r->entries = 0;
    }
    return e;
}

/* Of a policy whose threshold moves, the library adds up what several notices report. */
static enum fw_error begin_notices(void)
{
    if (!uvm.p.migrate->threshold)
        return FW_OK;
    const enum fw_error e = begin_ring(&uvm.notices, GPU_NOTICES, NOTICES);
    return e ? e : gpu_count_remote(uvm.instance, uvm.p.granule_bytes, uvm.p.counter);
}

static enum fw_error begin_pool(unsigned instance, const struct uvm_setup *setup)
{
    struct mp_error why;
    const struct mp_uvm_params p = MP_UVM_USUAL;
    memset(&uvm, 0, sizeof uvm);
    uvm.instance = instance;
    uvm.setup = *setup;
    uvm.p = p;
    uvm.p.prefetch = prefetch(setup->prefetch);
    uvm.p.evict = evict(setup->evict);
    uvm.p.migrate = migrate(setup->migrate);
    uvm.p.counter = setup->counter ? setup->counter : p.counter;
    uvm.p.granule_bytes = setup->granule_bytes ? setup->granule_bytes : p.granule_bytes;
    uvm.p.thrashing = false;
    uvm.p.page_bytes = (uint32_t)setup->page_bytes;
    uvm.p.chunks = setup->chunks;
    uvm.p.ranges = UVM_RANGES;
    uvm.p.blocks = UVM_BLOCKS;
    uvm.p.sms = gpu_sms() * gpu_slices();
    uvm.p.thrash = 1;
    if (mp_uvm_check(&uvm.p, &why))
        return FW_EINVAL;
    enum fw_error e = ce_init();
    if (!e)
        e = uvm_space_begin(instance, setup->chunks, setup->page_bytes, uvm.p.evict->unit);
    if (e)
        return e;
    e = begin_library();
    if (!e)
        e = begin_ring(&uvm.ring, GPU_FAULTS, RING_ENTRIES);
    if (!e)
        e = begin_notices();
    if (e) {
        end_ring(&uvm.ring);
        free(uvm.memory);
        uvm_space_end();
        return e;
    }
    mp_uvm_at(uvm.library, now());
    uvm.on = true;
    uvm_trace_options(&uvm.p);
    return FW_OK;
}

enum fw_error uvm_pool(unsigned instance, const struct uvm_setup *s)
{
    enum { MOST_CHUNKS = 1024 };
    if (!mig_instance(instance))
        return FW_ENOENT;
    if (!s->chunks && !(uvm.on && uvm.instance == instance))
        return FW_OK; /* it has none */
    if (uvm.on && (uvm.instance != instance || uvm_range(0)))
        return FW_EBUSY;
    if (s->chunks && (s->chunks > MOST_CHUNKS || (s->page_bytes != 4096 && s->page_bytes != 65536) ||
                      !prefetch(s->prefetch) || !evict(s->evict) || !migrate(s->migrate)))
        return FW_EINVAL;
    if (s->chunks && migrate(s->migrate) != &mp_uvm_migrate_first_touch && !gpu_host_bytes())
        return FW_EUNSUPPORTED;
    const bool was = uvm.on;
    const struct uvm_setup before = uvm.setup;
    const struct uvm_counts counts = uvm.counts;
    enum fw_error e = was ? end_pool() : FW_OK;
    if (e || !s->chunks)
        return e;
    e = begin_pool(instance, s);
    if (e && was && !begin_pool(instance, &before)) /* it has the memory that it had */
        uvm.counts = counts;
    return e;
}

enum fw_error uvm_manage(unsigned asid, uint64_t va, uint64_t bytes, bool read_only)
{
    const struct gmmu_space *s = gmmu_space(asid);
    struct uvm_range *r;
    struct mp_error why;
    if (!s || !uvm.on || s->instance != uvm.instance)
        return FW_ENOENT;
    if (1u << s->format->page_shift != uvm.p.page_bytes)
        return FW_EUNSUPPORTED;
    if (bytes > (uint64_t)UVM_BLOCKS * UVM_BLOCK_BYTES)
        return FW_ENOMEM;
    enum fw_error e = gmmu_manage(asid, va, bytes);
    if (e)
        return e;
    if (uvm.p.migrate != &mp_uvm_migrate_first_touch)
        e = gpu_reach_host(asid);
    if (!e)
        e = uvm_range_open(asid, va, bytes, read_only, &r);
    if (!e && !mp_uvm_open(uvm.library, (uint8_t)asid, va, bytes, read_only, &why)) {
        uvm_range_close(r);
        e = FW_ENOMEM;
    }
    if (e)
        gmmu_unmanage(asid, va);
    else
        uvm_trace_open(r);
    return e;
}

/* The entries become invalid, and copies to the host end, before the frames and the host's memory are given
 * back. */
static enum fw_error close(struct uvm_range *r)
{
    struct mp_uvm_freed freed;
    struct mp_error why;
    for (uint64_t at = r->va, end; at < r->va + r->bytes; at = end) {
        end = (at & -(uint64_t)UVM_BLOCK_BYTES) + UVM_BLOCK_BYTES;
        end = end < r->va + r->bytes ? end : r->va + r->bytes;
        const struct uvm_block *b = uvm_block_of(r, at);
        gmmu_clear(r->asid, at, end - at);
        const enum fw_error e =
            mp_uvm_any(&b->here) || mp_uvm_any(&b->remote) ? gmmu_confirm(r->asid, at, end - at) : FW_OK;
        if (e)
            return e;
        await(MP_CE_OUT, b->out);
        if (uvm.p.migrate->threshold)
            uvm_notices_forget(r->asid, at, end - at, uvm.p.granule_bytes);
    }
    const uint64_t at = advance();
    mp_uvm_close(uvm.library, (uint8_t)r->asid, r->va, &freed, &why);
    uvm_trace_close(at, r, &freed);
    gmmu_unmanage(r->asid, r->va);
    uvm_range_close(r);
    return FW_OK;
}

enum fw_error uvm_unmanage(unsigned asid, uint64_t va)
{
    struct uvm_range *r = uvm_range_at(asid, va);
    if (!r || r->va != va)
        return FW_ENOENT;
    return gpu_in_use(asid) ? FW_EBUSY : close(r);
}

enum fw_error uvm_forget(unsigned asid)
{
    struct uvm_range *r;
    for (unsigned i = 0; (r = uvm_range(i));) {
        const enum fw_error e = r->asid == asid ? close(r) : FW_OK;
        if (e)
            return e;
        i += uvm_range(i) && uvm_range(i)->asid != asid;
    }
    return FW_OK;
}

/* --- the host ------------------------------------------------------------------------------------- */

/* The units that have no page any more give their frames back. */
static void give_empty(const struct uvm_range *r, uint64_t block, const struct mp_uvm_mask *went,
                       uint64_t fence)
{
    const struct mp_uvm_mask *here = &uvm_block_of(r, page_at(block, mp_uvm_next(went, 0)))->here;
    const uint32_t unit = pages_per_unit();
    for (uint32_t first = 0; first < MP_UVM_PAGES; first += unit)
        if (mp_uvm_any_in(went, first, first + unit) && !mp_uvm_any_in(here, first, first + unit))
            uvm_frame_give(r, page_at(block, mp_uvm_next(went, first)), fence);
}

/* Pages that come along may be nowhere. */
static enum fw_error move_to_host(struct uvm_range *r, uint64_t va, const struct mp_uvm_mask *pages)
{
    const uint64_t block = va & -(uint64_t)UVM_BLOCK_BYTES;
    struct uvm_block *b = uvm_block_of(r, va);
    struct mp_uvm_mask went;
    MP_UVM_EACH (i)
        went.w[i] = pages->w[i] & b->here.w[i];
    enum fw_error e = leave(r, block, &went);
    if (e)
        return e;
    const uint64_t fence = move(r, block, &went, COPY_OUT);
    MP_UVM_EACH_PAGE (page, pages)
        if (!mp_uvm_has(&went, page))
            gmem_zero(uvm_host_of(r, page_at(block, page)), uvm.p.page_bytes);
    e = await(MP_CE_OUT, fence);
    MP_UVM_EACH (i)
        b->here.w[i] &= ~went.w[i];
    give_empty(r, block, &went, fence);
    uvm.counts.host_moves += mp_uvm_count(&went);
    return e;
}

enum fw_error uvm_host(unsigned asid, uint64_t va, uint64_t bytes)
{
    enum fw_error e = FW_OK;
    if (!uvm.on)
        return FW_ENOENT;
    for (uint64_t at = va & -(uint64_t)uvm.p.page_bytes; !e && !uvm.failed && at < va + bytes;
         at += uvm.p.page_bytes) {
        struct uvm_range *r = uvm_range_at(asid, at);
        if (!r)
            return FW_ENOENT;
        const uint64_t time = advance();
        const struct mp_uvm_moved m = mp_uvm_host(uvm.library, (uint8_t)asid, at, MP_UVM_WRITE);
        uvm_trace_host(time, asid, at, &m);
        if (m.what == MP_UVM_ZEROED)
            gmem_zero(uvm_host_of(r, at), uvm.p.page_bytes);
        else if (m.what == MP_UVM_MOVED)
            e = move_to_host(r, at, &m.pages);
        else
            e = await(MP_CE_OUT, uvm_block_of(r, at)->out); /* the host has it, or will */
    }
    return uvm.failed ? uvm.failed : e == FW_EBUS ? FW_EDATA : e;
}

uint64_t uvm_host_address(unsigned asid, uint64_t va)
{
    const struct uvm_range *r = uvm_range_at(asid, va);
    return r ? uvm_host_of(r, va) : 0;
}

/* --- what there is -------------------------------------------------------------------------------- */

const struct uvm_counts *uvm_counts(void)
{
    return &uvm.counts;
}

void uvm_trace(void)
{
    uvm_trace_begin();
    if (uvm.on)
        uvm_trace_options(&uvm.p);
}

void uvm_print(void)
{
    uvm_print_state(uvm.on ? &uvm.p : NULL, uvm.instance, &uvm.ring, &uvm.counts);
}
