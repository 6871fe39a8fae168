/* SPDX-License-Identifier: Apache-2.0 */
/* Tests that the locksteps of blocks with the same functions share (neidty_lockstep.h, mesc_tlb_lockstep.h).
 * LOCKSTEP_TESTS(kind) defines them for struct kind_lockstep and struct kind_rtl; a file that uses it once
 * tests one kind. */
#ifndef MP_TB_TEST_LOCKSTEP_H
#define MP_TB_TEST_LOCKSTEP_H

#include "../models/engine/fakes.h"
#include "rtl/lockstep/lockstep.h"
#include "rtl_run.h"

typedef bool lockstep_point(const void *lockstep, unsigned number, char name[MP_RTL_POINT_NAME],
                            struct mp_rtl_point *point);

/* Every point of coverage occurred. */
static void lockstep_all_met(const char *what, lockstep_point *point, const void *lockstep)
{
    char name[MP_RTL_POINT_NAME];
    struct mp_rtl_point p;
    unsigned never = 0;
    for (unsigned i = 0; point(lockstep, i, name, &p); i++)
        if (!p.taken) {
            print_message("%s: never met: %s\n", what, name);
            never++;
        }
    assert_int_equal(never, 0);
}

/* The report contains these texts, which end with NULL. */
static void lockstep_says(const char *report, const char *const *said)
{
    for (; *said; said++)
        if (!strstr(report, *said)) {
            print_message("no '%s' in:\n%s", *said, report);
            fail();
        }
}

#define LOCKSTEP_TESTS(kind)                                                                                 \
    static bool point_of(const void *lockstep, unsigned number, char name[MP_RTL_POINT_NAME],                \
                         struct mp_rtl_point *point)                                                         \
    {                                                                                                        \
        return kind##_lockstep_point(lockstep, number, name, point);                                         \
    }                                                                                                        \
                                                                                                             \
    /* Random transactions are equal, include resets, and meet every point. */                               \
    static void random_is_equal(const char *name, const struct kind##_rtl *rtl, uint64_t seed,               \
                                uint64_t transactions)                                                       \
    {                                                                                                        \
        struct kind##_lockstep *l = kind##_lockstep_new(rtl, seed);                                          \
        assert_non_null(l);                                                                                  \
        bool equal = kind##_lockstep_random(l, seed, transactions, NULL);                                    \
        if (!equal)                                                                                          \
            kind##_lockstep_report(l, stdout, false);                                                        \
        assert_true(equal);                                                                                  \
        assert_null(rtl_lockstep_difference(kind##_lockstep_base(l)));                                       \
        assert_int_equal(kind##_lockstep_base(l)->transactions, transactions);                               \
        assert_true(kind##_lockstep_base(l)->resets > 0);                                                    \
        lockstep_all_met(name, point_of, l);                                                                 \
        kind##_lockstep_free(l);                                                                             \
    }                                                                                                        \
                                                                                                             \
    /* A design with a fault differs, and the report contains these texts. */                                \
    static void faulty(const struct kind##_rtl *rtl, const char *const *said)                                \
    {                                                                                                        \
        struct kind##_lockstep *l = kind##_lockstep_new(rtl, 1);                                             \
        char *text = NULL;                                                                                   \
        size_t size;                                                                                         \
        assert_non_null(l);                                                                                  \
        assert_false(kind##_lockstep_random(l, 1, 1000000, NULL));                                           \
        assert_non_null(rtl_lockstep_difference(kind##_lockstep_base(l)));                                   \
        FILE *f = open_memstream(&text, &size);                                                              \
        kind##_lockstep_report(l, f, false);                                                                 \
        fclose(f);                                                                                           \
        lockstep_says(text, said);                                                                           \
        free(text);                                                                                          \
        kind##_lockstep_free(l);                                                                             \
    }                                                                                                        \
                                                                                                             \
    /* The same seed makes the same clocks. */                                                               \
    static void a_seed_is_a_run(const struct kind##_rtl *rtl)                                                \
    {                                                                                                        \
        uint64_t clocks[3];                                                                                  \
        for (unsigned i = 0; i < 3; i++) {                                                                   \
            struct kind##_lockstep *l = kind##_lockstep_new(rtl, 1);                                         \
            assert_non_null(l);                                                                              \
            assert_true(kind##_lockstep_random(l, 5 + i / 2, 5000, NULL));                                   \
            clocks[i] = rtl_lockstep_clocks(kind##_lockstep_base(l));                                        \
            kind##_lockstep_free(l);                                                                         \
        }                                                                                                    \
        assert_true(clocks[0] == clocks[1]);                                                                 \
        assert_true(clocks[0] != clocks[2]);                                                                 \
    }

#endif
