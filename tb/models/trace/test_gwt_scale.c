/* SPDX-License-Identifier: Apache-2.0 */
/* A scaled trace differs from its original in the gaps, which keep each warp's share. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "random_trace.h"

static const struct random_shape shape = {21, 3, 10, 150, 60, 64};

static struct gwt_reader *open_trace(const char *path)
{
    struct gwt_reader *r = NULL;
    struct mp_error err;
    if (gwt_open(&r, path, &err))
        fail_msg("%s", err.text);
    return r;
}

static void scale(const char *from, const char *to, uint64_t instructions)
{
    struct mp_error err;
    if (gwt_scale(from, to, instructions, &err))
        fail_msg("%s", err.text);
}

static struct gwt_totals totals_of(const char *path)
{
    struct gwt_reader *r = open_trace(path);
    struct gwt_totals t = *gwt_totals(r);
    gwt_close(r);
    return t;
}

/* Gaps are drawn up to 2^32 - 1, and have to become smaller before they can grow. Returns the instructions
 * that were drawn. */
static uint64_t write_original(const char *path)
{
    struct mp_error err;
    if (random_write(&shape, "drawn.gwt", &err))
        fail_msg("%s", err.text);
    const uint64_t drawn = totals_of("drawn.gwt").instructions;
    scale("drawn.gwt", path, drawn / 1000);
    return drawn;
}

static void compare_event(const struct gwt_event *a, const struct gwt_event *b)
{
    assert_int_equal(a->kind, b->kind);
    if (a->kind != GWT_ACCESS)
        return;
    assert_int_equal(a->op, b->op);
    assert_int_equal(a->mode, b->mode);
    assert_int_equal(a->mask, b->mask);
    assert_int_equal(a->pc, b->pc);
    assert_int_equal(a->bytes, b->bytes);
    assert_int_equal(a->base, b->base);
    assert_int_equal(a->stride, b->stride);
    if (a->mode == GWT_SCATTER)
        assert_memory_equal(a->lane, b->lane, a->active * sizeof *a->lane);
}

/* After each event, the copy's instructions are those of the original times the ratio, rounded. */
static void compare_warp(struct gwt_warp *original, struct gwt_warp *copy, double ratio)
{
    struct gwt_event a, b;
    double before = 0, scaled = 0;
    while (gwt_warp_next(original, &a)) {
        assert_true(gwt_warp_next(copy, &b));
        compare_event(&a, &b);
        before += a.gap;
        scaled += b.gap;
        double off = scaled - before * ratio;
        assert_true(off <= 0.51 && off >= -0.51);
    }
    assert_false(gwt_warp_next(copy, &b));
}

static void compare_record(const struct gwt_record *a, const struct gwt_record *b, double ratio)
{
    assert_int_equal(a->kind, b->kind);
    if (a->kind == GWT_KERNEL) {
        assert_string_equal(a->kernel->name, b->kernel->name);
        assert_memory_equal(a->kernel->grid, b->kernel->grid, sizeof a->kernel->grid);
        const uint32_t npcs = a->kernel->npcs;
        assert_int_equal(npcs, b->kernel->npcs);
        assert_int_equal(a->kernel->needs.end != NULL, b->kernel->needs.end != NULL);
        if (a->kernel->needs.end)
            assert_memory_equal(a->kernel->needs.end, b->kernel->needs.end, npcs * sizeof(uint32_t));
        return;
    }
    if (a->kind != GWT_CTA) {
        assert_int_equal(a->va, b->va);
        assert_int_equal(a->bytes, b->bytes);
        return;
    }
    assert_int_equal(a->cta->id, b->cta->id);
    assert_int_equal(a->cta->nwarps, b->cta->nwarps);
    for (uint32_t i = 0; i < a->cta->nwarps; i++)
        compare_warp(a->cta->warp[i], b->cta->warp[i], ratio);
}

