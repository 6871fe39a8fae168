/* SPDX-License-Identifier: Apache-2.0 */
/* The distance prefetcher: each rule of distance.c by hand, and all of them against a slow oracle. */
#include "drive.h"

enum { ROWS, WAYS, SLOTS }; /* the order of its parameters */

static const struct mp_prefetcher *const design = &mp_prefetcher_distance;
static void *state;

static void begin(uint64_t rows, uint64_t ways, uint64_t slots)
{
    struct mp_design_values v = mp_design_defaults(&design->design);
    v.v[ROWS] = rows;
    v.v[WAYS] = ways;
    v.v[SLOTS] = slots;
    free(state);
    state = mp_prefetcher_state(design, &v);
    assert_non_null(state);
}

static struct named at(uint16_t asid, uint64_t vpn)
{
    return miss(design, state, (struct mp_prefetch_miss){.vpn = vpn, .asid = asid});
}

static int tear_down(void **unused)
{
    (void)unused;
    free(state);
    state = NULL;
    return 0;
}

/* ---- rules ---- */

static void a_distance_that_has_followed_is_named(void **unused)
{
    (void)unused;
    begin(16, 4, 2);
    NAMES(at(0, 100), NOTHING); /* rule 2: the first */
    NAMES(at(0, 101), NOTHING); /* distance 1: no row */
    NAMES(at(0, 111), NOTHING); /* 10 after 1 */
    NAMES(at(0, 112), 122);     /* 1: 10 has followed it */
    NAMES(at(0, 122), 123);     /* 10: 1 has followed it */
}

static void a_miss_for_the_same_page_is_passed_over(void **unused)
{
    (void)unused;
    begin(16, 4, 2);
    at(0, 100);
    at(0, 101);
    NAMES(at(0, 101), NOTHING);
    at(0, 102); /* 1 after 1 */
    NAMES(at(0, 102), NOTHING);
    NAMES(at(0, 103), 104);
}

static void the_most_recent_distance_is_named_first(void **unused)
{
    (void)unused;
    begin(16, 4, 2);
    uint64_t page = 1000;
    at(0, page);
    for (uint64_t follows = 5; follows <= 7; follows++) { /* 1, 5, 1, 6, 1, 7 */
        at(0, page += 1);
        at(0, page += follows);
    }
    page += 1;
    NAMES(at(0, page), page + 7, page + 6); /* rule 4: 5 is lost */
    at(0, page += 6);                       /* 6 is there already */
    page += 1;
    NAMES(at(0, page), page + 6, page + 7);
}

static void distances_are_signed(void **unused)
{
    (void)unused;
    begin(16, 4, 1);
    at(0, 50);
    at(0, 40);
    at(0, 47);
    NAMES(at(0, 37), 44); /* -10, after which came 7 */
    at(0, 44);
    NAMES(at(0, 34), 41);
}

/* Rule 3: with two rows in the set, the use of one keeps it, and the other leaves. */
static void a_row_that_is_used_stays(void **unused)
{
    (void)unused;
    begin(2, 2, 1);
    uint64_t page = 1000;
    at(0, page);
    at(0, page += 1);
    at(0, page += 2); /* row 1: 2 */
    page += 1;
    NAMES(at(0, page), page + 2); /* row 2: 1 */
    page += 1;
    NAMES(at(0, page), page + 2); /* row 1: 1 */
    at(0, page += 4);             /* row 1: 4 */
    at(0, page += 8);             /* row 4: 8, in place of row 2 */
    page += 1;
    NAMES(at(0, page), page + 4);     /* row 8: 1, in place of row 4 */
    NAMES(at(0, page += 2), NOTHING); /* row 2 has left */
}

static void address_spaces_are_apart(void **unused)
{
    (void)unused;
    begin(16, 4, 2);
    at(0, 100);
    at(1, 5000);
    at(0, 101);
    at(1, 5001);
    at(0, 111);
    NAMES(at(0, 112), 122);
    NAMES(at(1, 5002), NOTHING); /* nothing has followed 1 there */
    design->forget(state, 0);
    NAMES(at(0, 113), NOTHING); /* the first */
    NAMES(at(0, 114), NOTHING); /* the row of 1 is gone */
    NAMES(at(1, 5003), 5004);
}

/* ---- the oracle: rows in a list by recency, distances in a list by recency ---- */

enum { MOST = 64 };

struct slow_row {
    uint32_t asid, n;
    int64_t distance, next[8];
};

struct slow {
    uint32_t sets, ways, slots, rows;
    struct slow_row row[MOST]; /* the most recent first, of all sets */
    int seen[MP_ASIDS];        /* misses of the address space, 0 to 2 */
    uint64_t page[MP_ASIDS];
    int64_t distance[MP_ASIDS];
};

