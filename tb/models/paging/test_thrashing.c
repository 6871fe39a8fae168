/* SPDX-License-Identifier: Apache-2.0 */
/* Pages that the host and the GPU want: who waits, where they stay, and until when. A run of random accesses
 * is repeated with the seed that it prints: test_paging_thrashing SEED. */
#include <time.h>

#include "bench.h"

enum { LAPSE = 100000, RETRY = 10 };

/* ---- accesses of the GPU, which try again until they have their page ---- */

struct access {
    struct mp_req req;
    uint64_t ended; /* cycle; UINT64_MAX: not yet */
};

static void attempt(void *access, void *unused)
{
    struct access *a = access;
    const struct mp_page_table_end end = mp_page_table_end(&b.space[a->req.asid].table, a->req.va);
    (void)unused;
    if (!end.mapped || (a->req.op != MP_LOAD && mp_pte_read_only(end.form, end.entry))) {
        assert_true(mp_paging_fault(b.paging, NULL, &a->req));
        return;
    }
    a->req.pa = where_in(a->req.asid, a->req.va);
    if (a->req.pa >= MP_HOST_MEMORY)
        mp_paging_remote(b.paging, &a->req);
    a->ended = b.wheel.now;
}

static void retry(struct mp_req *page)
{
    mp_at(&b.wheel, RETRY, attempt, page, NULL);
}

static void gpu_accesses(struct access *a, uint32_t space, uint64_t va, enum mp_op op)
{
    *a = (struct access){{.va = va, .asid = (uint8_t)space, .op = (uint8_t)op}, UINT64_MAX};
    attempt(a, NULL);
}

static struct mp_paging_params thrashing(void)
{
    struct mp_paging_params p = usual();
    p.uvm.thrashing = true;
    p.uvm.lapse = LAPSE;
    p.cost.interrupt = 100;
    return p;
}

static void start(const struct mp_paging_params *p)
{
    set_up(p);
    no_sms_retry = retry;
    no_sms_uses = false;
}

static const struct mp_paging_stats *counters(void)
{
    return mp_paging_counters(b.paging, 0);
}

/* Runs up to this cycle, and waits until it. */
static void go(uint64_t cycle)
{
    run_until(&b.wheel, cycle);
    mp_wheel_advance(&b.wheel, cycle);
}

static void await(const uint64_t *ended)
{
    while (*ended == UINT64_MAX && mp_wheel_next(&b.wheel) < UINT32_MAX)
        run_until(&b.wheel, mp_wheel_next(&b.wheel));
    assert_true(*ended != UINT64_MAX);
}

/* ---- one page, by hand ---- */

enum { COPY = 700 + 342 };

static bool is_on_gpu(void)
{
    return where(HEAP) && where(HEAP) < MP_HOST_MEMORY;
}

static void gpu_reads(void)
{
    struct access a;
    gpu_accesses(&a, 0, HEAP, MP_LOAD);
    await(&a.ended);
}

static void host_reads_page(void)
{
    uint64_t ended;
    host_reads(0, HEAP, 8, &ended);
    await(&ended);
}

/* The page goes to and fro within a lapse each, this number of times in all, first to the GPU. */
static void to_and_fro(const struct mp_paging_params *p, uint32_t times)
{
    start(p);
    open(2 * MB);
    for (uint32_t i = 0; i < times; i++)
        if (i % 2)
            host_reads_page();
        else
            gpu_reads();
    assert_int_equal(is_on_gpu(), times % 2);
    assert_int_equal(counters()->held + counters()->naps + counters()->pinned, 0);
}

/* The first that asks for a page that thrashes, here the host, has it for a lapse, in which the GPU faults in
 * vain. */
static void the_gpu_is_held(void **state)
{
    const struct mp_paging_params p = thrashing();
    struct access a;
    (void)state;
    to_and_fro(&p, 5);
    const uint64_t hold = b.wheel.now;
    host_reads_page();
    assert_int_equal(b.wheel.now, hold + COPY);
    assert_int_equal(where(HEAP), 0);
    b.actions = 0;
    gpu_accesses(&a, 0, HEAP, MP_LOAD);
    run_until(&b.wheel, hold + LAPSE - 1);
    assert_int_equal(a.ended, UINT64_MAX);
    assert_int_equal(counters()->held, count(MP_PAGING_BATCH));
    assert_in_range(counters()->held, (LAPSE - COPY) / 111, (LAPSE - COPY) / 110 + 1);
    await(&a.ended);
    assert_in_range(a.ended, hold + LAPSE + COPY, hold + LAPSE + COPY + 150);
    assert_true(is_on_gpu());
    assert_int_equal(counters()->pinned + counters()->naps, 0);
}

