/* SPDX-License-Identifier: Apache-2.0 */
/* The stride prefetcher: each rule of stride.c by hand, and all of them against a slow oracle. */
#include "drive.h"

enum { BY, ROWS, WAYS, DEGREE }; /* the order of its parameters */
enum { BY_WARP, BY_SM };

static const struct mp_prefetcher *const design = &mp_prefetcher_stride;
static void *state;

static void begin(uint64_t by, uint64_t rows, uint64_t ways, uint64_t degree)
{
    const struct mp_design_values v = {{by, rows, ways, degree}};
    free(state);
    state = mp_prefetcher_state(design, &v);
    assert_non_null(state);
}

static struct named from(uint16_t asid, uint16_t sm, uint8_t warp, uint64_t vpn)
{
    return miss(design, state, (struct mp_prefetch_miss){.vpn = vpn, .asid = asid, .sm = sm, .warp = warp});
}

static struct named at(uint64_t vpn)
{
    return from(0, 0, 0, vpn);
}

static int tear_down(void **unused)
{
    (void)unused;
    free(state);
    state = NULL;
    return 0;
}

/* ---- rules ---- */

static void a_stride_seen_twice_is_steady(void **unused)
{
    (void)unused;
    begin(BY_WARP, 16, 4, 2);
    NAMES(at(10), NOTHING);
    NAMES(at(13), NOTHING); /* transient */
    NAMES(at(16), 19, 22);  /* steady */
    NAMES(at(19), 22, 25);
}

static void a_miss_for_the_same_page_changes_nothing(void **unused)
{
    (void)unused;
    begin(BY_WARP, 16, 4, 1);
    at(10);
    at(13);
    NAMES(at(13), NOTHING);
    NAMES(at(16), 19);
    NAMES(at(16), NOTHING);
    NAMES(at(19), 22);
}

/* One exception leaves the stride: the next miss with it is steady again. */
static void steady_forgives_one_exception(void **unused)
{
    (void)unused;
    begin(BY_WARP, 16, 4, 1);
    at(10);
    at(13);
    at(16);
    NAMES(at(50), NOTHING); /* initial */
    NAMES(at(53), 56);
}

static void two_wrong_strides_in_a_row_need_two_right_ones(void **unused)
{
    (void)unused;
    begin(BY_WARP, 16, 4, 1);
    at(10);
    at(11);                 /* transient, 1 */
    at(13);                 /* none, 2 */
    NAMES(at(15), NOTHING); /* transient */
    NAMES(at(17), 19);
    at(20); /* initial, 2 */
    at(25); /* transient, 5 */
    NAMES(at(30), 35);
}

static void none_takes_each_new_stride(void **unused)
{
    (void)unused;
    begin(BY_WARP, 16, 4, 1);
    at(10);
    at(11);
    at(13); /* none, 2 */
    at(16); /* none, 3 */
    at(19); /* transient */
    NAMES(at(22), 25);
}

static void strides_are_signed(void **unused)
{
    (void)unused;
    begin(BY_WARP, 16, 4, 2);
    at(100);
    at(96);
    NAMES(at(92), 88, 84);
}

static void requesters_are_apart(void **unused)
{
    (void)unused;
    begin(BY_WARP, 16, 4, 1);
    for (uint64_t i = 0; i < 2; i++) {
        from(0, 1, 0, 10 + 3 * i);
        from(0, 1, 1, 90 + 2 * i);
        from(1, 1, 0, 50 + i);
    }
    NAMES(from(0, 1, 0, 16), 19);
    NAMES(from(0, 1, 1, 94), 96);
    NAMES(from(1, 1, 0, 52), 53);
    NAMES(from(0, 2, 0, 19), NOTHING);
    design->forget(state, 0);
    NAMES(from(0, 1, 0, 19), NOTHING);
    NAMES(from(0, 1, 0, 22), NOTHING); /* transient again */
    NAMES(from(1, 1, 0, 53), 54);
}

static void warps_of_an_sm_can_share_a_row(void **unused)
{
    (void)unused;
    begin(BY_SM, 16, 4, 1);
    from(0, 1, 0, 10);
    from(0, 1, 7, 13);
    NAMES(from(0, 1, 3, 16), 19);
    NAMES(from(0, 2, 3, 19), NOTHING);
}

static void the_least_recently_used_row_leaves(void **unused)
{
    (void)unused;
    begin(BY_SM, 2, 2, 1);
    for (uint64_t i = 0; i < 3; i++)
        for (uint16_t sm = 0; sm < 2; sm++)
            from(0, sm, 0, 10 + i);
    NAMES(from(0, 0, 0, 13), 14);
    from(0, 2, 0, 10); /* in place of SM 1's */
    NAMES(from(0, 0, 0, 14), 15);
    NAMES(from(0, 1, 0, 13), NOTHING);
}

/* ---- the oracle: the table of states as it is in the description, rows with a time of use ---- */

