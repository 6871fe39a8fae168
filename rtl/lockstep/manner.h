/* SPDX-License-Identifier: Apache-2.0 */
/* How a bench drives the ports during a transaction. Calm: a port is quiet unless it is used, and its payload
 * does not change. Rough, as in silicon: valid rises and falls while the block is not ready, every payload
 * that is not accepted is random and changes in each clock, and responses have to wait. */
#ifndef MP_RTL_MANNER_H
#define MP_RTL_MANNER_H

#include <stdbool.h>
#include <stdint.h>

struct rtl_manner {
    uint64_t random; /* state of the random numbers; 0: calm */
    uint32_t reset;  /* clocks from the acceptance to a reset; 0 if there is no reset */
};

static inline bool rtl_manner_rough(const struct rtl_manner *m)
{
    return m->random != 0;
}

/* xorshift64*: never returns 0 if the state is not 0. */
static inline uint64_t rtl_manner_draw(struct rtl_manner *m)
{
    m->random ^= m->random >> 12;
    m->random ^= m->random << 25;
    m->random ^= m->random >> 27;
    return m->random * 0x2545f4914f6cdd1du;
}

/* Returns a rough manner for each number, without a reset. */
static inline struct rtl_manner rtl_manner_of(uint64_t number)
{
    struct rtl_manner m = {(number + 1) * 0x9e3779b97f4a7c15u | 1, 0};
    return m;
}

#endif
