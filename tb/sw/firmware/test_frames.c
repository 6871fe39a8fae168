/* SPDX-License-Identifier: Apache-2.0 */
/* The firmware's frame allocator: cases by hand, then random operations against a byte per frame. */
#include "../../models/engine/fakes.h"

#include "frames.h"

enum { MB = 1 << 20, FRAMES = 64 * MB / 4096 };

static const uint64_t base = 5ull << 30;

static void hands_out(void **state)
{
    (void)state;
    struct frames f;
    uint64_t pa;
    assert_int_equal(frames_init(&f, FRAMES_ASCENDING, 4096, 2 * MB), FW_EINVAL);
    assert_int_equal(frames_init(&f, FRAMES_ASCENDING, 0, 2 * MB + 4096), FW_EINVAL);
    assert_int_equal(frames_init(&f, FRAMES_ASCENDING, FRAMES_MEMORY, 2 * MB), FW_EINVAL);
    assert_int_equal(frames_init(&f, FRAMES_ASCENDING, FRAMES_MEMORY - 2 * MB, 4 * MB), FW_EINVAL);
    assert_int_equal(frames_init(&f, FRAMES_ASCENDING, base, 4 * MB), FW_OK);
    assert_int_equal(frames_take_page(&f, 12288, &pa), FW_EINVAL);
    assert_int_equal(frames_take_page(&f, 65536, &pa), FW_OK);
    assert_int_equal(pa, base);
    assert_int_equal(frames_take_table(&f, &pa), FW_OK);
    assert_int_equal(pa, base + 4 * MB - 4096);
    assert_int_equal(frames_take_page(&f, 4096, &pa), FW_OK);
    assert_int_equal(pa, base + 65536);
    assert_int_equal(frames_take_page(&f, 65536, &pa), FW_OK); /* the next that is aligned */
    assert_int_equal(pa, base + 131072);
    assert_int_equal(frames_take_page(&f, 2 * MB, &pa), FW_ENOMEM); /* both halves are broken */
    assert_int_equal(f.free, 4 * MB - 2 * 65536 - 2 * 4096);
}

static void refuses(void **state)
{
    (void)state;
    struct frames f;
    uint64_t pa;
    frames_init(&f, FRAMES_ASCENDING, base, 4 * MB);
    frames_take_page(&f, 65536, &pa);
    assert_int_equal(frames_give(&f, pa, 65536), FW_OK);
    assert_int_equal(frames_give(&f, pa, 65536), FW_EDOUBLE);
    assert_int_equal(frames_give(&f, pa + 4096, 65536), FW_EINVAL);
    assert_int_equal(frames_give(&f, base - 4096, 4096), FW_EINVAL);
    assert_int_equal(frames_give(&f, base + 4 * MB, 4096), FW_EINVAL);
    frames_take_page(&f, 4096, &pa);
    assert_int_equal(frames_give(&f, pa, 65536), FW_EDOUBLE); /* a part of it only is taken */
    assert_true(frames_taken(pa));
    assert_int_equal(frames_give(&f, pa, 4096), FW_OK);
    assert_false(frames_taken(pa));
    assert_false(frames_taken(FRAMES_MEMORY));
    assert_int_equal(f.free, 4 * MB);
}

static void uses_all(void **state)
{
    (void)state;
    struct frames f;
    uint64_t pa;
    frames_init(&f, FRAMES_ASCENDING, 0, 4 * MB);
    for (unsigned i = 0; i < 1024; i++)
        assert_int_equal(i % 2 ? frames_take_table(&f, &pa) : frames_take_page(&f, 4096, &pa), FW_OK);
    assert_int_equal(f.free, 0);
    assert_int_equal(frames_take_table(&f, &pa), FW_ENOMEM);
    assert_int_equal(frames_take_page(&f, 4096, &pa), FW_ENOMEM);
    assert_int_equal(frames_give(&f, 0x123000, 4096), FW_OK);
    assert_int_equal(frames_take_table(&f, &pa), FW_OK); /* wherever it is */
    assert_int_equal(pa, 0x123000);
}

