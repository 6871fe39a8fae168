/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What must hold of unified memory whatever its designs do, from what it reports, at random. A run is
 * repeated with the seed that it prints: test_uvm_properties SEED.
 *
 * - A page is in exactly one place: what is copied was on the host, what is zeroed was nowhere, what leaves
 * was on the GPU; and what the model dumps is where the reports have put it.
 * - A unit of the block that is served does not leave.
 * - A space has no more than its limit, and always room for the reserves of the others.
 * - No access hits a page that has left.
 * - Pages that came to the GPU less pages that left it are those that it has.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <cmocka.h>

#include "bench.h"

enum { NOWHERE, HOST, GPU };

#define SPACES 3u
#define BLOCKS 8u

static uint64_t seed, state_of_rolls;

static uint32_t roll(uint32_t n)
{
    state_of_rolls ^= state_of_rolls << 13;
    state_of_rolls ^= state_of_rolls >> 7;
    state_of_rolls ^= state_of_rolls << 17;
    return n > 1 ? (uint32_t)((state_of_rolls >> 11) % n) : 0;
}

struct world {
    struct mp_uvm *u;
    struct mp_uvm_params p;
    uint8_t place[SPACES][BLOCKS][MP_UVM_PAGES];
    bool had_host[SPACES][BLOCKS][MP_UVM_PAGES];
    uint64_t came, left;                     /* pages, to and from the GPU */
    uint32_t reserve[SPACES], limit[SPACES]; /* chunks */
    struct mp_uvm_victim victim[4096];
    unsigned victims; /* since the last service */
};

static void evicted(void *context, const struct mp_uvm_victim *v)
{
    struct world *w = context;
    const uint64_t block = v->block - BASE / BLOCK;
    assert_true(w->victims < 4096);
    w->victim[w->victims++] = *v;
    for (uint32_t i = 0; i < MP_UVM_PAGES; i++) {
        const bool back = mp_uvm_has(&v->back, i), drop = mp_uvm_has(&v->drop, i);
        uint8_t *place = &w->place[v->asid][block][i];
        if (!back && !drop)
            continue;
        assert_true(back != drop);
        assert_int_equal(*place, GPU);
        w->left++;
        w->had_host[v->asid][block][i] |= back;
        *place = w->had_host[v->asid][block][i] ? HOST : NOWHERE;
    }
}

static void served(void *context, const struct mp_uvm_service *s)
{
    struct world *w = context;
    const uint64_t block = s->block - BASE / BLOCK;
    for (unsigned i = 0; i < w->victims; i++)
        assert_true(w->victim[i].asid != s->asid || w->victim[i].block != s->block);
    w->victims = 0;
    for (uint32_t i = 0; i < MP_UVM_PAGES; i++) {
        const bool zero = mp_uvm_has(&s->zero, i), copy = mp_uvm_has(&s->copy, i);
        uint8_t *place = &w->place[s->asid][block][i];
        assert_int_equal(zero + copy, mp_uvm_has(&s->fault, i) + mp_uvm_has(&s->prefetch, i));
        if (zero)
            assert_int_equal(*place, NOWHERE);
        if (copy)
            assert_int_equal(*place, HOST);
        w->came += zero || copy;
        *place = zero || copy ? GPU : *place;
    }
}

static void compare(void *context, const struct mp_uvm_state *s)
{
    const struct world *w = *(struct world **)context;
    const uint64_t asid = ((uint64_t *)context)[1], block = s->block - BASE / BLOCK;
    uint64_t *pages = &((uint64_t *)context)[2];
    for (uint32_t i = 0; i < MP_UVM_PAGES; i++) {
        assert_int_equal(mp_uvm_has(&s->gpu, i), w->place[asid][block][i] == GPU);
        assert_true(!mp_uvm_has(&s->remote, i) || w->place[asid][block][i] == HOST);
        *pages += mp_uvm_has(&s->gpu, i);
    }
}

static void check(struct world *w)
{
    const uint32_t unit = w->p.evict->unit ? w->p.evict->unit : w->p.page_bytes;
    const uint64_t units = w->p.chunks * (BLOCK / unit);
    uint64_t used = 0, on_gpu = 0;
    for (uint64_t s = 0; s < SPACES; s++) {
        struct {
            struct world *w;
            uint64_t asid, pages;
        } context = {w, s, 0};
        mp_uvm_dump(w->u, (uint8_t)s, compare, &context);
        on_gpu += context.pages;
        const uint64_t here = mp_uvm_units(w->u, (uint8_t)s), reserve = w->reserve[s] * (BLOCK / unit);
        assert_true(here <= w->limit[s] * (BLOCK / unit));
        used += here > reserve ? here : reserve;
    }
    assert_int_equal(w->came - w->left, on_gpu);
    assert_true(used <= units);
}

