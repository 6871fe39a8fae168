/* SPDX-License-Identifier: Apache-2.0 */
/* A reader returns the events that a writer got: random traces, decoded in any order, compressed or not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "random_trace.h"
#include "trace/gwt_lines.h"

/* The totals, counted in the simplest way. */
struct truth {
    struct gwt_totals t;
    uint64_t *unit;
    size_t units, room;
};

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static size_t distinct(uint64_t *unit, size_t n)
{
    size_t out = 0;
    qsort(unit, n, sizeof *unit, by_value);
    for (size_t i = 0; i < n; i++)
        if (!i || unit[i] != unit[i - 1])
            unit[out++] = unit[i];
    return out;
}

static size_t touched(const struct gwt_event *e, unsigned shift, uint64_t *unit)
{
    size_t n = 0;
    for (unsigned i = 0; i < e->active; i++)
        for (uint64_t u = e->lane[i] >> shift; u <= (e->lane[i] + e->bytes - 1) >> shift; u++)
            unit[n++] = u;
    return distinct(unit, n);
}

static void count(struct truth *c, const struct gwt_event *e, uint32_t lanes)
{
    static uint64_t unit[32 * 1024];
    c->t.instructions += e->gap;
    c->t.thread_instructions += (uint64_t)e->gap * (e->kind == GWT_ACCESS ? e->active : lanes);
    c->t.barriers += e->kind == GWT_BARRIER;
    if (e->kind != GWT_ACCESS)
        return;
    c->t.accesses++;
    c->t.lane_accesses += e->active;
    c->t.lines += touched(e, 7, unit);
    size_t n = touched(e, 16, unit);
    c->t.pages += n;
    if (c->units + n > c->room) {
        c->room = 2 * c->room + n;
        c->unit = realloc(c->unit, c->room * sizeof *c->unit);
        assert_non_null(c->unit);
    }
    memcpy(c->unit + c->units, unit, n * sizeof *unit);
    c->units += n;
}

static void compare_event(const struct gwt_event *got, const struct gwt_event *want, uint32_t lanes)
{
    assert_int_equal(got->kind, want->kind);
    assert_int_equal(got->gap, want->gap);
    if (want->kind != GWT_ACCESS) {
        assert_int_equal(got->active, lanes);
        return;
    }
    assert_int_equal(got->op, want->op);
    assert_int_equal(got->pc, want->pc);
    assert_int_equal(got->bytes, want->bytes);
    assert_int_equal(got->mask, want->mask);
    assert_int_equal(got->active, want->active);
    assert_int_equal(got->base, want->lane[0]);
    for (unsigned i = 0; i < want->active; i++)
        assert_int_equal(got->mode == GWT_SCATTER ? got->lane[i] : got->base + (uint64_t)got->stride * i,
                         want->lane[i]);
    if (want->active > 2)
        assert_true(got->mode <= want->mode); /* drawn addresses may happen to fit a simpler mode */
}

static void compare_warp(struct gwt_warp *got, struct random_warp want, struct truth *c)
{
    struct gwt_event a, b;
    assert_int_equal(gwt_warp_lanes(got), want.lanes);
    while (random_event(&want, &b)) {
        assert_true(gwt_warp_next(got, &a));
        compare_event(&a, &b, want.lanes);
        count(c, &b, want.lanes);
    }
    assert_false(gwt_warp_next(got, &a));
    c->t.warps++;
}

static void compare_step(const struct gwt_step *got, const struct gwt_event *want, uint32_t lanes)
{
    uint64_t lane[GWT_LANES];
    assert_int_equal(got->kind, want->kind);
    assert_int_equal(got->gap, want->gap);
    if (want->kind != GWT_ACCESS) {
        assert_int_equal(got->active, lanes);
        return;
    }
    assert_int_equal(got->op, want->op);
    assert_int_equal(got->bytes, want->bytes);
    assert_int_equal(got->active, want->active);
    if (got->mode == GWT_SCATTER)
        gwt_step_lanes(got, lane);
    else
        for (unsigned i = 0; i < want->active; i++)
            lane[i] = got->base + (uint64_t)got->stride * i;
    assert_memory_equal(lane, want->lane, want->active * sizeof *lane);
}

