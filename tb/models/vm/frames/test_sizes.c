/* SPDX-License-Identifier: Apache-2.0 */
/* Allocators that serve pages of several sizes: each page is aligned to its size, and no frame is given out
 * twice. */
#include "../../engine/fakes.h"

#include "vm/frames/allocator.h"
#include "vm/physmem.h"

#define MB     (1ull << 20)
#define PAGE   4096ull
#define BASE   (64 * MB)
#define BYTES  (32 * MB)
#define FRAMES (BYTES / PAGE)

static const uint64_t sizes[] = {PAGE, 16 * PAGE, 512 * PAGE};

static struct mp_frames make(const struct mp_frame_allocator *a)
{
    struct mp_frames_params p = {.base = BASE, .bytes = BYTES, .page_bytes = PAGE};
    struct mp_frames f;
    p.own = mp_design_defaults(&a->design);
    assert_int_equal(mp_frames_init(&f, a, &p, NULL), 0);
    return f;
}

static uint64_t take(struct mp_frames *f, uint64_t size, uint64_t *pa, struct mp_error *err)
{
    const struct mp_frames_wish wish = {0, 0, 1, size};
    return mp_frames_take_pages(f, &wish, pa, err);
}

struct taken {
    uint64_t pa, size;
};

static void mark(uint8_t *used, uint64_t pa, uint64_t size, bool on)
{
    assert_int_equal(pa % size, 0);
    assert_true(pa >= BASE && pa + size <= BASE + BYTES);
    for (uint64_t at = pa; at < pa + size; at += PAGE) {
        assert_int_equal(used[(at - BASE) / PAGE], !on);
        used[(at - BASE) / PAGE] = on;
    }
}

static void at_random(const struct mp_frame_allocator *a, struct rng *rng)
{
    static uint8_t used[FRAMES];
    static struct taken page[FRAMES];
    struct mp_frames f = make(a);
    uint32_t pages = 0, full = 0;
    memset(used, 0, sizeof used);
    for (unsigned step = 0; step < 20000; step++) {
        uint64_t size = sizes[rng_below(rng, 3)], pa;
        if (pages && rng_percent(rng, 45 + full / 40)) {
            struct taken *old = &page[rng_below(rng, pages)];
            mark(used, old->pa, old->size, false);
            mp_frames_give_page(&f, 0, old->pa, old->size);
            *old = page[--pages];
            full -= full > 0;
        } else if (rng_percent(rng, 1)) {
            if (!mp_frames_take_table(&f, 0, &pa, NULL))
                mark(used, pa, PAGE, true);
        } else if (take(&f, size, &pa, NULL)) {
            mark(used, pa, size, true);
            page[pages++] = (struct taken){pa, size};
        } else {
            full += 20;
        }
    }
    assert_true(full > 0); /* memory was used up at times */
    mp_frames_free(&f);
}

static void every_allocator(void **state)
{
    (void)state;
    unsigned served = 0;
    struct rng rng = rng_start(__func__, 1);
    for (unsigned i = 0; mp_frame_allocators[i]; i++) {
        if (!mp_frame_allocators[i]->larger)
            continue;
        served++;
        at_random(mp_frame_allocators[i], &rng);
    }
    assert_int_equal(served, 2);
}

/* What is skipped below an aligned page is used for usual pages, from its bottom. */
static void nothing_is_wasted(void **state)
{
    (void)state;
    struct mp_frames f = make(&mp_frames_ascending);
    struct mp_error err;
    uint64_t pa;
    assert_int_equal(take(&f, PAGE, &pa, NULL), 1);
    assert_int_equal(pa, BASE);
    assert_int_equal(take(&f, 512 * PAGE, &pa, NULL), 1);
    assert_int_equal(pa, BASE + 2 * MB);
    assert_int_equal(take(&f, 16 * PAGE, &pa, NULL), 1);
    assert_int_equal(pa, BASE + 4 * MB);
    for (uint64_t i = 1; i < 512; i++) {
        assert_int_equal(take(&f, PAGE, &pa, NULL), 1);
        assert_int_equal(pa, BASE + i * PAGE);
    }
    assert_int_equal(take(&f, 0, &pa, NULL), 1); /* of the usual size */
    assert_int_equal(pa, BASE + 4 * MB + 16 * PAGE);
    while (take(&f, 512 * PAGE, &pa, &err))
        ;
    assert_non_null(strstr(err.text, "no page of 2097152 B is left"));
    mp_frames_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocator),
        cmocka_unit_test(nothing_is_wasted),
    };
    return cmocka_run_group_tests_name("sizes of pages", tests, NULL, NULL);
}
