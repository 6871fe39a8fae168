/* SPDX-License-Identifier: Apache-2.0 */
/* Every application on a device whose kernels do nothing: its check must fail. Also the application's calls
 * of the device: whole work-groups, host marks inside allocations, all memory freed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "not_before.h"

enum { MOST_BUFFERS = 64 };

struct device {
    struct {
        char *start;
        size_t bytes;
    } buffer[MOST_BUFFERS];
    unsigned launches, wrote, read;
};

static bool inside(const struct device *d, const void *p, size_t bytes)
{
    for (unsigned i = 0; i < MOST_BUFFERS; i++) {
        const char *at = p, *start = d->buffer[i].start;
        if (start && at >= start && at + bytes <= start + d->buffer[i].bytes)
            return bytes > 0;
    }
    return false;
}

void *device_alloc(struct device *d, size_t bytes)
{
    unsigned i = 0;
    while (i < MOST_BUFFERS && d->buffer[i].start)
        i++;
    if (i == MOST_BUFFERS || bytes == 0)
        abort();
    d->buffer[i].start = calloc(bytes, 1);
    d->buffer[i].bytes = bytes;
    assert_non_null(d->buffer[i].start);
    return d->buffer[i].start;
}

void device_free(struct device *d, void *pointer)
{
    unsigned i = 0;
    while (i < MOST_BUFFERS && d->buffer[i].start != pointer)
        i++;
    assert_true(i < MOST_BUFFERS);
    free(pointer);
    d->buffer[i].start = NULL;
}

void *device_reserve(struct device *d, size_t bytes)
{
    return device_alloc(d, bytes);
}

void device_map(struct device *d, const void *pointer, size_t bytes)
{
    (void)d, (void)pointer, (void)bytes;
}

void device_unmap(struct device *d, const void *pointer, size_t bytes)
{
    (void)d, (void)pointer, (void)bytes;
}

void device_not_before(struct device *d, uint64_t ns)
{
    (void)d, (void)ns;
}

void device_wrote(struct device *d, const void *pointer, size_t bytes)
{
    assert_true(inside(d, pointer, bytes));
    d->wrote++;
}

void device_read(struct device *d, const void *pointer, size_t bytes)
{
    assert_true(inside(d, pointer, bytes));
    d->read++;
}

void device_launch(struct device *d, const char *kernel, unsigned dims, const size_t *global,
                   const size_t *local, unsigned nargs, const void *const *args)
{
    assert_true(kernel[0] && dims >= 1 && dims <= 3 && nargs > 0);
    for (unsigned i = 0; i < dims; i++)
        assert_true(local[i] > 0 && global[i] > 0 && global[i] % local[i] == 0);
    for (unsigned i = 0; i < nargs; i++)
        assert_non_null(args[i]);
    d->launches++;
}

static void idle_kernels_are_noticed(void **state)
{
    (void)state;
    for (unsigned i = 0; apps[i]; i++) {
        struct device d = {0};
        if (apps[i]->run(&d, APP_SMALL, 1, NULL) != APP_WRONG)
            fail_msg("%s: passed although its kernels did nothing", apps[i]->name);
        assert_true(d.launches > 0 && d.wrote > 0 && d.read > 0);
        for (unsigned b = 0; b < MOST_BUFFERS; b++)
            if (d.buffer[b].start)
                fail_msg("%s: buffer %u was not freed", apps[i]->name, b);
    }
}

static void unreadable_graphs_are_refused(void **state)
{
    (void)state;
    for (unsigned i = 0; apps[i]; i++) {
        struct device d = {0};
        if (!apps[i]->takes_input)
            continue;
        assert_int_equal(apps[i]->run(&d, APP_SMALL, 1, "nowhere.mtx"), APP_BAD_INPUT);
        assert_int_equal(apps[i]->run(&d, APP_SMALL, 1, "graph.txt"), APP_BAD_INPUT);
        assert_int_equal(d.launches, 0);
    }
}

static void the_table_is_complete(void **state)
{
    (void)state;
    static const char *const names[] = {
        "ATAX", "BICG",   "FFT",   "BFS",     "ST",     "FIR",  "PR",       "MT",     "NW",
        "CONV", "MM",     "HS",    "RAY",     "FFT256", "LPS",  "JPEG",     "LIB",    "SRAD",
        "3DS",  "BLK",    "QTC",   "SAD",     "GUPS",   "CORR", "COVAR",    "GMV",    "GRM",
        "MVT",  "2DCONV", "COLOR", "MIS",     "SSSP",   "BC",   "PAGERANK", "LUD",    "ADI",
        "MMS",  "SN",     "VA",    "SP",      "FWT",    "CFD",  "ALEXNET",  "DECODE", "EMBED",
        "MOE",  "GNN",    "JOIN",  "PREFILL", "GEMM",   "SPMM", "SERVE"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        assert_non_null(apps[i]);
        assert_string_equal(apps[i]->name, names[i]);
        assert_true(apps[i]->title && apps[i]->suite);
        assert_true(apps[i]->size[APP_SMALL] && apps[i]->size[APP_MEDIUM]);
        const bool today = !strcmp(apps[i]->suite, "today");
        assert_true(apps[i]->size[APP_PAPER] || (i >= 23 && !today)); /* the STAR and the DWS papers' */
        assert_true(i < 23 || today || apps[i]->size[APP_MESC] || apps[i]->size[APP_NEIDTY] ||
                    apps[i]->size[APP_FGPU]);
        assert_true(apps[i]->size[APP_STAR] || i >= 10); /* the STAR paper's ten are the first */
    }
    assert_null(apps[sizeof names / sizeof *names]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_is_complete),
        cmocka_unit_test(idle_kernels_are_noticed),
        cmocka_unit_test(unreadable_graphs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
