/* SPDX-License-Identifier: Apache-2.0 */
/* Colours of functions, shares of slices and colours, and the console's commands for them, with a GPU of
 * seven slices (gpu_stub.h). Finding functions by time needs a GPU with latencies: colours.sh. */
#include "gpu_stub.h"

#include "colour.h"
#include "console.h"
#include "dma.h"
#include "fault.h"
#include "gmmu.h"
#include "gpu.h"
#include "mig.h"
#include "plic.h"
#include "uart.h"

/* Modules of the GTX 1080 (Fractional GPUs, Figure 6). */
#define GTX_1080 0xaadd2400, 0x88fe8800, 0xc6643000

static int setup(void **state)
{
    (void)state;
    board_reset();
    gpu_stub_reset((struct rng){9}, 200);
    gpu_stub.operations.sms = 14;
    mp_mgmt_init(&gpu_stub.mgmt);
    plic_init();
    uart_init();
    dma_init();
    gpu_init();
    gmmu_init();
    mig_init();
    fault_init();
    colour_set(NULL, 0);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    gpu_stub_free();
    return 0;
}

/* Only sums of functions without a bit within a frame give frames colours. */
static void functions(void **state)
{
    (void)state;
    const uint64_t gtx[] = {GTX_1080}, more[] = {0x3800, 0x5800, 0x9000},
                   six[] = {1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16, 1 << 17},
                   dependent[] = {0x3000, 0x5000, 0x6000};
    assert_int_equal(colour_count(), 1);
    assert_int_equal(colour_set(gtx, 3), FW_OK);
    assert_int_equal(colour_count(), 2);
    assert_int_equal(colour_frames()->function[0], 0xc6643000);
    assert_int_equal(colour_set(more, 3), FW_OK);
    assert_int_equal(colour_count(), 4); /* 0x6000 is the sum of two, and 0x9000 */
    assert_int_equal(frames_colour_of(colour_frames(), 0x1000) ^ frames_colour_of(colour_frames(), 0x8000),
                     0);
    assert_int_equal(colour_set(dependent, 3), FW_OK);
    assert_int_equal(colour_count(), 4);
    assert_int_equal(colour_set(six, 6), FW_EINVAL);
    assert_int_equal(colour_count(), 4); /* as before */
    assert_int_equal(colour_set(six, 17), FW_EINVAL);
}

static void divides(void **state)
{
    (void)state;
    const uint64_t masks[] = {1 << 12, 1 << 13, 1 << 14};
    struct colour_plan p = {.tenants = 99};
    assert_int_equal(colour_divide((uint64_t[]){1, 1}, 2, &p), FW_ENOMEM);
    assert_int_equal(colour_set(masks, 3), FW_OK);
    assert_int_equal(colour_divide((uint64_t[]){1, 0}, 2, &p), FW_EINVAL);
    assert_int_equal(colour_divide(NULL, 0, &p), FW_EINVAL);
    assert_int_equal(colour_divide((uint64_t[]){1, 1ull << 40}, 2, &p), FW_EINVAL);
    assert_int_equal(p.tenants, 99);
    assert_int_equal(colour_divide((uint64_t[]){75, 25}, 2, &p), FW_OK);
    assert_int_equal(p.of[0].slices, 5);
    assert_int_equal(p.of[1].slices, 2);
    assert_int_equal(p.of[0].mask, 0x3f);
    assert_int_equal(p.of[1].mask, 0xc0);
    assert_int_equal(colour_divide((uint64_t[]){1, 1000, 1}, 3, &p), FW_OK); /* at least one each */
    assert_int_equal(p.of[0].slices, 1);
    assert_int_equal(p.of[1].slices, 5);
    assert_int_equal(p.of[2].mask, 0x80);
}