/* One hold is enough for a pin, which lasts two lapses. */
static struct mp_paging_params one_hold(void)
{
    struct mp_paging_params p = thrashing();
    p.uvm.events = 4;
    p.uvm.throttles = 1;
    p.uvm.pin = 2;
    return p;
}

/* The page thrashes when the host has it for the third time, and the GPU asks first. Returns the cycle in
 * which it does, and from when on the host is held for a lapse. */
static uint64_t hold_the_host(const struct mp_paging_params *p, uint64_t *ended)
{
    uint32_t at = 0;
    to_and_fro(p, 6);
    b.actions = 0;
    gpu_reads();
    host_reads(0, HEAP, 8, ended);
    run_until(&b.wheel, b.wheel.now + 1);
    assert_int_equal(counters()->naps, 1);
    assert_true(is_on_gpu());
    return next(MP_PAGING_BATCH, &at)->began;
}

/* Then the page is pinned to the host, and the GPU maps it at once. */
static uint64_t pin_to_host(const struct mp_paging_params *p)
{
    uint64_t ended;
    const uint64_t hold = hold_the_host(p, &ended);
    run_until(&b.wheel, hold + LAPSE - 1);
    assert_true(is_on_gpu());
    assert_int_equal(counters()->pinned, 0);
    await(&ended);
    assert_int_equal(ended, hold + LAPSE + COPY);
    assert_int_equal(counters()->naps, 1);
    assert_true(where(HEAP) >= MP_HOST_MEMORY);
    assert_int_equal(counters()->mapped, 1);
    assert_int_equal(counters()->pinned, 1);
    return hold + LAPSE;
}

static void a_page_that_both_want_is_pinned_for_a_time(void **state)
{
    const struct mp_paging_params p = one_hold();
    struct access a;
    (void)state;
    const uint64_t end = pin_to_host(&p) + 2 * LAPSE;
    gpu_accesses(&a, 0, HEAP, MP_STORE);
    assert_int_equal(a.ended, b.wheel.now);
    run_until(&b.wheel, end - 1);
    assert_true(where(HEAP) >= MP_HOST_MEMORY);
    assert_int_equal(counters()->unpinned, 0);
    go(end);
    assert_int_equal(where(HEAP), 0);
    assert_int_equal(counters()->unpinned, 1);
    gpu_reads(); /* all is forgotten */
    assert_true(is_on_gpu());
}

/* The pin ends while an access of the GPU is in flight that uses the entry: the page does not come before
 * that has ended. The server asks for accesses that were issued before the pin's end. */
static void the_end_of_a_pin_is_confirmed_before_the_page_moves(void **state)
{
    enum { IN_FLIGHT = 5000 };
    const struct mp_paging_params p = one_hold();
    static struct mp_sm sm;
    struct access a;
    uint32_t at = 0;
    (void)state;
    const uint64_t end = pin_to_host(&p) + 2 * LAPSE;
    mp_paging_add_sm(b.paging, &sm);
    no_sms_uses = true;
    go(end);
    assert_int_equal(where(HEAP), 0);
    b.actions = 0;
    gpu_accesses(&a, 0, HEAP, MP_LOAD);
    go(end + IN_FLIGHT);
    assert_int_equal(no_sms_since, end);
    assert_int_equal(count(MP_PAGING_COPIED_IN), 0);
    no_sms_uses = false;
    await(&a.ended);
    assert_in_range(next(MP_PAGING_COPIED_IN, &at)->began, end + IN_FLIGHT, end + IN_FLIGHT + 64);
}

