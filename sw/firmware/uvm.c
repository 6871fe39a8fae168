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
#include "uvm_carry.h"
#include "uvm_notices.h"
#include "uvm_trace.h"

enum {
    RING_ENTRIES = 4096,
    NOTICES = 256, /* of their ring */
    BATCHES = 20,  /* of a service */
    PATIENCE = 64  /* batches that change nothing, one after the other */
};

void uvm_init(void)
{
    if (uvm_state.on)
        free(uvm_state.memory);
    uvm_state.on = false;
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
    mp_uvm_at(uvm_state.library, at);
    return at;
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
    uvm_state.faulted |= 1u << f.asid;
    uvm_state.counts.entries++;
    if (!gmmu_space(f.asid)) /* it has been closed since */
        return;
    const bool managed = gmmu_is_managed(f.asid, f.va), possible = !managed && is_possible(&f);
    if (f.cause >= MP_MGMT_CAUSE_RESERVED) { /* no replay would change the entry */
        gpu_cancel(f.asid, f.va, false);
        uvm_state.counts.cancelled++;
        uvm_state.changed = true;
    } else if (managed || !fault_serve(&f)) {
        uvm_trace_fault(advance(), &f, access);
        uvm_trace_entry(mp_uvm_fault(uvm_state.library, f.sm, f.asid, f.va, (enum mp_uvm_access)access));
    } else {
        uvm_state.changed |= !possible;
    }
}

/* Takes the faults of a batch; returns their number. */
static unsigned fetch(void)
{
    struct mp_gpu_fault_entry e;
    unsigned taken = 0;
    uvm_state.counts.storms += ring_look(&uvm_state.ring) == RING_ENTRIES - 1;
    while (taken < UVM_BATCH && ring_take(&uvm_state.ring, !taken, &e)) {
        enter(&e);
        taken++;
    }
    ring_release(&uvm_state.ring);
    return taken;
}

/* Discards the entries that ring_look has found: their accesses are replayed, and fault again if need be. */
static void flush(void)
{
    uint64_t info;
    for (; ring_drop(&uvm_state.ring, &info); uvm_state.counts.dropped++)
        uvm_state.faulted |= 1u << (info & MP_GPU_FAULT_INFO_ASID);
    ring_release(&uvm_state.ring);
}

/* An entry that was lost is of any space. */
static void replay(bool give_up)
{
    if (uvm_state.ring.lost != uvm_state.lost)
        uvm_state.faulted |= mig_instance(uvm_state.instance)->spaces;
    uvm_state.lost = uvm_state.ring.lost;
    for (unsigned a = 0; a < MP_MGMT_SPACES; a++)
        if (uvm_state.faulted >> a & 1 && gmmu_space(a)) {
            gpu_replay(a, give_up);
            uvm_state.counts.replays++;
        }
}

static void serve_batch(void)
{
    const struct mp_uvm_report report = {uvm_evicted, uvm_served, NULL};
    uvm_state.faulted = 0;
    uvm_state.changed = false;
    if (!fetch() || uvm_state.failed) {
        flush();
        replay(uvm_state.failed);
        return;
    }
    uvm_trace_batch(advance());
    const struct mp_uvm_batch b = mp_uvm_serve(uvm_state.library, &report);
    uvm_trace_batch_end(&b);
    uvm_settle();
    flush();
    if (b.duplicates * 100 > b.entries * 50 && ring_look(&uvm_state.ring))
        flush();
    uvm_state.idle = uvm_state.changed ? 0 : uvm_state.idle + 1;
    uvm_state.counts.batches++;
    uvm_state.counts.merged += b.merged;
    uvm_state.counts.duplicates += b.duplicates;
    uvm_state.counts.idle += !uvm_state.changed;
    const bool give_up = uvm_state.failed || uvm_state.idle > PATIENCE;
    if (give_up)
        uvm_state.idle = 0;
    replay(give_up);
}

/* Accesses to pages that move meanwhile fault. */
static void serve_notices(void)
{
    const struct mp_uvm_report report = {uvm_evicted, uvm_noticed, NULL};
    uvm_state.counts.notices += uvm_notices_take(&uvm_state.notices, uvm_state.library, advance());
    if (uvm_state.failed)
        return;
    uvm_state.changed = false;
    uvm_trace_notices(advance());
    const struct mp_uvm_noticed n = mp_uvm_notices(uvm_state.library, &report);
    uvm_trace_notices_end(&n);
    uvm_settle();
    if (uvm_state.changed)
        uvm_state.idle = 0;
}

static bool has_notices(void)
{
    return uvm_state.notices.entries && ring_look(&uvm_state.notices);
}

