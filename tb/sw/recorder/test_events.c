/* SPDX-License-Identifier: Apache-2.0 */
/* The exact events of small kernels: addresses, masks, lines, and the instructions between them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "recording.h"

#define ALL 0xffffffffu

/* Work-item number and address: 2 instructions; the access's own one is in the next gap. */
static void coalesced_and_partial_warp(void **state)
{
    (void)state;
    struct recording r;
    recording_begin(&r);
    int *in = device_alloc(r.device, 80 * sizeof *in), *out = device_alloc(r.device, 80 * sizeof *out);
    DEVICE_RUN(r.device, "copy", 1, DEVICE_SIZE(80), DEVICE_SIZE(40), &in, &out);
    recording_read(&r);
    assert_string_equal(r.kernel.kernel->name, "copy");
    assert_int_equal(r.kernel.kernel->grid[0], 2);
    assert_int_equal(r.kernel.kernel->block[0], 40);
    assert_int_equal(r.kernel.kernel->npcs, 2);
    for (unsigned g = 0; g < 2; g++) {
        struct gwt_cta *cta = recording_group(&r);
        assert_int_equal(cta->id, g);
        assert_int_equal(cta->nwarps, 2);
        for (unsigned w = 0; w < 2; w++) {
            const uint32_t mask = w ? 0xff : ALL;
            const unsigned at = 160 * g + 128 * w;
            assert_int_equal(gwt_warp_lanes(cta->warp[w]), w ? 8 : 32);
            expect_access(cta->warp[w], &r, 5, GWT_LOAD, mask, 2, small_buffer(0) + at, 4);
            expect_access(cta->warp[w], &r, 5, GWT_STORE, mask, 2, small_buffer(1) + at, 4);
            expect_mark(cta->warp[w], GWT_EXIT, 1);
        }
    }
    assert_null(recording_group(&r));
    recording_end(&r);
}

static void constant_stride(void **state)
{
    (void)state;
    struct recording r;
    const int stride = 100;
    recording_begin(&r);
    float *a = device_alloc(r.device, 3200 * sizeof *a);
    DEVICE_RUN(r.device, "strided", 1, DEVICE_SIZE(32), DEVICE_SIZE(32), &a, &stride);
    for (unsigned i = 0; i < 32; i++)
        assert_true(a[100 * i] == 1.0f);
    recording_read(&r);
    struct gwt_warp *w = recording_group(&r)->warp[0];
    expect_access(w, &r, 10, GWT_STORE, ALL, 3, small_buffer(0), 400); /* id, product, address */
    expect_mark(w, GWT_EXIT, 1);
    recording_end(&r);
}

/* Both ways of the branch are issued, one after the other; they meet behind it. */
static void branches_add_up(void **state)
{
    (void)state;
    struct recording r;
    recording_begin(&r);
    void *b[4];
    for (unsigned i = 0; i < 4; i++)
        b[i] = device_alloc(r.device, 128);
    DEVICE_RUN(r.device, "branches", 1, DEVICE_SIZE(32), DEVICE_SIZE(32), &b[0], &b[1], &b[2], &b[3]);
    recording_read(&r);
    struct gwt_warp *w = recording_group(&r)->warp[0];
    struct gwt_event e;
    unsigned line[8], n = 0, gaps = 0;
    uint32_t mask[8];
    while (gwt_warp_next(w, &e) && e.kind == GWT_ACCESS) {
        assert_true(n < 8);
        line[n] = r.kernel.kernel->pcs[e.pc].line;
        mask[n++] = (uint32_t)e.mask;
        gaps += e.gap;
    }
    const bool odd_first = mask[0] == 0xaaaaaaaa;
    const unsigned expected_line[2][5] = {{19, 17, 17, 20, 20}, {17, 17, 19, 20, 20}};
    const uint32_t even = 0x55555555, odd = 0xaaaaaaaa;
    const uint32_t expected_mask[2][5] = {{even, odd, odd, ALL, ALL}, {odd, odd, even, ALL, ALL}};
    assert_int_equal(n, 5);
    for (unsigned i = 0; i < n; i++) {
        assert_int_equal(line[i], expected_line[odd_first][i]);
        assert_int_equal(mask[i], expected_mask[odd_first][i]);
    }
    /* id, and, compare, branch; address, store; address, load, product, address, store; address, load,
     * address, store: each once, though both ways were gone */
    assert_int_equal(gaps + e.gap, 15);
    recording_end(&r);
}

