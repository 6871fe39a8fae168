/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages of several sizes in one TLB. The requests between blocks, the MSHRs and the coalescer know the least
 * size only, the granule, since a page's size is not known before its translation. The array holds each
 * translation once, as a page of its own size.
 *
 * A policy is given the number of a page among those of its size, with the size's place in the machine's list
 * above it. So a set is selected by the page number of the page's own size, tags of different sizes differ,
 * and pages that share an entry or a range have one size. A policy need not know of it.
 *
 * A look-up compares the pages of all sizes at the same time, as an array with a field for the size in its
 * tags, or with a set index for each size, does; a bit for each size says whether any such page has ever been
 * stored, and sizes without it are not compared. A hit takes the cycles of its own size; a miss is known when
 * the slowest size has missed. Where software has left translations of two sizes for one address, the larger
 * page answers. The papers whose policies these are have pages of one size, and leave this open.
 */
#ifndef MP_TLB_SIZES_H
#define MP_TLB_SIZES_H

#include "tlb/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_req;
struct mp_tlb;

#define MP_TLB_SIZES   4u
#define MP_TLB_SIZE_AT 46u /* above page numbers of 57-bit addresses (45 bits) and the kinds of ranges */

struct mp_tlb_sizes {
    uint8_t count;
    uint8_t used; /* a bit for each size of which a page has been stored; the granule has one */
    uint8_t shift[MP_TLB_SIZES]; /* log2 of bytes, ascending */
};

/* sizes: in bytes, or'ed, at least one. Of more than MP_TLB_SIZES the least are taken. */
struct mp_tlb_sizes mp_tlb_sizes_of(uint64_t sizes);

/* The place of the largest size in which a page of 2^page bytes can be kept; 0 if page is not known. */
static inline uint32_t mp_tlb_size_of(const struct mp_tlb_sizes *s, uint32_t page)
{
    uint32_t size = s->count - 1;
    while (size && s->shift[size] > page)
        size--;
    return size;
}

/* The answer is a page that is larger than the granule. Gives it the size in which it can be kept: if it is
 * larger than all of them, it counts as one of the largest, without its neighbours. Returns the size's place.
 */
uint32_t mp_tlb_fit(const struct mp_tlb_sizes *s, struct mp_req *answer);

/* The number by which policies know the page of va with the size at this place. */
static inline uint64_t mp_tlb_number(const struct mp_tlb_sizes *s, uint64_t va, uint32_t size)
{
    return va >> s->shift[size] | size * (1ull << MP_TLB_SIZE_AT);
}

/* The address at which the page with this number begins. *page receives log2 of its bytes. */
uint64_t mp_tlb_first(const struct mp_tlb_sizes *s, uint64_t number, uint32_t *page);

/* The look-ups of all sizes: one that counts as a use, and one that changes nothing. */
struct mp_tlb_hit mp_tlb_lookup_sizes(struct mp_tlb *t, uint16_t asid, uint64_t va);
struct mp_tlb_hit mp_tlb_peek(const struct mp_tlb *t, uint16_t asid, uint64_t va);

#ifdef __cplusplus
}
#endif
#endif