static void serve(void)
{
    for (unsigned n = 0; ring_look(&uvm_state.ring) || has_notices(); n++) {
        if (n == BATCHES) {
            gpu_remind(MP_GPU_INT_STATUS_FAULT);
            return;
        }
        if (ring_look(&uvm_state.ring))
            serve_batch();
        if (has_notices())
            serve_notices();
    }
}

void uvm_service(void)
{
    if (!uvm_state.on)
        return;
    const uint64_t before = cpu_instructions();
    serve();
    uvm_state.counts.instructions += cpu_instructions() - before;
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
    ring_begin(r, r->of, uvm_state.instance, r->base, 0);
    mig_give(uvm_state.instance, bytes, r->base);
}

static enum fw_error end_pool(void)
{
    const enum fw_error e = ce_drain();
    if (e)
        return e;
    gpu_count_remote(uvm_state.instance, uvm_state.p.granule_bytes, 0);
    end_ring(&uvm_state.ring);
    end_ring(&uvm_state.notices);
    uvm_space_end();
    free(uvm_state.memory);
    uvm_state.memory = NULL;
    uvm_state.on = false;
    return FW_OK;
}

static enum fw_error begin_library(void)
{
    enum { ALIGNED = 64 };
    const size_t bytes = (mp_uvm_bytes(&uvm_state.p) + ALIGNED - 1) / ALIGNED * ALIGNED;
    uvm_state.memory = aligned_alloc(ALIGNED, bytes);
    if (!uvm_state.memory)
        return FW_ENOMEM;
    memset(uvm_state.memory, 0, bytes);
    uvm_state.library = mp_uvm_init(uvm_state.memory, &uvm_state.p);
    return FW_OK;
}

static enum fw_error begin_ring(struct ring *r, enum gpu_ring of, uint32_t entries)
{
    const uint64_t bytes = (uint64_t)entries * MP_GPU_RING_ENTRY_BYTES;
    uint64_t base;
    enum fw_error e = mig_take(uvm_state.instance, bytes, &base);
    if (e)
        return e;
    e = ring_begin(r, of, uvm_state.instance, base, entries);
    if (e) {
        mig_give(uvm_state.instance, bytes, base);
        r->entries = 0;
    }
    return e;
}

/* Of a policy whose threshold moves, the library adds up what several notices report. */
static enum fw_error begin_notices(void)
{
    if (!uvm_state.p.migrate->threshold)
        return FW_OK;
    const enum fw_error e = begin_ring(&uvm_state.notices, GPU_NOTICES, NOTICES);
    return e ? e : gpu_count_remote(uvm_state.instance, uvm_state.p.granule_bytes, uvm_state.p.counter);
}

static enum fw_error begin_pool(unsigned instance, const struct uvm_setup *setup)
{
    struct mp_error why;
    const struct mp_uvm_params p = MP_UVM_USUAL;
    memset(&uvm_state, 0, sizeof uvm_state);
    uvm_state.instance = instance;
    uvm_state.setup = *setup;
    uvm_state.p = p;
    uvm_state.p.prefetch = prefetch(setup->prefetch);
    uvm_state.p.evict = evict(setup->evict);
    uvm_state.p.migrate = migrate(setup->migrate);
    uvm_state.p.counter = setup->counter ? setup->counter : p.counter;
    uvm_state.p.granule_bytes = setup->granule_bytes ? setup->granule_bytes : p.granule_bytes;
    uvm_state.p.thrashing = false;
    uvm_state.p.page_bytes = (uint32_t)setup->page_bytes;
    uvm_state.p.chunks = setup->chunks;
    uvm_state.p.ranges = UVM_RANGES;
    uvm_state.p.blocks = UVM_BLOCKS;
    uvm_state.p.sms = gpu_sms() * gpu_slices();
    uvm_state.p.thrash = 1;
    if (mp_uvm_check(&uvm_state.p, &why))
        return FW_EINVAL;
    enum fw_error e = ce_init();
    if (!e)
        e = uvm_space_begin(instance, setup->chunks, setup->page_bytes, uvm_state.p.evict->unit);
    if (e)
        return e;
    e = begin_library();
    if (!e)
        e = begin_ring(&uvm_state.ring, GPU_FAULTS, RING_ENTRIES);
    if (!e)
        e = begin_notices();
    if (e) {
        end_ring(&uvm_state.ring);
        free(uvm_state.memory);
        uvm_space_end();
        return e;
    }
    mp_uvm_at(uvm_state.library, now());
    uvm_state.on = true;
    uvm_trace_options(&uvm_state.p);
    return FW_OK;
}

