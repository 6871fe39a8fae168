/* SPDX-License-Identifier: Apache-2.0 */
/* A file of requests to a server: a line for each, "NANOSECONDS PROMPT TOKENS", in the order of their
 * arrival. Lines that begin with # and empty ones are passed over. */
#ifndef MP_KERNELS_ARRIVALS_H
#define MP_KERNELS_ARRIVALS_H

#include <stdint.h>
#include <stdio.h>

#include "engine/error.h"

#define ARRIVALS_MOST      65536u
#define ARRIVALS_MOST_TIME (UINT64_C(1) << 47) /* ns */

struct arrival {
    uint64_t ns;             /* from the start */
    uint32_t prompt, tokens; /* that come with it, and that are generated; 1 at least each */
};

struct arrivals {
    struct arrival *list;
    uint32_t count;
};

/* Reads a whole file, in which a request has `most` tokens at most, with its prompt. On failure returns -1,
 * err is "NAME:LINE: WHAT; WHAT IS ALLOWED", and nothing is allocated. */
int arrivals_read(struct arrivals *a, FILE *f, const char *name, uint32_t most, struct mp_error *err);
void arrivals_free(struct arrivals *a);

#endif
