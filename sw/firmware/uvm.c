/* SPDX-License-Identifier: Apache-2.0 */
#include "uvm.h"

#include <inttypes.h>

#include "cpu.h"
#include "fault.h"
#include "gmem.h"
#include "gmmu.h"
#include "gpu.h"
#include "mig.h"
#include "print.h"
#include "uvm/tree.h"
#include "uvm_carry.h"
#include "uvm_notices.h"
#include "uvm_pins.h"
#include "uvm_trace.h"

enum {
    BATCHES = 20, /* of a service */
    HELD = 5,     /* of these, with a page that is held */
    PATIENCE = 64 /* batches that change nothing, one after the other */
};

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
        uvm_trace_fault(uvm_advance(), &f, access);
        uvm_trace_entry(mp_uvm_fault(uvm_state.library, f.sm, f.asid, f.va, (enum mp_uvm_access)access));
    } else {
        uvm_state.changed |= !possible;
    }
}

/* Of the faults that ring_look has found, takes those of a batch, or all, if what a batch leaves is not
 * discarded. Returns their number. */
static unsigned fetch(void)
{
    const unsigned most =
        uvm_state.p.replay == MP_UVM_REPLAY_BATCH_FLUSH ? UVM_BATCH : UVM_RING - uvm_state.buffered;
    struct mp_gpu_fault_entry e;
    unsigned taken = 0;
    uvm_state.counts.storms += (uvm_state.ring.put + 1 - uvm_state.ring.get) % UVM_RING == 0;
    while (taken < most && ring_take(&uvm_state.ring, !taken && !uvm_state.buffered, &e)) {
        enter(&e);
        taken++;
    }
    ring_release(&uvm_state.ring);
    return taken;
}

/* Discards the entries that ring_look has found: their accesses are replayed, and fault again if need be. */
static void flush(void)
{
    const uint32_t get = uvm_state.ring.get;
    uint64_t info;
    for (; ring_drop(&uvm_state.ring, &info); uvm_state.counts.dropped++)
        uvm_state.faulted |= 1u << (info & MP_GPU_FAULT_INFO_ASID);
    if (uvm_state.ring.get != get)
        ring_release(&uvm_state.ring);
}

/* An entry that was lost is of any space. */
static void replay(bool give_up)
{
    if (uvm_state.ring.lost != uvm_state.lost)
        uvm_state.faulted |= mig_instance(uvm_state.instance)->spaces;
    uvm_state.lost = uvm_state.ring.lost;
    for (unsigned left = uvm_state.faulted; left; left &= left - 1)
        uvm_replay(mp_uvm_lowest(left), give_up);
}

/* Discards what an empty ring or a failure of the hardware leaves. */
static void end_empty_batch(void)
{
    flush();
    uvm_state.buffered = 0;
    replay(uvm_state.failed);
}

/* What is left of the batch: it is discarded, if the policy says so. */
static void end_batch(const struct mp_uvm_batch *b)
{
    uvm_state.buffered = b->left;
    if (uvm_state.p.replay != MP_UVM_REPLAY_BATCH_FLUSH)
        return;
    flush();
    if (b->duplicates * 100 > b->entries * 50 && ring_look(&uvm_state.ring))
        flush();
}

/* Nothing waits for a batch that has taken and changed nothing: its accesses were replayed before. */
static bool is_replayed(const struct mp_uvm_batch *b, unsigned taken)
{
    return uvm_state.p.replay == MP_UVM_REPLAY_ONCE ? !b->left : taken || uvm_state.changed;
}

static void serve_batch(void)
{
    const struct mp_uvm_report report = {uvm_evicted, uvm_served, NULL};
    uvm_state.replayed = 0;
    uvm_state.changed = uvm_state.held = false;
    const unsigned taken = fetch();
    if (!(taken + uvm_state.buffered) || uvm_state.failed) {
        end_empty_batch();
        return;
    }
    uvm_trace_batch(uvm_advance());
    const struct mp_uvm_batch b = mp_uvm_serve(uvm_state.library, &report);
    uvm_trace_batch_end(&b);
    uvm_settle();
    end_batch(&b);
    uvm_state.idle = uvm_state.changed ? 0 : uvm_state.idle + 1;
    uvm_state.counts.batches++;
    uvm_state.counts.merged += b.merged;
    uvm_state.counts.duplicates += b.duplicates;
    uvm_state.counts.idle += !uvm_state.changed;
    uvm_state.holds += uvm_state.held;
    const bool give_up = uvm_state.failed || uvm_state.idle > PATIENCE;
    if (give_up)
        uvm_state.idle = 0;
    if (give_up || is_replayed(&b, taken))
        replay(give_up);
}

