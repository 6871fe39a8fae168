/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A prober measures latencies with one lane, as a program does that reads the clock around its loads. It is a
 * work-group of one warp on an SM, so its loads take the way of any other, through the SM's two links: to a
 * toy memory in a test, or to the TLBs, caches and DRAM of an assembled machine.
 *
 * A probe begins in the cycle of the call and reports when the caller's wheel has turned far enough. Cycles
 * count from a load's issue to its last answer.
 */
#ifndef MP_SM_PROBER_H
#define MP_SM_PROBER_H

#include "sm/sm.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_prober {
    struct mp_sm *sm;
    struct mp_sm_owner owner;
    uint32_t faults; /* loads from pages without a translation; their cycles mean nothing */
    /* The probe in flight. */
    const uint64_t *va;
    uint64_t pair[2];
    size_t loads, issued, answered; /* loads: 0 without a probe */
    bool in_turn;                   /* each load waits for the answer to the one before it */
    bool waits;                     /* the next event is that wait */
    uint64_t first;                 /* cycle in which the first load was issued */
    uint64_t *cycles;
    void (*done)(void *self, uint64_t cycles);
    void *self;
};

/* The prober's loads are of this address space and count for this tenant. */
void mp_prober_init(struct mp_prober *p, struct mp_sm *sm, uint16_t asid, uint8_t tenant);

/*
 * Loads 4 bytes from each of n addresses, at least 1, one after the other. A load is one instruction: it is
 * issued in the cycle after the answer to the one before it. After the last answer done(self, cycles) is
 * called with the cycles since the first issue, and may begin the next probe. cycles[i], unless `cycles` is
 * NULL, is what load i alone took. Both arrays must stay until then. Returns -1 if a probe is in flight, or
 * if the SM has no room for a warp.
 */
int mp_prober_chase(struct mp_prober *p, const uint64_t *va, size_t n, uint64_t *cycles,
                    void (*done)(void *self, uint64_t cycles), void *self);
/* The same with two loads, the second of which does not wait for the first. */
int mp_prober_pair(struct mp_prober *p, uint64_t a, uint64_t b, uint64_t *cycles,
                   void (*done)(void *self, uint64_t cycles), void *self);

#ifdef __cplusplus
}
#endif
#endif
