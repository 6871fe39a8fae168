/* SPDX-License-Identifier: Apache-2.0 */
/* A C interface to a Verilated rtl/toy/mp_toy.sv: the inputs of a clock in; its answer and its entries out.
 */
#ifndef MP_TB_TOY_RTL_H
#define MP_TB_TOY_RTL_H

#include "rtl/lockstep/manner.h"
#include "rtl/lockstep/verilated.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TOY_MOST_ENTRIES 64u

/* The ports have a number for each entry, and those up to a power of two. */
static inline uint32_t toy_numbers(uint32_t entries)
{
    uint32_t numbers = 2;
    while (numbers < entries)
        numbers *= 2;
    return numbers;
}

struct toy_rtl_clock {
    bool take, give;
    uint32_t given; /* below toy_numbers() */
};

struct toy_rtl_answer {
    uint32_t entry, used;
    bool full, empty;
    bool reset;        /* a reset came before the clock's edge */
    const char *wrong; /* as rtl_verilated.wrong */
};

struct toy_state {
    uint64_t busy; /* a bit of each entry that is taken */
    uint32_t used;
};

struct toy_rtl {
    struct rtl_verilated verilated;
    uint32_t entries;
    void *(*open)(uint64_t seed); /* returns NULL if memory runs out */
    void (*clock)(void *rtl, const struct toy_rtl_clock *in, struct toy_rtl_answer *answer,
                  struct rtl_manner manner);
    void (*state)(const void *rtl, struct toy_state *state); /* NULL if the state is not visible */
};

#ifdef __cplusplus
}
#endif
#endif
