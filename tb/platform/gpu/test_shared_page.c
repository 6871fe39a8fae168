/* SPDX-License-Identifier: Apache-2.0 */
/* Two buffers on one page: the page stays until the second is freed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "config/config.h"
#include "platform.h"
#include "trace/gwt.h"

#define HEAP  (1ull << 32)
#define SMALL 65536u /* a buffer: 32 of them fit in a page of 2 MiB */

static void kernel(struct gwt_writer *w, uint64_t va)
{
    char name[] = "reads";
    struct gwt_pc pc = {.pc = 0x10, .kind = 'L', .space = GWT_GLOBAL};
    const struct gwt_kernel k = {.name = name, .grid = {1, 1, 1}, .block = {32, 1, 1}, .npcs = 1, .pcs = &pc};
    const struct gwt_event load = {
        .kind = GWT_ACCESS, .op = GWT_LOAD, .gap = 1, .bytes = 4, .active = 1, .mask = 1, .lane = {va}};
    const struct gwt_event leave = {.kind = GWT_EXIT, .gap = 1};
    gwt_write_kernel(w, &k);
    gwt_write_cta(w, 0, 1);
    gwt_write_warp(w, 0, 32);
    gwt_write_event(w, &load);
    gwt_write_event(w, &leave);
    gwt_write_kernel_end(w);
}

static void a_page_goes_with_its_last_buffer(void **state)
{
    struct gwt_writer *w;
    struct mp_config config;
    struct mp_result result;
    struct mp_error err;
    (void)state;
    assert_int_equal(gwt_writer_open(&w, "shared_page.gwt", &err), 0);
    gwt_write_alloc(w, 1, HEAP, SMALL);
    gwt_write_alloc(w, 2, HEAP + SMALL, SMALL);
    gwt_write_alloc(w, 3, HEAP + 2 * SMALL, 2097152); /* the end of the first page and most of the second */
    kernel(w, HEAP);
    gwt_write_free(w, 1);
    kernel(w, HEAP + SMALL);
    gwt_write_free(w, 3);
    kernel(w, HEAP + SMALL);
    gwt_write_free(w, 2);
    gwt_write_alloc(w, 4, HEAP, SMALL); /* the page is mapped anew */
    kernel(w, HEAP);
    if (gwt_writer_close(w, &err))
        fail_msg("%s", err.text);
    const char *large[] = {"machine.page_bytes=2097152", "tenants.0.trace=shared_page.gwt",
                           "tenants.0.slices=1"};
    if (mp_config_load(&config, "star-a100-mig", 3, large, &err))
        fail_msg("%s", err.text);
    const struct mp_run run = {.config = &config, .trace = {"shared_page.gwt"}};
    if (mp_platform_run(&run, &result, &err))
        fail_msg("%s", err.text);
    assert_int_equal(result.tenant[0].completions, 1);
    assert_int_equal(result.tenant[0].accesses, 4);
    mp_config_free(&config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_page_goes_with_its_last_buffer)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