/* Loops with different trip counts: lanes drop out and wait behind the loop. */
static void trip_counts(void **state)
{
    (void)state;
    static const uint32_t still[] = {ALL, 0xeeeeeeee, 0xcccccccc, 0x88888888};
    struct recording r;
    recording_begin(&r);
    int *a = device_alloc(r.device, 128 * sizeof *a), *done = device_alloc(r.device, 32 * sizeof *done);
    DEVICE_RUN(r.device, "trips", 1, DEVICE_SIZE(32), DEVICE_SIZE(32), &a, &done);
    recording_read(&r);
    struct gwt_warp *w = recording_group(&r)->warp[0];
    struct gwt_event e;
    for (unsigned k = 0; k < 4; k++) {
        assert_true(gwt_warp_next(w, &e));
        assert_int_equal(r.kernel.kernel->pcs[e.pc].line, 28);
        assert_int_equal(e.mask, still[k]);
        assert_int_equal(e.base, small_buffer(0) + 128 * k + 4 * k);
        assert_int_equal(e.gap, 7);
    }
    expect_access(w, &r, 29, GWT_STORE, ALL, 5, small_buffer(1), 4);
    expect_mark(w, GWT_EXIT, 1);
    recording_end(&r);
}

/* Lanes that break out of an inner loop wait for the others before the outer loop goes on. */
static void breaking_out(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t mask;
    } expected[] = {{38, ALL},        {40, 0xeeeeeeee}, {40, 0xeeeeeeee}, {38, 0xeeeeeeee},
                    {40, 0xcccccccc}, {40, 0xcccccccc}, {38, 0xcccccccc}, {40, 0x88888888},
                    {40, 0x88888888}, {42, ALL},        {42, ALL}};
    struct recording r;
    recording_begin(&r);
    int *a = device_alloc(r.device, 16), *b = device_alloc(r.device, 128), *c = device_alloc(r.device, 128);
    for (int i = 0; i < 4; i++)
        a[i] = i;
    DEVICE_RUN(r.device, "nested", 1, DEVICE_SIZE(32), DEVICE_SIZE(32), &a, &b, &c);
    recording_read(&r);
    struct gwt_warp *w = recording_group(&r)->warp[0];
    struct gwt_event e;
    for (unsigned round = 0; round < 2; round++)
        for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++) {
            assert_true(gwt_warp_next(w, &e));
            assert_int_equal(r.kernel.kernel->pcs[e.pc].line, expected[i].line);
            assert_int_equal(e.mask, expected[i].mask);
        }
    expect_mark(w, GWT_EXIT, 2); /* store, and the comparison of the outer loop is before it */
    recording_end(&r);
}

/* Local memory is not recorded; every warp comes to each of the 7 barriers. */
static void barriers_and_local_memory(void **state)
{
    (void)state;
    struct recording r;
    recording_begin(&r);
    int *in = device_alloc(r.device, 128 * sizeof *in), *out = device_alloc(r.device, 2 * sizeof *out);
    for (int i = 0; i < 128; i++)
        in[i] = i;
    DEVICE_RUN(r.device, "sum", 1, DEVICE_SIZE(128), DEVICE_SIZE(64), &in, &out);
    assert_int_equal(out[0], 63 * 64 / 2);
    assert_int_equal(out[1], 127 * 128 / 2 - 63 * 64 / 2);
    recording_read(&r);
    assert_int_equal(r.kernel.kernel->local_bytes, 256);
    for (unsigned g = 0; g < 2; g++) {
        struct gwt_cta *cta = recording_group(&r);
        for (unsigned i = 0; i < 2; i++) {
            struct gwt_event e;
            expect_access(cta->warp[i], &r, 50, GWT_LOAD, ALL, 3, small_buffer(0) + 256 * g + 128 * i, 4);
            for (unsigned k = 0; k < 7; k++) {
                assert_true(gwt_warp_next(cta->warp[i], &e));
                assert_int_equal(e.kind, GWT_BARRIER);
            }
            if (i == 0)
                expect_access(cta->warp[i], &r, 58, GWT_STORE, 1, 9, small_buffer(1) + 4 * g, 4);
            assert_true(gwt_warp_next(cta->warp[i], &e));
            assert_int_equal(e.kind, GWT_EXIT);
        }
    }
    recording_end(&r);
}

