/* SPDX-License-Identifier: Apache-2.0 */
/* An exception as one line for the user: cause, place in the program, address, and what that is. */
#ifndef MP_SOC_CRASH_H
#define MP_SOC_CRASH_H

#include "soc/hart.h"
#include "soc/symbols.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_crash {
    struct mp_symbols *symbols; /* NULL: without names */
    uint64_t gpu_memory;        /* bytes */
    bool dlab;                  /* of the UART */
    /* The loaded program in RAM; from data_end to end it is zeroed memory. stack: where the stack pointer was
     * early in the run, 0: unknown. */
    uint64_t begin, data_end, end, stack;
};

/* then: an exception that came before the handler of the first one returned, or NULL. */
void mp_crash_line(const struct mp_crash *c, const struct mp_hart_exception *first,
                   const struct mp_hart_exception *then, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