/* Everything is given, each colour once, and nobody has less than a tenant with a smaller share. */
static void divides_at_random(void **state)
{
    (void)state;
    const uint64_t masks[] = {1 << 12, 1 << 13, 1 << 14};
    struct rng r = rng_start("firmware colour", 3);
    assert_int_equal(colour_set(masks, 3), FW_OK);
    for (unsigned round = 0; round < 2000; round++) {
        uint64_t share[7];
        unsigned n = rng_between(&r, 1, 7), slices = 0, colours = 0;
        uint32_t all = 0;
        struct colour_plan p;
        for (unsigned i = 0; i < n; i++)
            share[i] = rng_between(&r, 1, rng_percent(&r, 50) ? 10 : UINT32_MAX - 1);
        assert_int_equal(colour_divide(share, n, &p), FW_OK);
        for (unsigned i = 0; i < n; i++) {
            slices += p.of[i].slices;
            colours += p.of[i].colours;
            assert_int_equal(all & p.of[i].mask, 0);
            assert_int_equal(__builtin_popcount(p.of[i].mask), p.of[i].colours);
            all |= p.of[i].mask;
            for (unsigned k = 0; k < n; k++)
                assert_true(share[i] <= share[k] || p.of[i].colours >= p.of[k].colours);
        }
        assert_int_equal(slices, 7);
        assert_int_equal(colours, 8);
        assert_int_equal(all, 0xff);
    }
}

/* --- the console ---------------------------------------------------------------------------------- */

/* The answer to a line, without its echo and the next prompt. */
static const char *answer(const char *line)
{
    for (const char *c = line; *c; c++)
        assert_true(console_type(*c));
    board.length = 0;
    assert_true(console_type('\r'));
    assert_true(board.length >= 3);
    board.text[board.length - 2] = '\0';
    return board.text + 1;
}

#define SAYS(line, expected)  assert_string_equal(answer(line), expected)
#define SHOWS(line, expected) assert_non_null(strstr(answer(line), expected))

static void commands(void **state)
{
    (void)state;
    SAYS("colour",
         "colour functions, colour find, colour plan, colour move, colour pages, colour isolation\n");
    SAYS("colour fly",
         "colour functions, colour find, colour plan, colour move, colour pages, colour isolation\n");
    SAYS("colours", "colours: no such command; help lists all\n");
    SAYS("colour plan 50 50", "2 tenants, 7 slices, 1 colours: each tenant needs a slice and a colour\n"
                              "colour plan: no room\n");
    SAYS("colour functions 0xaadd2400 0x88fe8800 0xc6643000", "2 colours of 4 KB\n");
    SAYS("colour plan 0 50", "colour plan: an argument is out of range\n");
    SAYS("colour move 0", "no plan; `colour plan` makes one\ncolour move: not there\n");
    SAYS("colour isolation 0 0 1 1", "no plan; `colour plan` makes one\ncolour isolation: not there\n");
    SAYS("colour plan 70 30", "instance   wanted   slices      SMs  colours  which\n"
                              "       0     70 %        5       70        1  0x1\n"
                              "       1     30 %        2       28        1  0x2\n");
    SAYS("colour move 0", "colour move: not there\n");
    SAYS("make 0 5", "");
    SAYS("make 1 2", "");
    SAYS("open 0 0 4K", "");
    SAYS("open 1 1 4K", "");
    SAYS("map 0 0 256K", "");
    SAYS("map 1 0 256K", "");
    SAYS("colour pages", "space    pages of each colour\n"
                         "    0       32       32\n"
                         "    1       32       32\n");
    SHOWS("colour move 0", "space 0: 32 pages and ");
    SHOWS("colour move 1", "space 1: 32 pages and ");
    SHOWS("colour pages", "    0       64        0\n    1        0       64\n");
    SAYS("colour functions", "colour functions: in use\n");
    SAYS("colour isolation 0 0 0 0", "colour isolation: an argument is out of range\n");
    SAYS("colour isolation 0 0 9 0", "colour isolation: not there\n");
    SAYS("promise 0 0 0x1000000000000", "");
    SAYS("promise 1 0 0x1000000000000", "");
    SAYS("colour isolation 0 99 1 0", "colour isolation: not there\n");
    SAYS("colour find 2M", "colour find: in use\n");
    SAYS("colour find 0", "colour find: an argument is out of range\n");
    SAYS("colour find 65535", "colour find: an argument is out of range\n");
    SHOWS("colour isolation 0 0 1 0", "\nbefore ");
    SAYS("drop 0", "");
    SAYS("drop 1", "");
    SAYS("colour functions", "1 colours of 4 KB\n");
    SHOWS("colour find 2M", "colour find: the machine cannot do that\n");
    SAYS("make 0 7", ""); /* the search has left nothing behind */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(functions), TEST(divides), TEST(divides_at_random),
                                       TEST(commands)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
