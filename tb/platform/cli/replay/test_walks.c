/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "cli/replay/replay.h"

static void takes(const char *line, int found, uint64_t cycle, uint8_t tenant, uint64_t id)
{
    struct replay_walk w;
    struct mp_error err = {""};
    if (replay_walks_parse(line, strlen(line), &w, &err) != found)
        fail_msg("'%s': %s", line, err.text);
    assert_int_equal(w.arrive, cycle);
    assert_int_equal(w.tenant, tenant);
    assert_int_equal(w.id, id);
}

static void lines_that_are_taken(void **state)
{
    (void)state;
    takes("1 2 3", 1, 1, 2, 3);
    takes(" \t0x10\t7 0xffffffffffffffff\r", 1, 16, 7, UINT64_MAX);
    takes("0xffffffffffff 0 0 # the last cycle", 1, REPLAY_MAX_CYCLE, 0, 0);
    takes("", 0, 0, 0, 0);
    takes("\t# 1 2 3", 0, 0, 0, 0);
    takes("1 2 3 4 5 6 7 # long", 1, 1, 2, 3);
    struct replay_walk w;
    assert_int_equal(replay_walks_parse("1 2 3 65535 0xff 15 4", 21, &w, NULL), 1);
    assert_true(w.sm == 65535 && w.warp == 255 && w.instruction == 15 && w.reads == 4);
    assert_int_equal(replay_walks_parse("1 2 3", 5, &w, NULL), 1);
    assert_true(w.sm == 0 && w.warp == 0 && w.instruction == 0 && w.reads == 1);
    assert_true(w.page == REPLAY_NO_PAGE);
    assert_int_equal(replay_walks_parse("1 2 3 4 5 6 7 0xfffffffff", 25, &w, NULL), 1);
    assert_true(w.reads == 7 && w.page == REPLAY_MAX_PAGE);
}

static void lines_that_are_refused(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"1", "no TENANT; CYCLE TENANT ID"},
        {"1 2", "no ID; CYCLE TENANT ID"},
        {"1 2 3 4", "no WARP; CYCLE TENANT ID SM WARP INSTRUCTION READS"},
        {"1 2 3 4 5 6 7 8 9", "'9' is unexpected; CYCLE TENANT ID SM WARP INSTRUCTION READS PAGE"},
        {"1 2 3 4 5 6 7 x", "PAGE 'x' is not a whole number; CYCLE TENANT ID SM WARP INSTRUCTION READS PAGE, "
                            "PAGE from 0 to 0xfffffffff"},
        {"1 2 3 4 5 16 7", "INSTRUCTION '16' is too large; CYCLE TENANT ID SM WARP INSTRUCTION READS, "
                           "INSTRUCTION from 0 to 0xf"},
        {"1 2 3 4 5 6 0", "READS '0' is too small; CYCLE TENANT ID SM WARP INSTRUCTION READS, READS from 1 "
                          "to 0xff"},
        {"1 8 3", "TENANT '8' is too large; CYCLE TENANT ID, TENANT from 0 to 0x7"},
        {"0x1000000000000 0 3", "CYCLE '0x1000000000000' is too large; CYCLE TENANT ID, CYCLE "
                                "from 0 to 0xffffffffffff"},
        {"x 0 3", "CYCLE 'x' is not a whole number; CYCLE TENANT ID, CYCLE from 0 to 0xffffffffffff"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct replay_walk w;
        struct mp_error err = {""};
        assert_int_equal(replay_walks_parse(cases[i][0], strlen(cases[i][0]), &w, &err), -1);
        assert_string_equal(err.text, cases[i][1]);
    }
}

/* Completions of a cycle, then those outside, then its arrivals. */
static void order_within_a_cycle(void **state)
{
    (void)state;
    struct replay_walk w[] = {{.tenant = 0},
                              {.tenant = 1},
                              {.tenant = 0},
                              {.tenant = 1},
                              {.tenant = 1, .arrive = 1},   /* outside */
                              {.tenant = 0, .arrive = 10},  /* as walk 2 starts: takes its place */
                              {.tenant = 1, .arrive = 10}}; /* outside, for walk 4 came before */
    const struct replay_walk_system system = {.scheduler = &mp_walk_dws,
                                              .geometry = {.walkers = 2, .queue = 2, .tenants = 2},
                                              .rules = {.epoch = 200},
                                              .latency = 10};
    const uint64_t start[] = {0, 0, 10, 10, 20, 20, 30};
    assert_int_equal(replay_walks_run(&system, w, 7), 0);
    for (unsigned i = 0; i < 7; i++)
        assert_int_equal(w[i].start, start[i]);
    assert_int_equal(w[6].walker, 0); /* a steal, in walker order */
    assert_true(w[6].stolen);
}

/* In cycle 1 walks 4 and 5 get the places of walks 2 and 3; as published only the first does, so that walker
 * 0 has to steal it in cycle 2 and walker 1 takes the other. */
static void one_retry_a_cycle(void **state)
{
    (void)state;
    struct replay_walk w[] = {{.tenant = 0}, {.tenant = 1}, {.tenant = 0},
                              {.tenant = 1}, {.tenant = 1}, {.tenant = 0}};
    struct replay_walk_system system = {.scheduler = &mp_walk_dws,
                                        .geometry = {.walkers = 2, .queue = 2, .tenants = 2},
                                        .rules = {.epoch = 200},
                                        .latency = 1};
    for (int published = 0; published < 2; published++) {
        system.rules.compat = published ? MP_WALK_HPCA21 : MP_WALK_PAPER;
        assert_int_equal(replay_walks_run(&system, w, 6), 0);
        for (unsigned i = 0; i < 6; i++) {
            assert_int_equal(w[i].start, i / 2);
            assert_int_equal(w[i].stolen, published && i >= 4);
        }
    }
}

/* In cycle 10 walks 2 and 3 start and leave two places in the queues. By the paper walks 4 and 5 get them. As
 * published only walk 4 does in this cycle, and walk 6, which arrives now, takes the other place although
 * walk 5 waits. */
static void arrivals_overtake_as_published(void **state)
{
    (void)state;
    struct replay_walk w[] = {{.arrive = 0}, {.arrive = 0}, {.arrive = 0}, {.arrive = 0},
                              {.arrive = 1}, {.arrive = 2}, {.arrive = 10}};
    struct replay_walk_system system = {.scheduler = &mp_walk_dws,
                                        .geometry = {.walkers = 2, .queue = 2, .tenants = 1},
                                        .rules = {.epoch = 200},
                                        .latency = 10};
    for (int published = 0; published < 2; published++) {
        system.rules.compat = published ? MP_WALK_HPCA21 : MP_WALK_PAPER;
        assert_int_equal(replay_walks_run(&system, w, 7), 0);
        for (unsigned i = 0; i < 5; i++)
            assert_int_equal(w[i].start, i / 2 * 10);
        assert_int_equal(w[5].start, published ? 30 : 20);
        assert_int_equal(w[6].start, published ? 20 : 30);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_that_are_taken),           cmocka_unit_test(lines_that_are_refused),
        cmocka_unit_test(order_within_a_cycle),           cmocka_unit_test(one_retry_a_cycle),
        cmocka_unit_test(arrivals_overtake_as_published),
    };
    return cmocka_run_group_tests_name("replay walks", tests, NULL, NULL);
}
