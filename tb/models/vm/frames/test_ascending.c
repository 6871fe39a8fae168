/* SPDX-License-Identifier: Apache-2.0 */
#include "../../engine/fakes.h"

#include "vm/frames/allocator.h"
#include "vm/physmem.h"

#define MB (1ull << 20)

static struct mp_frames make(uint64_t base, uint64_t bytes, uint64_t page_bytes)
{
    const struct mp_frames_params p = {.base = base, .bytes = bytes, .page_bytes = page_bytes};
    struct mp_frames f;
    assert_ptr_equal(mp_frame_allocator_find("ascending"), &mp_frames_ascending);
    assert_int_equal(mp_frames_init(&f, mp_frame_allocator_find("ascending"), &p, NULL), 0);
    return f;
}

static void pages_rise_and_tables_sink(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {4096, 65536, 2 * MB};
    for (unsigned s = 0; s < 3; s++) {
        uint64_t pa, pages = 0, tables = 0, base = 64 * MB, bytes = 8 * MB;
        struct mp_frames f = make(base, bytes, sizes[s]);
        for (uint64_t i = 0; i < 5; i++) {
            assert_int_equal(mp_frames_take_table(&f, 0, &pa, NULL), 0);
            assert_int_equal(pa, base + bytes - ++tables * 4096);
        }
        while (!mp_frames_take_page(&f, 0, &pa, NULL)) {
            assert_int_equal(pa, base + pages++ * sizes[s]);
            assert_true(pa + sizes[s] <= base + bytes - tables * 4096);
        }
        assert_int_equal(pages, (bytes - tables * 4096) / sizes[s]);
        while (!mp_frames_take_table(&f, 0, &pa, NULL)) {
            tables++;
            assert_true(pa >= base + pages * sizes[s]);
        }
        assert_int_equal(pages * sizes[s] + tables * 4096, bytes); /* used up to the last frame */
        assert_int_equal(mp_frames_take_page(&f, 0, &pa, NULL), -1);
        mp_frames_give_page(&f, 0, base, 0); /* freed pages come again, the last one first */
        mp_frames_give_page(&f, 0, base + sizes[s], 0);
        assert_int_equal(mp_frames_take_table(&f, 0, &pa, NULL), -1);
        assert_int_equal(mp_frames_take_page(&f, 0, &pa, NULL), 0);
        assert_int_equal(pa, base + sizes[s]);
        assert_int_equal(mp_frames_take_page(&f, 0, &pa, NULL), 0);
        assert_int_equal(pa, base);
        assert_int_equal(mp_frames_take_page(&f, 0, &pa, NULL), -1);
        mp_frames_free(&f);
    }
}

static void the_message_names_what_is_used_up(void **state)
{
    (void)state;
    struct mp_frames f = make(4 * MB, 2 * MB, 65536);
    struct mp_error err;
    uint64_t pa;
    while (!mp_frames_take_page(&f, 0, &pa, &err))
        ;
    assert_string_equal(err.text, "no page of 65536 B is left in the 2097152 B of memory from 0x400000 on; "
                                  "machine.memory_per_slice sets the size");
    assert_int_equal(mp_frames_take_table(&f, 0, &pa, &err), -1);
    assert_string_equal(err.text,
                        "no page table of 4096 B is left in the 2097152 B of memory from 0x400000 on; "
                        "machine.memory_per_slice sets the size");
    mp_frames_free(&f);
}

static void many_pages_can_be_given_back(void **state)
{
    (void)state;
    struct mp_frames f = make(0, 32 * MB, 4096);
    uint64_t pa, highest = 0;
    for (uint64_t round = 0; round < 2; round++) {
        for (uint64_t i = 0; i < 5000; i++) {
            assert_int_equal(mp_frames_take_page(&f, 0, &pa, NULL), 0);
            highest = pa > highest ? pa : highest;
        }
        for (uint64_t i = 0; i < 5000; i++)
            mp_frames_give_page(&f, 0, i * 4096, 0);
    }
    assert_int_equal(highest, 4999 * 4096); /* the second time no other frame is taken */
    mp_frames_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_rise_and_tables_sink),
        cmocka_unit_test(the_message_names_what_is_used_up),
        cmocka_unit_test(many_pages_can_be_given_back),
    };
    return cmocka_run_group_tests_name("ascending", tests, NULL, NULL);
}
