/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Helpers of the tests of a TLB's contract: one TLB between fakes, and a policy in which an entry is a run of
 * pages as long as the span of its translation.
 */
#ifndef MP_TB_TLB_CONTRACT_H
#define MP_TB_TLB_CONTRACT_H

#include "../engine/fakes.h"

#include "tlb/tlb.h"

#define PAGE    0x1000ull
#define LATENCY 3u
#define NEXT    40u
#define WAYS    4u

extern const struct mp_tlb_policy runs;

struct bench {
    struct mp_wheel wheel;
    struct mp_tlb tlb;
    struct fake_initiator port;
    struct fake_target next;
    struct mp_span span; /* what the next level answers, with pa = va + 16 MB */
    uint8_t fault;
};

extern struct bench b;

/* The frame, with the offset in the page, that the next level answers. */
uint64_t frame_of(uint64_t va);

void set_up_policy(const struct mp_tlb_policy *policy);
int set_up(void **state); /* of runs */
int tear_down(void **state);

/* Sends a request for a page and runs until no event is left. */
struct fake_request *ask_as(uint16_t asid, uint8_t tenant, uint64_t page, enum mp_op op);
const struct mp_req *ask(uint64_t page);

void span_is(const struct mp_req *r, unsigned unit, unsigned before, unsigned after, unsigned read_only);

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
