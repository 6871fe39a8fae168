/* SPDX-License-Identifier: Apache-2.0 */
/* Both servers of faults on one trace: the firmware serves a GPU that accesses pages at random, and the
 * faults of each of its batches go to the server in C (models/paging). Both decide the same, in the same
 * order, and their page tables have the same pages. If the host wants the pages, too, they thrash: both
 * servers have the same times then, hold the same accesses, and pin the same pages. */
#include "gpu_stub.h"

#include "boot.h"
#include "gmmu.h"
#include "gpu.h"
#include "mig.h"
#include "paging/state.h"
#include "runner.h"
#include "soc/access_counters.h"
#include "uvm.h"
#include "uvm_trace.h"
#include "vm/page_format.h"

enum { PAGE = 65536, SPACES = 2, BYTES = STUB_SPAN * PAGE, MB = 1 << 20, MOST = 4096 };

/* What a server has decided in a batch, and when it has replayed: of each victim and each service its first
 * page and its pages, and how often a page was copied or zeroed. */
struct decisions {
    struct decision {
        enum { BRINGS, EVICTS, REPLAYS } what;
        unsigned asid;
        uint64_t va;
        uint32_t pages;
    } list[MOST];
    uint32_t n;
    uint8_t in[SPACES][STUB_SPAN], out[SPACES][STUB_SPAN], zeroed[SPACES][STUB_SPAN];
    uint8_t held[SPACES][STUB_SPAN], remote[SPACES][STUB_SPAN], done[SPACES][STUB_SPAN];
};

static struct decisions firmware, server;
static struct mp_access_counters counters;
static struct mp_host_link host_link;
static uint32_t batches, victims, held, host_held, pinned, notices, noticed;
static uint64_t at;                            /* the time of a batch of the firmware's, in ns */
static bool same_times, in_batch, owes_replay; /* after the batch */
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

/* One of all spaces, or of some, one after the other. */
static void decide_replay(struct decisions *d)
{
    if (!d->n || d->list[d->n - 1].what != REPLAYS)
        decide(d, (struct decision){.what = REPLAYS});
}

static bool ends_with_replay(const struct decisions *d)
{
    return d->n && d->list[d->n - 1].what == REPLAYS;
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

static void decide_mask(unsigned what, unsigned asid, uint64_t block, const struct mp_uvm_mask *m)
{
    if (mp_uvm_any(m))
        decide(&firmware, (struct decision){what, asid, (block << 21) + (uint64_t)mp_uvm_next(m, 0) * PAGE,
                                            mp_uvm_count(m)});
}

/* Those that come. Returns their number. */
static uint32_t decide_pages(const struct mp_uvm_service *s)
{
    const struct mp_uvm_mask pages = both(&s->zero, &s->copy);
    decide_mask(BRINGS, s->asid, s->block, &pages);
    mark_mask(firmware.in, s->asid, s->block, &s->copy);
    mark_mask(firmware.zeroed, s->asid, s->block, &s->zero);
    return mp_uvm_count(&pages);
}

static void mark_service(struct decisions *d, const struct mp_uvm_service *s)
{
    mark_mask(d->held, s->asid, s->block, &s->held);
    mark_mask(d->remote, s->asid, s->block, &s->remote);
    mark_mask(d->done, s->asid, s->block, &s->done);
}

/* ---- the firmware's, by the linker ---- */

void __wrap_uvm_trace_batch(uint64_t now);
void __wrap_uvm_trace_batch(uint64_t now)
{
    assert_false(owes_replay);
    at = now;
    in_batch = true;
}

enum fw_error __real_gpu_replay(unsigned asid, bool give_up);
enum fw_error __wrap_gpu_replay(unsigned asid, bool give_up);
enum fw_error __wrap_gpu_replay(unsigned asid, bool give_up)
{
    assert_false(give_up);
    if (in_batch)
        decide_replay(&firmware);
    owes_replay = false;
    return __real_gpu_replay(asid, give_up);
}

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
    decide_mask(EVICTS, v->asid, v->block, &pages);
    mark_mask(firmware.out, v->asid, v->block, &v->back);
    victims++;
}

void __wrap_uvm_trace_service(const struct mp_uvm_service *s);
void __wrap_uvm_trace_service(const struct mp_uvm_service *s)
{
    decide_pages(s);
    mark_service(&firmware, s);
    held += mp_uvm_count(&s->held);
}

