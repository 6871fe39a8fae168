/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu_stub.h"

#include "cpu.h"
#include "frames.h"
#include "soc/ce_ring.h"
#include "vm/page_format.h"

struct gpu_stub gpu_stub;

static unsigned accesses_of_a_launch;

static const struct mp_page_format *format_of(unsigned asid)
{
    return mp_page_format(gpu_stub.space[asid].page_bytes);
}

static uint64_t page_of(unsigned asid, uint64_t va)
{
    return va & -gpu_stub.space[asid].page_bytes;
}

/* --- cached entries ------------------------------------------------------------------------------- */

static struct stub_translation *find_translation(unsigned asid, uint64_t va)
{
    for (unsigned i = 0; i < STUB_TLB; i++) {
        struct stub_translation *t = &gpu_stub.tlb[i];
        if (t->valid && t->asid == asid && t->va == page_of(asid, va))
            return t;
    }
    return NULL;
}

static struct stub_table *find_table(unsigned asid, unsigned level, uint64_t prefix)
{
    for (unsigned i = 0; i < STUB_WALK_CACHE; i++) {
        struct stub_table *t = &gpu_stub.walk_cache[i];
        if (t->valid && t->asid == asid && t->level == level && t->prefix == prefix)
            return t;
    }
    return NULL;
}

static uint64_t last_of(const struct mp_mgmt_invalidation *what)
{
    return what->va + (what->bytes ? what->bytes - 1 : 0);
}

/* A page walk cache forgets only what is on the way to the page. */
static bool concerns(const struct mp_mgmt_invalidation *what, const struct stub_table *t)
{
    if (what->scope == MP_MGMT_ALL || t->asid != what->asid || what->scope == MP_MGMT_ASID)
        return what->scope == MP_MGMT_ALL || t->asid == what->asid;
    const unsigned low_bit = format_of(t->asid)->low_bit[t->level];
    return t->prefix >= what->va >> low_bit && t->prefix <= last_of(what) >> low_bit;
}

static void forget(const struct mp_mgmt_invalidation *what)
{
    for (unsigned i = 0; !what->tlbs_stay && i < STUB_TLB; i++) {
        struct stub_translation *t = &gpu_stub.tlb[i];
        if (what->scope == MP_MGMT_ALL ||
            (t->asid == what->asid && (what->scope == MP_MGMT_ASID ||
                                       (t->va >= page_of(t->asid, what->va) && t->va <= last_of(what)))))
            t->valid = false;
    }
    for (unsigned i = 0; what->walk_cache && i < STUB_WALK_CACHE; i++)
        if (gpu_stub.walk_cache[i].valid && concerns(what, &gpu_stub.walk_cache[i]))
            gpu_stub.walk_cache[i].valid = false;
}

static void must_be_forgotten(uint64_t pa, uint64_t bytes)
{
    if (board.wild)
        return;
    for (unsigned i = 0; i < STUB_TLB; i++)
        if (gpu_stub.tlb[i].valid && gpu_stub.tlb[i].pa - pa < bytes)
            fail_msg("the frame 0x%llx is given back, and the TLB has it for space %u, 0x%llx",
                     (unsigned long long)pa, gpu_stub.tlb[i].asid, (unsigned long long)gpu_stub.tlb[i].va);
    for (unsigned i = 0; i < STUB_WALK_CACHE; i++)
        if (gpu_stub.walk_cache[i].valid && (gpu_stub.walk_cache[i].entry & MP_PTE_ADDRESS) - pa < bytes)
            fail_msg("the table 0x%llx is given back, and the walk cache has it for space %u",
                     (unsigned long long)pa, gpu_stub.walk_cache[i].asid);
}

/* The firmware's, by the linker. */
enum fw_error __real_frames_give(struct frames *f, uint64_t pa, uint64_t bytes);
enum fw_error __wrap_frames_give(struct frames *f, uint64_t pa, uint64_t bytes);
enum fw_error __wrap_frames_give(struct frames *f, uint64_t pa, uint64_t bytes)
{
    must_be_forgotten(pa, bytes);
    return __real_frames_give(f, pa, bytes);
}

/* --- accesses ------------------------------------------------------------------------------------- */

/* How many pages before the page its leaf is read, by the bits of the entry that points to its table. The
 * firmware must keep them right while the walk cache has them. */
