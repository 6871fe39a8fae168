/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds an endless loop without waiting for a limit: the hart comes back to a state that it had, and
 * everything that the instructions in between have read is as it was. Nothing but a device can then end the
 * loop; whether one may is for the caller to say.
 *
 * States are compared at the end of quanta, with one that is replaced after 1, 2, 4, 8, ... quanta (R. P.
 * Brent, "An improved Monte Carlo factorization algorithm", BIT 20, 1980). When one comes back, the
 * instructions of two more periods are followed: memory must come back to its contents, devices must give the
 * same values, and no device may be written and no time read.
 */
#ifndef MP_SOC_REPEAT_H
#define MP_SOC_REPEAT_H

#include <stdbool.h>
#include <stdint.h>

#include "soc/hart/hart.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MP_REPEAT_STORES 256u       /* that a loop has, at most */
#define MP_REPEAT_PERIOD (1u << 20) /* instructions, at most */

struct mp_repeat {
    struct mp_hart *hart;
    uint64_t state[MP_HART_STATE]; /* at the count `saved` */
    uint64_t saved, quanta, power; /* quanta since then; the number of them after which it is replaced */
    bool follows, broken;          /* broken: a loop that is not, or not known to be, endless */
    uint64_t period, begun;        /* of the period that is followed: its first count */
    uint64_t reads, reads_before; /* hashes of what devices have answered in this period and the one before */
    unsigned periods, stores;
    struct {
        uint64_t address, old;
        unsigned width;
    } store[MP_REPEAT_STORES];
};

void mp_repeat_init(struct mp_repeat *r, struct mp_hart *hart);

/* At the end of each quantum. Returns whether the loop is endless. While r->follows is set, the functions
 * below are to be called for all that happens in the next quantum. */
bool mp_repeat_quantum(struct mp_repeat *r);
/* Something else than instructions has happened: the search begins again. */
void mp_repeat_forget(struct mp_repeat *r);
/* Before an instruction. */
void mp_repeat_look(struct mp_repeat *r, uint32_t code);
/* After an access of a device. is_time: its value changes by time alone. */
void mp_repeat_access(struct mp_repeat *r, uint64_t address, uint64_t value, bool write, bool is_time);

#ifdef __cplusplus
}
#endif
#endif