/* ---- the server's ---- */

static void act(void *self, const struct mp_paging_action *a)
{
    (void)self;
    switch (a->kind) {
    case MP_PAGING_VICTIM:
    case MP_PAGING_SERVICE:
        if (a->pages)
            decide(&server, (struct decision){a->kind == MP_PAGING_VICTIM ? EVICTS : BRINGS, a->asid, a->va,
                                              a->pages});
        break;
    case MP_PAGING_REPLAYED:
        decide_replay(&server);
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

/* What it does not carry out, since it changes nothing. */
static const struct mp_uvm_report *servers_report;

static void served(void *context, const struct mp_uvm_service *s)
{
    mark_service(&server, s);
    servers_report->served(context, s);
}

struct mp_uvm_batch __real_mp_uvm_serve(struct mp_uvm *u, const struct mp_uvm_report *report);
struct mp_uvm_batch __wrap_mp_uvm_serve(struct mp_uvm *u, const struct mp_uvm_report *report);
struct mp_uvm_batch __wrap_mp_uvm_serve(struct mp_uvm *u, const struct mp_uvm_report *report)
{
    const struct mp_uvm_report tapped = {report->evicted, served, report->context};
    if (u != paging->uvm)
        return __real_mp_uvm_serve(u, report);
    servers_report = report;
    return __real_mp_uvm_serve(u, &tapped);
}

static void same_decisions(void)
{
    static const char *const words[] = {"brings", "takes", "replays after"};
    for (uint32_t i = 0; i < firmware.n || i < server.n; i++) {
        const struct decision *f = &firmware.list[i], *s = &server.list[i];
        if (i >= firmware.n || i >= server.n || f->what != s->what || f->asid != s->asid || f->va != s->va ||
            f->pages != s->pages)
            fail_msg("batch %u, decision %u of %u and %u: firmware %s %u pages at 0x%llx of space %u, "
                     "models/paging %s "
                     "%u pages at 0x%llx of space %u",
                     batches, i, firmware.n, server.n, words[f->what], f->pages, (unsigned long long)f->va,
                     f->asid, words[s->what], s->pages, (unsigned long long)s->va, s->asid);
    }
    assert_memory_equal(firmware.in, server.in, sizeof server.in);
    assert_memory_equal(firmware.out, server.out, sizeof server.out);
    assert_memory_equal(firmware.zeroed, server.zeroed, sizeof server.zeroed);
    assert_memory_equal(firmware.held, server.held, sizeof server.held);
    assert_memory_equal(firmware.remote, server.remote, sizeof server.remote);
    assert_memory_equal(firmware.done, server.done, sizeof server.done);
}

/* Cycles of 1 ns. */
static void advance_server(uint64_t ns)
{
    const uint64_t cycle = ns - 1;
    if (wheel.now > cycle)
        fail_msg("models/paging is in cycle %llu, after the firmware's %llu", (unsigned long long)wheel.now,
                 (unsigned long long)cycle);
    run_until(&wheel, cycle); /* pins end */
    mp_wheel_advance(&wheel, cycle);
    assert_int_equal(mp_paging_ns(paging), ns);
}

/* Without waiting for pins to end. */
static void run_server(void)
{
    while (paging->busy)
        run_until(&wheel, mp_wheel_next(&wheel));
}

/* The batch's faults go to the server, which serves them as one batch. */
void __wrap_uvm_trace_batch_end(const struct mp_uvm_batch *b);
void __wrap_uvm_trace_batch_end(const struct mp_uvm_batch *b)
{
    assert_int_equal(b->left, 0);
    if (same_times)
        advance_server(at);
    for (uint32_t i = 0; i < faults; i++)
        assert_true(mp_paging_fault(paging, NULL, &req[i]));
    run_server();
    owes_replay = ends_with_replay(&server) && !ends_with_replay(&firmware);
    firmware.n -= ends_with_replay(&firmware);
    server.n -= ends_with_replay(&server);
    same_decisions();
    in_batch = false;
    memset(&firmware, 0, sizeof firmware);
    memset(&server, 0, sizeof server);
    faults = 0;
    batches++;
}

/* What the server does next is not of a batch of faults. */
static void serve_other(void)
{
    assert_false(paging->busy);
    paging->busy = true;
    mp_paging_serve(paging, NULL);
    run_server();
    same_decisions();
    memset(&firmware, 0, sizeof firmware);
    memset(&server, 0, sizeof server);
    batches++;
}

/* ---- evictions ahead of need ---- */

void __wrap_uvm_trace_ahead_end(uint32_t units, uint32_t spare);
void __wrap_uvm_trace_ahead_end(uint32_t units, uint32_t spare)
{
    const uint32_t before = mp_uvm_spare_units(paging->uvm);
    paging->clears = true;
    serve_other();
    assert_int_equal(mp_uvm_spare_units(paging->uvm), spare);
    assert_int_equal(spare - before, units);
}

/* ---- notices ---- */

void __wrap_uvm_trace_count(uint64_t now, unsigned asid, uint64_t va, uint32_t bigs, uint32_t count,
                            const struct mp_uvm_hit *hit);
void __wrap_uvm_trace_count(uint64_t now, unsigned asid, uint64_t va, uint32_t bigs, uint32_t count,
                            const struct mp_uvm_hit *hit)
{
    advance_server(now);
    mp_uvm_at(paging->uvm, now);
    const struct mp_uvm_hit s = mp_uvm_counted(paging->uvm, (uint8_t)asid, va, bigs, count);
    assert_int_equal(s.what, hit->what);
    assert_int_equal(s.count, hit->count);
    assert_int_equal(s.notice, hit->notice);
    paging->notices += s.notice;
}

void __wrap_uvm_trace_notices(uint64_t now);
void __wrap_uvm_trace_notices(uint64_t now)
{
    at = now;
}

void __wrap_uvm_trace_noticed(const struct mp_uvm_service *s);
void __wrap_uvm_trace_noticed(const struct mp_uvm_service *s)
{
    noticed += decide_pages(s);
}

void __wrap_uvm_trace_notices_end(const struct mp_uvm_noticed *n);
void __wrap_uvm_trace_notices_end(const struct mp_uvm_noticed *n)
{
    advance_server(at);
    notices += n->notices;
    if (paging->notices)
        serve_other();
    assert_int_equal(paging->notices, n->left);
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

/* ---- the host ---- */

static void note_block(void *state, const struct mp_uvm_state *s)
{
    struct mp_uvm_state *of = state;
    if (s->block == of->block)
        *of = *s;
}

/* What the server's library has in va's block. */
static struct mp_uvm_state state_of(unsigned asid, uint64_t va)
{
    struct mp_uvm_state s = {.block = va / MP_UVM_BLOCK_BYTES};
    mp_uvm_dump(paging->uvm, (uint8_t)asid, note_block, &s);
    return s;
}

/* mp_paging_host() would take its turn after the faults that are waiting. The firmware's host does not wait,
 * so this carries its accesses out: entries leave, and frames of units that have no page any more. */
static void take_to_host(unsigned asid, uint64_t va, const struct mp_uvm_mask *pages)
{
    struct mp_paging_range *r = mp_paging_find(paging, (uint16_t)asid, va);
    const struct mp_uvm_state s = state_of(asid, va);
    const uint64_t block = s.block - r->va / MP_UVM_BLOCK_BYTES;
    uint64_t pa;
    MP_UVM_EACH_PAGE (page, pages)
        if (mp_page_table_find(&space[asid].table, (s.block << 21) + (uint64_t)page * PAGE, &pa))
            mp_space_remove(&space[asid], (s.block << 21) + (uint64_t)page * PAGE, PAGE);
    for (uint32_t u = 0; u < paging->per_block; u++)
        if (!mp_uvm_any_in(&s.gpu, u * paging->unit_pages, (u + 1) * paging->unit_pages))
            mp_paging_give(paging, r, (uint32_t)block * paging->per_block + u, wheel.now, 0);
}

void __wrap_uvm_trace_host(uint64_t now, unsigned asid, uint64_t va, const struct mp_uvm_moved *m);
void __wrap_uvm_trace_host(uint64_t now, unsigned asid, uint64_t va, const struct mp_uvm_moved *m)
{
    if (!same_times)
        return;
    advance_server(now);
    mp_uvm_at(paging->uvm, now);
    const struct mp_uvm_moved s = mp_uvm_host(paging->uvm, (uint8_t)asid, va, MP_UVM_WRITE);
    assert_int_equal(s.what, m->what);
    assert_int_equal(s.pinned, m->pinned);
    assert_int_equal(s.end, m->end);
    assert_memory_equal(&s.pages, &m->pages, sizeof s.pages);
    if (s.what == MP_UVM_MOVED)
        take_to_host(asid, va, &s.pages);
    host_held += s.what == MP_UVM_HELD;
    pinned += s.pinned;
}

/* ---- a round of all designs ---- */

/* Without costs, it is ready for the firmware's next batch at any time. */
static void begin_server(const struct uvm_setup *setup)
{
    struct mp_paging_params p = {.uvm = MP_UVM_USUAL,
                                 .cost = {.gbps = 1000000, .zero_gbps = 1000000},
                                 .clock_mhz = 1000,
                                 .link = &host_link,
                                 .failed = failed};
    const struct uvm_thrashing *t = &setup->thrashing;
    const struct mp_frames_params f = {.base = 2 * MB, .bytes = 64 * MB, .page_bytes = PAGE};
    struct mp_error err = {{0}};
    p.uvm.prefetch = mp_uvm_prefetch_find(uvm_prefetch_name(setup->prefetch));
    p.uvm.evict = mp_uvm_evict_find(uvm_evict_name(setup->evict));
    p.uvm.migrate = mp_uvm_migrate_find(uvm_migrate_name(setup->migrate));
    p.uvm.counter = setup->counter ? setup->counter : p.uvm.counter;
    p.uvm.granule_bytes = setup->granule_bytes ? setup->granule_bytes : p.uvm.granule_bytes;
    p.overlaps = setup->overlaps;
    p.uvm.thrashing = t->events;
    if (t->events) {
        p.uvm.events = t->events;
        p.uvm.throttles = t->throttles;
        p.uvm.lapse = t->lapse;
        p.uvm.nap = t->nap;
        p.uvm.epoch = t->epoch;
        p.uvm.pin = t->pin;
        p.uvm.resets = t->resets;
        p.uvm.c2c = t->coherent;
    }
    p.uvm.replay = (enum mp_uvm_replay)setup->replay;
    p.uvm.page_bytes = PAGE;
    p.uvm.chunks = setup->chunks;
    p.uvm.sms = STUB_WAITING;
    host_link = (struct mp_host_link){0};
    mp_wheel_init(&wheel);
    assert_int_equal(mp_physmem_init(&memory, 66 * MB), 0);
    assert_int_equal(mp_frames_init(&frames, &mp_frames_ascending, &f, &err), 0);
    paging = mp_paging_new(&wheel, &frames, &p, &err);
    if (!paging)
        fail_msg("%s", err.text);
    mp_paging_watch(paging, act, NULL);
    for (unsigned a = 0; a < SPACES; a++) {
        const struct mp_space_params s = {.asid = (uint16_t)a,
                                          .tenant = (uint16_t)a,
                                          .format = mp_page_format(PAGE),
                                          .memory = &memory,
                                          .frames = &frames};
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

static enum mp_mgmt_status (*replay_at_once)(void *gpu, unsigned asid, bool give_up);

/* The board's clock stops while nothing sleeps, and an access that is held never sleeps. */
static enum mp_mgmt_status replay(void *gpu, unsigned asid, bool give_up)
{
    enum { TICKS = 50 };
    mp_clint_advance(&board.clint, board.clint.now + TICKS);
    return replay_at_once(gpu, asid, give_up);
}

static void begin_firmware(unsigned accesses)
{
    board_reset();
    gpu_stub_reset(rng_start("servers of managed memory", 11), accesses);
    gpu_stub.operations.store = store;
    replay_at_once = gpu_stub.operations.replay;
    gpu_stub.operations.replay = replay;
    gpu_stub.operations.sms = STUB_WAITING;
    gpu_stub.operations.host_bytes = MP_HOST_PAGES_BYTES;
    gpu_stub.operations.counters = &counters;
    assert_int_equal(mp_access_counters_init(&counters, 64), 0);
    mp_mgmt_init(&gpu_stub.mgmt);
    assert_int_equal(boot(), FW_OK);
    assert_int_equal(mig_create(0, 3), FW_OK);
    for (unsigned a = 0; a < SPACES; a++)
        assert_int_equal(mig_space_open(0, a, PAGE), FW_OK);
}

static void end_firmware(void)
{
    mp_access_counters_free(&counters);
    gpu_stub_free();
}

static void begin(const struct uvm_setup *setup)
{
    begin_server(setup);
    assert_int_equal(uvm_pool(0, setup), FW_OK);
    for (unsigned a = 0; a < SPACES; a++)
        assert_int_equal(uvm_manage(a, page_of(a, 0), BYTES, false), FW_OK);
}

static void end(void)
{
    for (unsigned a = 0; a < SPACES; a++)
        assert_int_equal(uvm_unmanage(a, page_of(a, 0)), FW_OK);
    end_server();
}

static void run_in_all(unsigned rounds)
{
    for (; rounds; rounds--) {
        for (unsigned a = 0; a < SPACES; a++)
            assert_int_equal(runner_start(0, a, a), FW_OK);
        assert_int_equal(runner_wait(), FW_OK);
        assert_false(owes_replay);
        same_pages();
    }
}

/* Two spaces of 4 MB in memory of 4 or 6 MB. */
static void both_servers_decide_the_same(void **state)
{
    (void)state;
    begin_firmware(300);
    same_times = false;
    for (unsigned prefetch = 0; uvm_prefetch_name(prefetch); prefetch++)
        for (unsigned evict = 0; uvm_evict_name(evict); evict++) {
            const struct uvm_setup setup = {.chunks = 2 + (prefetch + evict) % 2,
                                            .page_bytes = PAGE,
                                            .prefetch = prefetch,
                                            .evict = evict};
            const uint32_t victims_before = victims;
            begin(&setup);
            run_in_all(2);
            assert_true(victims > victims_before);
            end();
        }
    print_message("%u batches, %u victims\n", batches, victims);
    end_firmware();
}

/* All policies that say when accesses try again, with designs that evict while a batch is served. */
static void replay_policies(void **state)
{
    uint64_t replays[4] = {0};
    (void)state;
    begin_firmware(60);
    same_times = false;
    for (unsigned policy = 0; uvm_replay_name(policy); policy++) {
        for (unsigned evict = 0; uvm_evict_name(evict); evict++) {
            const struct uvm_setup setup = {
                .chunks = 2, .page_bytes = PAGE, .prefetch = evict % 5, .evict = evict, .replay = policy};
            begin(&setup);
            run_in_all(4);
            replays[policy] += uvm_counts(0)->replays;
            end();
        }
        print_message("%s: %u replays\n", uvm_replay_name(policy), (unsigned)replays[policy]);
    }
    assert_true(replays[MP_UVM_REPLAY_BLOCK] > replays[MP_UVM_REPLAY_BATCH]);
    end_firmware();
}

/* Chunks are kept free, and copies overlap, which changes when pages move, but none of the decisions. */
static void early_evictions(void **state)
{
    uint64_t ahead = 0;
    (void)state;
    begin_firmware(100);
    same_times = false;
    for (unsigned evict = 0; uvm_evict_name(evict); evict++)
        for (unsigned overlaps = 0; overlaps < 2; overlaps++) {
            const struct uvm_setup setup = {.chunks = 3,
                                            .page_bytes = PAGE,
                                            .prefetch = evict % 5,
                                            .evict = evict,
                                            .ahead = 1 + (evict + overlaps) % 2,
                                            .overlaps = overlaps};
            begin(&setup);
            run_in_all(2);
            assert_true(uvm_counts(0)->ahead > 0 && uvm_counts(0)->ahead <= uvm_counts(0)->evictions);
            ahead += uvm_counts(0)->ahead;
            end();
        }
    print_message("%u units left ahead of need\n", (unsigned)ahead);
    end_firmware();
}

/* The host wants one of the first pages, as the launch does that runs. */
static void access_as_host(struct rng *rng)
{
    enum { WANTED = 2, STEPS = 30 };
    const unsigned a = rng_below(rng, SPACES);
    if (!gpu_is_busy(0))
        assert_int_equal(runner_start(0, a, a), FW_OK);
    gpu_stub_access(a, page_of(a, rng_below(rng, WANTED)), rng_percent(rng, 50), true);
    for (unsigned i = rng_below(rng, STEPS); i; i--)
        board_step();
    runner_serve();
    assert_int_equal(uvm_host(a, page_of(a, rng_below(rng, WANTED)), PAGE), FW_OK);
    runner_serve();
}

/* The firmware's page tables have what the server's library decides, where pins have ended, too. */
static void same_states(void)
{
    struct gmmu_walk w;
    uvm_service();
    advance_server(clint_now() * 100 + 1);
    mp_uvm_at(paging->uvm, mp_paging_ns(paging));
    for (unsigned a = 0; a < SPACES; a++)
        for (unsigned i = 0; i < STUB_SPAN; i++) {
            const struct mp_uvm_state s = state_of(a, page_of(a, i));
            const uint32_t page = page_of(a, i) % MP_UVM_BLOCK_BYTES / PAGE;
            const bool mapped = !gmmu_walk(a, page_of(a, i), &w) && w.mapped,
                       on_host = mapped && w.pa >= MP_CE_HOST;
            if (on_host != mp_uvm_has(&s.remote, page) || (mapped && !on_host) != mp_uvm_has(&s.gpu, page))
                fail_msg("page %u of space %u is at 0x%llx by firmware, and %s by models/paging", i, a,
                         mapped ? (unsigned long long)w.pa : 0,
                         mp_uvm_has(&s.gpu, page)      ? "on the GPU"
                         : mp_uvm_has(&s.remote, page) ? "on the host, mapped"
                                                       : "on the host");
        }
}

/* Pages that both processors want. The board's clock has 1 us. */
static void pages_that_thrash(void **state)
{
    struct rng rng = rng_start("hosts that want pages", 3);
    uint64_t unpinned = 0;
    (void)state;
    begin_firmware(60);
    same_times = true;
    held = 0;
    for (unsigned i = 0; i < 8; i++) {
        const struct uvm_setup setup = {.chunks = 2 + i % 2,
                                        .page_bytes = PAGE,
                                        .prefetch = i % 5,
                                        .evict = i,
                                        .thrashing = {.events = 1 + i % 3,
                                                      .throttles = 1 + i % 2,
                                                      .lapse = 150000 << i % 2,
                                                      .nap = 1 + i % 2,
                                                      .epoch = 5,
                                                      .pin = i % 4 * 2,
                                                      .resets = 4}};
        begin(&setup);
        for (unsigned round = 0; round < 2; round++) {
            for (unsigned n = 0; n < 60; n++)
                access_as_host(&rng);
            assert_int_equal(runner_wait(), FW_OK);
            same_states();
        }
        unpinned += uvm_counts(0)->unpinned;
        end();
    }
    print_message("%u pages held, %u accesses of the host held, %u pages pinned by them, %u pins ended\n",
                  held, host_held, pinned, (unsigned)unpinned);
    assert_true(held > 500 && host_held > 10 && pinned > 5 && unpinned > 5);
    end_firmware();
}

/* The same, while access counters bring pages. */
static void notices_of_pages_that_thrash(void **state)
{
    struct rng rng = rng_start("hosts that want pages with counters", 5);
    (void)state;
    begin_firmware(60);
    same_times = true;
    held = pinned = notices = noticed = 0;
    for (unsigned i = 0; i < 12; i++) {
        const struct uvm_setup setup = {
            .chunks = 2 + i % 2,
            .page_bytes = PAGE,
            .prefetch = i % 5,
            .evict = i % 8,
            .migrate = 2 + i % 3,
            .counter = 1 + 2 * (i % 4),
            .granule_bytes = i % 2 ? 65536 : 2097152,
            .thrashing = {1 + i % 3, 1 + i % 2, 150000, 1, 5, i % 4 * 2, 4, .coherent = i % 3 == 2}};
        begin(&setup);
        for (unsigned round = 0; round < 2; round++) {
            for (unsigned n = 0; n < 60; n++)
                access_as_host(&rng);
            assert_int_equal(runner_wait(), FW_OK);
            same_states();
        }
        end();
    }
    print_message("%u pages held, %u pinned by the host, %u notices, which brought %u pages\n", held, pinned,
                  notices, noticed);
    assert_true(held > 100 && pinned > 0 && notices > 100 && noticed > 100);
    end_firmware();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_servers_decide_the_same),
                                       cmocka_unit_test(replay_policies), cmocka_unit_test(early_evictions),
                                       cmocka_unit_test(pages_that_thrash),
                                       cmocka_unit_test(notices_of_pages_that_thrash)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
