/* SPDX-License-Identifier: Apache-2.0 */
/* Copy engines (regs/ce.def). The model holds the registers, says which descriptor is next, and checks it;
 * its owner reads descriptors and performs copies, each in the time of mp_ce_ns. */
#ifndef MP_SOC_CE_H
#define MP_SOC_CE_H

#include "soc/ce_ring.h"
#include "soc/line.h"
#include "soc/regs.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_ce_link {
    uint64_t gbps;      /* 10^9 B/s in each direction */
    uint64_t curve;     /* of that by the size of a copy, in 10^-5 / KB; 0: the same for all sizes */
    uint64_t latency;   /* ns, before the first byte */
    uint64_t zero_gbps; /* at which memory is zeroed, without the link */
};

struct mp_ce {
    struct mp_regs regs;
    struct mp_CE_values value;
    struct mp_line irq;
    struct mp_ce_link link;
    void *self;
    void (*started)(void *self, unsigned engine); /* called when mp_ce_next has work */
    struct {
        uint64_t base;
        uint32_t entries, put;
        bool busy; /* a descriptor was taken and has not ended */
    } engine[MP_CE_ENGINES];
};

/* The caller fills in irq, link, self and started before. */
void mp_ce_init(struct mp_ce *c);
/* Takes the engine's next descriptor: its bus address. Returns false if there is none, or if the engine is
 * busy or has stopped. */
bool mp_ce_next(struct mp_ce *c, unsigned engine, uint64_t *address);
/* What is wrong with the descriptor, without the memories' sizes. */
enum mp_ce_error mp_ce_check(unsigned engine, const struct mp_ce_descriptor *d);
/* The time of the copy: 2/pi * gbps * atan(curve * KB) is its bandwidth. d was checked. */
uint64_t mp_ce_ns(const struct mp_ce_link *link, const struct mp_ce_descriptor *d);
/* The descriptor that was taken has ended. */
void mp_ce_ended(struct mp_ce *c, unsigned engine, const struct mp_ce_descriptor *d, enum mp_ce_error error);

#ifdef __cplusplus
}
#endif
#endif
