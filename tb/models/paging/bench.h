/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of the server of page faults share: one without SMs, two spaces, and what it does. */
#ifndef TB_PAGING_BENCH_H
#define TB_PAGING_BENCH_H

#include <stdlib.h>

#include "../engine/fakes.h"

#include "host/host.h"
#include "paging/paging.h"
#include "vm/page_format.h"

#include "no_sms.h"

#define MB   (1ull << 20)
#define PAGE 4096ull
#define BIG  65536ull
#define HEAP (1ull << 32)

struct bench {
    struct mp_wheel wheel;
    struct mp_physmem memory;
    struct mp_frames frames;
    struct mp_space space[2];
    struct mp_paging *paging;
    struct mp_host_link link;
    struct mp_paging_action action[65536];
    uint32_t actions;
};

static struct bench b;

static inline void failed(void *self, unsigned asid, const char *why)
{
    (void)self;
    fail_msg("space %u: %s", asid, why);
}

static inline void act(void *self, const struct mp_paging_action *a)
{
    (void)self;
    assert_true(b.actions < sizeof b.action / sizeof *b.action);
    b.action[b.actions++] = *a;
}

/* A server at 1000 MHz, whose costs are 0 but for copies: 12 B / ns and a latency of 700 ns. */
static inline struct mp_paging_params usual(void)
{
    struct mp_paging_params p = {.uvm = MP_UVM_USUAL,
                                 .cost = {.latency = 700, .gbps = 12, .zero_gbps = 100},
                                 .clock_mhz = 1000,
                                 .link = &b.link,
                                 .from_host = true,
                                 .failed = failed};
    p.uvm.prefetch = mp_uvm_prefetch_find("none");
    p.uvm.thrashing = false;
    p.uvm.ranges = p.uvm.blocks = 16;
    p.uvm.sms = 1;
    return p;
}

static inline void set_up(const struct mp_paging_params *p)
{
    const struct mp_frames_params frames = {.base = 2 * MB, .bytes = 64 * MB, .page_bytes = PAGE};
    struct mp_error err = {{0}};
    memset(&b, 0, sizeof b);
    no_sms_retried = 0;
    mp_wheel_init(&b.wheel);
    assert_int_equal(mp_physmem_init(&b.memory, 66 * MB), 0);
    assert_int_equal(mp_frames_init(&b.frames, &mp_frames_ascending, &frames, &err), 0);
    for (uint16_t i = 0; i < 2; i++) {
        const struct mp_space_params s = {
            .asid = i, .tenant = i, .format = mp_page_format(PAGE), .memory = &b.memory, .frames = &b.frames};
        assert_int_equal(mp_space_init(&b.space[i], &s, &err), 0);
    }
    b.paging = mp_paging_new(&b.wheel, &b.frames, p, &err);
    assert_non_null(b.paging);
    mp_paging_watch(b.paging, act, NULL);
}

static inline int tear_down(void **state)
{
    (void)state;
    mp_paging_free(b.paging);
    mp_space_free(&b.space[0]);
    mp_space_free(&b.space[1]);
    mp_frames_free(&b.frames);
    mp_physmem_free(&b.memory);
    mp_wheel_free(&b.wheel);
    return 0;
}

static inline void open_in(uint32_t space, uint64_t bytes)
{
    struct mp_error err = {{0}};
    assert_int_equal(mp_paging_open(b.paging, &b.space[space], HEAP, bytes, &err), 0);
}

static inline void open(uint64_t bytes)
{
    open_in(0, bytes);
}

/* Accesses of an SM; each waits until a replay. */
static inline void fault(struct mp_req *req, enum mp_op op, uint64_t va)
{
    *req = (struct mp_req){.va = va, .op = (uint8_t)op};
    assert_true(mp_paging_fault(b.paging, NULL, req));
}

static inline uint64_t where_in(uint32_t space, uint64_t va)
{
    uint64_t pa;
    return mp_page_table_find(&b.space[space].table, va, &pa) ? pa : 0;
}

static inline uint64_t where(uint64_t va)
{
    return where_in(0, va);
}

static inline void note_end(void *cycle)
{
    *(uint64_t *)cycle = b.wheel.now;
}

/* The host reads a range; *ended: the cycle in which it has. */
static inline void host_reads(uint32_t space, uint64_t va, uint64_t bytes, uint64_t *ended)
{
    const struct mp_paging_host_access access = {&b.space[space], va, bytes, false, note_end, ended};
    struct mp_error err = {{0}};
    *ended = UINT64_MAX;
    assert_int_equal(mp_paging_host(b.paging, &access, &err), 0);
}

/* The next action of this kind from *at on; *at is then behind it. */
static inline const struct mp_paging_action *next(enum mp_paging_kind kind, uint32_t *at)
{
    while (*at < b.actions)
        if (b.action[(*at)++].kind == kind)
            return &b.action[*at - 1];
    return NULL;
}

static inline uint32_t count(enum mp_paging_kind kind)
{
    uint32_t n = 0;
    for (uint32_t at = 0; next(kind, &at);)
        n++;
    return n;
}

static uint64_t seed, draw;

static inline uint32_t roll(uint32_t n)
{
    draw ^= draw << 13;
    draw ^= draw >> 7;
    draw ^= draw << 17;
    return (uint32_t)((draw >> 11) % n);
}

/* The frames that pages have; no two have one. Returns their number. */
static inline uint32_t frames_in_use(void)
{
    static bool used[66 * MB / PAGE];
    uint32_t n = 0;
    memset(used, 0, sizeof used);
    for (uint32_t s = 0; s < 2; s++)
        for (uint64_t va = HEAP; va < HEAP + 8 * MB; va += PAGE) {
            const uint64_t pa = where_in(s, va);
            if (!pa || pa >= MP_HOST_MEMORY)
                continue;
            assert_false(used[pa / PAGE]);
            used[pa / PAGE] = true;
            n++;
        }
    return n;
}

#endif