/* The same kernels in warps of 64 lanes: the last has those that are left, and barriers keep the log. */
static void wide_warps(void **state)
{
    (void)state;
    struct recording r;
    recording_begin(&r);
    device_warp_lanes(r.device, 64);
    int *in = device_alloc(r.device, 160 * sizeof *in), *out = device_alloc(r.device, 160 * sizeof *out);
    for (int i = 0; i < 160; i++)
        in[i] = i;
    DEVICE_RUN(r.device, "copy", 1, DEVICE_SIZE(160), DEVICE_SIZE(80), &in, &out);
    DEVICE_RUN(r.device, "sum", 1, DEVICE_SIZE(64), DEVICE_SIZE(64), &in, &out);
    recording_read(&r);
    assert_int_equal(gwt_totals(r.reader)->warp_lanes, 64);
    for (unsigned g = 0; g < 2; g++) {
        struct gwt_cta *cta = recording_group(&r);
        assert_int_equal(cta->nwarps, 2);
        for (unsigned w = 0; w < 2; w++) {
            const uint64_t mask = w ? 0xffff : UINT64_MAX;
            const unsigned at = 320 * g + 256 * w;
            assert_int_equal(gwt_warp_lanes(cta->warp[w]), w ? 16 : 64);
            expect_access(cta->warp[w], &r, 5, GWT_LOAD, mask, 2, small_buffer(0) + at, 4);
            expect_access(cta->warp[w], &r, 5, GWT_STORE, mask, 2, small_buffer(1) + at, 4);
            expect_mark(cta->warp[w], GWT_EXIT, 1);
        }
    }
    assert_null(recording_group(&r)); /* the end of the launch */
    assert_null(recording_group(&r)); /* and the next one */
    struct gwt_cta *cta = recording_group(&r);
    assert_int_equal(cta->nwarps, 1);
    expect_access(cta->warp[0], &r, 50, GWT_LOAD, UINT64_MAX, 3, small_buffer(0), 4);
    for (unsigned k = 0; k < 7; k++) {
        struct gwt_event e;
        assert_true(gwt_warp_next(cta->warp[0], &e));
        assert_int_equal(e.kind, GWT_BARRIER);
    }
    expect_access(cta->warp[0], &r, 58, GWT_STORE, 1, 9, small_buffer(1), 4);
    recording_end(&r);
}

static void atomics(void **state)
{
    (void)state;
    struct recording r;
    const struct device_local part = {16};
    recording_begin(&r);
    unsigned *value = device_alloc(r.device, 32 * sizeof *value), *bin = device_alloc(r.device, 16);
    for (unsigned i = 0; i < 32; i++)
        value[i] = i;
    DEVICE_RUN(r.device, "count", 1, DEVICE_SIZE(32), DEVICE_SIZE(32), &value, &bin, &part);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(bin[i], 8);
    recording_read(&r);
    assert_int_equal(r.kernel.kernel->local_bytes, 16);
    struct gwt_warp *w = recording_group(&r)->warp[0];
    struct gwt_event e;
    expect_access(w, &r, 63, GWT_LOAD, ALL, 2, small_buffer(0), 4);
    assert_true(gwt_warp_next(w, &e)); /* read again: the atomic before might have changed it */
    assert_true(gwt_warp_next(w, &e));
    assert_int_equal(e.op, GWT_ATOMIC);
    assert_int_equal(r.kernel.kernel->pcs[e.pc].kind, 'C');
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(e.lane[i], small_buffer(1) + 4 * (i % 4));
    expect_mark(w, GWT_EXIT, 1);
    recording_end(&r);
}

/* An addition of floats in memory is one access, and returns what was there. */
static void additions_of_floats(void **state)
{
    (void)state;
    struct recording r;
    const struct device_local part = {4};
    recording_begin(&r);
    float *value = device_alloc(r.device, 32 * sizeof *value),
          *sum = device_alloc(r.device, 34 * sizeof *sum);
    for (unsigned i = 0; i < 32; i++)
        value[i] = (float)i;
    DEVICE_RUN(r.device, "weigh", 1, DEVICE_SIZE(32), DEVICE_SIZE(32), &value, &sum, &part);
    assert_float_equal(sum[0], 496, 0);
    assert_float_equal(sum[1], 496, 0);
    for (unsigned i = 0; i < 32; i++)
        assert_float_equal(sum[2 + i], (float)(i * (i - 1) / 2), 0);
    recording_read(&r);
    struct gwt_warp *w = recording_group(&r)->warp[0];
    struct gwt_event e;
    unsigned atomics = 0;
    while (gwt_warp_next(w, &e))
        if (e.kind == GWT_ACCESS && e.op == GWT_ATOMIC) {
            assert_int_equal(e.mode, GWT_SAME);
            assert_int_equal(e.active, 32);
            assert_int_equal(e.base, small_buffer(1));
            atomics++;
        }
    assert_int_equal(atomics, 1);
    recording_end(&r);
}

/* Vectors are one access; a constant argument is device memory in its own space; if early exits are allowed,
 * lanes that left are not waited for at a barrier. */
