/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frame allocator over one instance's GPU memory, for pages of 4 KB, 64 KB or 2 MB and for tables. A bit per
 * 4 KB records what is taken, so a double free is detected. Addresses are the GPU's, sizes are in bytes.
 *
 * Frames may have colours: frames of two colours have no memory module in common, so neither an L2 set nor a
 * DRAM bank (Fractional GPUs, Section IV-E).
 */
#ifndef FW_FRAMES_H
#define FW_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "vm/frames/free_blocks.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FRAMES_BYTES  4096u
#define FRAMES_MEMORY (64ull << 30) /* more than any GPU here has */

enum frames_policy {
    /* Pages from the bottom, tables from the top, so that small tables do not break up large pages. */
    FRAMES_ASCENDING,
    /* Blocks of 2^0 to 2^10 frames: the smallest that suffices, at the lowest address, is split; freed blocks
     * merge. Small requests use small holes, and large blocks last, so that pages stay contiguous. */
    FRAMES_BUDDY
};

/* Bit i of a frame's colour is the parity of those bits of its address that function[i] has. */
enum { FRAMES_FUNCTIONS = 5 }; /* at most */
struct frames_colours {
    unsigned functions;
    uint64_t function[FRAMES_FUNCTIONS]; /* no bit below that of FRAMES_BYTES */
};

struct frames {
    enum frames_policy policy;
    uint64_t base, bytes;
    uint64_t free;                        /* bytes, of all colours */
    uint64_t low, high;                   /* ascending: no frame below low, or from high on, can be taken */
    const struct frames_colours *colours; /* NULL: frames have no colours */
    uint32_t wanted;                      /* a bit per colour that may be taken */
    struct mp_free_blocks blocks;         /* buddy: numbered from base */
};

/* Marks the memory as free; base and bytes are multiples of 2 MB. Returns FW_EINVAL beyond FRAMES_MEMORY. */
enum fw_error frames_init(struct frames *f, enum frames_policy policy, uint64_t base, uint64_t bytes);

/* From now on takes frames of these colours only, a bit per colour; colours NULL: any frames. *colours must
 * stay. What is taken stays taken. Returns FW_EUNSUPPORTED unless the policy is FRAMES_ASCENDING, FW_EINVAL
 * if no frame has such a colour. */
enum fw_error frames_colour(struct frames *f, const struct frames_colours *colours, uint32_t wanted);
/* Whether all of this aligned run has colours that may be taken. */
bool frames_wanted(const struct frames *f, uint64_t pa, uint64_t bytes);
unsigned frames_colour_of(const struct frames_colours *colours, uint64_t pa);

/* bytes: a power of two from 4 KB to 2 MB, to which the run is aligned. Returns FW_ENOMEM if there is no such
 * free run. */
enum fw_error frames_take_page(struct frames *f, uint64_t bytes, uint64_t *pa);
enum fw_error frames_take_table(struct frames *f, uint64_t *pa);

/* Gives back a run, or an aligned part of one. Returns FW_EDOUBLE if a part is already free, FW_EINVAL if it
 * is not in this memory; changes nothing then. */
enum fw_error frames_give(struct frames *f, uint64_t pa, uint64_t bytes);

/* The frame at pa has an error: it is never given back, nor is the page that it is in, also if this memory is
 * marked as free again (not by FRAMES_BUDDY). Returns FW_EEXIST if that is known, FW_ENOMEM if there is no
 * room to remember it. */
enum fw_error frames_retire(uint64_t pa);

/* Whether the 4 KB frame at pa is taken. */
bool frames_taken(uint64_t pa);

#ifdef __cplusplus
}
#endif
#endif
