/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prefetch designs: which pages of a block come along with those that faulted. A design is one file in
 * prefetch/ and one word in the list of CMakeLists.txt. It sees the block's masks and a draw, nothing else.
 */
#ifndef MP_UVM_PREFETCH_H
#define MP_UVM_PREFETCH_H

#include "engine/design.h"
#include "uvm/mask.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MP_UVM_LEAVES 32u /* of 64 KB in 2 MB: big pages */

/* A block for which pages are chosen. Pages are counted from the aligned 2 MB. */
struct mp_uvm_look {
    uint32_t first, end;             /* the block has the pages from first to before end */
    uint32_t big;                    /* pages of an aligned 64 KB: 16, or 1 */
    uint32_t in_a_row;               /* pages that faulted to this destination in a row, these included */
    uint32_t threshold, min_faults;  /* of `tree`: percent, and pages */
    const struct mp_uvm_mask *there; /* at the destination */
    const struct mp_uvm_mask *faulted;
    const struct mp_uvm_mask *thrashing;
    uint64_t *draw; /* state of mp_uvm_draw() */
};

struct mp_uvm_prefetch {
    struct mp_design design;
    bool to_host; /* also asked when the host's accesses bring pages to the host */
    /* Adds pages to `out`, which is empty. The caller removes those that the block does not have, those that
     * are there or have faulted, and those that thrash. */
    void (*pages)(const struct mp_uvm_look *block, struct mp_uvm_mask *out);
};

#define MP_UVM_PREFETCH_NEEDS(EACH, WITH) EACH(pages)

extern const struct mp_uvm_prefetch mp_uvm_prefetch_tree;

extern const struct mp_uvm_prefetch *mp_uvm_prefetches[]; /* NULL-terminated; the first is the default */
extern const struct mp_design *mp_uvm_prefetch_designs[];
const struct mp_uvm_prefetch *mp_uvm_prefetch_find(const char *name);

/* Marsaglia's xorshift of 64 bits with 13, 7 and 17: a number below n. The state is not 0. */
static inline uint32_t mp_uvm_draw(uint64_t *state, uint32_t n)
{
    uint64_t x = *state;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    *state = x;
    return n > 1 ? (uint32_t)(x % n) : 0;
}

#ifdef __cplusplus
}
#endif
#endif
