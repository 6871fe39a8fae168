/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reverse engineering against a GPU of a few lines, which is built on the tests' own functions: an L2 of
 * LRU sets, banks with open rows, a TLB whose misses bring page table entries into the L2, and jitter.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../models/map/xor_oracle.h"
#include "reverse/reverse.h"

#define MB (1ull << 20)

struct gpu {
    struct oracle o;
    uint64_t bank[9], set[10];
    uint32_t ways, hit, miss, cas, rcd, rp, ras, burst, jitter;
    uint32_t disturbed; /* one in this number of readings is 300 cycles late; 0: none */
    uint64_t now, random, loads;
    uint64_t line[1024][48]; /* most recent first; line + 1 */
    struct {
        uint64_t row, activated;
    } bank_state[512];
    uint64_t bus[32];
    uint64_t tlb[16];
};

static uint32_t number(const uint64_t *f, int n, uint64_t pa)
{
    uint32_t value = 0;
    for (int i = 0; i < n; i++)
        value |= (uint32_t)__builtin_parityll(f[i] & pa) << i;
    return value;
}

static bool l2_hits(struct gpu *g, uint64_t pa)
{
    uint64_t *way = g->line[number(g->set, 10, pa)], line = (pa >> 7) + 1;
    uint32_t at = 0;
    while (at < g->ways - 1 && way[at] != line)
        at++;
    bool hit = way[at] == line;
    memmove(way + 1, way, at * sizeof *way);
    way[0] = line;
    return hit;
}

/* Returns when the answer to a load that is issued at `cycle` is there. */
static uint64_t load(struct gpu *g, uint64_t pa, uint64_t cycle)
{
    uint64_t page = (pa >> 21) + 1;
    uint32_t slot = 0;
    assert_int_equal(pa % 4, 0);
    g->loads++;
    while (slot < 15 && g->tlb[slot] != page)
        slot++;
    if (g->tlb[slot] != page) {
        cycle += 300;
        l2_hits(g, page * 8); /* the entry, in the page table at 0 */
    }
    memmove(g->tlb + 1, g->tlb, slot * sizeof *g->tlb);
    g->tlb[0] = page;
    if (l2_hits(g, pa))
        return cycle + g->hit;
    uint32_t bank = number(g->bank, g->o.banks, pa), module = bank & 7; /* a bus serves some banks */
    uint64_t at = cycle + g->hit, row = (pa >> g->o.row_bits) + 1;
    if (g->bank_state[bank].row != row) {
        uint64_t free = g->bank_state[bank].activated + g->ras;
        at = (at > free ? at : free) + g->rp;
        g->bank_state[bank].activated = at;
        g->bank_state[bank].row = row;
        at += g->rcd;
    }
    at += g->cas;
    at = at > g->bus[module] ? at : g->bus[module];
    g->bus[module] = at + g->burst;
    return at + g->burst + g->miss;
}

static uint64_t jitter(struct gpu *g)
{
    bool late = g->disturbed && oracle_next(&g->random) % g->disturbed == 0;
    return oracle_next(&g->random) % (g->jitter + 1) + (late ? 300 : 0);
}

static uint64_t chase(void *context, const uint64_t *address, uint32_t n, uint32_t *cycles)
{
    struct gpu *g = context;
    uint64_t first = g->now;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t end = load(g, address[i], g->now);
        if (cycles)
            cycles[i] = (uint32_t)(end - g->now + 4 + jitter(g));
        g->now = end + 4;
    }
    g->now += 1000;
    return g->now - first - 1000 + jitter(g);
}

static uint64_t pair(void *context, uint64_t a, uint64_t b)
{
    struct gpu *g = context;
    uint64_t one = load(g, a, g->now), other = load(g, b, g->now + 1), end = one > other ? one : other;
    uint64_t cycles = end - g->now + 4 + jitter(g);
    g->now = end + 1000;
    return cycles;
}

static void masks(const struct oracle_function *f, int n, uint64_t *mask)
{
    for (int i = 0; i < n; i++) {
        mask[i] = 0;
        for (int bit = 0; bit < 64; bit++)
            mask[i] |= (uint64_t)f[i].has[bit] << bit;
    }
}

