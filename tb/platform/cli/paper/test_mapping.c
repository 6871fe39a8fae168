/* SPDX-License-Identifier: Apache-2.0 */
/* Mapping the buffers of a trace without a run: which pages are contiguous, and in regions of which length.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/paper/mapping.h"
#include "trace/gwt.h"

#define PAGE 4096ull
#define BASE (1ull << 32)

/* The machine with these settings. */
static struct mp_config machine(const char *memhog, const char *seed)
{
    const char *const set[] = {memhog, seed, "vm.turn=1", "machine.memory_per_slice=256MiB"};
    struct mp_config config;
    struct mp_error err;
    if (mp_config_load(&config, "mesc-16cu", sizeof set / sizeof *set, set, &err))
        fail_msg("%s", err.text);
    return config;
}

static struct mapping measure(const char *memhog, const char *seed, struct mapping_buffer *buffer, unsigned n,
                              uint64_t divisor)
{
    const struct mapping_buffers buffers = {n, buffer};
    struct mp_config config = machine(memhog, seed);
    struct mapping m;
    struct mp_error err;
    if (mapping_measure(&m, &config, &buffers, divisor, &err))
        fail_msg("%s", err.text);
    mp_config_free(&config);
    return m;
}

/* In memory without a history, all pages that are faulted in order are neighbours: tables lie elsewhere. */
static void fresh_memory_is_in_order(void **state)
{
    struct mapping_buffer two[] = {{BASE + 200 * PAGE, 100 * PAGE}, {BASE, 200 * PAGE}};
    (void)state;
    struct mapping m = measure("vm.memhog=0", "vm.seed=1", &two[1], 1, 1);
    assert_int_equal(m.pages, 200);
    assert_int_equal(m.contiguous, 3 * 64); /* the fourth subregion is not full */
    assert_int_equal(m.bin[0].regions, 1);
    assert_int_equal(m.bin[0].pages, 200);
    struct mapping_buffer joined[] = {two[1], two[0]};
    m = measure("vm.memhog=0", "vm.seed=1", joined, 2, 1);
    assert_int_equal(m.contiguous, 4 * 64);
    assert_int_equal(m.bin[0].regions, 0);
    assert_int_equal(m.bin[1].regions, 1); /* buffers that follow each other are one region */
    assert_int_equal(m.bin[1].pages, 300);
    m = measure("vm.memhog=0", "vm.seed=1", two, 2, 1); /* mapped in the other order */
    assert_int_equal(m.bin[0].regions, 2);
    assert_int_equal(m.bin[0].pages, 300);
    m = measure("vm.memhog=0", "vm.seed=1", joined, 2, 2); /* with pages between them that are not mapped */
    assert_int_equal(m.pages, 150);
    assert_int_equal(m.contiguous, 64);
    assert_int_equal(m.bin[0].regions, 2);
    struct mapping_buffer frames = {BASE, 1024 * PAGE};
    m = measure("vm.memhog=0", "vm.seed=1", &frames, 1, 1);
    assert_int_equal(m.contiguous, 1024);
    assert_int_equal(m.bin[3].regions, 1);
    assert_int_equal(m.bin[3].pages, 1024);
}

static void histories_differ(void **state)
{
    struct mapping_buffer one = {BASE, 8192 * PAGE};
    (void)state;
    struct mapping m = measure("vm.memhog=50", "vm.seed=1", &one, 1, 1), same, other;
    uint64_t pages = 0;
    for (unsigned i = 0; i < MAPPING_BINS; i++)
        pages += m.bin[i].pages;
    assert_int_equal(m.pages, 8192);
    assert_int_equal(pages, 8192);
    assert_true(m.contiguous < m.pages && m.contiguous % 64 == 0);
    same = measure("vm.memhog=50", "vm.seed=1", &one, 1, 1);
    other = measure("vm.memhog=50", "vm.seed=2", &one, 1, 1);
    assert_memory_equal(&m, &same, sizeof m);
    assert_memory_not_equal(&m, &other, sizeof m);
}

static void memory_is_used_up(void **state)
{
    struct mapping_buffer one = {BASE, 1 << 30};
    const struct mapping_buffers buffers = {1, &one};
    struct mp_config config = machine("vm.memhog=0", "vm.seed=1");
    struct mapping m;
    struct mp_error err;
    (void)state;
    assert_int_equal(mapping_measure(&m, &config, &buffers, 1, &err), -1);
    assert_non_null(strstr(err.text, "machine.memory_per_slice"));
    assert_int_equal(mapping_measure(&m, &config, &buffers, 8, &err), 0);
    mp_config_free(&config);
}

/* Buffers that are allocated after the first kernel do not count. */
static void buffers_of_a_trace(void **state)
{
    char name[] = "/tmp/mapping-XXXXXX";
    const struct gwt_kernel kernel = {.name = "k", .grid = {1, 1, 1}, .block = {32, 1, 1}};
    struct gwt_writer *w;
    struct mapping_buffers b;
    struct mp_error err;
    (void)state;
    int fd = mkstemp(name);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(gwt_writer_open(&w, name, &err), 0);
    gwt_write_alloc(w, 1, BASE, 100);
    gwt_write_host(w, GWT_HOST_WRITE, BASE, 100);
    gwt_write_alloc(w, 2, BASE + PAGE, 200);
    gwt_write_kernel(w, &kernel);
    gwt_write_cta(w, 0, 1);
    gwt_write_warp(w, 0, 32);
    gwt_write_event(w, &(struct gwt_event){.kind = GWT_EXIT, .mask = UINT32_MAX, .active = 32});
    gwt_write_kernel_end(w);
    gwt_write_alloc(w, 3, BASE + 2 * PAGE, 300);
    assert_int_equal(gwt_writer_close(w, &err), 0);
    if (mapping_read(&b, name, NULL, &err))
        fail_msg("%s", err.text);
    assert_int_equal(b.n, 2);
    assert_int_equal(b.buffer[1].va, BASE + PAGE);
    assert_int_equal(b.buffer[1].bytes, 200);
    mapping_free(&b);
    assert_int_equal(unlink(name), 0);
    assert_int_equal(mapping_read(&b, name, NULL, &err), -1);
    mapping_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fresh_memory_is_in_order),
        cmocka_unit_test(histories_differ),
        cmocka_unit_test(memory_is_used_up),
        cmocka_unit_test(buffers_of_a_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