struct slow_row {
    uint32_t asid, sm, warp;
    uint64_t page, used;
    int64_t stride;
    const char *state; /* NULL: vacant */
};

struct slow {
    uint64_t by, sets, ways, degree, time;
    struct slow_row row[64]; /* set by set */
};

static struct slow_row *slow_row(struct slow *s, uint32_t asid, uint32_t sm, uint32_t warp)
{
    uint64_t key = s->by == BY_SM ? asid * 65536ull + sm : (asid * 65536ull + sm) * 256 + warp;
    struct slow_row *set = &s->row[key % s->sets * s->ways], *oldest = set;
    if (s->by == BY_SM)
        warp = 0;
    for (uint64_t i = 0; i < s->ways; i++)
        if (set[i].state && set[i].asid == asid && set[i].sm == sm && set[i].warp == warp)
            return &set[i];
    for (uint64_t i = 0; i < s->ways; i++)
        if (!set[i].state || (oldest->state && set[i].used < oldest->used))
            oldest = &set[i];
    *oldest = (struct slow_row){.asid = asid, .sm = sm, .warp = warp};
    return oldest;
}

static const char *slow_next(const char *from, bool right)
{
    static const char *const table[][3] = {{"initial", "steady", "transient"},
                                           {"transient", "steady", "none"},
                                           {"steady", "steady", "initial"},
                                           {"none", "transient", "none"}};
    for (int i = 0;; i++)
        if (!strcmp(table[i][0], from))
            return table[i][right ? 1 : 2];
}

static struct named slow_miss(struct slow *s, uint32_t asid, uint32_t sm, uint32_t warp, uint64_t page)
{
    struct named named = {0, {0}};
    struct slow_row *r = slow_row(s, asid, sm, warp);
    r->used = ++s->time;
    if (!r->state) {
        r->state = "initial";
        r->page = page;
        return named;
    }
    if (r->page == page)
        return named;
    bool right = page == r->page + (uint64_t)r->stride;
    if (!right && strcmp(r->state, "steady") != 0)
        r->stride = (int64_t)(page - r->page);
    r->state = slow_next(r->state, right);
    r->page = page;
    for (uint64_t next = page; !strcmp(r->state, "steady") && named.n < s->degree;)
        named.page[named.n++] = next += (uint64_t)r->stride;
    return named;
}

static void everything_is_as_in_the_oracle(void **unused)
{
    struct rng rng = rng_start("stride", 21);
    uint64_t named = 0;
    (void)unused;
    for (uint32_t round = 0; round < 200; round++) {
        static struct slow s;
        struct mp_design_values v = small_tables(&rng, &design->design, ROWS, WAYS);
        v.v[BY] = rng_below(&rng, 2);
        v.v[DEGREE] = rng_between(&rng, 1, MP_PREFETCH_MOST);
        begin(v.v[BY], v.v[ROWS], v.v[WAYS], v.v[DEGREE]);
        uint64_t ways = v.v[WAYS] < v.v[ROWS] ? v.v[WAYS] : v.v[ROWS];
        s = (struct slow){.by = v.v[BY], .sets = v.v[ROWS] / ways, .ways = ways, .degree = v.v[DEGREE]};
        uint64_t page[2][3][3] = {{{0}}};
        for (uint32_t step = 0; step < 400; step++) {
            uint32_t asid = rng_below(&rng, 2), sm = rng_below(&rng, 3), warp = rng_below(&rng, 3);
            uint64_t *p = &page[asid][sm][v.v[BY] == BY_SM ? 0 : warp];
            *p += rng_percent(&rng, 70) ? 3 + warp : rng_below(&rng, 9) - 4ull;
            if (rng_percent(&rng, 1)) {
                design->forget(state, (uint16_t)asid);
                for (uint32_t i = 0; i < 64; i++)
                    if (s.row[i].asid == asid)
                        s.row[i].state = NULL;
            }
            struct named got = from((uint16_t)asid, (uint16_t)sm, (uint8_t)warp, *p),
                         wanted = slow_miss(&s, asid, sm, warp, *p);
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
        cmocka_unit_test_teardown(a_stride_seen_twice_is_steady, tear_down),
        cmocka_unit_test_teardown(a_miss_for_the_same_page_changes_nothing, tear_down),
        cmocka_unit_test_teardown(steady_forgives_one_exception, tear_down),
        cmocka_unit_test_teardown(two_wrong_strides_in_a_row_need_two_right_ones, tear_down),
        cmocka_unit_test_teardown(none_takes_each_new_stride, tear_down),
        cmocka_unit_test_teardown(strides_are_signed, tear_down),
        cmocka_unit_test_teardown(requesters_are_apart, tear_down),
        cmocka_unit_test_teardown(warps_of_an_sm_can_share_a_row, tear_down),
        cmocka_unit_test_teardown(the_least_recently_used_row_leaves, tear_down),
        cmocka_unit_test_teardown(everything_is_as_in_the_oracle, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
