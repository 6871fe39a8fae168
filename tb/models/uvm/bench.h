/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of unified memory share: a model, and the services that it reports. Include it after cmocka. */
#ifndef UVM_BENCH_H
#define UVM_BENCH_H

#include <stdlib.h>
#include <string.h>

#include "uvm/uvm.h"

#define BASE  UINT64_C(0x40000000)
#define BLOCK MP_UVM_BLOCK_BYTES

struct bench {
    struct mp_uvm *u;
    void *memory;
    struct mp_uvm_report report;
    unsigned victims, services;
    struct mp_uvm_victim victim[64];
    struct mp_uvm_service service[64];
};

static inline void bench_evicted(void *context, const struct mp_uvm_victim *v)
{
    struct bench *b = context;
    assert_true(b->victims < 64);
    b->victim[b->victims++] = *v;
}

static inline void bench_served(void *context, const struct mp_uvm_service *s)
{
    struct bench *b = context;
    assert_true(b->services < 64);
    b->service[b->services++] = *s;
}

static inline struct mp_uvm_params bench_params(void)
{
    return (struct mp_uvm_params)MP_UVM_USUAL;
}

/* With a range of `blocks` blocks of space 0 from BASE on. */
static inline void bench_start(struct bench *b, const struct mp_uvm_params *p, unsigned blocks)
{
    memset(b, 0, sizeof *b);
    assert_int_equal(mp_uvm_check(p, NULL), 0);
    b->memory = aligned_alloc(64, (mp_uvm_bytes(p) + 63) / 64 * 64);
    assert_non_null(b->memory);
    memset(b->memory, 0, mp_uvm_bytes(p));
    b->u = mp_uvm_init(b->memory, p);
    b->report = (struct mp_uvm_report){bench_evicted, bench_served, b};
    mp_uvm_at(b->u, 1);
    if (blocks)
        assert_int_equal(mp_uvm_open(b->u, 0, BASE, blocks * BLOCK, false, NULL), blocks);
}

static inline void bench_end(struct bench *b)
{
    free(b->memory);
}

/* Serves one fault of a page of a block, and returns its service. */
static inline const struct mp_uvm_service *bench_fault(struct bench *b, unsigned block, unsigned page,
                                                       enum mp_uvm_access access)
{
    b->victims = b->services = 0;
    assert_int_equal(mp_uvm_fault(b->u, 0, 0, BASE + block * BLOCK + page * UINT64_C(4096), access), 1);
    mp_uvm_serve(b->u, &b->report);
    assert_int_equal(b->services, 1);
    return &b->service[0];
}

static inline struct mp_uvm_moved bench_host(struct bench *b, unsigned block, unsigned page)
{
    return mp_uvm_host(b->u, 0, BASE + block * BLOCK + page * UINT64_C(4096), MP_UVM_READ);
}

static inline struct mp_uvm_hit bench_gpu(struct bench *b, unsigned block, unsigned page,
                                          enum mp_uvm_access access)
{
    return mp_uvm_gpu(b->u, 0, BASE + block * BLOCK + page * UINT64_C(4096), access);
}

#endif
