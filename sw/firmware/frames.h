/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frame allocator over one instance's GPU memory, for pages of 4 KB, 64 KB or 2 MB and for tables. A bit per
 * 4 KB records what is taken, so a double free is detected. Addresses are the GPU's, sizes are in bytes.
 */
#ifndef FW_FRAMES_H
#define FW_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "vm/frames/free_blocks.h"

#define FRAMES_BYTES  4096u
#define FRAMES_MEMORY (64ull << 30) /* more than any GPU here has */

enum frames_policy {
    /* Pages from the bottom, tables from the top, so that small tables do not break up large pages. */
    FRAMES_ASCENDING,
    /* Blocks of 2^0 to 2^10 frames: the smallest that suffices, at the lowest address, is split; freed blocks
     * merge. Small requests use small holes, and large blocks last, so that pages stay contiguous. */
    FRAMES_BUDDY
};

struct frames {
    enum frames_policy policy;
    uint64_t base, bytes;
    uint64_t free;                /* bytes */
    uint64_t low, high;           /* ascending: all frames below low, and from high on, are taken */
    struct mp_free_blocks blocks; /* buddy: numbered from base */
};

/* Marks the memory as free; base and bytes are multiples of 2 MB. Returns FW_EINVAL beyond FRAMES_MEMORY. */
enum fw_error frames_init(struct frames *f, enum frames_policy policy, uint64_t base, uint64_t bytes);

/* bytes: a power of two from 4 KB to 2 MB, to which the run is aligned. Returns FW_ENOMEM if there is no such
 * free run. */
enum fw_error frames_take_page(struct frames *f, uint64_t bytes, uint64_t *pa);
enum fw_error frames_take_table(struct frames *f, uint64_t *pa);

/* Gives back a run, or an aligned part of one. Returns FW_EDOUBLE if a part is already free, FW_EINVAL if it
 * is not in this memory; changes nothing then. */
enum fw_error frames_give(struct frames *f, uint64_t pa, uint64_t bytes);

/* Whether the 4 KB frame at pa is taken. */
bool frames_taken(uint64_t pa);

#endif