/* The link has a copy of another server until the pin has ended: then the GPU does not map the page. */
static void a_pin_that_has_ended_maps_nothing(void **state)
{
    enum { SHORT = 2500, OTHER = 4000 };
    struct mp_paging_params p = one_hold();
    uint64_t ended;
    (void)state;
    p.uvm.lapse = SHORT;
    p.uvm.pin = 1;
    const uint64_t pin = hold_the_host(&p, &ended) + SHORT, now = b.wheel.now * MP_HOST_CYCLE;
    mp_host_send_copy(&b.link.out, now, (pin - 1) * MP_HOST_CYCLE, OTHER * MP_HOST_CYCLE, 0);
    await(&ended);
    assert_int_equal(ended, pin - 1 + OTHER + COPY);
    assert_int_equal(counters()->pinned, 1);
    assert_int_equal(counters()->unpinned, 1);
    assert_int_equal(counters()->mapped, 0);
    assert_int_equal(where(HEAP), 0);
}

/* A coherent link: the page stays where it is, and the host's first access is a fault that gives it an entry.
 * A line of 64 B takes 5.34 cycles. */
static void the_host_accesses_a_pinned_page_of_the_gpu(void **state)
{
    struct mp_paging_params p = thrashing();
    uint64_t ended;
    (void)state;
    p.uvm.c2c = true;
    p.uvm.pin = 3;
    p.cost.host = 3000;
    p.cost.block = 500;
    to_and_fro(&p, 5);
    const uint64_t pa = where(HEAP), pin = b.wheel.now;
    host_reads(0, HEAP, PAGE, &ended);
    await(&ended);
    assert_int_equal(ended, pin + 3500 + 2 * 700 + 64 * 64 / 12 + 1);
    assert_int_equal(where(HEAP), pa);
    assert_int_equal(counters()->host_mapped, 1);
    assert_int_equal(counters()->host_lines, 64);
    assert_int_equal(counters()->pinned, 1);
    const uint64_t second = b.wheel.now;
    host_reads(0, HEAP + 60, 8, &ended); /* two lines, and no fault */
    await(&ended);
    assert_int_equal(ended, second + 2 * 700 + 11);
    assert_int_equal(counters()->host_mapped, 1);
    assert_int_equal(counters()->host_lines, 66);
    go(pin + 3 * LAPSE);
    assert_int_equal(counters()->unpinned, 1);
    assert_int_equal(where(HEAP), pa);
    const uint64_t moved = counters()->host_moved;
    host_reads_page();
    assert_int_equal(counters()->host_moved, moved + 1);
}

/* While the host of one space is held, that of the other is served, and so are faults. */
static void a_held_access_delays_no_other(void **state)
{
    const struct mp_paging_params p = one_hold();
    uint64_t ended, other;
    struct access a;
    (void)state;
    const uint64_t hold = hold_the_host(&p, &ended);
    open_in(1, 2 * MB);
    gpu_accesses(&a, 1, HEAP, MP_LOAD);
    await(&a.ended);
    host_reads(1, HEAP, 8, &other);
    await(&other);
    assert_int_equal(mp_paging_counters(b.paging, 1)->host_moved, 1);
    assert_true(other < hold + LAPSE / 2);
    assert_int_equal(ended, UINT64_MAX);
    await(&ended);
    assert_int_equal(ended, hold + LAPSE + COPY);
}

/* ---- random accesses, followed by a library that replays the trace ---- */

static struct {
    struct mp_uvm *u;
    void *memory;
    uint64_t held, naps;
} twin;

static void twin_evicted(void *context, const struct mp_uvm_victim *v)
{
    (void)context;
    (void)v;
}

static void twin_served(void *context, const struct mp_uvm_service *s)
{
    (void)context;
    twin.held += mp_uvm_count(&s->held);
}

static const struct mp_uvm_report twin_report = {twin_evicted, twin_served, NULL};

static void follow_access(char kind, unsigned sm, unsigned asid, uint64_t va, char letter)
{
    static const char letters[] = "prwa";
    const enum mp_uvm_access access = (enum mp_uvm_access)(strchr(letters, letter) - letters);
    if (kind == 'F')
        assert_true(mp_uvm_fault(twin.u, sm, (uint8_t)asid, va, access) > 0);
    else if (kind == 'A')
        mp_uvm_gpu(twin.u, (uint8_t)asid, va, access);
    else
        twin.naps += mp_uvm_host(twin.u, (uint8_t)asid, va, access).what == MP_UVM_HELD;
}