static void access(struct world *w, uint8_t asid, unsigned block, uint64_t offset)
{
    const uint64_t va = BASE + block * BLOCK + offset;
    uint8_t *place = w->place[asid][block];
    bool *had = w->had_host[asid][block];
    const uint32_t page = (uint32_t)(offset / w->p.page_bytes);
    if (roll(3)) {
        const struct mp_uvm_hit hit = mp_uvm_gpu(w->u, asid, va, MP_UVM_READ);
        assert_int_equal(hit.what == MP_UVM_HITS, place[page] == GPU);
        assert_true(hit.what != MP_UVM_REMOTE || place[page] == HOST);
        return;
    }
    const struct mp_uvm_moved m = mp_uvm_host(w->u, asid, va, MP_UVM_WRITE);
    if (m.what == MP_UVM_ZEROED || m.what == MP_UVM_HOST) {
        assert_int_equal(place[page], m.what == MP_UVM_HOST ? HOST : NOWHERE);
        place[page] = HOST;
        had[page] = true;
    } else if (m.what == MP_UVM_MOVED) {
        assert_true(mp_uvm_has(&m.pages, page) && place[page] == GPU);
        MP_UVM_EACH_PAGE (i, &m.pages) {
            assert_int_not_equal(place[i], HOST);
            w->left += place[i] == GPU;
            place[i] = HOST;
            had[i] = true;
        }
    } else {
        assert_int_equal(place[page], GPU);
    }
}

static void step(struct world *w, uint64_t *now)
{
    const struct mp_uvm_report report = {evicted, served, w};
    const uint8_t asid = (uint8_t)roll(SPACES);
    const unsigned block = roll(BLOCKS);
    mp_uvm_at(w->u, *now += roll(4));
    for (unsigned n = roll(8); n; n--)
        mp_uvm_fault(w->u, roll(16), asid, BASE + block * BLOCK + roll(BLOCK), (enum mp_uvm_access)roll(4));
    if (roll(2))
        mp_uvm_serve(w->u, &report);
    for (unsigned n = roll(6); n; n--)
        access(w, asid, roll(BLOCKS), roll(BLOCK));
    if (!roll(10))
        mp_uvm_notices(w->u, &report);
}

static void draw_params(struct mp_uvm_params *p)
{
    unsigned n[3] = {0};
    *p = bench_params();
    while (mp_uvm_prefetches[n[0]])
        n[0]++;
    while (mp_uvm_evicts[n[1]])
        n[1]++;
    while (mp_uvm_migrates[n[2]])
        n[2]++;
    p->prefetch = mp_uvm_prefetches[roll(n[0])];
    p->evict = mp_uvm_evicts[roll(n[1])];
    p->migrate = mp_uvm_migrates[roll(n[2])];
    p->c2c = roll(2);
    p->write_back_dirty = roll(2);
    p->page_bytes = roll(4) ? 4096 : 65536;
    p->chunks = 2 * SPACES + roll(6);
    p->counter = 1 + roll(8);
    p->lapse = 1 + roll(100);
    p->blocks = SPACES * BLOCKS;
    p->ranges = SPACES * BLOCKS;
}

static void run(unsigned steps)
{
    static struct world w;
    uint64_t now = 1;
    memset(&w, 0, sizeof w);
    draw_params(&w.p);
    void *memory = calloc(1, mp_uvm_bytes(&w.p));
    w.u = mp_uvm_init(memory, &w.p);
    for (uint8_t s = 0; s < SPACES; s++) {
        w.reserve[s] = 1 + roll(2);
        w.limit[s] = w.reserve[s] + roll(w.p.chunks - w.reserve[s] + 1);
        assert_int_equal(mp_uvm_quota(w.u, s, w.reserve[s], w.limit[s], NULL), 0);
        assert_int_equal(mp_uvm_open(w.u, s, BASE, BLOCKS * BLOCK, false, NULL), BLOCKS);
    }
    for (unsigned i = 0; i < steps; i++) {
        step(&w, &now);
        if (i % 16 == 0)
            check(&w);
    }
    check(&w);
    free(memory);
}

static void everything_holds(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 200; i++) {
        state_of_rolls = (seed + i) * UINT64_C(0x9e3779b97f4a7c15) | 1;
        print_message(i ? "" : "seed %ju\n", (uintmax_t)seed);
        run(300);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(everything_holds)};
    seed = argc > 1 ? strtoull(argv[1], NULL, 10) : (uint64_t)time(NULL) * 1000;
    return cmocka_run_group_tests_name("unified memory: properties", tests, NULL, NULL);
}
