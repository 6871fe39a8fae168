/* SPDX-License-Identifier: Apache-2.0 */
#include "../engine/fakes.h"

#include "vm/physmem.h"

#define MB (1ull << 20)

static void words_at_random(void **state)
{
    (void)state;
    enum { WORDS = 3000 };
    struct rng r = rng_start("physmem", 61);
    struct mp_physmem m;
    static uint64_t address[WORDS], value[WORDS];
    assert_int_equal(mp_physmem_init(&m, 40ull << 30), 0);
    for (uint32_t i = 0; i < WORDS; i++) {
        address[i] = rng_next(&r) % (40ull << 30) / 8 * 8;
        value[i] = rng_next(&r);
        assert_int_equal(mp_physmem_write64(&m, address[i], value[i]), 0);
    }
    for (uint32_t i = 0; i < WORDS; i++) {
        bool again = false; /* a later word at the same place */
        for (uint32_t k = i + 1; k < WORDS; k++)
            again |= address[k] == address[i];
        if (!again)
            assert_int_equal(mp_physmem_read64(&m, address[i]), value[i]);
    }
    assert_true(m.present <= WORDS);
    mp_physmem_free(&m);
}

static void only_what_is_written_takes_room(void **state)
{
    (void)state;
    struct mp_physmem m;
    assert_int_equal(mp_physmem_init(&m, 1ull << 40), 0);
    assert_int_equal(mp_physmem_read64(&m, 1ull << 39), 0);
    assert_int_equal(m.present, 0); /* reading makes nothing */
    assert_int_equal(mp_physmem_write64(&m, 5 * MB, 1), 0);
    assert_int_equal(mp_physmem_write64(&m, 5 * MB + 4088, 2), 0);
    assert_int_equal(m.present, 1);
    assert_int_equal(mp_physmem_write64(&m, 5 * MB + 4096, 3), 0);
    assert_int_equal(m.present, 2);
    assert_int_equal(mp_physmem_read64(&m, 5 * MB), 1);
    assert_int_equal(mp_physmem_read64(&m, 5 * MB + 8), 0);
    assert_int_equal(mp_physmem_read64(&m, 5 * MB + 4088), 2);
    assert_int_equal(mp_physmem_read64(&m, 5 * MB + 4096), 3);
    mp_physmem_free(&m);
}

static void nothing_lies_outside(void **state)
{
    (void)state;
    struct mp_physmem m;
    assert_int_equal(mp_physmem_init(&m, 3 * MB), 0); /* its last 2 MB directory is half used */
    assert_int_equal(mp_physmem_write64(&m, 3 * MB - 8, 9), 0);
    assert_int_equal(mp_physmem_write64(&m, 3 * MB, 9), -1);
    assert_int_equal(mp_physmem_write64(&m, UINT64_MAX - 7, 9), -1);
    assert_int_equal(mp_physmem_read64(&m, 3 * MB), 0);
    assert_int_equal(mp_physmem_read64(&m, UINT64_MAX - 7), 0);
    uint8_t bytes[16];
    memset(bytes, 0xaa, sizeof bytes);
    mp_physmem_read(&m, 3 * MB - 8, bytes, sizeof bytes);
    assert_int_equal(bytes[0], 9);
    for (unsigned i = 8; i < 16; i++)
        assert_int_equal(bytes[i], 0);
    assert_int_equal(mp_physmem_write(&m, 3 * MB - 8, bytes, sizeof bytes), -1);
    mp_physmem_free(&m);
}

static void bytes_across_frames(void **state)
{
    (void)state;
    struct rng r = rng_start("physmem bytes", 62);
    struct mp_physmem m;
    static uint8_t copy[64 * 4096], piece[3 * 4096], back[3 * 4096];
    memset(copy, 0, sizeof copy);
    assert_int_equal(mp_physmem_init(&m, 16 * MB), 0);
    const uint64_t base = 2 * MB - 32 * 4096; /* over the border of two directories */
    for (uint32_t i = 0; i < 300; i++) {
        uint32_t bytes = rng_below(&r, sizeof piece + 1), at = rng_below(&r, sizeof copy - sizeof piece);
        for (uint32_t k = 0; k < bytes; k++)
            piece[k] = (uint8_t)rng_next(&r);
        assert_int_equal(mp_physmem_write(&m, base + at, piece, bytes), 0);
        memcpy(copy + at, piece, bytes);
        at = rng_below(&r, sizeof copy - sizeof back);
        mp_physmem_read(&m, base + at, back, sizeof back);
        assert_memory_equal(back, copy + at, sizeof back);
        uint64_t word;
        memcpy(&word, copy + at / 8 * 8, 8);
        assert_int_equal(mp_physmem_read64(&m, base + at / 8 * 8), word);
    }
    assert_true(m.present <= 64);
    mp_physmem_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_at_random),
        cmocka_unit_test(only_what_is_written_takes_room),
        cmocka_unit_test(nothing_lies_outside),
        cmocka_unit_test(bytes_across_frames),
    };
    return cmocka_run_group_tests_name("physmem", tests, NULL, NULL);
}