/* A line of the trace. */
static void follow(void *self, const char *text)
{
    unsigned long long t, va, bytes;
    unsigned sm = 0, asid;
    char access;
    (void)self;
    if (text[0] == '#')
        return;
    if (sscanf(text, "R %u 0x%llx 0x%llx", &asid, &va, &bytes) == 3) {
        assert_true(mp_uvm_open(twin.u, (uint8_t)asid, va, bytes, false, NULL) > 0);
        return;
    }
    assert_int_equal(sscanf(text + 1, "%llu", &t), 1);
    mp_uvm_at(twin.u, t);
    if (text[0] == 'B')
        mp_uvm_serve(twin.u, &twin_report);
    else if (text[0] == 'C')
        mp_uvm_notices(twin.u, &twin_report);
    else if (text[0] == 'E')
        mp_uvm_evict_ahead(twin.u, &twin_report);
    else if (sscanf(text, "F %*u %u %u 0x%llx %c", &sm, &asid, &va, &access) == 4 ||
             sscanf(text + 1, "%*u %u 0x%llx %c", &asid, &va, &access) == 3)
        follow_access(text[0], sm, asid, va, access);
    else
        fail_msg("%s", text);
}

enum { PAGES = 1024 }; /* of a space */

static void put_state(void *context, const struct mp_uvm_state *s)
{
    struct mp_uvm_state *all = context;
    all[s->block - HEAP / (2 * MB)] = *s;
}

/* Nothing waits and nothing is in progress: each page is where the replayed decisions have it. */
static void same_places(void)
{
    mp_uvm_at(twin.u, b.wheel.now * 1000 / 1000 + 1);
    for (uint32_t space = 0; space < 2; space++) {
        struct mp_uvm_state all[PAGES / 512];
        memset(all, 0, sizeof all);
        mp_uvm_dump(twin.u, (uint8_t)space, put_state, all);
        for (uint32_t i = 0; i < PAGES; i++) {
            const uint64_t pa = where_in(space, HEAP + i * PAGE);
            assert_int_equal(pa >= MP_HOST_MEMORY, mp_uvm_has(&all[i / 512].remote, i % 512));
            assert_int_equal(pa && pa < MP_HOST_MEMORY, mp_uvm_has(&all[i / 512].gpu, i % 512));
        }
    }
}

static struct mp_paging_params draw_params(void)
{
    static const char *const evicts[] = {"driver", "lru64k", "tbne", "lru4k", "random", "hpe"},
                             *const migrates[] = {"first-touch", "first-touch", "counter", "host",
                                                  "adaptive"};
    struct mp_paging_params p = thrashing();
    p.uvm.evict = mp_uvm_evict_find(evicts[roll(6)]);
    p.uvm.migrate = mp_uvm_migrate_find(migrates[roll(5)]);
    p.uvm.prefetch = mp_uvm_prefetch_find(roll(2) ? "tree" : "none");
    p.uvm.replay = (enum mp_uvm_replay)roll(4);
    p.uvm.chunks = 2 + roll(2);
    p.uvm.counter = 2;
    p.uvm.write_back_dirty = !roll(3);
    p.uvm.c2c = !roll(3);
    p.uvm.events = 1 + roll(3);
    p.uvm.throttles = 1 + roll(3);
    p.uvm.lapse = 10000 + roll(roll(2) ? 40000 : 400000);
    p.uvm.nap = 1 + roll(2);
    p.uvm.epoch = roll(2) ? 2000 : roll(10);
    p.uvm.pin = roll(20);
    p.uvm.resets = roll(5);
    p.overlaps = roll(2);
    p.ahead = roll(2);
    p.from_host = roll(3);
    p.cost.interrupt = roll(2000);
    p.cost.host = roll(2000);
    p.cost.batch =
        2 * RETRY + roll(2000); /* accesses are replayed before the next batch evicts their pages */
    p.cost.block = roll(2) ? 0 : roll(2000);
    p.cost.invalidation = roll(100);
    return p;
}

static void begin_twin(const struct mp_paging_params *p)
{
    const size_t bytes = (mp_uvm_bytes(&p->uvm) + 63) / 64 * 64;
    twin.memory = aligned_alloc(64, bytes);
    assert_non_null(twin.memory);
    memset(twin.memory, 0, bytes);
    twin.u = mp_uvm_init(twin.memory, &p->uvm);
    twin.held = twin.naps = 0;
    mp_uvm_at(twin.u, 1);
    mp_paging_trace(b.paging, follow, NULL);
}