enum { MOST_ACCESSES = 200 }; /* of a warp whose waits are compared */

/* What an access waits for, searched for among all accesses of the warp. */
static uint32_t wait_of(const struct gwt_needs *needs, const uint32_t *pc, uint32_t n)
{
    uint32_t newest = 0;
    for (uint32_t k = 0; k <= n; k++)
        for (uint32_t i = pc[k] ? needs->end[pc[k] - 1] : 0; i < needs->end[pc[k]]; i++)
            for (uint32_t before = newest; before < k; before++)
                newest = pc[before] == needs->pc[i] ? before + 1 : newest;
    return newest && n - newest < 31 ? n - newest + 1 : 0;
}

/* As compare_warp, with what an SM reads, some steps at once. needs: NULL, or what is followed. */
static void compare_steps(struct gwt_warp *got, struct random_warp want, struct truth *c, uint64_t *x,
                          const struct gwt_needs *needs)
{
    static uint32_t pc[MOST_ACCESSES];
    struct gwt_step step[17];
    struct gwt_event e;
    uint32_t n = 0, at = 0, accesses = 0;
    while (random_event(&want, &e)) {
        if (at == n) {
            uint32_t room = 1 + (uint32_t)(random_next(x) % 17);
            n = gwt_warp_steps(got, step, room);
            assert_in_range(n, 1, room);
            at = 0;
        }
        compare_step(&step[at], &e, want.lanes);
        if (e.kind == GWT_ACCESS && accesses < MOST_ACCESSES) {
            pc[accesses] = e.pc;
            assert_int_equal(step[at].wait, needs ? wait_of(needs, pc, accesses) : 0);
            accesses++;
        }
        at++;
        count(c, &e, want.lanes);
    }
    assert_int_equal(at, n);
    assert_int_equal(gwt_warp_steps(got, step, 17), 0);
    c->t.warps++;
}

/* Keeps up to 8 work-groups and decodes their warps interleaved, in a random order. */
static void compare_kernel(struct gwt_reader *r, const struct random_shape *s, uint32_t number,
                           struct truth *c, bool follows)
{
    struct gwt_kernel k = random_kernel(s, number);
    struct gwt_record record;
    struct mp_error err;
    uint64_t x = s->seed + number;
    uint32_t done = 0, held, ctas = random_ctas(&k);
    while (done < ctas) {
        struct gwt_cta *cta[8];
        for (held = 0; held < 8 && done < ctas; held++, done++) {
            assert_int_equal(gwt_next(r, &record, &err), 0);
            assert_int_equal(record.kind, GWT_CTA);
            assert_int_equal(record.cta->id, random_cta_id(&k, done));
            cta[held] = record.cta;
        }
        uint32_t nwarps = cta[0]->nwarps, all = held * nwarps, order[8 * 128] = {0};
        assert_int_equal(nwarps, random_warps(s, &k));
        for (uint32_t i = 0; i < all; i++) {
            uint32_t j = (uint32_t)(random_next(&x) % (i + 1));
            order[i] = order[j];
            order[j] = i;
        }
        for (uint32_t i = 0; i < all; i++) {
            struct gwt_cta *from = cta[order[i] / nwarps];
            uint32_t warp = order[i] % nwarps;
            const struct random_warp want = random_warp(s, &k, number, from->id, warp);
            if (random_next(&x) & 1)
                compare_warp(from->warp[warp], want, c);
            else
                compare_steps(from->warp[warp], want, c, &x, follows && k.needs.end ? &k.needs : NULL);
        }
        while (held)
            gwt_cta_release(r, cta[--held]);
    }
    c->t.ctas += ctas;
    assert_int_equal(gwt_next(r, &record, &err), 0);
    assert_int_equal(record.kind, GWT_KERNEL_END);
}

static void compare_needs(const struct gwt_kernel *got, const struct gwt_kernel *want)
{
    assert_int_equal(got->needs.end != NULL, want->needs.end != NULL);
    if (!want->needs.end)
        return;
    assert_memory_equal(got->needs.end, want->needs.end, want->npcs * sizeof *want->needs.end);
    const uint32_t n = want->needs.end[want->npcs - 1];
    if (n)
        assert_memory_equal(got->needs.pc, want->needs.pc, n * sizeof *want->needs.pc);
}

