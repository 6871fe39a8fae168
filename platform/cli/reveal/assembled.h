/* SPDX-License-Identifier: Apache-2.0 */
/* An assembled machine as software of reverse engineering sees it: readings of time, and nothing else. */
#ifndef MP_CLI_REVEAL_ASSEMBLED_H
#define MP_CLI_REVEAL_ASSEMBLED_H

#include "config/config.h"
#include "gpu/probe.h"
#include "reverse/reverse.h"

#define ASSEMBLED_PAIR_CYCLES 4096u /* pairs that take longer are counted as the longest */

/* Threads on other SMs that load from random addresses, each 1 to `gap` cycles after its last answer. */
struct assembled_noise {
    uint32_t others, gap;
};

struct assembled {
    struct mp_probe probe;
    uint32_t jitter; /* each reading is 0 to `jitter` cycles late */
    uint64_t random;
    uint64_t *cycles; /* of the loads of a chase */
    uint32_t room;
    uint64_t pairs[ASSEMBLED_PAIR_CYCLES]; /* readings of this length */
    struct reverse_gpu gpu;                /* what the software gets */
};

/*
 * Machines of Fractional GPUs: loads go past the L1 data cache, and a contiguous block of 80 % of the memory
 * may be read, from 16 MB on. A reading takes 4 cycles more than the loads, for the clock. The structure must
 * stay where it is. noise: NULL, or what disturbs the readings. -1 with a message: out of memory, or more
 * threads than the machine has other SMs.
 */
int assembled_init(struct assembled *a, const struct mp_config *config, uint32_t jitter,
                   const struct assembled_noise *noise, struct mp_error *err);
void assembled_free(struct assembled *a);

/* Simulated cycles so far. */
static inline uint64_t assembled_now(const struct assembled *a)
{
    return a->probe.wheel.now;
}

#endif
