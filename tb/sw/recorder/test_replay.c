/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replay against a reconvergence stack. Random structured programs (sequences, branches, loops) are run lane
 * by lane to make the streams, and by a plain recursive interpreter with masks, in which diverged lanes meet
 * at the immediate post-dominator. Both must take the same steps with the same lanes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "launch.h"

#include <stdlib.h>
#include <string.h>

#define MAX_NODES  64
#define MAX_STEPS  20000
#define LANE_WORDS 20000

enum node_kind { BLOCK, SEQUENCE, BRANCH, LOOP };

/* BRANCH and LOOP begin with a separate block, in which lanes decide. */
static struct node {
    enum node_kind kind;
    unsigned block;
    struct node *child[3];
} nodes[MAX_NODES];
static unsigned nnodes, nblocks, loop_end[MAX_NODES];

static uint64_t seed;

static uint64_t mix(uint64_t z)
{
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint64_t draw(void)
{
    return seed = mix(seed);
}

static struct node *generate(unsigned depth)
{
    struct node *n = &nodes[nnodes++];
    const bool leaf = depth == 0 || nnodes > MAX_NODES - 16;
    n->kind = leaf ? BLOCK : (enum node_kind)(draw() % 4);
    const unsigned children[] = {0, 3, 2, 1};
    if (n->kind != SEQUENCE)
        n->block = nblocks++;
    for (unsigned i = 0; i < 3; i++)
        n->child[i] = i < children[n->kind] ? generate(depth - 1) : NULL;
    loop_end[n->block] = n->kind == LOOP ? nblocks - 1 : n->kind == SEQUENCE ? loop_end[n->block] : 0;
    return n;
}

/* Returns the lane's nth decision. */
static bool decide(unsigned lane, unsigned *nth)
{
    return mix(seed ^ (uint64_t)lane << 32 ^ (*nth)++) % 3 != 0;
}

static uint64_t stream[LANES][LANE_WORDS];
static unsigned words[LANES], decisions[LANES];

static uint64_t address_of(unsigned block, unsigned lane)
{
    return 1024 * block + 4 * lane;
}

static void run_alone(const struct node *n, unsigned lane, const struct arena *a)
{
    if (!n)
        return;
    if (n->kind == SEQUENCE) {
        for (unsigned i = 0; i < 3; i++)
            run_alone(n->child[i], lane, a);
        return;
    }
    for (;;) {
        assert_true(words[lane] + 2 < LANE_WORDS);
        stream[lane][words[lane]++] = n->block;
        stream[lane][words[lane]++] = (uint64_t)(uintptr_t)a->base + address_of(n->block, lane);
        if (n->kind == BLOCK)
            return;
        const bool yes = decide(lane, &decisions[lane]);
        if (n->kind == BRANCH) {
            run_alone(n->child[yes], lane, a);
            return;
        }
        if (!yes)
            return;
        run_alone(n->child[0], lane, a);
    }
}

static struct step {
    uint32_t block;
    uint64_t mask;
} expected[MAX_STEPS], taken[MAX_STEPS];
static unsigned nexpected, ntaken;

static void run_masked(const struct node *n, uint64_t mask)
{
    if (!n || !mask)
        return;
    if (n->kind == SEQUENCE) {
        for (unsigned i = 0; i < 3; i++)
            run_masked(n->child[i], mask);
        return;
    }
    while (mask) {
        assert_true(nexpected < MAX_STEPS);
        expected[nexpected++] = (struct step){n->block, mask};
        if (n->kind == BLOCK)
            return;
        uint64_t yes = 0;
        for (unsigned i = 0; i < LANES; i++)
            if (mask >> i & 1 && decide(i, &decisions[i]))
                yes |= 1ull << i;
        if (n->kind == BRANCH) {
            run_masked(n->child[0], mask & ~yes);
            run_masked(n->child[1], yes);
            return;
        }
        run_masked(n->child[0], yes);
        mask = yes;
    }
}

/* The functions that replay.c calls. A lane returns its stream in pieces of up to five blocks. */
static unsigned given[LANES];

void launch_run_lane(struct launch *l, struct warp *w, unsigned lane)
{
    (void)l;
    const unsigned left = words[lane] - given[lane], piece = 2 * (1 + given[lane] / 2 % 5);
    w->at[lane] = &stream[lane][given[lane]];
    given[lane] += left < piece ? left : piece;
    w->end[lane] = &stream[lane][given[lane]];
    if (given[lane] == words[lane])
        w->state[lane] = LANE_DONE;
}

void warp_emit(struct launch *l, struct warp *w, const struct gwt_event *e)
{
    (void)l;
    (void)w;
    if (e->kind != GWT_ACCESS)
        return;
    unsigned n = 0;
    for (unsigned i = 0; i < LANES; i++)
        if (e->mask >> i & 1)
            assert_int_equal(e->lane[n++], ARENA_VA + address_of(e->pc, i));
    assert_int_equal(n, e->active);
    assert_true(ntaken < MAX_STEPS);
    taken[ntaken++] = (struct step){e->pc, e->mask};
}

void launch_fail(const struct launch *l, unsigned item, struct record_place at, const char *format, ...)
{
    (void)at;
    fail_msg("%s: work-item %u: %s", l->what, item, format);
    abort();
}

void fault_access(const struct launch *l, unsigned item, uint32_t access, uint64_t address)
{
    fail_msg("%s: work-item %u: access %u at %llx", l->what, item, access, (unsigned long long)address);
    abort();
}

static void one_program(struct launch *l, struct record_segment *segments, struct record_access *accesses)
{
    nnodes = nblocks = nexpected = ntaken = 0;
    memset(words, 0, sizeof words);
    memset(given, 0, sizeof given);
    memset(decisions, 0, sizeof decisions);
    const struct node *program = generate(4);
    const unsigned lanes = 1 + (unsigned)(draw() % LANES);
    for (unsigned i = 0; i < nblocks; i++) {
        segments[i] = (struct record_segment){.first = i, .count = 1, .tail = 1, .loop_end = loop_end[i]};
        accesses[i] = (struct record_access){.bytes = 4};
        l->window[i] = (struct window){ARENA_VA, ARENA_VA + (1 << 20), false};
    }
    for (unsigned i = 0; i < lanes; i++)
        run_alone(program, i, l->arena);
    memset(decisions, 0, sizeof decisions);
    run_masked(program, UINT64_MAX >> (64 - lanes));

    static struct warp w;
    warp_begin(&w, 0, lanes);
    warp_advance(l, &w);
    assert_true(w.exited);
    assert_int_equal(ntaken, nexpected);
    for (unsigned i = 0; i < ntaken; i++) {
        assert_int_equal(taken[i].block, expected[i].block);
        assert_int_equal(taken[i].mask, expected[i].mask);
    }
}

static void same_steps_as_a_reconvergence_stack(void **state)
{
    (void)state;
    static struct record_segment segments[MAX_NODES];
    static struct record_access accesses[MAX_NODES];
    static struct window windows[MAX_NODES];
    static char memory[64];
    const struct record_kernel kernel = {.name = "random", .segments = segments, .accesses = accesses};
    const struct arena arena = {.base = memory};
    struct record_counts counts = {0};
    struct launch l = {.kernel = &kernel,
                       .arena = &arena,
                       .window = windows,
                       .counts = &counts,
                       .what = "test",
                       .warp_lanes = LANES};
    for (unsigned i = 0; i < 2000; i++) {
        seed = mix(i);
        one_program(&l, segments, accesses);
    }
    print_message("programs 0 to 1999, %llu steps, %llu lane steps\n", (unsigned long long)counts.accesses,
                  (unsigned long long)counts.lane_accesses);
    assert_true(counts.accesses > 20000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_steps_as_a_reconvergence_stack)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