/* Accesses to pages that move meanwhile fault. */
static void serve_notices(void)
{
    const struct mp_uvm_report report = {uvm_evicted, uvm_noticed, NULL};
    uvm_state.counts.notices += uvm_notices_take(&uvm_state.notices, uvm_state.library, uvm_advance());
    if (uvm_state.failed)
        return;
    uvm_state.changed = false;
    uvm_trace_notices(uvm_advance());
    const struct mp_uvm_noticed n = mp_uvm_notices(uvm_state.library, &report);
    uvm_trace_notices_end(&n);
    uvm_settle();
    if (uvm_state.changed)
        uvm_state.idle = 0;
}

static bool wants_room(void)
{
    const unsigned ahead = uvm_state.setup.ahead;
    return ahead && !uvm_state.failed &&
           mp_uvm_spare_units(uvm_state.library) <
               ahead * (UVM_BLOCK_BYTES / uvm_state.p.page_bytes / uvm_state.unit_pages);
}

/* One choice of the eviction design. Returns false if nothing may leave. */
static bool evict_ahead(void)
{
    const struct mp_uvm_report report = {uvm_evicted, uvm_served, NULL};
    uvm_trace_ahead(uvm_advance());
    const uint32_t units = mp_uvm_evict_ahead(uvm_state.library, &report);
    uvm_trace_ahead_end(units, mp_uvm_spare_units(uvm_state.library));
    uvm_settle();
    uvm_state.counts.ahead += units;
    return units;
}

/* The number of faults that wait. */
static uint32_t look(void)
{
    return ring_look(&uvm_state.ring) + uvm_state.buffered;
}

static bool has_notices(void)
{
    return uvm_state.notices.entries && ring_look(&uvm_state.notices);
}

static void serve(void)
{
    bool leaves = true;
    if (uvm_alarm_rang())
        uvm_advance();
    uvm_state.holds = 0;
    for (uint32_t n = 0, faults; (faults = look()) || has_notices() || (leaves && wants_room()); n++) {
        if (n == BATCHES || uvm_state.holds == HELD) {
            replay(false); /* a service has one at least */
            gpu_remind(MP_GPU_INT_STATUS_FAULT);
            return;
        }
        if (faults)
            serve_batch();
        if (has_notices())
            serve_notices();
        else if (!faults)
            leaves = evict_ahead();
    }
}

static void serve_pool(void)
{
    const uint64_t before = cpu_instructions();
    serve();
    uvm_await_pins();
    uvm_state.counts.instructions += cpu_instructions() - before;
}

void uvm_service(void)
{
    for (unsigned i = 0; i < MP_MGMT_INSTANCES; i++)
        if (uvm_states[i].on && uvm_select(i))
            serve_pool();
}

/* --- ranges ----------------------------------------------------------------------------------------- */

/* A pool that has failed begins anew when its last range has ended: nothing uses its frames any more. */
static enum fw_error recover(void)
{
    const struct uvm_setup setup = uvm_state.setup;
    if (!uvm_state.failed)
        return FW_OK;
    return uvm_has_ranges(uvm_state.instance) ? uvm_state.failed : uvm_pool(uvm_state.instance, &setup);
}