static uint64_t distance(uint64_t above, uint64_t va)
{
    uint64_t page = va >> 12, r = va >> MP_SUBREGION_SHIFT & (MP_SUBREGIONS - 1);
    if (above & MP_PTE_CONTIGUOUS_FRAME)
        return page & (MP_SUBREGIONS * MP_SUBREGION_PAGES - 1);
    return above >> (MP_PTE_CONTIGUOUS_SHIFT + r) & 1 ? page & (MP_SUBREGION_PAGES - 1) : 0;
}

/* Memory that the space may map is at this address. */
static bool is_there(unsigned asid, uint64_t pa)
{
    return pa < MP_CE_HOST ? frames_taken(pa)
                           : gpu_stub.space[asid].remote && pa - MP_CE_HOST < gpu_stub.operations.host_bytes;
}

static bool walk(unsigned asid, uint64_t va, uint64_t *pa, bool *read_only)
{
    const struct mp_page_format *f = format_of(asid);
    uint64_t entry = gpu_stub.space[asid].root;
    for (unsigned level = 0;; level++) {
        const struct stub_table *t = find_table(asid, level, va >> f->low_bit[level]);
        if (t) {
            entry = t->entry;
            continue;
        }
        bool leaf = level + 1 == f->levels;
        uint64_t before =
            leaf && gpu_stub.mgmt.gpu->contiguity && f->page_shift == 12 ? distance(entry, va) : 0;
        entry = mp_physmem_read64(&gpu_stub.memory, mp_pte_address(f, level, entry & MP_PTE_ADDRESS,
                                                                   va - (before << f->page_shift)));
        if (!(entry & MP_PTE_VALID))
            return false;
        uint64_t ignored = MP_PTE_ADDRESS | (leaf ? MP_PTE_READ_ONLY : 0) |
                           (level == MP_CONTIGUITY_LEVEL && !leaf ? MP_PTE_CONTIGUITY : 0);
        bool good = (entry & ~ignored) == (leaf ? MP_PTE_VALID | MP_PTE_LEAF : MP_PTE_VALID);
        *read_only = entry & MP_PTE_READ_ONLY;
        *pa = (entry & MP_PTE_ADDRESS) + (before << f->page_shift);
        if (board.wild && !(good && is_there(asid, *pa)))
            return false;
        assert_true(good && is_there(asid, *pa) && (leaf || *pa < MP_CE_HOST));
        if (leaf)
            return true;
        gpu_stub.walk_cache[rng_below(&gpu_stub.rng, STUB_WALK_CACHE)] =
            (struct stub_table){true, asid, level, va >> f->low_bit[level], entry};
    }
}

/* Returns NULL if there is none. */
static const struct stub_translation *translate(unsigned asid, uint64_t va)
{
    uint64_t pa;
    bool read_only;
    struct stub_translation *t = find_translation(asid, va);
    if (t) {
        gpu_stub.hits++;
        return t;
    }
    if (!walk(asid, va, &pa, &read_only))
        return NULL;
    t = &gpu_stub.tlb[rng_below(&gpu_stub.rng, STUB_TLB)];
    *t = (struct stub_translation){true, asid, page_of(asid, va), pa, read_only};
    return t;
}

bool gpu_stub_access(unsigned asid, uint64_t va, bool write, bool report)
{
    gpu_stub.accesses++;
    if (!gpu_stub.space[asid].valid)
        return false;
    const struct stub_translation *t = translate(asid, va);
    if (t && !(write && t->read_only)) {
        if (t->pa >= MP_CE_HOST)
            mp_mgmt_accessed_remotely(&gpu_stub.mgmt, asid, va);
        return true;
    }
    gpu_stub.faults += !t;
    gpu_stub.stores_refused += t != NULL;
    if (report) {
        assert_true(gpu_stub.waits < STUB_WAITING);
        gpu_stub.waiting[gpu_stub.waits++] = (struct stub_waiting){asid, va, write, t != NULL, false};
    }
    return false;
}

static void some_access(unsigned asid, bool report)
{
    uint64_t page = gpu_stub.space[asid].page_bytes;
    gpu_stub_access(asid, gpu_stub.base[asid] + rng_below(&gpu_stub.rng, STUB_SPAN) * page + 8,
                    rng_percent(&gpu_stub.rng, 30), report);
}