static void compare_pass(struct gwt_reader *r, const struct random_shape *s, struct truth *c, bool follows)
{
    struct gwt_record record;
    struct mp_error err;
    const enum gwt_record_kind first[] = {GWT_ALLOC, GWT_ALLOC, GWT_MAP, GWT_UNMAP, GWT_HOST_WRITE};
    for (int i = 0; i < 5; i++) {
        assert_int_equal(gwt_next(r, &record, &err), 0);
        assert_int_equal(record.kind, first[i]);
    }
    assert_int_equal(record.va, 1ull << 45);
    assert_int_equal(record.bytes, 4096);
    for (uint32_t i = 0; i < s->kernels; i++) {
        struct gwt_kernel k = random_kernel(s, i);
        assert_int_equal(gwt_next(r, &record, &err), 0);
        if (i % 2) {
            assert_int_equal(record.kind, GWT_TIME);
            assert_int_equal(record.time, random_time(i));
            c->t.times++;
            c->t.last_time = record.time;
            assert_int_equal(gwt_next(r, &record, &err), 0);
        }
        assert_int_equal(record.kind, GWT_KERNEL);
        assert_string_equal(record.kernel->name, k.name);
        assert_memory_equal(record.kernel->grid, k.grid, sizeof k.grid);
        assert_memory_equal(record.kernel->block, k.block, sizeof k.block);
        assert_int_equal(record.kernel->local_bytes, k.local_bytes);
        assert_int_equal(record.kernel->npcs, k.npcs);
        for (uint32_t p = 0; p < k.npcs; p++) {
            assert_int_equal(record.kernel->pcs[p].pc, k.pcs[p].pc);
            assert_int_equal(record.kernel->pcs[p].kind, k.pcs[p].kind);
            assert_int_equal(record.kernel->pcs[p].space, k.pcs[p].space);
            assert_int_equal(record.kernel->pcs[p].line, k.pcs[p].line);
        }
        compare_needs(record.kernel, &k);
        c->t.with_needs += k.needs.end != NULL;
        compare_kernel(r, s, i, c, follows);
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(gwt_next(r, &record, &err), 0);
        assert_int_equal(record.kind, GWT_END);
    }
}

static void round_trip(const struct random_shape *s, const char *path)
{
    struct mp_error err = {""};
    struct gwt_reader *r = NULL;
    print_message("seed %llu, %s\n", (unsigned long long)s->seed, path);
    if (random_write(s, path, &err) || gwt_open(&r, path, &err))
        fail_msg("%s", err.text);
    struct truth c = {.t = {.kernels = s->kernels}};
    compare_pass(r, s, &c, false);
    struct gwt_totals want = c.t;
    const struct gwt_totals *got = gwt_totals(r);
    want.footprint_pages = distinct(c.unit, c.units);
    want.warp_lanes = s->warp_lanes;
    want.allocated_bytes = (2ull << 40) + 8192;
    want.top = (1ull << 46) + (1ull << 40);
    memcpy(want.digest, got->digest, sizeof want.digest);
    assert_memory_equal(got, &want, sizeof want);
    assert_int_equal(gwt_rewind(r, &err), 0);
    struct truth again = {.unit = NULL};
    gwt_follow_needs(r);
    compare_pass(r, s, &again, true);
    assert_int_equal(again.t.accesses, c.t.accesses);
    gwt_close(r);
    free(c.unit);
    free(again.unit);
}

static void test_round_trip(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct random_shape s = {seed, 3, 10, 150, 60, seed % 3 ? 32 : 64};
        round_trip(&s, seed % 2 ? "round.gwt" : "round.gwt.zst");
    }
    struct random_shape wide = {99, 2, 2, 4096, 20, 64}, deep = {100, 1, 1, 64, 60000, 32};
    round_trip(&wide, "round.gwt");
    round_trip(&deep, "round.gwt.zst");
}

