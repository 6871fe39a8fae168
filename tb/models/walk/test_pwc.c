/* SPDX-License-Identifier: Apache-2.0 */
#include "../engine/fakes.h"

#include "walk/pwc.h"

static const struct mp_page_format *big, *formats[MP_ASIDS];

static void the_longest_prefix_wins(void **state)
{
    (void)state;
    struct mp_pwc c;
    uint64_t table = 0x1000;
    const uint64_t va = 0x123456780000ull;
    assert_int_equal(mp_pwc_init(&c, formats, 16, 16), 0);
    assert_int_equal(mp_pwc_lookup(&c, 1, va, &table), 0);
    assert_int_equal(table, 0x1000); /* unchanged */
    mp_pwc_fill(&c, 1, 0, va, 0x2000);
    assert_int_equal(mp_pwc_lookup(&c, 1, va, &table), 1);
    assert_int_equal(table, 0x2000);
    mp_pwc_fill(&c, 1, 2, va, 0x4000);
    assert_int_equal(mp_pwc_lookup(&c, 1, va, &table), 3);
    assert_int_equal(table, 0x4000);
    mp_pwc_fill(&c, 1, 1, va, 0x3000);
    assert_int_equal(mp_pwc_lookup(&c, 1, va, &table), 3);
    assert_int_equal(mp_pwc_lookup(&c, 1, va ^ 1ull << 21, &table), 2); /* shares bits 47:30 */
    assert_int_equal(table, 0x3000);
    assert_int_equal(mp_pwc_lookup(&c, 1, va ^ 1ull << 30, &table), 1); /* shares bits 47:39 */
    assert_int_equal(table, 0x2000);
    assert_int_equal(mp_pwc_lookup(&c, 1, va ^ 1ull << 39, &table), 0);
    assert_int_equal(mp_pwc_lookup(&c, 1, va ^ 1ull << 16, &table), 3); /* the same last table */
    assert_int_equal(mp_pwc_lookup(&c, 2, va, &table), 0);
    mp_pwc_free(&c);
}

static void without_entries_nothing_is_found(void **state)
{
    (void)state;
    struct mp_pwc c;
    uint64_t table = 7;
    assert_int_equal(mp_pwc_init(&c, formats, 0, 8), 0);
    mp_pwc_fill(&c, 0, 0, 0, 0x1000);
    assert_int_equal(mp_pwc_lookup(&c, 0, 0, &table), 0);
    assert_int_equal(table, 7);
    mp_pwc_invalidate(&c, &(struct mp_scope){.every_page = true});
    mp_pwc_free(&c);
}

static void asid_0_and_address_0_are_ordinary(void **state)
{
    (void)state;
    struct mp_pwc c;
    uint64_t table = 0;
    assert_int_equal(mp_pwc_init(&c, formats, 8, 8), 0);
    mp_pwc_invalidate(
        &c,
        &(struct mp_scope){.every_page = true}); /* must not mistake a vacant place for an entry of asid 0 */
    assert_int_equal(mp_pwc_lookup(&c, 0, 0, &table), 0);
    mp_pwc_fill(&c, 0, 0, 0, 0x1000);
    assert_int_equal(mp_pwc_lookup(&c, 0, 0, &table), 1);
    mp_pwc_free(&c);
}

/* Fully associative, compared with a list of (asid, level, prefix) in order of use. */
struct known {
    uint16_t asid;
    unsigned level;
    uint64_t prefix, table;
};

#define ENTRIES 24u

struct reference {
    struct known known[ENTRIES]; /* most recent first */
    uint32_t length;
};

static int find(const struct reference *r, uint16_t asid, unsigned level, uint64_t va)
{
    for (uint32_t i = 0; i < r->length; i++)
        if (r->known[i].asid == asid && r->known[i].level == level &&
            r->known[i].prefix == va >> big->low_bit[level])
            return (int)i;
    return -1;
}

static void to_front(struct reference *r, uint32_t i, struct known k)
{
    memmove(r->known + 1, r->known, i * sizeof k);
    r->known[0] = k;
}

static void against_a_list(void **state)
{
    (void)state;
    struct rng r = rng_start("pwc", 81);
    struct reference ref = {.length = 0};
    struct mp_pwc c;
    uint32_t deep = 0, none = 0;
    assert_int_equal(mp_pwc_init(&c, formats, ENTRIES, ENTRIES), 0);
    for (uint32_t step = 0; step < 60000; step++) {
        uint16_t asid = (uint16_t)rng_below(&r, 2);
        uint64_t va = (uint64_t)rng_below(&r, 2) << 39 | (uint64_t)rng_below(&r, 3) << 30 |
                      (uint64_t)rng_below(&r, 6) << 21 | rng_below(&r, 1u << 21);
        if (rng_percent(&r, 50)) {
            unsigned level = rng_below(&r, 3);
            struct known k = {asid, level, va >> big->low_bit[level], rng_next(&r)};
            int at = find(&ref, asid, level, va);
            if (at < 0)
                at = (int)(ref.length < ENTRIES ? ref.length++ : ENTRIES - 1);
            to_front(&ref, (uint32_t)at, k);
            mp_pwc_fill(&c, asid, level, va, k.table);
        } else if (rng_below(&r, 500) == 0) {
            uint32_t kept = 0;
            for (uint32_t i = 0; i < ref.length; i++)
                if (ref.known[i].asid != asid)
                    ref.known[kept++] = ref.known[i];
            ref.length = kept;
            mp_pwc_invalidate(&c, &(struct mp_scope){.every_page = true, .asid = asid});
        } else {
            unsigned start = 3;
            int at = -1;
            while (start && (at = find(&ref, asid, start - 1, va)) < 0)
                start--;
            uint64_t table = 0;
            assert_int_equal(mp_pwc_lookup(&c, asid, va, &table), start);
            if (start) {
                assert_int_equal(table, ref.known[at].table);
                to_front(&ref, (uint32_t)at, ref.known[at]);
            }
            deep += start == 3;
            none += start == 0;
        }
    }
    assert_true(deep > 1000);
    assert_true(none > 300);
    mp_pwc_free(&c);
}

/* Set-associative: each entry that is found was filled, and a set holds its latest entries. */
static void sets_hold_what_was_filled_last(void **state)
{
    (void)state;
    struct rng r = rng_start("pwc sets", 82);
    struct mp_pwc c;
    static uint64_t filled[512];
    memset(filled, 0, sizeof filled);
    assert_int_equal(mp_pwc_init(&c, formats, 128, 8), 0);
    uint32_t found = 0;
    for (uint32_t step = 0; step < 20000; step++) {
        uint64_t block = rng_below(&r, 512), table = 0;
        if (rng_percent(&r, 50)) {
            filled[block] = step + 1;
            mp_pwc_fill(&c, 3, 2, block << 21, step + 1);
            assert_int_equal(mp_pwc_lookup(&c, 3, block << 21, &table), 3);
        } else if (mp_pwc_lookup(&c, 3, block << 21, &table)) {
            found++;
            assert_int_equal(table, filled[block]);
        }
    }
    assert_true(found > 1000);
    mp_pwc_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_longest_prefix_wins),
        cmocka_unit_test(without_entries_nothing_is_found),
        cmocka_unit_test(asid_0_and_address_0_are_ordinary),
        cmocka_unit_test(against_a_list),
        cmocka_unit_test(sets_hold_what_was_filled_last),
    };
    big = mp_page_format(65536);
    for (unsigned a = 0; a < MP_ASIDS; a++)
        formats[a] = big;
    return cmocka_run_group_tests_name("pwc", tests, NULL, NULL);
}
