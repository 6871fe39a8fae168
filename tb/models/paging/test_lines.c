/* SPDX-License-Identifier: Apache-2.0 */
/* The server of page faults and the lines of its copies, which take their time in a memory; and contiguity
 * bits. A failed random test is repeated with the seed that it prints: test_paging_lines SEED. */
#include <time.h>

#include "bench.h"

#include "vm/contiguity.h"

enum { LATENCY = 5000 };

static struct {
    struct mp_copies copies;
    struct mp_initiator up;
    uint32_t most; /* cycles until a line is answered, at random; 0: LATENCY */
    uint32_t loads[66 * MB / PAGE], stores[66 * MB / PAGE]; /* in flight, by page of memory */
    uint64_t stored, loaded, last_load, first_store;        /* lines; cycles of answer and request */
} m;

static bool is_mapped(uint64_t frame)
{
    for (uint32_t s = 0; s < 2; s++)
        for (uint64_t va = HEAP; va < HEAP + 8 * MB; va += PAGE)
            if (where_in(s, va) == frame)
                return true;
    return false;
}

static void answer(void *unused, void *line)
{
    struct mp_req *req = line;
    const uint64_t page = req->pa / PAGE;
    (void)unused;
    if (req->op == MP_LOAD) {
        m.loads[page]--;
        m.last_load = b.wheel.now;
    } else {
        m.stores[page]--;
    }
    if (req->op == MP_STORE && req->pa % PAGE == PAGE - 128)
        assert_false(is_mapped(page * PAGE));
    mp_respond(&m.up, req);
}

/* A page is not written while it is read, or has a valid entry; and not read while it is written. */
static enum mp_answer request(void *unused, unsigned port, struct mp_req *req, uint32_t *delay)
{
    const uint64_t page = req->pa / PAGE;
    (void)unused, (void)port, (void)delay;
    if (req->op == MP_LOAD) {
        assert_int_equal(m.stores[page], 0);
        m.loads[page]++;
        m.loaded++;
    } else {
        assert_int_equal(req->op, MP_STORE);
        assert_int_equal(m.loads[page], 0);
        m.stores[page]++;
        m.first_store = m.stored++ ? m.first_store : b.wheel.now;
        if (!(req->pa % PAGE))
            assert_false(is_mapped(page * PAGE));
    }
    mp_at(&b.wheel, m.most ? roll(m.most) : LATENCY, answer, NULL, req);
    return MP_TAKEN;
}

static void set_up_lines(struct mp_paging_params *p)
{
    const struct mp_copies_params copies = {.line_shift = 7, .tenants = 2, .links = 1};
    memset(&m, 0, sizeof m);
    p->copies = &m.copies;
    set_up(p);
    assert_int_equal(mp_copies_kind.init(&m.copies, &b.wheel, &copies), 0);
    mp_copies_share(&m.copies, &b.link);
    m.up = mp_copies_kind.initiator(&m.copies, 0);
    mp_copies_kind.join(&m.copies, 0, mp_target_of(request, NULL, 0));
}

static int tear_down_lines(void **state)
{
    mp_copies_kind.free(&m.copies);
    return tear_down(state);
}

/* The last of the page's 32 lines is due after the latency and 31/32 of its 342 cycles. */
static void entries_become_valid_when_lines_have_come(void **state)
{
    struct mp_paging_params p = usual();
    struct mp_req req;
    uint32_t at = 0;
    (void)state;
    set_up_lines(&p);
    open(2 * MB);
    fault(&req, MP_LOAD, HEAP + 5 * PAGE);
    run_dry(&b.wheel);
    assert_int_equal(m.stored, 32);
    assert_int_equal(m.loaded, 0);
    assert_int_equal(m.first_store, 700);
    assert_int_equal(next(MP_PAGING_MAPPED, &at)->began, 700 + 342 * 31 / 32 + LATENCY);
    assert_int_equal(no_sms_retried, 1);
}

/* One of two blocks has memory. The second one's copy waits until the first has been read, which takes longer
 * than the link. */
static void a_frame_is_written_when_it_has_been_read(void **state)
{
    struct mp_paging_params p = usual();
    struct mp_req req[2];
    uint32_t at = 0;
    (void)state;
    p.uvm.chunks = 1;
    set_up_lines(&p);
    open(4 * MB);
    fault(&req[0], MP_LOAD, HEAP);
    run_dry(&b.wheel);
    m.stored = 0;
    b.actions = 0;
    fault(&req[1], MP_LOAD, HEAP + 2 * MB);
    run_dry(&b.wheel);
    assert_int_equal(m.loaded, 32);
    assert_int_equal(m.stored, 32);
    assert_int_equal(m.first_store, m.last_load);
    assert_true(next(MP_PAGING_MAPPED, &at)->began >= m.last_load + LATENCY);
    assert_int_equal(mp_paging_counters(b.paging, 0)->written_back, 1);
}