/* When a launch begins, a reader frees those and only those work-groups that have become useless. */
static void test_a_work_group_outlives_its_launch(void **state)
{
    (void)state;
    struct random_shape s = {8, 2, 6, 100, 50, 32};
    uint64_t x = s.seed;
    struct gwt_reader *r;
    struct gwt_record record;
    struct gwt_cta *kept = NULL;
    struct mp_error err;
    assert_int_equal(random_write(&s, "kept.gwt", &err), 0);
    assert_int_equal(gwt_open(&r, "kept.gwt", &err), 0);
    gwt_follow_needs(r);
    for (uint32_t kernels = 0; kernels < 2;) {
        assert_int_equal(gwt_next(r, &record, &err), 0);
        kernels += record.kind == GWT_KERNEL;
        if (record.kind == GWT_CTA && kept)
            gwt_cta_release(r, record.cta);
        else if (record.kind == GWT_CTA)
            kept = record.cta;
    }
    struct gwt_kernel k = random_kernel(&s, 0);
    struct truth c = {.unit = NULL};
    assert_non_null(kept);
    assert_non_null(k.needs.end);
    for (uint32_t i = 0; i < kept->nwarps; i++)
        compare_steps(kept->warp[i], random_warp(&s, &k, 0, kept->id, i), &c, &x, &k.needs);
    gwt_cta_release(r, kept);
    gwt_close(r);
    free(c.unit);
}

static void test_same_digest_plain_and_compressed(void **state)
{
    (void)state;
    struct random_shape s = {5, 2, 6, 100, 50, 64}, other = {6, 2, 6, 100, 50, 64};
    struct gwt_reader *a, *b, *c;
    struct mp_error err;
    assert_int_equal(random_write(&s, "digest.gwt", &err), 0);
    assert_int_equal(random_write(&s, "digest.gwt.zst", &err), 0);
    assert_int_equal(random_write(&other, "digest2.gwt", &err), 0);
    assert_int_equal(gwt_open(&a, "digest.gwt", &err), 0);
    assert_int_equal(gwt_open(&b, "digest.gwt.zst", &err), 0);
    assert_int_equal(gwt_open(&c, "digest2.gwt", &err), 0);
    assert_memory_equal(gwt_totals(a), gwt_totals(b), sizeof(struct gwt_totals));
    assert_true(gwt_totals(a)->digest[0] != gwt_totals(c)->digest[0]);
    assert_true(gwt_file_bytes(a) > gwt_file_bytes(b));
    gwt_close(a);
    gwt_close(b);
    gwt_close(c);
}

/* Regular addresses must be as short as the format promises: two warps over the same pcs differ only in
 * their first base. */
static void test_predecessor_makes_warps_alike(void **state)
{
    (void)state;
    struct gwt_pc pc[2] = {{16, 'L', 1, 1}, {32, 'S', 1, 2}};
    struct gwt_kernel k = {"copy", {2, 1, 1}, {64, 1, 1}, 0, 2, pc, {NULL, NULL}};
    struct gwt_writer *w;
    struct mp_error err;
    assert_int_equal(gwt_writer_open(&w, "alike.gwt", &err), 0);
    gwt_write_alloc(w, 1, 0x100000, 0x100000);
    gwt_write_kernel(w, &k);
    for (uint32_t c = 0; c < 2; c++) {
        gwt_write_cta(w, c, 2);
        for (uint32_t i = 0; i < 2; i++) {
            gwt_write_warp(w, i, 32);
            for (uint32_t step = 0; step < 4; step++) {
                struct gwt_event e = {.kind = GWT_ACCESS,
                                      .op = step & 1,
                                      .gap = 1,
                                      .mask = 0xffffffffu,
                                      .pc = step & 1,
                                      .bytes = 4};
                for (unsigned l = 0; l < 32; l++)
                    e.lane[l] = 0x100000 + 0x80000 * (step & 1) + 0x1000 * step + 0x100 * (2 * c + i) + 4 * l;
                gwt_write_event(w, &e);
            }
            struct gwt_event exit = {.kind = GWT_EXIT, .gap = 1};
            gwt_write_event(w, &exit);
        }
    }
    gwt_write_kernel_end(w);
    assert_int_equal(gwt_writer_close(w, &err), 0);
    FILE *f = fopen("alike.gwt", "rb");
    assert_non_null(f);
    uint8_t bytes[400];
    size_t n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    /* Warp 1 of work-group 0, and warps 0 and 1 of work-group 1: the delta to the previous warp is 0x100
     * each time. */
    const uint8_t same[] = {0x0c, 1, 0,    4,    0x80, 4,    0x0d, 1, 1, 4,    0x80, 4, 0x0c, 1,
                            0,    4, 0x80, 0x80, 1,    0x0d, 1,    1, 4, 0x80, 0x80, 1, 0x41, 1};
    unsigned found = 0;
    for (uint8_t *at = bytes; (at = memmem(at, (size_t)(bytes + n - at), same, sizeof same)); at++)
        found++;
    assert_int_equal(found, 3);
}