enum fw_error uvm_manage(unsigned asid, uint64_t va, uint64_t bytes, bool read_only)
{
    const struct gmmu_space *s = gmmu_space(asid);
    struct uvm_range *r;
    struct mp_error why;
    if (!uvm_select_space(asid))
        return FW_ENOENT;
    if (1u << s->format->page_shift != uvm_state.p.page_bytes)
        return FW_EUNSUPPORTED;
    if (bytes > (uint64_t)UVM_BLOCKS * UVM_BLOCK_BYTES)
        return FW_ENOMEM;
    enum fw_error e = recover();
    if (!e)
        e = gmmu_manage(asid, va, bytes);
    if (e)
        return e;
    if (uvm_state.maps_host)
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
    uvm_select(r->instance);
    for (uint64_t at = r->va, end; at < r->va + r->bytes; at = end) {
        end = (at & -(uint64_t)UVM_BLOCK_BYTES) + UVM_BLOCK_BYTES;
        end = end < r->va + r->bytes ? end : r->va + r->bytes;
        const struct uvm_block *b = uvm_block_of(r, at);
        gmmu_clear(r->asid, at, end - at);
        const enum fw_error e =
            mp_uvm_any(&b->here) || mp_uvm_any(&b->remote) ? gmmu_confirm(r->asid, at, end - at) : FW_OK;
        if (e)
            return e;
        if (b->out)
            uvm_await_out(r, at);
        if (uvm_state.p.migrate->threshold)
            uvm_notices_forget(r->asid, at, end - at, uvm_state.p.granule_bytes);
    }
    const uint64_t at = uvm_advance();
    mp_uvm_close(uvm_state.library, (uint8_t)r->asid, r->va, &freed, &why);
    uvm_await_pins();
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

/* One access to a page. While the page is held, the GPU's faults are served. */
static enum fw_error access_page(unsigned asid, uint64_t at)
{
    for (struct uvm_range *r;
         uvm_select_space(asid) && (r = uvm_range_at(asid, at));) { /* also after a nap */
        const uint64_t time = uvm_advance();
        const struct mp_uvm_moved m = mp_uvm_host(uvm_state.library, (uint8_t)asid, at, MP_UVM_WRITE);
        uvm_trace_host(time, asid, at, &m);
        uvm_await_pins();
        switch (m.what) {
        case MP_UVM_ZEROED:
            gmem_zero(uvm_host_of(r, at), uvm_state.p.page_bytes);
            return FW_OK;
        case MP_UVM_MOVED:
            return uvm_move_to_host(r, at, &m);
        case MP_UVM_HELD:
            uvm_state.counts.naps++;
            uvm_nap(m.end);
            break;
        default: /* the host has it, or will; or the page is pinned to the GPU */
            return uvm_await_out(r, at);
        }
    }
    return FW_ENOENT;
}

enum fw_error uvm_host(unsigned asid, uint64_t va, uint64_t bytes)
{
    enum fw_error e = FW_OK;
    if (!uvm_select_space(asid))
        return FW_ENOENT;
    for (uint64_t at = va & -(uint64_t)uvm_state.p.page_bytes; !e && !uvm_state.failed && at < va + bytes;
         at += uvm_state.p.page_bytes)
        e = access_page(asid, at);
    return uvm_state.failed ? uvm_state.failed : e == FW_EBUS ? FW_EDATA : e;
}

uint64_t uvm_host_address(unsigned asid, uint64_t va)
{
    const struct uvm_range *r = uvm_select_space(asid) ? uvm_range_at(asid, va) : NULL;
    const uint32_t page = (uint32_t)(va % UVM_BLOCK_BYTES / uvm_state.p.page_bytes);
    if (!r)
        return 0;
    return uvm_state.p.c2c && mp_uvm_has(&uvm_block_of(r, va)->here, page) ? uvm_frame_of(r, va)
                                                                           : uvm_host_of(r, va);
}

/* --- what there is -------------------------------------------------------------------------------- */

/* A node of the tree that design `tree` has over a block, and what is below it unless it has all or none. */
static void print_node(const struct mp_uvm_mask *here, struct mp_uvm_pages block, struct mp_uvm_pages node,
                       unsigned depth)
{
    const uint32_t first = node.first > block.first ? node.first : block.first,
                   end = node.end < block.end ? node.end : block.end, middle = (node.first + node.end) / 2,
                   there = first < end ? mp_uvm_count_in(here, first, end) : 0;
    if (!there)
        return;
    for (unsigned i = 0; i < depth; i++)
        print("  ");
    print("%" PRIu32 "-%" PRIu32 ": %" PRIu32 " of %" PRIu32 "\n", first, end - 1, there, end - first);
    if (there == end - first)
        return;
    print_node(here, block, (struct mp_uvm_pages){node.first, middle}, depth + 1);
    print_node(here, block, (struct mp_uvm_pages){middle, node.end}, depth + 1);
}

enum fw_error uvm_print_tree(unsigned asid, uint64_t va)
{
    const struct uvm_range *r = uvm_select_space(asid) ? uvm_range_at(asid, va) : NULL;
    if (!r)
        return FW_ENOENT;
    const uint64_t begin = va & -(uint64_t)UVM_BLOCK_BYTES, end = r->va + r->bytes - begin;
    const uint32_t pages = UVM_BLOCK_BYTES / uvm_state.p.page_bytes;
    const struct mp_uvm_pages block = {
        r->va > begin ? (uint32_t)((r->va - begin) / uvm_state.p.page_bytes) : 0,
        end < UVM_BLOCK_BYTES ? (uint32_t)(end / uvm_state.p.page_bytes) : pages};
    const struct mp_uvm_look look = {
        .first = block.first, .end = block.end, .big = MP_UVM_BIG_BYTES / uvm_state.p.page_bytes};
    const uint32_t base = mp_uvm_tree_base(&look);
    struct mp_uvm_pages root = {base, base + 1};
    while (root.end < block.end)
        root.end += root.end - base;
    print_node(&uvm_block_of(r, va)->here, block, root, 0);
    return FW_OK;
}

const struct uvm_counts *uvm_counts(unsigned instance)
{
    return &uvm_states[instance].counts;
}

void uvm_trace(void)
{
    uvm_trace_begin();
    for (unsigned i = 0; i < MP_MGMT_INSTANCES; i++)
        if (uvm_select(i))
            uvm_trace_options(&uvm_state.p);
}

void uvm_print(void)
{
    unsigned pools = 0;
    for (unsigned i = 0; i < MP_MGMT_INSTANCES; i++)
        if (uvm_states[i].on) {
            uvm_print_state(&uvm_states[i].p, i, &uvm_states[i].ring, &uvm_states[i].counts);
            pools++;
        }
    if (!pools)
        print("no pool\n");
}