enum fw_error uvm_pool(unsigned instance, const struct uvm_setup *s)
{
    enum { MOST_CHUNKS = 1024 };
    if (!mig_instance(instance))
        return FW_ENOENT;
    if (!s->chunks && !(uvm_state.on && uvm_state.instance == instance))
        return FW_OK; /* it has none */
    if (uvm_state.on && (uvm_state.instance != instance || uvm_range(0)))
        return FW_EBUSY;
    if (s->chunks && (s->chunks > MOST_CHUNKS || (s->page_bytes != 4096 && s->page_bytes != 65536) ||
                      !prefetch(s->prefetch) || !evict(s->evict) || !migrate(s->migrate)))
        return FW_EINVAL;
    if (s->chunks && migrate(s->migrate) != &mp_uvm_migrate_first_touch && !gpu_host_bytes())
        return FW_EUNSUPPORTED;
    const bool was = uvm_state.on;
    const struct uvm_setup before = uvm_state.setup;
    const struct uvm_counts counts = uvm_state.counts;
    enum fw_error e = was ? end_pool() : FW_OK;
    if (e || !s->chunks)
        return e;
    e = begin_pool(instance, s);
    if (e && was && !begin_pool(instance, &before)) /* it has the memory that it had */
        uvm_state.counts = counts;
    return e;
}

enum fw_error uvm_manage(unsigned asid, uint64_t va, uint64_t bytes, bool read_only)
{
    const struct gmmu_space *s = gmmu_space(asid);
    struct uvm_range *r;
    struct mp_error why;
    if (!s || !uvm_state.on || s->instance != uvm_state.instance)
        return FW_ENOENT;
    if (1u << s->format->page_shift != uvm_state.p.page_bytes)
        return FW_EUNSUPPORTED;
    if (bytes > (uint64_t)UVM_BLOCKS * UVM_BLOCK_BYTES)
        return FW_ENOMEM;
    enum fw_error e = gmmu_manage(asid, va, bytes);
    if (e)
        return e;
    if (uvm_state.p.migrate != &mp_uvm_migrate_first_touch)
        e = gpu_reach_host(asid);
    if (!e)
        e = uvm_range_open(asid, va, bytes, read_only, &r);
    if (!e && !mp_uvm_open(uvm_state.library, (uint8_t)asid, va, bytes, read_only, &why)) {
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
        uvm_await(MP_CE_OUT, b->out);
        if (uvm_state.p.migrate->threshold)
            uvm_notices_forget(r->asid, at, end - at, uvm_state.p.granule_bytes);
    }
    const uint64_t at = advance();
    mp_uvm_close(uvm_state.library, (uint8_t)r->asid, r->va, &freed, &why);
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

enum fw_error uvm_host(unsigned asid, uint64_t va, uint64_t bytes)
{
    enum fw_error e = FW_OK;
    if (!uvm_state.on)
        return FW_ENOENT;
    for (uint64_t at = va & -(uint64_t)uvm_state.p.page_bytes; !e && !uvm_state.failed && at < va + bytes;
         at += uvm_state.p.page_bytes) {
        struct uvm_range *r = uvm_range_at(asid, at);
        if (!r)
            return FW_ENOENT;
        const uint64_t time = advance();
        const struct mp_uvm_moved m = mp_uvm_host(uvm_state.library, (uint8_t)asid, at, MP_UVM_WRITE);
        uvm_trace_host(time, asid, at, &m);
        if (m.what == MP_UVM_ZEROED)
            gmem_zero(uvm_host_of(r, at), uvm_state.p.page_bytes);
        else if (m.what == MP_UVM_MOVED)
            e = uvm_move_to_host(r, at, &m.pages);
        else
            e = uvm_await(MP_CE_OUT, uvm_block_of(r, at)->out); /* the host has it, or will */
    }
    return uvm_state.failed ? uvm_state.failed : e == FW_EBUS ? FW_EDATA : e;
}

uint64_t uvm_host_address(unsigned asid, uint64_t va)
{
    const struct uvm_range *r = uvm_range_at(asid, va);
    return r ? uvm_host_of(r, va) : 0;
}

/* --- what there is -------------------------------------------------------------------------------- */

const struct uvm_counts *uvm_counts(void)
{
    return &uvm_state.counts;
}

void uvm_trace(void)
{
    uvm_trace_begin();
    if (uvm_state.on)
        uvm_trace_options(&uvm_state.p);
}

void uvm_print(void)
{
    uvm_print_state(uvm_state.on ? &uvm_state.p : NULL, uvm_state.instance, &uvm_state.ring,
                    &uvm_state.counts);
}
