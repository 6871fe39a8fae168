/* SPDX-License-Identifier: Apache-2.0 */
/* The coalescer compared with a list of what the lanes touch one after the other. */
#include "../engine/fakes.h"

#include "sm/coalesce.h"
#include "step_of.h"

/* Lines in order of first touch, then grouped by page in order of first touch. */
struct brute {
    uint64_t touched[64 * 64], line[64 * 64];
    uint32_t end[64 * 64];
    uint32_t lines, pages;
};

static void touch(struct brute *b, uint64_t address)
{
    for (uint32_t i = 0; i < b->lines; i++)
        if (b->touched[i] == address)
            return;
    b->touched[b->lines++] = address;
}

static void brute_force(struct brute *b, const struct mp_coalescer *c, const struct gwt_event *a)
{
    uint64_t line = 1ull << c->line_shift;
    b->lines = b->pages = 0;
    for (uint32_t i = 0; i < a->active; i++) {
        uint64_t first = a->mode == GWT_SCATTER ? a->lane[i] : a->base + i * (uint64_t)a->stride;
        uint64_t from = first / line * line, to = (first + a->bytes - 1) / line * line;
        if (a->mode == GWT_STRIDE && a->stride < 0) /* falling addresses fall within a lane too */
            for (uint64_t at = to; at + line > from; at -= line)
                touch(b, at);
        else
            for (uint64_t at = from; at <= to; at += line)
                touch(b, at);
    }
    bool done[64 * 64] = {false};
    for (uint32_t i = 0, n = 0; i < b->lines; i++) {
        if (done[i])
            continue;
        for (uint32_t k = i; k < b->lines; k++)
            if (b->touched[k] >> c->page_shift == b->touched[i] >> c->page_shift) {
                done[k] = true;
                b->line[n++] = b->touched[k];
            }
        b->end[b->pages++] = n;
    }
}

static void compare(struct mp_coalescer *c, const struct gwt_event *a)
{
    static struct brute b;
    static struct mp_coalesced out;
    brute_force(&b, c, a);
    memset(&out, 0xee, sizeof out);
    uint8_t bytes[GWT_EVENT_MAX];
    const struct gwt_step step = step_of(a, bytes);
    mp_coalesce(c, &step, &out);
    if (out.lines != b.lines || out.pages != b.pages)
        fail_msg("mode %u, %u lanes of %u bytes, base %#llx, stride %lld: %u lines in %u pages, not %u in %u",
                 a->mode, a->active, a->bytes, (unsigned long long)a->base, (long long)a->stride, out.lines,
                 out.pages, b.lines, b.pages);
    for (uint32_t i = 0; i < b.lines; i++)
        assert_int_equal(out.line[i], b.line[i]);
    for (uint32_t i = 0; i < b.pages; i++)
        assert_int_equal(out.end[i], b.end[i]);
}

static struct mp_coalescer *new_coalescer(uint32_t page_shift, uint32_t line_shift)
{
    struct mp_coalescer *c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->page_shift = page_shift;
    c->line_shift = line_shift;
    return c;
}

static const uint32_t pages[] = {12, 16, 21};

static int64_t random_stride(struct rng *r, uint32_t bytes)
{
    int64_t sign = rng_percent(r, 50) ? -1 : 1;
    switch (rng_below(r, 5)) {
    case 0:
        return sign * (int64_t)rng_between(r, 1, 2 * bytes); /* lanes may overlap */
    case 1:
        return sign * (int64_t)rng_between(r, 1, 600);
    case 2:
        return sign * (int64_t)(1u << rng_below(r, 24));
    case 3:
        return sign * (int64_t)rng_between(r, 4000, 70000);
    default:
        return sign * (int64_t)(rng_next(r) >> 40);
    }
}

static void random_accesses(enum gwt_mode mode, uint64_t seed, const char *name)
{
    struct rng r = rng_start(name, seed);
    for (uint32_t shape = 0; shape < 9; shape++) {
        struct mp_coalescer *c = new_coalescer(pages[shape % 3], 5 + shape / 3);
        for (uint32_t i = 0; i < 4000; i++) {
            struct gwt_event a = {.mode = (uint8_t)mode, .active = (uint8_t)rng_between(&r, 1, GWT_LANES)};
            a.bytes = rng_percent(&r, 95) ? 1u << rng_below(&r, 5) : rng_between(&r, 1, GWT_MAX_ACCESS);
            a.base = (1ull << 40) + (rng_next(&r) >> 30);
            if (rng_percent(&r, 50))
                a.base &= ~(uint64_t)(a.bytes - 1);
            a.stride = mode == GWT_SAME ? 0 : mode == GWT_UNIT ? a.bytes : random_stride(&r, a.bytes);
            uint32_t spread = rng_below(&r, 4);
            for (uint32_t k = 0; mode == GWT_SCATTER && k < a.active; k++) {
                static const uint32_t range[] = {200, 5000, 300000, 100000000};
                bool again = k && rng_percent(&r, 20); /* lanes that share an address */
                a.lane[k] = again ? a.lane[rng_below(&r, k)] : a.base + rng_below(&r, range[spread]);
            }
            compare(c, &a);
        }
        free(c);
    }
}

static void same(void **state)
{
    (void)state;
    random_accesses(GWT_SAME, 131, "same");
}

static void unit(void **state)
{
    (void)state;
    random_accesses(GWT_UNIT, 132, "unit");
}

static void stride(void **state)
{
    (void)state;
    random_accesses(GWT_STRIDE, 133, "stride");
}

static void scatter(void **state)
{
    (void)state;
    random_accesses(GWT_SCATTER, 134, "scatter");
}

/* The most that the tables must hold: each lane has the largest size, no alignment, and separate lines. */
static void the_largest_accesses(void **state)
{
    (void)state;
    for (uint32_t line_shift = 5; line_shift <= 8; line_shift++) {
        struct mp_coalescer *c = new_coalescer(12, line_shift);
        struct gwt_event a = {.mode = GWT_SCATTER, .active = GWT_LANES, .bytes = GWT_MAX_ACCESS};
        for (uint32_t k = 0; k < GWT_LANES; k++)
            a.lane[k] = (1ull << 40) + (uint64_t)(k * 37 % GWT_LANES) * 1048576 + 4095;
        compare(c, &a);
        a.mode = GWT_STRIDE;
        a.base = (1ull << 40) + 4095;
        a.stride = 65536;
        compare(c, &a);
        a.stride = -65536;
        compare(c, &a);
        a.mode = GWT_UNIT;
        a.stride = a.bytes;
        compare(c, &a);
        free(c);
    }
}

static void the_generation_count_may_wrap(void **state)
{
    (void)state;
    struct mp_coalescer *c = new_coalescer(16, 7);
    struct gwt_event a = {.mode = GWT_SCATTER, .active = 3, .bytes = 4, .lane = {128, 70000, 131}};
    for (uint32_t i = 0; i < 3; i++)
        compare(c, &a);
    c->generation = UINT32_MAX - 1;
    for (uint32_t i = 0; i < 5; i++)
        compare(c, &a);
    free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same),
        cmocka_unit_test(unit),
        cmocka_unit_test(stride),
        cmocka_unit_test(scatter),
        cmocka_unit_test(the_largest_accesses),
        cmocka_unit_test(the_generation_count_may_wrap),
    };
    return cmocka_run_group_tests_name("coalesce", tests, NULL, NULL);
}
