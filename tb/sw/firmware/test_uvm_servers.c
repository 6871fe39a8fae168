/* SPDX-License-Identifier: Apache-2.0 */
/* Both servers of faults on one trace: the firmware serves a GPU that accesses pages at random, and the
 * faults of each of its batches go to the server in C (models/paging). Both decide the same, in the same
 * order, and their page tables have the same pages. */
#include "gpu_stub.h"

#include "dma.h"
#include "fault.h"
#include "gmmu.h"
#include "gpu.h"
#include "mig.h"
#include "paging/paging.h"
#include "recovery.h"
#include "runner.h"
#include "uvm.h"
#include "uvm_trace.h"
#include "vm/page_format.h"
#include "watchdog.h"

enum { PAGE = 65536, ACCESSES = 300, SPACES = 2, BYTES = STUB_SPAN * PAGE, MB = 1 << 20, MOST = 4096 };

/* What a server has decided in a batch: of each victim and each service its first page and its pages, and how
 * often a page was copied or zeroed. */
struct decisions {
    struct decision {
        bool evicts;
        unsigned asid;
        uint64_t va;
        uint32_t pages;
    } list[MOST];
    uint32_t n;
    uint8_t in[SPACES][STUB_SPAN], out[SPACES][STUB_SPAN], zeroed[SPACES][STUB_SPAN];
};

static struct decisions firmware, server;
static uint32_t batches, victims;
static struct mp_wheel wheel;
static struct mp_physmem memory;
static struct mp_frames frames;
static struct mp_space space[SPACES];
static struct mp_paging *paging;
static struct mp_req req[MOST]; /* faults of the batch */
static uint32_t faults;

static void failed(void *self, unsigned asid, const char *why)
{
    (void)self;
    fail_msg("space %u: %s", asid, why);
}

/* ---- decisions ---- */

static uint64_t page_of(unsigned asid, unsigned page)
{
    return gpu_stub.base[asid] + (uint64_t)page * PAGE;
}

static void decide(struct decisions *d, struct decision what)
{
    assert_true(d->n < MOST);
    d->list[d->n++] = what;
}

static void mark(uint8_t of[SPACES][STUB_SPAN], unsigned asid, uint64_t va, uint32_t pages)
{
    for (const uint64_t first = (va - gpu_stub.base[asid]) / PAGE; pages; pages--)
        of[asid][first + pages - 1]++;
}

static void mark_mask(uint8_t of[SPACES][STUB_SPAN], unsigned asid, uint64_t block,
                      const struct mp_uvm_mask *m)
{
    MP_UVM_EACH_PAGE (page, m)
        mark(of, asid, (block << 21) + (uint64_t)page * PAGE, 1);
}

static struct mp_uvm_mask both(const struct mp_uvm_mask *a, const struct mp_uvm_mask *b)
{
    struct mp_uvm_mask m;
    MP_UVM_EACH (i)
        m.w[i] = a->w[i] | b->w[i];
    return m;
}

static void decide_mask(bool evicts, unsigned asid, uint64_t block, const struct mp_uvm_mask *m)
{
    if (mp_uvm_any(m))
        decide(&firmware, (struct decision){evicts, asid, (block << 21) + (uint64_t)mp_uvm_next(m, 0) * PAGE,
                                            mp_uvm_count(m)});
}

/* ---- the firmware's, by the linker ---- */

void __wrap_uvm_trace_fault(uint64_t at, const struct mp_mgmt_fault *f, unsigned access);
void __wrap_uvm_trace_fault(uint64_t at, const struct mp_mgmt_fault *f, unsigned access)
{
    static const uint8_t ops[] = {
        [MP_UVM_READ] = MP_LOAD, [MP_UVM_WRITE] = MP_STORE, [MP_UVM_ATOMIC] = MP_ATOMIC};
    (void)at;
    assert_in_range(access, MP_UVM_READ, MP_UVM_ATOMIC);
    assert_true(faults < MOST);
    req[faults++] = (struct mp_req){.va = f->va, .asid = f->asid, .sm = f->sm, .op = ops[access]};
}

