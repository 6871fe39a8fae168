/* SPDX-License-Identifier: Apache-2.0 */
#include "fakes.h"

#include "engine/mshr.h"

static void random_against_a_list(uint32_t capacity, uint32_t keys, struct rng *r)
{
    struct mp_mshr_file file;
    struct mp_mshr **of_key = calloc(keys, sizeof *of_key); /* NULL: the key is not in the file */
    uint32_t used = 0, refused = 0;
    assert_non_null(of_key);
    assert_int_equal(mp_mshr_init(&file, capacity, 4), 0);
    for (uint32_t step = 0; step < 20000; step++) {
        uint32_t k = rng_below(r, keys);
        uint64_t key = k * 0x10001ull << 20;
        assert_ptr_equal(mp_mshr_find(&file, key), of_key[k]);
        if (of_key[k]) {
            assert_int_equal(of_key[k]->key, key);
            if (rng_percent(r, 60)) {
                mp_mshr_release(&file, of_key[k]);
                of_key[k] = NULL;
                used--;
            }
        } else {
            struct mp_mshr *m = mp_mshr_take(&file, key);
            assert_int_equal(m == NULL, used == capacity);
            refused += !m;
            if (m) {
                for (uint32_t i = 0; i < keys; i++)
                    assert_ptr_not_equal(of_key[i], m);
                assert_null(m->last);
                assert_int_equal(m->length, 0);
                struct mp_req req;
                mp_mshr_wait(m, &req); /* must be gone when the entry is taken again */
                of_key[k] = m;
                used++;
            }
        }
        assert_int_equal(file.used, used);
    }
    assert_true(refused > 0);
    for (uint32_t k = 0; k < keys; k++)
        assert_ptr_equal(mp_mshr_find(&file, k * 0x10001ull << 20), of_key[k]);
    mp_mshr_free(&file);
    free(of_key);
}

static void random_use_at_many_sizes(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 2, 3, 7, 8, 32, 61};
    struct rng r = rng_start("mshr", 5);
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        random_against_a_list(sizes[i], 3 * sizes[i], &r);
}

static void the_largest_file(void **state)
{
    (void)state;
    struct mp_mshr_file file;
    assert_int_equal(mp_mshr_init(&file, MP_MSHR_MOST + 1, 1), -1);
    assert_int_equal(mp_mshr_init(&file, 65534, 1), 0);
    for (uint32_t i = 0; i < 65534; i++)
        assert_non_null(mp_mshr_take(&file, i));
    assert_null(mp_mshr_take(&file, 65534));
    for (uint32_t i = 0; i < 65534; i++)
        assert_int_equal(mp_mshr_find(&file, i)->key, i);
    for (uint32_t i = 0; i < 65534; i += 2)
        mp_mshr_release(&file, mp_mshr_find(&file, i));
    for (uint32_t i = 0; i < 65534; i++)
        assert_int_equal(mp_mshr_find(&file, i) != NULL, i % 2);
    mp_mshr_free(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_use_at_many_sizes),
        cmocka_unit_test(the_largest_file),
    };
    return cmocka_run_group_tests_name("mshr", tests, NULL, NULL);
}
