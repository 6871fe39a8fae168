/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Eviction designs: which units leave the pool when one is needed. A design is one file in evict/ and one
 * word in the list of CMakeLists.txt.
 *
 * A unit is 2 MB, 64 KB or a page of one block, and has the number block * per_block + position in the
 * aligned 2 MB. A design has the units that are loaded, which have pages on the GPU. Units whose pages have
 * all gone to the host are evicted before a design is asked.
 *
 * Touches (pages are loaded into the unit, or the GPU accesses one) are numbered, so that no two are equal.
 */
#ifndef MP_UVM_EVICT_H
#define MP_UVM_EVICT_H

#include <stddef.h>

#include "engine/design.h"
#include "uvm/mask.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MP_UVM_VICTIMS 32u /* of one choice, at most */

struct mp_uvm_pool; /* pool.h */

/* For whom units are wanted. */
struct mp_uvm_wanted {
    uint32_t block;  /* is served, and keeps its units; UINT32_MAX: none is served */
    uint32_t spaces; /* whose units may be taken, a bit each */
};

struct mp_uvm_evict {
    struct mp_design design;
    uint32_t unit;                            /* bytes; 0: a page */
    size_t (*bytes)(uint32_t blocks);         /* of its state, which is zeroed; NULL: it has none */
    void (*init)(void *own, uint32_t blocks); /* NULL: zeros are right */
    void (*loaded)(struct mp_uvm_pool *pool, uint32_t unit);
    /* access: by the GPU. NULL: touches do not count. */
    void (*touched)(struct mp_uvm_pool *pool, uint32_t unit, bool access);
    /* The block's first dirty page, or it has none any more. NULL: it does not matter. */
    void (*dirtied)(struct mp_uvm_pool *pool, uint32_t unit);
    /* It has no pages on the GPU any more. */
    void (*emptied)(struct mp_uvm_pool *pool, uint32_t unit);
    /* Writes the units that leave, in this order, and returns their number. There is one that may. */
    uint32_t (*victims)(struct mp_uvm_pool *pool, const struct mp_uvm_wanted *wanted,
                        uint32_t victim[MP_UVM_VICTIMS]);
};

#define MP_UVM_EVICT_NEEDS(EACH, WITH) EACH(loaded), EACH(emptied), EACH(victims), WITH(bytes, init)

extern const struct mp_uvm_evict mp_uvm_evict_driver;

extern const struct mp_uvm_evict *mp_uvm_evicts[]; /* NULL-terminated; the first is the default */
extern const struct mp_design *mp_uvm_evict_designs[];
const struct mp_uvm_evict *mp_uvm_evict_find(const char *name);

#ifdef __cplusplus
}
#endif
#endif
