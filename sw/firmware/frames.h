/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frame allocator over one instance's GPU memory. Pages of 4 KB, 64 KB or 2 MB come from the bottom, tables
 * from the top, so that small tables do not break up large pages. What is taken is a bit per 4 KB, so that
 * freeing twice is noticed. Addresses are the GPU's, sizes in bytes.
 */
#ifndef FW_FRAMES_H
#define FW_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"

#define FRAMES_BYTES  4096u
#define FRAMES_MEMORY (64ull << 30) /* more than any GPU here has */

struct frames {
    uint64_t base, bytes;
    uint64_t free;      /* bytes */
    uint64_t low, high; /* frame numbers: all below low and from high on are taken */
};

/* base and bytes are multiples of 2 MB; all is free then. FW_EINVAL beyond FRAMES_MEMORY. */
enum fw_error frames_init(struct frames *f, uint64_t base, uint64_t bytes);

/* FW_ENOMEM: no run of that size, aligned to it, is free. */
enum fw_error frames_take_page(struct frames *f, uint64_t bytes, uint64_t *pa);
enum fw_error frames_take_table(struct frames *f, uint64_t *pa);

/* FW_EDOUBLE when a part of it is free already, FW_EINVAL when it is not of this memory; nothing changes
 * then. */
enum fw_error frames_give(struct frames *f, uint64_t pa, uint64_t bytes);

/* Whether the 4 KB at pa are taken. */
bool frames_taken(uint64_t pa);

#endif