/* The smallest block that suffices, at the lowest address, and its lower half first. */
static void buddies(void **state)
{
    (void)state;
    struct frames f;
    uint64_t pa, large;
    assert_int_equal(frames_init(&f, FRAMES_BUDDY, base + 2 * MB, 6 * MB), FW_OK);
    assert_int_equal(frames_take_page(&f, 4096, &pa), FW_OK);
    assert_int_equal(pa, base + 6 * MB); /* the block of 2 MB behind that of 4 MB */
    assert_int_equal(frames_take_page(&f, 65536, &pa), FW_OK);
    assert_int_equal(pa, base + 6 * MB + 65536);
    assert_int_equal(frames_take_table(&f, &pa), FW_OK);
    assert_int_equal(pa, base + 6 * MB + 4096);
    assert_int_equal(frames_take_page(&f, 2 * MB, &large), FW_OK);
    assert_int_equal(large, base + 2 * MB);
    assert_int_equal(frames_give(&f, base + 6 * MB, 4096), FW_OK);
    assert_int_equal(frames_give(&f, base + 6 * MB, 4096), FW_EDOUBLE);
    assert_int_equal(frames_take_page(&f, 8192, &pa), FW_OK);
    assert_int_equal(pa, base + 6 * MB + 8192);
    assert_int_equal(frames_give(&f, pa, 8192), FW_OK);
    assert_int_equal(frames_give(&f, base + 6 * MB + 4096, 4096), FW_OK);
    assert_int_equal(frames_give(&f, base + 6 * MB + 65536, 65536), FW_OK); /* all of it merges */
    for (uint64_t part = 0; part < 2 * MB; part += 65536) /* a block may be given back in parts */
        assert_int_equal(frames_give(&f, large + part, 65536), FW_OK);
    assert_int_equal(f.free, 6 * MB);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(frames_take_page(&f, 2 * MB, &pa), FW_OK);
    assert_int_equal(f.free, 0);
    assert_int_equal(frames_take_table(&f, &pa), FW_ENOMEM);
}

/* The lists of the smallest memory fit in their part of the store. */
static void lists_fit(void **state)
{
    (void)state;
    for (uint64_t pages = 512; pages <= 1 << 20; pages += 512)
        assert_true(mp_free_blocks_words(pages) <= pages / 512 * 32);
    assert_true(mp_free_blocks_words(FRAMES_MEMORY / 4096) <= FRAMES_MEMORY / 4096 / 512 * 32);
}

struct taken {
    uint64_t pa, bytes;
};

static uint8_t used[FRAMES]; /* the obvious model */

/* Four colours, of which `wanted` may be taken. */
static const struct frames_colours colours = {2, {0x3000, 0x25000}};

static unsigned colour_of(uint64_t pa)
{
    unsigned low = (pa >> 12 & 1) ^ (pa >> 13 & 1), high = (pa >> 12 & 1) ^ (pa >> 14 & 1) ^ (pa >> 17 & 1);
    return low | high << 1;
}

static bool model_has_room(uint64_t bytes, uint32_t wanted)
{
    uint64_t n = bytes / 4096, run = 0;
    for (uint64_t i = 0; i < FRAMES; i++) {
        run = i % n ? run : 0;
        run += !used[i] && wanted >> colour_of(base + i * 4096) & 1;
        if (i % n == n - 1 && run == n)
            return true;
    }
    return false;
}