static void test_units(void **state)
{
    (void)state;
    static const struct {
        struct gwt_event e;
        unsigned lines, pages;
    } cases[] = {
        {{.mode = GWT_SAME, .active = 32, .bytes = 4, .base = 124}, 1, 1},
        {{.mode = GWT_SAME, .active = 32, .bytes = 8, .base = 124}, 2, 1},
        {{.mode = GWT_UNIT, .active = 32, .bytes = 4, .stride = 4, .base = 0}, 1, 1},
        {{.mode = GWT_UNIT, .active = 32, .bytes = 4, .stride = 4, .base = 64}, 2, 1},
        {{.mode = GWT_UNIT, .active = 32, .bytes = 512, .stride = 512, .base = 65536 - 512}, 128, 2},
        {{.mode = GWT_STRIDE, .active = 32, .bytes = 4, .stride = 4096, .base = 0}, 32, 2},
        {{.mode = GWT_STRIDE, .active = 32, .bytes = 8, .stride = -256, .base = 1 << 20 | 124}, 64, 2},
        {{.mode = GWT_STRIDE, .active = 3, .bytes = 4, .stride = 1 << 17, .base = 0}, 3, 3},
        {{.mode = GWT_STRIDE, .active = 64, .bytes = 1024, .stride = 4096, .base = 64}, 576, 4},
        {{.mode = GWT_SCATTER, .active = 4, .bytes = 4, .lane = {0, 1 << 20, 4, 1 << 20 | 126}}, 3, 2},
        /* Units with equal low nine bits must be distinguished. */
        {{.mode = GWT_SCATTER, .active = 3, .bytes = 4, .lane = {0, 1 << 16, 8}}, 2, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t unit[GWT_UNITS_MAX];
        const struct gwt_span span = gwt_span(&cases[i].e);
        assert_int_equal(gwt_units_count(&cases[i].e, 7, &span), cases[i].lines);
        assert_int_equal(gwt_units(&cases[i].e, 16, unit), cases[i].pages);
    }
}

/* Lists the units of all lanes, one by one. */
static unsigned units_by_hand(const struct gwt_event *e, unsigned shift, uint64_t *unit)
{
    unsigned n = 0;
    for (unsigned i = 0; i < e->active; i++)
        for (uint64_t u = e->lane[i] >> shift; u <= (e->lane[i] + e->bytes - 1) >> shift; u++)
            unit[n++] = u;
    return (unsigned)distinct(unit, n);
}

/* Scattered lanes in windows of every size, from one line to the whole address space. */
static void test_scattered_units(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (unsigned n = 0; n < 20000; n++) {
        struct gwt_event e = {.mode = GWT_SCATTER, .active = (uint8_t)(1 + n % 64), .bytes = 1u << n % 11};
        const uint64_t size = 1ull << (4 + n % 43);
        for (unsigned i = 0; i < e.active; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            e.lane[i] = (1ull << 20) * (n % 1000) + (seed >> 17) % size;
        }
        e.base = e.lane[0];
        const struct gwt_span span = gwt_span(&e);
        for (unsigned shift = 7; shift <= 16; shift += 9) {
            uint64_t wanted[GWT_UNITS_MAX], got[GWT_UNITS_MAX];
            const unsigned count = units_by_hand(&e, shift, wanted);
            assert_int_equal(gwt_units_count(&e, shift, &span), count);
            assert_int_equal(gwt_units_apart(&e, shift, got), count);
            qsort(got, count, sizeof *got, by_value);
            assert_memory_equal(got, wanted, count * sizeof *got);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_a_work_group_outlives_its_launch),
        cmocka_unit_test(test_same_digest_plain_and_compressed),
        cmocka_unit_test(test_predecessor_makes_warps_alike),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_scattered_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