static void vectors_constants_and_early_exit(void **state)
{
    (void)state;
    struct recording r;
    const struct device_local t = {256};
    const struct record_rules rules = {.early_exits = true, .note_after = 10};
    recording_begin(&r);
    device_rules(r.device, &rules);
    float *a = device_alloc(r.device, 512), *factor = device_alloc(r.device, 4);
    char *bytes = device_alloc(r.device, 96);
    DEVICE_RUN(r.device, "vectors", 1, DEVICE_SIZE(32), DEVICE_SIZE(32), &a, &factor, &bytes);
    DEVICE_RUN(r.device, "early_exit", 1, DEVICE_SIZE(64), DEVICE_SIZE(64), &a, &t);
    recording_read(&r);
    assert_int_equal(r.kernel.kernel->pcs[1].space, GWT_CONSTANT);
    struct gwt_warp *w = recording_group(&r)->warp[0];
    expect_access(w, &r, 87, GWT_LOAD, ALL, 2, small_buffer(0), 16);
    expect_access(w, &r, 87, GWT_LOAD, ALL, 1, small_buffer(1), 0);
    expect_access(w, &r, 87, GWT_STORE, ALL, 5, small_buffer(0), 16); /* load and four products */
    for (unsigned i = 0; i < 3; i++)
        expect_access(w, &r, 88, GWT_STORE, ALL, 3, small_buffer(2) + i, 3);
    assert_null(recording_group(&r));
    struct mp_error err;
    struct gwt_record next;
    assert_int_equal(gwt_next(r.reader, &r.kernel, &err), 0);
    assert_int_equal(gwt_next(r.reader, &next, &err), 0);
    assert_int_equal(next.kind, GWT_CTA);
    r.cta = next.cta;
    for (unsigned i = 0; i < 2; i++) {
        expect_mark(next.cta->warp[i], GWT_BARRIER, 5);
        expect_access(next.cta->warp[i], &r, 81, GWT_STORE, i ? 0xff : ALL, 5, small_buffer(0) + 128 * i, 4);
        expect_mark(next.cta->warp[i], GWT_EXIT, 1);
    }
    recording_end(&r);
}

/* Accesses in the order of the code, and for each the accesses that it needs, as bits. */
struct expected_needs {
    const char *kernel;
    unsigned buffers, accesses;
    unsigned needs[4];
};

static void accesses_need_loads(void **state)
{
    (void)state;
    static const struct expected_needs table[] = {
        {"chase", 2, 2, {1 << 0, 1 << 0}},             /* next[at] needs the one before */
        {"dot_product", 3, 3, {3, 0, 3}},              /* the sum is made before the next iteration */
        {"neighbours", 2, 4, {0, 0, 0, 7}},            /* three loads in flight */
        {"choose", 3, 4, {0, 1 << 0, 1 << 0, 1 << 1}}, /* a branch needs its condition */
        {"copy", 2, 2, {0, 1}},
    };
    for (unsigned t = 0; t < sizeof table / sizeof *table; t++) {
        const struct expected_needs *want = &table[t];
        const int n = 3;
        struct recording r;
        recording_begin(&r);
        void *b[3] = {NULL};
        for (unsigned i = 0; i < want->buffers; i++)
            b[i] = device_alloc(r.device, 4096);
        const void *arguments[] = {&b[0], &b[1], want->buffers == 3 ? (const void *)&b[2] : &n, &n};
        const unsigned args[] = {3, 4, 2, 3, 2};
        device_launch(r.device, want->kernel, 1, DEVICE_SIZE(32), DEVICE_SIZE(32), args[t], arguments);
        recording_read(&r);
        const struct gwt_kernel *k = r.kernel.kernel;
        assert_int_equal(k->npcs, want->accesses);
        for (unsigned a = 0; a < k->npcs; a++) {
            unsigned needs = 0;
            for (uint32_t i = a ? k->needs.end[a - 1] : 0; i < k->needs.end[a]; i++)
                needs |= 1u << k->needs.pc[i];
            if (needs != want->needs[a])
                fail_msg("%s: access %u needs %x, not %x", want->kernel, a, needs, want->needs[a]);
        }
        recording_end(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accesses_need_loads),
        cmocka_unit_test(coalesced_and_partial_warp),
        cmocka_unit_test(constant_stride),
        cmocka_unit_test(branches_add_up),
        cmocka_unit_test(trip_counts),
        cmocka_unit_test(breaking_out),
        cmocka_unit_test(barriers_and_local_memory),
        cmocka_unit_test(wide_warps),
        cmocka_unit_test(atomics),
        cmocka_unit_test(additions_of_floats),
        cmocka_unit_test(vectors_constants_and_early_exit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