/* With `coloured`, the colours that may be taken change from time to time. */
static void work_at_random(enum frames_policy policy, bool coloured)
{
    static const uint64_t sizes[] = {4096, 65536, 2097152};
    static struct taken taken[FRAMES];
    struct rng r = rng_start("firmware frames", 11);
    struct frames f;
    uint32_t wanted = 15;
    unsigned n = 0;
    memset(used, 0, sizeof used);
    frames_init(&f, policy, base, 64 * MB);
    for (unsigned step = 0; step < 60000; step++) {
        if (coloured && step % 1000 == 0) {
            wanted = rng_between(&r, 1, 15);
            assert_int_equal(frames_colour(&f, &colours, wanted), FW_OK);
        }
        unsigned fill = step / 10000 % 2 ? 30 : 70; /* it fills up, then empties */
        if (rng_percent(&r, fill)) {
            struct taken t = {0, sizes[rng_below(&r, 100) < 90 ? 0 : rng_between(&r, 1, 2)]};
            bool table = t.bytes == 4096 && rng_percent(&r, 50);
            enum fw_error e = table ? frames_take_table(&f, &t.pa) : frames_take_page(&f, t.bytes, &t.pa);
            if (e) {
                assert_int_equal(e, FW_ENOMEM);
                assert_false(model_has_room(t.bytes, wanted));
                continue;
            }
            assert_int_equal(t.pa % t.bytes, 0);
            for (uint64_t i = 0; i < t.bytes / 4096; i++) {
                assert_int_equal(used[(t.pa - base) / 4096 + i]++, 0);
                assert_true(wanted >> colour_of(t.pa + i * 4096) & 1);
            }
            taken[n++] = t;
        } else if (n) {
            unsigned k = rng_below(&r, n);
            struct taken t = taken[k];
            taken[k] = taken[--n];
            assert_int_equal(frames_give(&f, t.pa, t.bytes), FW_OK);
            memset(used + (t.pa - base) / 4096, 0, t.bytes / 4096);
            assert_int_equal(frames_give(&f, t.pa, t.bytes), FW_EDOUBLE);
        }
    }
    while (n--)
        assert_int_equal(frames_give(&f, taken[n].pa, taken[n].bytes), FW_OK);
    assert_int_equal(f.free, 64 * MB);
}

static void random_work(void **state)
{
    (void)state;
    work_at_random(FRAMES_ASCENDING, false);
    work_at_random(FRAMES_ASCENDING, true);
    work_at_random(FRAMES_BUDDY, false);
}

static void takes_colours(void **state)
{
    (void)state;
    struct frames f;
    uint64_t pa;
    frames_init(&f, FRAMES_ASCENDING, base, 4 * MB);
    assert_true(frames_wanted(&f, base, 2 * MB));
    assert_int_equal(frames_colour(&f, &colours, 0), FW_EINVAL);
    assert_int_equal(frames_colour(&f, &colours, 16), FW_EINVAL);
    assert_int_equal(frames_colour(&f, &(struct frames_colours){6, {0}}, 1), FW_EINVAL);
    assert_int_equal(frames_colour(&f, &colours, 4), FW_OK); /* 0x3000 is the lowest of colour 2 */
    assert_int_equal(frames_take_page(&f, 4096, &pa), FW_OK);
    assert_int_equal(pa, base + 0x3000);
    assert_false(frames_wanted(&f, base, 4096));
    assert_int_equal(frames_take_page(&f, 65536, &pa), FW_ENOMEM); /* 64 KB have all colours */
    for (unsigned i = 1; i < 256; i++)
        assert_int_equal(i % 2 ? frames_take_table(&f, &pa) : frames_take_page(&f, 4096, &pa), FW_OK);
    assert_int_equal(frames_take_page(&f, 4096, &pa), FW_ENOMEM);
    assert_int_equal(frames_take_table(&f, &pa), FW_ENOMEM);
    assert_int_equal(f.free, 3 * MB);
    assert_int_equal(frames_give(&f, base + 0x3000, 4096), FW_OK);
    assert_int_equal(frames_colour(&f, NULL, 0), FW_OK); /* any colour again */
    assert_int_equal(frames_take_page(&f, 4096, &pa), FW_OK);
    assert_int_equal(pa, base);
    frames_init(&f, FRAMES_BUDDY, base, 4 * MB);
    assert_int_equal(frames_colour(&f, &colours, 1), FW_EUNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hands_out),     cmocka_unit_test(refuses),   cmocka_unit_test(uses_all),
        cmocka_unit_test(buddies),       cmocka_unit_test(lists_fit), cmocka_unit_test(random_work),
        cmocka_unit_test(takes_colours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