static int position(const struct slow *s, uint32_t asid, int64_t distance)
{
    for (uint32_t i = 0; i < s->rows; i++)
        if (s->row[i].asid == asid && s->row[i].distance == distance)
            return (int)i;
    return -1;
}

static void remove_row(struct slow *s, uint32_t i)
{
    for (s->rows--; i < s->rows; i++)
        s->row[i] = s->row[i + 1];
}

/* Puts a row at the front; if its set has too many then, the last of them leaves. */
static void put_first(struct slow *s, struct slow_row row)
{
    uint32_t same = 0;
    for (uint32_t i = s->rows++; i > 0; i--)
        s->row[i] = s->row[i - 1];
    s->row[0] = row;
    for (uint32_t i = 0; i < s->rows; i++)
        if (((uint64_t)s->row[i].distance - (uint64_t)row.distance) % s->sets == 0 && ++same > s->ways)
            remove_row(s, i--);
}

static void bring_to_front(struct slow *s, int i)
{
    struct slow_row row = s->row[i];
    remove_row(s, (uint32_t)i);
    put_first(s, row);
}

static void add_follower(struct slow *s, struct slow_row *r, int64_t distance)
{
    int64_t list[9] = {distance};
    uint32_t n = 1;
    for (uint32_t i = 0; i < r->n; i++)
        if (r->next[i] != distance)
            list[n++] = r->next[i];
    r->n = n > s->slots ? s->slots : n;
    memcpy(r->next, list, r->n * sizeof *list);
}

static struct named slow_miss(struct slow *s, uint32_t asid, uint64_t page)
{
    struct named named = {0, {0}};
    int64_t before = s->distance[asid];
    int seen = s->seen[asid];
    if (seen && s->page[asid] == page)
        return named;
    int64_t distance = (int64_t)(page - s->page[asid]);
    s->page[asid] = page;
    s->distance[asid] = distance;
    s->seen[asid] = seen < 2 ? seen + 1 : 2;
    if (!seen)
        return named;
    int i = position(s, asid, distance);
    if (i >= 0) {
        bring_to_front(s, i);
        for (; named.n < s->row[0].n; named.n++)
            named.page[named.n] = page + (uint64_t)s->row[0].next[named.n];
    }
    if (seen == 1)
        return named;
    i = position(s, asid, before);
    if (i >= 0)
        bring_to_front(s, i);
    else
        put_first(s, (struct slow_row){.asid = asid, .distance = before});
    add_follower(s, &s->row[0], distance);
    return named;
}

static void slow_forget(struct slow *s, uint32_t asid)
{
    s->seen[asid] = 0;
    for (uint32_t i = 0; i < s->rows; i++)
        if (s->row[i].asid == asid)
            remove_row(s, i--);
}

static void everything_is_as_in_the_oracle(void **unused)
{
    struct rng rng = rng_start("distance", 20);
    uint64_t named = 0;
    (void)unused;
    for (uint32_t round = 0; round < 200; round++) {
        static struct slow s;
        struct mp_design_values v = small_tables(&rng, &design->design, ROWS, WAYS);
        v.v[SLOTS] = rng_between(&rng, 1, 8);
        begin(v.v[ROWS], v.v[WAYS], v.v[SLOTS]);
        uint32_t ways = (uint32_t)(v.v[WAYS] < v.v[ROWS] ? v.v[WAYS] : v.v[ROWS]);
        s = (struct slow){.sets = (uint32_t)v.v[ROWS] / ways, .ways = ways, .slots = (uint32_t)v.v[SLOTS]};
        uint64_t page[MP_ASIDS] = {0};
        for (uint32_t step = 0; step < 400; step++) {
            uint16_t asid = (uint16_t)rng_below(&rng, 3);
            page[asid] += rng_below(&rng, 6) - 2ull;
            if (rng_percent(&rng, 1)) {
                design->forget(state, asid);
                slow_forget(&s, asid);
            }
            struct named got = at(asid, page[asid]), wanted = slow_miss(&s, asid, page[asid]);
            assert_int_equal(got.n, wanted.n);
            assert_memory_equal(got.page, wanted.page, wanted.n * sizeof *wanted.page);
            named += got.n;
        }
    }
    assert_true(named > 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_distance_that_has_followed_is_named, tear_down),
        cmocka_unit_test_teardown(a_miss_for_the_same_page_is_passed_over, tear_down),
        cmocka_unit_test_teardown(the_most_recent_distance_is_named_first, tear_down),
        cmocka_unit_test_teardown(distances_are_signed, tear_down),
        cmocka_unit_test_teardown(a_row_that_is_used_stays, tear_down),
        cmocka_unit_test_teardown(address_spaces_are_apart, tear_down),
        cmocka_unit_test_teardown(everything_is_as_in_the_oracle, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