enum { ACCESSES = 6, WANTED = 3 }; /* few pages, so that both want them */

static uint64_t draw_page(void)
{
    return HEAP + (roll(6) ? roll(WANTED) * 7 : roll(PAGES)) * PAGE;
}

/* Some accesses of the GPU and one of each host, all of which end. */
static void access_at_random(bool c2c)
{
    struct access a[ACCESSES];
    uint64_t ended[2] = {1, 1}, page[2];
    const uint32_t n = roll(ACCESSES + 1);
    for (uint32_t i = 0; i < n; i++) {
        gpu_accesses(&a[i], roll(2), draw_page(), roll(2) ? MP_LOAD : MP_STORE);
        run_until(&b.wheel, b.wheel.now + roll(3000));
    }
    for (uint32_t s = 0; s < 2; s++) {
        page[s] = draw_page();
        if (roll(2))
            host_reads(s, page[s], 1 + roll(PAGE), &ended[s]);
    }
    for (uint32_t i = 0; i < n; i++)
        await(&a[i].ended);
    for (uint32_t s = 0; s < 2; s++) {
        await(&ended[s]);
        if (!n && ended[s] > 1 && !c2c)
            assert_true(!where_in(s, page[s]) || where_in(s, page[s]) >= MP_HOST_MEMORY);
    }
}

/* Between steps all is quiet, so that the places can be compared; some pins last longer than that. */
static void each_page_is_where_the_trace_has_it(void **state)
{
    enum { ROUNDS = 60, STEPS = 80, QUIET = 1000000 };
    uint64_t held = 0, naps = 0, pinned = 0, unpinned = 0, mapped = 0;
    (void)state;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        draw = (seed + round) * UINT64_C(0x9e3779b97f4a7c15) | 1;
        const struct mp_paging_params p = draw_params();
        start(&p);
        mp_paging_watch(b.paging, NULL, NULL);
        begin_twin(&p);
        open_in(0, PAGES * PAGE);
        open_in(1, PAGES * PAGE);
        for (uint32_t i = 0; i < STEPS; i++) {
            access_at_random(p.uvm.c2c);
            if (roll(8))
                continue;
            go(b.wheel.now + QUIET);
            same_places();
            assert_true(frames_in_use() <= (p.uvm.chunks + p.overlaps) * 512);
        }
        for (uint32_t s = 0; s < 2; s++) {
            const struct mp_paging_stats *c = mp_paging_counters(b.paging, s);
            held += c->held;
            naps += c->naps;
            pinned += c->pinned;
            unpinned += c->unpinned;
            mapped += c->host_mapped;
            twin.held -= c->held;
            twin.naps -= c->naps;
            assert_true(c->unpinned <= c->pinned);
        }
        assert_int_equal(twin.held, 0);
        assert_int_equal(twin.naps, 0);
        free(twin.memory);
        tear_down(NULL);
    }
    print_message("%ju pages held, %ju accesses of the host waited, %ju pages pinned, %ju pins ended, %ju "
                  "pages mapped by the host\n",
                  (uintmax_t)held, (uintmax_t)naps, (uintmax_t)pinned, (uintmax_t)unpinned,
                  (uintmax_t)mapped);
    assert_true(held > 100 && naps > 10 && pinned > 50 && unpinned > 20 && mapped > 5);
}

int main(int argc, char **argv)
{
    seed = argc > 1 ? strtoull(argv[1], NULL, 10) : (uint64_t)time(NULL) * 1000;
    printf("seed %ju\n", (uintmax_t)seed);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_gpu_is_held, tear_down),
        cmocka_unit_test_teardown(a_page_that_both_want_is_pinned_for_a_time, tear_down),
        cmocka_unit_test_teardown(the_end_of_a_pin_is_confirmed_before_the_page_moves, tear_down),
        cmocka_unit_test_teardown(a_pin_that_has_ended_maps_nothing, tear_down),
        cmocka_unit_test_teardown(the_host_accesses_a_pinned_page_of_the_gpu, tear_down),
        cmocka_unit_test_teardown(a_held_access_delays_no_other, tear_down),
        cmocka_unit_test(each_page_is_where_the_trace_has_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