void gpu_stub_check(void)
{
    for (unsigned i = 0; i < STUB_TLB; i++) {
        struct stub_translation t = gpu_stub.tlb[i];
        uint64_t pa = 0;
        bool read_only = false;
        if (!t.valid)
            continue;
        for (unsigned k = 0; k < STUB_WALK_CACHE; k++)
            gpu_stub.walk_cache[k].valid = false;
        if (!gpu_stub.space[t.asid].valid || !walk(t.asid, t.va, &pa, &read_only) || pa != t.pa ||
            read_only != t.read_only)
            fail_msg("the TLB has 0x%llx for space %u, 0x%llx; the page tables have 0x%llx",
                     (unsigned long long)t.pa, t.asid, (unsigned long long)t.va, (unsigned long long)pa);
    }
}

/* --- faults --------------------------------------------------------------------------------------- */

static void report_waiting(void)
{
    unsigned held = 0;
    for (unsigned i = 0; i < gpu_stub.waits; i++) {
        struct stub_waiting *w = &gpu_stub.waiting[i];
        const struct mp_mgmt_fault f = {.va = w->va,
                                        .asid = (uint8_t)w->asid,
                                        .sm = (uint16_t)i,
                                        .write = w->write,
                                        .cause =
                                            w->read_only ? MP_MGMT_CAUSE_READ_ONLY : MP_MGMT_CAUSE_NOT_VALID};
        if (!w->recorded && !held)
            w->recorded = mp_mgmt_faulted(&gpu_stub.mgmt, &f);
        held += !w->recorded;
    }
    mp_mgmt_hold_faults(&gpu_stub.mgmt, held);
}

static void room(void *self)
{
    (void)self;
    report_waiting();
}

static void give_up_launch(unsigned asid)
{
    for (unsigned i = 0; i < MP_MGMT_INSTANCES; i++)
        if (gpu_stub.run[i].runs && gpu_stub.run[i].launch.asid == asid) {
            gpu_stub.run[i].given_up = true;
            gpu_stub.run[i].left = 0;
        }
}

static enum mp_mgmt_status replay(void *self, unsigned asid, bool give_up)
{
    static struct stub_waiting all[STUB_WAITING];
    unsigned n = gpu_stub.waits;
    (void)self;
    gpu_stub.given_up += give_up;
    memcpy(all, gpu_stub.waiting, n * sizeof *all);
    gpu_stub.waits = 0;
    for (unsigned i = 0; i < n; i++) {
        if (all[i].asid != asid)
            gpu_stub.waiting[gpu_stub.waits++] = all[i];
        else if (!give_up)
            gpu_stub_access(asid, all[i].va, all[i].write, true);
    }
    if (give_up)
        give_up_launch(asid);
    report_waiting();
    return MP_MGMT_OK;
}

static bool is_cancelled(const struct stub_waiting *w, unsigned asid, uint64_t va, bool stores)
{
    return w->asid == asid && page_of(asid, w->va) == page_of(asid, va) && (w->write || !stores);
}

static enum mp_mgmt_status cancel(void *self, unsigned asid, uint64_t va, bool stores)
{
    const unsigned n = gpu_stub.waits;
    (void)self;
    gpu_stub.waits = 0;
    for (unsigned i = 0; i < n; i++)
        if (!is_cancelled(&gpu_stub.waiting[i], asid, va, stores))
            gpu_stub.waiting[gpu_stub.waits++] = gpu_stub.waiting[i];
    if (gpu_stub.waits < n)
        give_up_launch(asid);
    return MP_MGMT_OK;
}

/* --- commands ------------------------------------------------------------------------------------- */

static enum mp_mgmt_status create(void *self, unsigned instance, unsigned slices, struct mp_mgmt_memory *m)
{
    (void)self;
    for (unsigned first = 0; first + slices <= 7; first++) {
        unsigned n = 0;
        while (n < slices && !gpu_stub.owner[first + n])
            n++;
        if (n < slices)
            continue;
        for (n = 0; n < slices; n++)
            gpu_stub.owner[first + n] = instance + 1;
        *m = (struct mp_mgmt_memory){first * STUB_SLICE_BYTES, slices * STUB_SLICE_BYTES};
        return MP_MGMT_OK;
    }
    return MP_MGMT_NO_ROOM;
}