/* The host has a page when its lines have been read, and zeroing writes lines, too. */
static void the_host_waits_for_lines(void **state)
{
    struct mp_paging_params p = usual();
    struct mp_req req;
    uint64_t ended;
    (void)state;
    p.from_host = false;
    set_up_lines(&p);
    open(2 * MB);
    fault(&req, MP_STORE, HEAP + 5 * PAGE);
    run_dry(&b.wheel);
    assert_int_equal(m.stored, 32);
    assert_int_equal(mp_paging_counters(b.paging, 0)->zeroed, 1);
    host_reads(0, HEAP + 5 * PAGE, PAGE, &ended);
    run_dry(&b.wheel);
    assert_int_equal(m.loaded, 32);
    assert_int_equal(ended, m.last_load);
}

/* Two spaces, the host, and lines of any time. */
static void lines_and_entries_keep_apart(void **state)
{
    static const char *const evicts[] = {"driver", "lru64k", "tbne", "lru4k", "random", "hpe"},
                             *const migrates[] = {"first-touch", "counter", "host"},
                             *const prefetches[] = {"none", "sl64", "tree"};
    (void)state;
    for (uint32_t round = 0; round < 40; round++) {
        struct mp_paging_params p = usual();
        struct mp_req req[8];
        uint64_t ended = 1, copied = 0, written_back = 0;
        draw = (seed + round) * UINT64_C(0x9e3779b97f4a7c15) | 1;
        p.uvm.evict = mp_uvm_evict_find(evicts[roll(6)]);
        p.uvm.migrate = mp_uvm_migrate_find(migrates[roll(3)]);
        p.uvm.prefetch = mp_uvm_prefetch_find(prefetches[roll(3)]);
        p.uvm.chunks = 2 + roll(2);
        p.uvm.counter = 1 + roll(4);
        p.overlaps = roll(2);
        p.from_host = roll(4);
        p.cost.block = roll(3000);
        set_up_lines(&p);
        m.most = 1 + roll(20000);
        open_in(0, 4 * MB);
        open_in(1, 8 * MB);
        for (uint32_t n = 0; n < 12; n++) {
            for (uint32_t i = 0; i < 8; i++) {
                const uint32_t space = roll(2);
                const uint64_t va = HEAP + roll(space ? 2048 : 1024) * PAGE;
                req[i] =
                    (struct mp_req){.va = va, .asid = (uint8_t)space, .op = roll(2) ? MP_LOAD : MP_STORE};
                if (!where_in(space, va))
                    mp_paging_fault(b.paging, NULL, &req[i]);
            }
            if (ended != UINT64_MAX && roll(2))
                host_reads(1, HEAP + roll(2000) * PAGE, 3 * PAGE, &ended);
            run_until(&b.wheel, b.wheel.now + roll(2) * 100000 + roll(5000));
            run_dry(&b.wheel);
            frames_in_use();
        }
        for (unsigned s = 0; s < 2; s++) {
            const struct mp_paging_stats *stats = mp_paging_counters(b.paging, s);
            copied += stats->copied + stats->zeroed;
            written_back += stats->written_back + stats->host_moved;
        }
        assert_int_equal(m.stored, 32 * copied);
        assert_int_equal(m.loaded, 32 * written_back);
        tear_down_lines(NULL);
    }
}

/* ---- contiguity ---- */

static uint64_t bits_of(uint64_t va)
{
    return mp_contiguity_bits(&b.space[0].table, va) & MP_PTE_CONTIGUITY;
}

/* Of 64 pages that fault, the last one makes the first subregion whole. It is not any more when the host has
 * accessed one of them. */
static void pages_that_come_get_their_bits(void **state)
{
    struct mp_paging_params p = usual();
    struct mp_contiguity c = {0};
    struct mp_req req[MP_SUBREGION_PAGES];
    uint64_t ended;
    (void)state;
    set_up(&p);
    b.space[0].hook = mp_contiguity_hook(&c);
    open(2 * MB);
    for (uint32_t i = 0; i < MP_SUBREGION_PAGES; i++) {
        assert_int_equal(bits_of(HEAP), 0);
        fault(&req[i], MP_LOAD, HEAP + i * PAGE);
        run_dry(&b.wheel);
    }
    assert_int_equal(bits_of(HEAP), 1ull << MP_PTE_CONTIGUOUS_SHIFT);
    host_reads(0, HEAP + 5 * PAGE, PAGE, &ended);
    run_dry(&b.wheel);
    assert_int_equal(bits_of(HEAP), 0);
    fault(&req[5], MP_LOAD, HEAP + 5 * PAGE);
    run_dry(&b.wheel);
    assert_int_equal(bits_of(HEAP), 1ull << MP_PTE_CONTIGUOUS_SHIFT);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(entries_become_valid_when_lines_have_come, tear_down_lines),
        cmocka_unit_test_teardown(a_frame_is_written_when_it_has_been_read, tear_down_lines),
        cmocka_unit_test_teardown(the_host_waits_for_lines, tear_down_lines),
        cmocka_unit_test(lines_and_entries_keep_apart),
        cmocka_unit_test_teardown(pages_that_come_get_their_bits, tear_down),
    };
    seed = argc > 1 ? strtoull(argv[1], NULL, 10) : (uint64_t)time(NULL) * 1000;
    print_message("seed %ju\n", (uintmax_t)seed);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