/* Equal spans: the same rank, also together. */
static void equals(const struct reverse_span *found, const struct oracle_function *wanted, int n)
{
    struct oracle_function all[32];
    memset(all, 0, sizeof all);
    assert_int_equal(found->n, n);
    for (int i = 0; i < n; i++) {
        for (int bit = 0; bit < 64; bit++)
            all[i].has[bit] = found->function[i] >> bit & 1;
        all[n + i] = wanted[i];
        for (int k = 0; k < n; k++) /* the reduced form */
            assert_true(i == k || !(found->function[k] & found->function[i] & -found->function[i]));
        if (i)
            assert_true((found->function[i] & -found->function[i]) >
                        (found->function[i - 1] & -found->function[i - 1]));
    }
    assert_int_equal(oracle_rank(all, n), n);
    assert_int_equal(oracle_rank(all, 2 * n), n);
}

static void reveals(int v100, const uint64_t *seed, uint32_t jitter_cycles, uint32_t disturbed)
{
    static struct gpu g;
    static const struct gpu machines[2] = {
        {.ways = 16, .hit = 217, .miss = 202, .cas = 22, .rcd = 22, .rp = 22, .ras = 78, .burst = 5},
        {.ways = 48, .hit = 194, .miss = 112, .cas = 21, .rcd = 21, .rp = 21, .ras = 50, .burst = 7}};
    struct reverse_found found;
    const char *step = "";
    g = machines[v100];
    g.o = seed ? oracle_hidden(v100, *seed) : oracle_published(v100);
    g.jitter = jitter_cycles;
    g.disturbed = disturbed;
    masks(g.o.bank, g.o.banks, g.bank);
    masks(g.o.set, g.o.sets, g.set);
    const uint64_t memory = 1ull << g.o.address_bits;
    const struct reverse_gpu gpu = {.context = &g,
                                    .memory_bytes = memory,
                                    .l2_bytes = (v100 ? 6 : 2) * MB,
                                    .base = 16 * MB,
                                    .bytes = memory / 10 * 8 / (2 * MB) * (2 * MB),
                                    .page_bytes = 2 * MB,
                                    .chase = chase,
                                    .pair = pair};
    if (reverse_run(&gpu, &found, &step))
        fail_msg("failed at %s", step);
    print_message("%s seed %llu jitter %u: %llu readings, %llu loads, %llu cycles; limits %u %u\n",
                  v100 ? "v100" : "gtx1080", seed ? (unsigned long long)*seed : 0ull, jitter_cycles,
                  (unsigned long long)found.readings, (unsigned long long)g.loads, (unsigned long long)g.now,
                  found.pair_limit, found.hit_limit);
    equals(&found.bank, g.o.bank, g.o.banks);
    equals(&found.set, g.o.set, g.o.sets);
    equals(&found.module, g.o.module, g.o.modules);
    assert_int_equal(found.line_bytes, 128);
    assert_int_equal(found.row_bytes, 2048);
    assert_int_equal(found.ways, g.ways);
    for (uint64_t page = 1024; page <= 2 * MB; page *= 2) {
        struct oracle_function f[5];
        assert_int_equal(reverse_colours(&found.module, page),
                         1 << oracle_colour_functions(&g.o, page, 5, f));
    }
}

static void published_machines(void **state)
{
    (void)state;
    for (int v100 = 0; v100 < 2; v100++)
        reveals(v100, NULL, 0, 0);
}

static void published_machines_with_jitter(void **state)
{
    (void)state;
    for (int v100 = 0; v100 < 2; v100++)
        reveals(v100, NULL, 16, 0);
}

static void hidden_machines(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++)
        reveals(seed % 2, &seed, seed < 2 ? 0 : 16, 0);
}

/* As by neighbours: a single slow reading is not a conflict. */
static void readings_that_are_disturbed(void **state)
{
    (void)state;
    for (int v100 = 0; v100 < 2; v100++)
        reveals(v100, NULL, 16, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_machines),
        cmocka_unit_test(published_machines_with_jitter),
        cmocka_unit_test(hidden_machines),
        cmocka_unit_test(readings_that_are_disturbed),
    };
    return cmocka_run_group_tests_name("reverse", tests, NULL, NULL);
}