void __wrap_uvm_trace_victim(const struct mp_uvm_victim *v);
void __wrap_uvm_trace_victim(const struct mp_uvm_victim *v)
{
    const struct mp_uvm_mask pages = both(&v->back, &v->drop);
    decide_mask(true, v->asid, v->block, &pages);
    mark_mask(firmware.out, v->asid, v->block, &v->back);
    victims++;
}

void __wrap_uvm_trace_service(const struct mp_uvm_service *s);
void __wrap_uvm_trace_service(const struct mp_uvm_service *s)
{
    const struct mp_uvm_mask pages = both(&s->zero, &s->copy);
    decide_mask(false, s->asid, s->block, &pages);
    mark_mask(firmware.in, s->asid, s->block, &s->copy);
    mark_mask(firmware.zeroed, s->asid, s->block, &s->zero);
}

/* ---- the server's ---- */

static void act(void *self, const struct mp_paging_action *a)
{
    (void)self;
    switch (a->kind) {
    case MP_PAGING_VICTIM:
    case MP_PAGING_SERVICE:
        if (a->pages)
            decide(&server, (struct decision){a->kind == MP_PAGING_VICTIM, a->asid, a->va, a->pages});
        break;
    case MP_PAGING_COPIED_IN:
        mark(server.in, a->asid, a->va, a->pages);
        break;
    case MP_PAGING_COPIED_OUT:
        mark(server.out, a->asid, a->va, a->pages);
        break;
    case MP_PAGING_ZEROED:
        mark(server.zeroed, a->asid, a->va, a->pages);
        break;
    default:
        break;
    }
}

static void same_decisions(void)
{
    for (uint32_t i = 0; i < firmware.n || i < server.n; i++) {
        const struct decision *f = &firmware.list[i], *s = &server.list[i];
        if (i >= firmware.n || i >= server.n || f->evicts != s->evicts || f->asid != s->asid ||
            f->va != s->va || f->pages != s->pages)
            fail_msg("batch %u, decision %u of %u and %u: firmware %s %u pages at 0x%llx of space %u, "
                     "models/paging %s "
                     "%u pages at 0x%llx of space %u",
                     batches, i, firmware.n, server.n, f->evicts ? "takes" : "brings", f->pages,
                     (unsigned long long)f->va, f->asid, s->evicts ? "takes" : "brings", s->pages,
                     (unsigned long long)s->va, s->asid);
    }
    assert_memory_equal(firmware.in, server.in, sizeof server.in);
    assert_memory_equal(firmware.out, server.out, sizeof server.out);
    assert_memory_equal(firmware.zeroed, server.zeroed, sizeof server.zeroed);
}

/* The batch's faults go to the server, which serves them as one batch. */
void __wrap_uvm_trace_batch_end(const struct mp_uvm_batch *b);
void __wrap_uvm_trace_batch_end(const struct mp_uvm_batch *b)
{
    assert_int_equal(b->left, 0);
    for (uint32_t i = 0; i < faults; i++)
        assert_true(mp_paging_fault(paging, NULL, &req[i]));
    run_dry(&wheel);
    same_decisions();
    memset(&firmware, 0, sizeof firmware);
    memset(&server, 0, sizeof server);
    faults = 0;
    batches++;
}

/* Read after a round, in which all entries have become valid. */
static void same_pages(void)
{
    struct gmmu_walk w;
    for (unsigned a = 0; a < SPACES; a++)
        for (unsigned i = 0; i < STUB_SPAN; i++) {
            uint64_t pa;
            const bool there = mp_page_table_find(&space[a].table, page_of(a, i), &pa);
            const bool mapped = !gmmu_walk(a, page_of(a, i), &w) && w.mapped;
            if (there != mapped)
                fail_msg("page %u of space %u is %smapped by firmware, and %smapped by models/paging", i, a,
                         mapped ? "" : "not ", there ? "" : "not ");
        }
}

/* ---- a round of all designs ---- */

