/* SPDX-License-Identifier: Apache-2.0 */
/* Describes an exception in one line for the user: cause, place in the program, address, and what is at
 * the address. */
#ifndef MP_SOC_CRASH_H
#define MP_SOC_CRASH_H

#include "soc/hart/hart.h"
#include "soc/symbols.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_crash {
    struct mp_symbols *symbols; /* NULL if there are no names */
    uint64_t gpu_memory;        /* bytes */
    bool dlab;                  /* of the UART */
    /* The program loaded in RAM; from data_end to end it is zeroed memory. stack: the stack pointer early
     * in the run, 0 if unknown. */
    uint64_t begin, data_end, end, stack;
    const struct mp_hart *hart; /* whose memory has the stack; NULL: no callers are reported */
};

/* then: an exception that occurred before the handler of the first one returned, or NULL. */
void mp_crash_line(const struct mp_crash *c, const struct mp_hart_exception *first,
                   const struct mp_hart_exception *then, char *text, size_t size);

#define MP_CRASH_FRAMES 16u
/* Where the hart is, from the innermost function, with these registers. Returns the number of frames. */
unsigned mp_crash_backtrace(const struct mp_crash *c, uint64_t at, const uint64_t x[32],
                            uint64_t pc[MP_CRASH_FRAMES]);

/* ", main+0x14 (hello.c:14)", or those parts of it that are known. */
void mp_crash_place(const struct mp_crash *c, uint64_t address, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