static enum mp_mgmt_status destroy(void *self, unsigned instance)
{
    (void)self;
    for (unsigned s = 0; s < 7; s++)
        gpu_stub.owner[s] = gpu_stub.owner[s] == instance + 1 ? 0 : gpu_stub.owner[s];
    return MP_MGMT_OK;
}

static enum mp_mgmt_status set_space(void *self, unsigned asid, const struct mp_mgmt_space *space)
{
    (void)self;
    if (space->valid && !(space->page_bytes & gpu_stub.operations.page_sizes))
        return MP_MGMT_UNSUPPORTED;
    gpu_stub.space[asid] = *space;
    return MP_MGMT_OK;
}

static enum mp_mgmt_status invalidate(void *self, const struct mp_mgmt_invalidation *what)
{
    (void)self;
    gpu_stub.invalidation = *what;
    gpu_stub.invalidations++;
    gpu_stub.invalidation_left = rng_between(&gpu_stub.rng, 1, 5);
    return MP_MGMT_OK;
}

static enum mp_mgmt_status set_walk(void *self, const struct mp_mgmt_walk *w)
{
    (void)self;
    gpu_stub.walk = *w;
    gpu_stub.walks_set++;
    return MP_MGMT_OK;
}

static enum mp_mgmt_status set_tlb(void *self, unsigned level, unsigned policy)
{
    (void)self;
    gpu_stub.tlb_level = level;
    gpu_stub.tlb_policy = policy;
    return MP_MGMT_OK;
}

static enum mp_mgmt_status count(void *self, unsigned asid, uint64_t values[MP_MGMT_COUNTERS])
{
    (void)self;
    values[MP_MGMT_CYCLES] = 1000 + asid;
    values[MP_MGMT_L3_TLB_LOOKUPS] = 200;
    values[MP_MGMT_L3_TLB_MISSES] = 50;
    return MP_MGMT_OK;
}

static enum mp_mgmt_status launch(void *self, const struct mp_mgmt_launch *l)
{
    (void)self;
    if (l->workload >= gpu_stub.operations.workloads)
        return MP_MGMT_NOT_THERE;
    gpu_stub.run[l->instance] = (struct stub_run){true, false, *l, accesses_of_a_launch, false, 0};
    return MP_MGMT_OK;
}

static void preempt(void *self, unsigned instance, unsigned context)
{
    (void)self;
    gpu_stub.run[instance].stops = true;
    gpu_stub.run[instance].context = context;
}

static void resume(void *self, unsigned context)
{
    struct stub_run *saved = &gpu_stub.saved[context];
    (void)self;
    assert_true(saved->runs && !gpu_stub.run[saved->launch.instance].runs);
    gpu_stub.run[saved->launch.instance] = *saved;
    gpu_stub.run[saved->launch.instance].stops = false;
    saved->runs = false;
}

static void drop(void *self, unsigned context)
{
    (void)self;
    assert_true(gpu_stub.saved[context].runs);
    gpu_stub.saved[context].runs = false;
}

/* Each workload has two buffers, where its accesses go. */
static bool buffer(void *self, unsigned workload, unsigned number, struct mp_mgmt_memory *b)
{
    (void)self;
    *b = (struct mp_mgmt_memory){gpu_stub.base[workload] + number * (STUB_SPAN / 2) * 65536ull,
                                 STUB_SPAN / 2 * 65536ull};
    return number < 2;
}

/* --- time ----------------------------------------------------------------------------------------- */

static bool waits(unsigned asid)
{
    for (unsigned i = 0; i < gpu_stub.waits; i++)
        if (gpu_stub.waiting[i].asid == asid)
            return true;
    return false;
}

static void step_run(unsigned instance)
{
    struct stub_run *r = &gpu_stub.run[instance];
    for (unsigned n = 0; n < 8 && r->left && gpu_stub.waits < STUB_WAITING - 64; n++, r->left--)
        some_access(r->launch.asid, true);
    report_waiting();
    if ((r->left && !r->stops) || waits(r->launch.asid))
        return;
    const bool is_saved = r->left;
    if (is_saved)
        gpu_stub.saved[r->context] = *r;
    r->runs = false;
    mp_mgmt_ended(&gpu_stub.mgmt, instance,
                  is_saved      ? MP_MGMT_PREEMPTED
                  : r->given_up ? MP_MGMT_FAULTED
                                : MP_MGMT_OK);
}

