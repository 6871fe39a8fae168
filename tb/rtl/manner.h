/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a bench drives the ports while a transaction is at work. Calm: a port is quiet unless it has something
 * to say, and what it says stays as it is. Rough, as silicon is: valid comes and goes while the block is not
 * ready, every payload that is not taken is rubbish that changes each clock, and responses have to wait.
 */
#ifndef MP_TB_MANNER_H
#define MP_TB_MANNER_H

#include <stdbool.h>
#include <stdint.h>

struct rtl_manner {
    uint64_t random; /* state of the random numbers; 0: calm */
    uint32_t reset;  /* the clock after the acceptance in which a reset comes; 0: none */
};

static inline bool rtl_manner_rough(const struct rtl_manner *m)
{
    return m->random != 0;
}

/* xorshift64*: not 0 where the state is not. */
static inline uint64_t rtl_manner_draw(struct rtl_manner *m)
{
    m->random ^= m->random >> 12;
    m->random ^= m->random << 25;
    m->random ^= m->random >> 27;
    return m->random * 0x2545f4914f6cdd1du;
}

/* Rough, another one for each number; without a reset. */
static inline struct rtl_manner rtl_manner_of(uint64_t number)
{
    struct rtl_manner m = {(number + 1) * 0x9e3779b97f4a7c15u | 1, 0};
    return m;
}

#endif
