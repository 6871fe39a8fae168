/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prefetchers of translations. A prefetcher belongs to one TLB, whose misses it sees, and names pages that it
 * expects to be missed next; that is all that it does. One prefetcher is one file in this folder and one word
 * in the list of ../CMakeLists.txt. buffer.h fetches the pages as hints and keeps what comes.
 *
 * What a prefetcher sees: each request whose page neither the array has nor an MSHR fetches, once, when it is
 * first looked up. `buffered` says that the page was in the prefetch buffer, so that the request is a hit of
 * the TLB after all.
 *
 * A prefetcher knows page numbers and no translations, so an invalidation of pages need not concern it. It
 * forgets an address space that goes as a whole, because the next one with its number is of another program.
 */
#ifndef MP_TLB_PREFETCHER_H
#define MP_TLB_PREFETCHER_H

#include "engine/design.h"
#include "engine/tenant.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MP_PREFETCH_MOST 16u /* pages that a prefetcher names for one miss, at most */

struct mp_prefetch_miss {
    uint64_t vpn;      /* pages of the configured size */
    uint16_t asid, sm; /* asid: below MP_ASIDS */
    uint8_t warp;      /* slot of the SM */
    bool buffered;
};

struct mp_prefetcher {
    struct mp_design design; /* its parameters; what is counted is the same for all (buffer.h) */
    /* The rest is NULL in `none`, which costs nothing. own: in the order of design.params. */
    size_t (*bytes)(const struct mp_design_values *own);           /* of the state */
    void (*init)(void *state, const struct mp_design_values *own); /* state: zeroed, 64-byte aligned */
    /* Writes the pages of the same address space that are to be prefetched, those that matter most first, and
     * returns their number. Page numbers that no address has are passed over, as are pages that the TLB has
     * or fetches. */
    uint32_t (*miss)(void *state, const struct mp_prefetch_miss *miss, uint64_t page[MP_PREFETCH_MOST]);
    void (*forget)(void *state, uint16_t asid);
};

#define MP_PREFETCHER_NEEDS(EACH, WITH) WITH(bytes, miss), WITH(init, miss), WITH(forget, miss)

extern const struct mp_prefetcher mp_prefetcher_none, mp_prefetcher_distance, mp_prefetcher_stride;

extern const struct mp_prefetcher *mp_prefetchers[]; /* NULL-terminated; the first is the default */
extern const struct mp_design *mp_prefetcher_designs[];
const struct mp_prefetcher *mp_prefetcher_find(const char *name);

/* A new state, for free(). NULL if memory runs out. */
void *mp_prefetcher_state(const struct mp_prefetcher *design, const struct mp_design_values *own);

#ifdef __cplusplus
}
#endif
#endif