static void step(void)
{
    for (unsigned i = 0; i < MP_MGMT_INSTANCES; i++)
        if (gpu_stub.run[i].runs && !gpu_stub.hangs)
            step_run(i);
    if (gpu_stub.invalidation_left && !--gpu_stub.invalidation_left) {
        forget(&gpu_stub.invalidation);
        mp_mgmt_invalidated(&gpu_stub.mgmt, 1);
    }
}

static bool memory_access(uint64_t at, unsigned width, bool write, uint64_t *data)
{
    if (width != 8 || at % 8 || at >= gpu_stub.memory.bytes)
        return false;
    if (write)
        assert_int_equal(mp_physmem_write64(&gpu_stub.memory, at, *data), 0);
    else
        *data = mp_physmem_read64(&gpu_stub.memory, at);
    for (unsigned a = 0; write && a < MP_MGMT_SPACES; a++)
        if (gpu_stub.space[a].valid && rng_percent(&gpu_stub.rng, gpu_stub.busy))
            some_access(a, false);
    return true;
}

static bool more(uint64_t address, unsigned width, bool write, uint64_t *data)
{
    if (address - MP_GPU_BASE < MP_GPU_BYTES)
        return mp_regs_access(&gpu_stub.mgmt.regs, address - MP_GPU_BASE, width, write, data);
    if (address - MP_GPU_MEMORY_BASE < MP_GPU_MEMORY_BYTES)
        return memory_access(address - MP_GPU_MEMORY_BASE, width, write, data);
    return false;
}

/* Only of launches that hang. */
static void stop(void *self, unsigned instance)
{
    (void)self;
    gpu_stub.run[instance].runs = false;
    mp_mgmt_ended(&gpu_stub.mgmt, instance, MP_MGMT_STOPPED);
}

static void restart_walks(void *self, unsigned instance)
{
    (void)self, (void)instance;
    gpu_stub.restarts++;
}

/* It has no latencies to measure. */
static enum mp_mgmt_status probe(void *self, const struct mp_mgmt_probe *what)
{
    (void)self, (void)what;
    return MP_MGMT_UNSUPPORTED;
}

void gpu_stub_reset(struct rng rng, unsigned accesses)
{
    memset(&gpu_stub, 0, sizeof gpu_stub);
    gpu_stub.rng = rng;
    accesses_of_a_launch = accesses;
    assert_int_equal(mp_physmem_init(&gpu_stub.memory, 7 * STUB_SLICE_BYTES), 0);
    gpu_stub.operations = (struct mp_mgmt_gpu){.slices = 7,
                                               .memory_bytes = 7 * STUB_SLICE_BYTES,
                                               .create = create,
                                               .destroy = destroy,
                                               .set_space = set_space,
                                               .invalidate = invalidate,
                                               .set_walk = set_walk,
                                               .set_tlb = set_tlb,
                                               .replay = replay,
                                               .cancel = cancel,
                                               .count = count,
                                               .launch = launch,
                                               .probe = probe,
                                               .preempt = preempt,
                                               .resume = resume,
                                               .drop = drop,
                                               .room = room,
                                               .stop = stop,
                                               .restart_walks = restart_walks,
                                               .walkers = 8,
                                               .workloads = 3,
                                               .buffer = buffer,
                                               .page_sizes = 4096 | 65536 | 2097152};
    gpu_stub.mgmt.gpu = &gpu_stub.operations;
    gpu_stub.mgmt.invalidate = (struct mp_line){&board.plic, mp_plic_source, MP_GPU_INVALIDATE_IRQ, false};
    gpu_stub.mgmt.fault = (struct mp_line){&board.plic, mp_plic_source, MP_GPU_FAULT_IRQ, false};
    gpu_stub.mgmt.queue = (struct mp_line){&board.plic, mp_plic_source, MP_GPU_QUEUE_IRQ, false};
    mp_mgmt_init(&gpu_stub.mgmt);
    for (unsigned a = 0; a < MP_MGMT_SPACES; a++)
        gpu_stub.base[a] = 0x7f0000000000 + a * 0x40000000;
    board_more = more;
    board_idle = step;
}

void gpu_stub_free(void)
{
    mp_physmem_free(&gpu_stub.memory);
}
