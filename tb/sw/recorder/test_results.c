/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded kernels compute the results that OpenCL defines; equal runs give equal files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A lane whose stream is full pauses and continues, without losing or repeating anything. */
static void long_streams(void **state)
{
    (void)state;
    enum { N = 5000 };
    struct recording r;
    const int n = N;
    recording_begin(&r);
    int *a = device_alloc(r.device, N * sizeof *a);
    DEVICE_RUN(r.device, "long_loop", 1, DEVICE_SIZE(48), DEVICE_SIZE(48), &a, &n);
    for (int i = 0; i < N; i++)
        assert_int_equal(a[i], 47 * 48 / 2);
    recording_read(&r);
    struct gwt_cta *cta = recording_group(&r);
    for (unsigned w = 0; w < 2; w++)
        for (unsigned i = 0; i < N; i++) {
            struct gwt_event load, store;
            assert_true(gwt_warp_next(cta->warp[w], &load) && gwt_warp_next(cta->warp[w], &store));
            assert_int_equal(load.base, small_buffer(0) + 4 * i);
            assert_int_equal(load.mask, w ? 0xffff : 0xffffffff);
            assert_int_equal(store.base, load.base);
            assert_int_equal(store.op, GWT_STORE);
        }
    recording_end(&r);
}

static void work_item_functions(void **state)
{
    (void)state;
    struct recording r;
    recording_begin(&r);
    uint32_t(*out)[4] = device_alloc(r.device, 24 * 8 * sizeof *out);
    DEVICE_RUN(r.device, "where", 2, DEVICE_SIZE(24, 8), DEVICE_SIZE(8, 4), &out);
    for (unsigned y = 0; y < 8; y++)
        for (unsigned x = 0; x < 24; x++) {
            const uint32_t *o = out[24 * y + x];
            assert_int_equal(o[0], x % 8 + 100 * (y % 4));
            assert_int_equal(o[1], x / 8 + 100 * (y / 4));
            assert_int_equal(o[2], 3 + 200);
            assert_int_equal(o[3], 2);
        }
    recording_read(&r);
    recording_end(&r);
}

static void launches_that_cannot_be(void **state)
{
    (void)state;
    static const struct {
        const char *kernel;
        unsigned dims;
        size_t global[3], local[3];
        unsigned nargs;
        const char *says;
    } wrong[] = {
        {"none", 1, {32}, {32}, 1, "none: no such kernel; there are"},
        {"copy", 1, {32}, {32}, 1, "copy: 1 arguments given; it takes 2"},
        {"copy", 4, {32}, {32}, 2, "copy: 4 dimensions; 1 to 3"},
        {"copy", 1, {33}, {32}, 2, "copy: global size 33 with local size 32"},
        {"copy", 1, {0}, {32}, 2, "copy: global size 0"},
        {"copy", 2, {64, 64}, {64, 32}, 2, "copy: a work-group of more than 1024 work-items"},
        {"where", 1, {32}, {32}, 1, "where: local size 32 in dimension 0; its reqd_work_group_size is 8,4,1"},
    };
    struct recording r;
    recording_begin(&r);
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct mp_error err;
        assert_int_equal(device_check(r.device, wrong[i].kernel, wrong[i].dims, wrong[i].global,
                                      wrong[i].local, wrong[i].nargs, &err),
                         -1);
        if (strncmp(err.text, wrong[i].says, strlen(wrong[i].says)))
            fail_msg("'%s', expected '%s'", err.text, wrong[i].says);
    }
    device_abandon(r.device);
    unlink(r.path);
}

static char *record_sum(size_t *bytes)
{
    struct recording r;
    recording_begin(&r);
    int *in = device_alloc(r.device, 128 * sizeof *in), *out = device_alloc(r.device, 2u << 20);
    for (int i = 0; i < 128; i++)
        in[i] = i;
    device_wrote(r.device, in, 128 * sizeof *in);
    DEVICE_RUN(r.device, "sum", 1, DEVICE_SIZE(128), DEVICE_SIZE(64), &in, &out);
    device_read(r.device, out, 8);
    device_free(r.device, in);
    struct mp_error err;
    assert_int_equal(device_close(r.device, &err), 0);
    FILE *f = fopen(r.path, "rb");
    char *content = malloc(1u << 16);
    *bytes = fread(content, 1, 1u << 16, f);
    fclose(f);
    unlink(r.path);
    return content;
}

static void equal_runs_equal_files(void **state)
{
    (void)state;
    size_t a_bytes, b_bytes;
    char *padding = malloc(12345); /* other host addresses */
    char *a = record_sum(&a_bytes);
    free(padding);
    char *b = record_sum(&b_bytes);
    assert_true(a_bytes > 100);
    assert_int_equal(a_bytes, b_bytes);
    assert_memory_equal(a, b, a_bytes);
    free(a);
    free(b);
}

static void buffers_are_apart_and_zero(void **state)
{
    (void)state;
    struct recording r;
    recording_begin(&r);
    char *small = device_alloc(r.device, 1), *other = device_alloc(r.device, 70000),
         *large = device_alloc(r.device, 1u << 20), *more = device_alloc(r.device, 10);
    assert_int_equal(other - small, 0x10000);
    assert_int_equal(large - small, 2 << 20);
    assert_int_equal(more - large, 2 << 20);
    for (unsigned i = 0; i < 70000; i++)
        assert_int_equal(other[i], 0);
    device_abandon(r.device);
    unlink(r.path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_streams),
        cmocka_unit_test(work_item_functions),
        cmocka_unit_test(launches_that_cannot_be),
        cmocka_unit_test(equal_runs_equal_files),
        cmocka_unit_test(buffers_are_apart_and_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