static void compare(const char *original, const char *copy, double ratio)
{
    struct gwt_reader *a = open_trace(original), *b = open_trace(copy);
    struct gwt_record x = {.kind = GWT_ALLOC}, y;
    struct mp_error err;
    while (x.kind != GWT_END) {
        assert_int_equal(gwt_next(a, &x, &err) || gwt_next(b, &y, &err), 0);
        compare_record(&x, &y, ratio);
        if (x.kind == GWT_CTA) {
            gwt_cta_release(a, x.cta);
            gwt_cta_release(b, y.cta);
        }
    }
    gwt_close(a);
    gwt_close(b);
}

static void only_gaps_change(void **state)
{
    (void)state;
    const uint64_t drawn = write_original("scale.gwt.zst");
    const struct gwt_totals before = totals_of("scale.gwt.zst");
    static const struct {
        uint64_t times, over;
    } ratio[] = {{3, 1}, {1, 2}, {467, 100}, {1, 1}};
    for (unsigned i = 0; i < sizeof ratio / sizeof *ratio; i++) {
        const uint64_t wanted = before.instructions * ratio[i].times / ratio[i].over;
        scale("scale.gwt.zst", "scaled.gwt", wanted);
        const struct gwt_totals t = totals_of("scaled.gwt");
        /* each warp's share is rounded */
        assert_true(t.instructions + before.warps / 2 >= wanted &&
                    t.instructions <= wanted + before.warps / 2);
        assert_int_equal(t.recorded, drawn);
        assert_int_equal(t.warp_lanes, before.warp_lanes);
        assert_int_equal(t.lane_accesses, before.lane_accesses);
        assert_int_equal(t.footprint_pages, before.footprint_pages);
        compare("scale.gwt.zst", "scaled.gwt", (double)wanted / (double)before.instructions);
    }
}

static void a_multiple_scaled_back_is_the_original(void **state)
{
    (void)state;
    const uint64_t drawn = write_original("scale.gwt");
    const struct gwt_totals before = totals_of("scale.gwt");
    scale("scale.gwt", "thrice.gwt", 3 * before.instructions);
    scale("thrice.gwt", "back.gwt", before.instructions);
    scale("scale.gwt", "same.gwt", before.instructions);
    assert_int_equal(totals_of("thrice.gwt").instructions, 3 * before.instructions);
    const struct gwt_totals back = totals_of("back.gwt"), same = totals_of("same.gwt");
    assert_memory_equal(&back, &same, sizeof back); /* the digest, too */
    assert_int_equal(back.recorded, drawn);
}

static void refused(void **state)
{
    struct mp_error err;
    struct gwt_writer *w;
    (void)state;
    write_original("scale.gwt");
    assert_int_equal(gwt_scale("none.gwt", "scaled.gwt", 1, &err), -1);
    assert_non_null(strstr(err.text, "none.gwt: "));
    assert_int_equal(gwt_scale("scale.gwt", "no/folder.gwt", 1, &err), -1);
    assert_int_equal(gwt_scale("scale.gwt", "scaled.gwt", GWT_MOST_INSTRUCTIONS, &err), -1);
    assert_non_null(strstr(err.text, "; allowed are up to 4294967295"));
    assert_int_equal(gwt_writer_open(&w, "order.gwt", &err), 0);
    gwt_write_alloc(w, 1, 0, 4096);
    gwt_write_recorded(w, 5);
    assert_int_equal(gwt_writer_close(w, &err), -1);
    assert_non_null(strstr(err.text, "only the lanes of a warp may come before"));
    assert_int_equal(gwt_writer_open(&w, "order.gwt", &err), 0);
    gwt_write_recorded(w, 0);
    assert_int_equal(gwt_writer_close(w, &err), -1);
    assert_non_null(strstr(err.text, "allowed are 1 to 2^48"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_gaps_change),
        cmocka_unit_test(a_multiple_scaled_back_is_the_original),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests_name("scaled traces", tests, NULL, NULL);
}