static void begin_server(unsigned chunks, const char *prefetch, const char *evict)
{
    struct mp_paging_params p = {.uvm = MP_UVM_USUAL,
                                 .cost = {.latency = 700, .gbps = 12, .zero_gbps = 100},
                                 .clock_mhz = 1000,
                                 .failed = failed};
    const struct mp_frames_params f = {.base = 2 * MB, .bytes = 64 * MB, .page_bytes = PAGE};
    struct mp_error err = {{0}};
    p.uvm.prefetch = mp_uvm_prefetch_find(prefetch);
    p.uvm.evict = mp_uvm_evict_find(evict);
    p.uvm.thrashing = false;
    p.uvm.page_bytes = PAGE;
    p.uvm.chunks = chunks;
    p.uvm.sms = STUB_WAITING;
    mp_wheel_init(&wheel);
    assert_int_equal(mp_physmem_init(&memory, 66 * MB), 0);
    assert_int_equal(mp_frames_init(&frames, &mp_frames_ascending, &f, &err), 0);
    paging = mp_paging_new(&wheel, &frames, &p, &err);
    if (!paging)
        fail_msg("%s", err.text);
    mp_paging_watch(paging, act, NULL);
    for (uint16_t a = 0; a < SPACES; a++) {
        const struct mp_space_params s = {
            .asid = a, .tenant = a, .format = mp_page_format(PAGE), .memory = &memory, .frames = &frames};
        assert_int_equal(mp_space_init(&space[a], &s, &err), 0);
        assert_int_equal(mp_paging_open(paging, &space[a], page_of(a, 0), BYTES, &err), 0);
    }
}

static void end_server(void)
{
    mp_paging_free(paging);
    for (unsigned a = 0; a < SPACES; a++)
        mp_space_free(&space[a]);
    mp_frames_free(&frames);
    mp_physmem_free(&memory);
    mp_wheel_free(&wheel);
}

static int store(void *gpu, uint64_t address, const void *from, size_t bytes)
{
    (void)gpu;
    return mp_physmem_write(&gpu_stub.memory, address, from, bytes);
}

static void begin_firmware(void)
{
    board_reset();
    gpu_stub_reset(rng_start("servers of managed memory", 11), ACCESSES);
    gpu_stub.operations.store = store;
    gpu_stub.operations.sms = STUB_WAITING;
    mp_mgmt_init(&gpu_stub.mgmt);
    recovery_init();
    dma_init();
    gpu_init();
    gmmu_init();
    mig_init();
    fault_init();
    runner_init();
    watchdog_init();
    uvm_init();
    assert_int_equal(mig_create(0, 3), FW_OK);
    for (unsigned a = 0; a < SPACES; a++)
        assert_int_equal(mig_space_open(0, a, PAGE), FW_OK);
}

/* Two spaces of 4 MB in memory of 4 or 6 MB. */
static void both_servers_decide_the_same(void **state)
{
    (void)state;
    begin_firmware();
    for (unsigned prefetch = 0; uvm_prefetch_name(prefetch); prefetch++)
        for (unsigned evict = 0; uvm_evict_name(evict); evict++) {
            const unsigned chunks = 2 + (prefetch + evict) % 2;
            const uint32_t victims_before = victims;
            begin_server(chunks, uvm_prefetch_name(prefetch), uvm_evict_name(evict));
            assert_int_equal(uvm_pool(0, &(struct uvm_setup){.chunks = chunks,
                                                             .page_bytes = PAGE,
                                                             .prefetch = prefetch,
                                                             .evict = evict}),
                             FW_OK);
            for (unsigned a = 0; a < SPACES; a++)
                assert_int_equal(uvm_manage(a, page_of(a, 0), BYTES, false), FW_OK);
            for (unsigned round = 0; round < 2; round++) {
                for (unsigned a = 0; a < SPACES; a++)
                    assert_int_equal(runner_start(0, a, a), FW_OK);
                assert_int_equal(runner_wait(), FW_OK);
                same_pages();
            }
            assert_true(victims > victims_before);
            for (unsigned a = 0; a < SPACES; a++)
                assert_int_equal(uvm_unmanage(a, page_of(a, 0)), FW_OK);
            end_server();
        }
    print_message("%u batches, %u victims\n", batches, victims);
    gpu_stub_free();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_servers_decide_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
