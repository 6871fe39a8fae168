/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds by time alone how a GPU maps physical addresses to DRAM banks, L2 sets and memory modules, after
 * Algorithms 1 and 2 of Fractional GPUs. It assumes what the paper assumes: each bit of these numbers is the
 * XOR of some address bits, and the L2 replaces the least recently used line. A function is a mask of address
 * bits, bit i for address bit i.
 */
#ifndef REVERSE_H
#define REVERSE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The GPU, of which only readings of time are known. Its memory is a power of two. */
struct reverse_gpu {
    void *context;
    uint64_t memory_bytes, l2_bytes;
    uint64_t base, bytes; /* physical addresses that may be read: one contiguous block */
    uint64_t page_bytes;  /* of its translations; a power of two */
    /* One thread loads 4 B at each address after the answer to the load before. Returns the cycles of all;
     * cycles[i], unless NULL, receives those of load i. */
    uint64_t (*chase)(void *context, const uint64_t *address, uint32_t n, uint32_t *cycles);
    /* Two loads without waiting between them: cycles until both are answered. */
    uint64_t (*pair)(void *context, uint64_t a, uint64_t b);
    /* Called after each step, for a display; may be NULL. `done` of `all` address bits. */
    void (*progress)(void *context, const char *step, uint32_t done, uint32_t all);
};

#define REVERSE_MOST     16u
#define REVERSE_LEAST_L2 65536u /* bytes */

/* Functions in the reduced form of their span: the lowest bit of each leads it, no leading bit is in another
 * function, and leading bits ascend. */
struct reverse_span {
    uint32_t n;
    uint64_t function[REVERSE_MOST];
};

struct reverse_found {
    struct reverse_span bank, set, module; /* module: what bank and set have in common */
    uint32_t line_bytes, row_bytes, ways;
    uint32_t pair_limit, hit_limit; /* cycles from which a pair conflicts, and from which a load misses */
    uint64_t readings;              /* chases and pairs */
};

/* 0, or -1 with the step that failed as a text in *step. The L2 has at least REVERSE_LEAST_L2 bytes.
 * Allocates memory for the addresses of a chase. */
int reverse_run(const struct reverse_gpu *gpu, struct reverse_found *found, const char **step);

/* The number of colours of pages of page_bytes: 2 to the number of module functions without a bit within. */
uint32_t reverse_colours(const struct reverse_span *module, uint64_t page_bytes);

#ifdef __cplusplus
}
#endif
#endif
