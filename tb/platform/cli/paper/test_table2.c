/* SPDX-License-Identifier: Apache-2.0 */
/*
 * STAR's Table II counts every instruction of the wavefronts of 64 lanes in all runs of an application. The
 * kernels are those that MGPUSim publishes for AMD's GCN3. A wavefront's instructions are counted in the
 * kernels' binaries; loops depend on the input's size. For the applications marked PROVEN a round size gives
 * the printed number to the last digit; the others are named as what they are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <math.h>

#include "cli/paper/reproduce.h"

enum status {
    PROVEN, /* the product is the printed number */
    DIGIT,  /* the product and the printed number differ in one digit: a misprint is plausible */
    OPEN    /* no round size gives the printed number */
};

/* `wavefronts` run a kernel whose instructions are fixed + per * times. */
struct kernel {
    uint64_t wavefronts, fixed, per, times;
};

#define KERNELS 2u
static const struct identity {
    const char *app;
    enum status status;
    struct kernel kernel[KERNELS]; /* of one run */
    uint64_t runs;                 /* with which the product is the printed number; OPEN: as the misses say */
} identities[] = {
    /* 30 Mi samples, 16 taps */
    {"FIR", PROVEN, {{(30u << 20) / 64, 24, 23, 16}}, 1},
    /* 96 MB in transforms of 512 complex points, one a wavefront; two passes */
    {"FFT", PROVEN, {{2u * (96u << 20) / (512 * 8), 2083, 0, 0}}, 4},
    /* 15 * 2^22 points and steps, 16 rows of 64 columns to a wavefront */
    {"ST", PROVEN, {{(15u << 22) / (16 * 64), 965, 0, 0}}, 1},
    /* 2^21 rows in all iterations, one a wavefront, each at most 64 long */
    {"PR", PROVEN, {{1u << 21, 131, 20, 1}}, 1},
    /* length 4096: 1 to 64 tiles of 64 on the anti-diagonals, by each of two kernels */
    {"NW", PROVEN, {{64 * 65 / 2, 5285, 0, 0}, {64 * 65 / 2, 5281, 0, 0}}, 4},
    /* 4096 x 4096, 16 elements to a lane */
    {"MT", DIGIT, {{4096 * 4096 / 16 / 64, 146, 0, 0}}, 4},
    /* 4096 x 4096, a row and then a column to a lane */
    {"ATAX", OPEN, {{4096 / 64, 32, 13, 4096}, {4096 / 64, 27, 17, 4096}}, 4},
    {"BICG", OPEN, {{4096 / 64, 33, 13, 4096}, {4096 / 64, 28, 17, 4096}}, 4},
};
#define IDENTITIES (sizeof identities / sizeof *identities)

static double printed(const char *app, const char *x)
{
    const struct mp_db_point *p = paper_find(paper_data("star")->point, "table2", app, x);
    if (!p || !p->has_value)
        fail_msg("db/papers/star.csv has no %s of %s", x, app);
    return p->value;
}

static uint64_t instructions(const struct identity *i)
{
    uint64_t sum = 0;
    for (unsigned k = 0; k < KERNELS; k++)
        sum += i->kernel[k].wavefronts * (i->kernel[k].fixed + i->kernel[k].per * i->kernel[k].times);
    return sum;
}

static uint64_t wavefronts(const struct identity *i)
{
    return i->kernel[0].wavefronts + i->kernel[1].wavefronts;
}

static unsigned different_digits(uint64_t a, uint64_t b)
{
    unsigned n = 0;
    for (; a || b; a /= 10, b /= 10)
        n += a % 10 != b % 10;
    return n;
}

static void instruction_counts(void **state)
{
    (void)state;
    for (unsigned k = 0; k < IDENTITIES; k++) {
        const struct identity *i = &identities[k];
        const uint64_t table = (uint64_t)printed(i->app, "instructions"), one = instructions(i);
        print_message("%-4s %9" PRIu64 " instructions in %" PRIu64 " x %" PRIu64
                      " wavefronts, printed %" PRIu64 ": %s\n",
                      i->app, i->runs * one, i->runs, wavefronts(i), table,
                      i->status == PROVEN  ? "equal"
                      : i->status == DIGIT ? "one digit differs"
                                           : "open");
        switch (i->status) {
        case PROVEN:
            assert_int_equal(i->runs * one, table);
            break;
        case DIGIT:
            assert_int_equal(different_digits(i->runs * one, table), 1);
            break;
        case OPEN:
            assert_int_not_equal(table % one, 0);
        }
    }
}

/* The wavefronts that the tables of `reproduce` divide by are those of the identities. */
static void wavefront_counts(void **state)
{
    (void)state;
    for (unsigned k = 0; k < IDENTITIES; k++)
        assert_int_equal((uint64_t)printed(identities[k].app, "wavefronts"),
                         identities[k].runs * wavefronts(&identities[k]));
}

/* Misses that follow from the sizes alone, with pages of 4 KB: one for each page of a stream, and for ATAX
 * and BICG one for each row and column, because 64 rows of 16 KB are on 64 pages. 16 times as large pages
 * have a sixteenth. */
static void misses(void **state)
{
    (void)state;
    const double elements = 4.0 * 4096 * 4096;
    const struct {
        const char *app;
        double misses, off; /* what the last printed digit, and the vectors' pages, allow */
    } table[] = {
        {"FIR", 2.0 * (30u << 20) * 4 / 4096, 0.17},
        {"FFT", 2.0 * 4 * (96u << 20) / 4096, 0.1},
        {"ATAX", elements, 0.005},
        {"BICG", elements, 0.005},
    };
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
        const char *app = table[i].app;
        const double paper = printed(app, "instructions") * printed(app, "l2_tlb_mpki") / 1000;
        print_message("%-4s %.0f misses, the paper's MPKI says %.0f\n", app, table[i].misses, paper);
        assert_true(fabs(table[i].misses / paper - 1) <= table[i].off);
        assert_false(fabs(table[i].misses / 16 / paper - 1) <= table[i].off);
    }
}

/* BFS is open, too: 581 instructions for 64 vertices in each launch bound what its graph can be. CONV is open
 * without any bound that says something: no layer of round sizes has the printed count. */
static void bounds(void **state)
{
    (void)state;
    const double vertices_and_levels = printed("BFS", "instructions") * 64 / 581;
    assert_true(vertices_and_levels < 10.44e6 && vertices_and_levels > 10.43e6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instruction_counts),
        cmocka_unit_test(wavefront_counts),
        cmocka_unit_test(misses),
        cmocka_unit_test(bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
