/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks and units: what the library keeps of managed memory, and what eviction designs see of it. */
#ifndef MP_UVM_POOL_H
#define MP_UVM_POOL_H

#include "uvm/uvm.h"

#define MP_UVM_NONE UINT32_MAX

/* Processors, as bits of sets. */
enum mp_uvm_processor { MP_UVM_NOBODY = 0, MP_UVM_BY_HOST = 1, MP_UVM_BY_GPU = 2 };

/*
 * A block: what a range has in an aligned 2 MB. A page of `gpu` is on the GPU, and `host` says that it has a
 * frame of the host, too, to which it returns; another page of `host` is there; all others are nowhere.
 * `remote` is a part of the pages on the host, `dirty` of those on the GPU.
 */
struct mp_uvm_block {
    struct mp_uvm_mask gpu, host, remote, dirty;
    uint16_t track[MP_UVM_LEAVES]; /* thrashing states of a big page: position in the store and 1, or 0 */
    uint16_t count[MP_UVM_LEAVES]; /* remote accesses of a granule */
    uint8_t evictions[MP_UVM_LEAVES];
    uint32_t met;             /* big pages with remote accesses since their granule was cleared */
    uint32_t noticed;         /* granules with a notice that was not served */
    uint64_t number;          /* address / 2 MB */
    uint64_t event, thrashed; /* time of the last migration, and of the last of a thrashing page; 0: none */
    uint16_t first, end;      /* pages, from the aligned 2 MB */
    uint16_t in_a_row;        /* pages that faulted to this destination */
    uint8_t destination, event_by; /* enum mp_uvm_processor */
    uint8_t asid, resets;
    bool read_only, tracked, ever_pinned; /* tracked: its pages have thrashing states */
};

_Static_assert(sizeof(struct mp_uvm_block) <= 512, "a block has at most 512 bytes");

struct mp_uvm_range {
    uint64_t va, bytes;
    uint32_t first, blocks; /* its blocks have consecutive numbers */
    uint8_t asid;
    bool read_only;
};

/* A unit that the pool gave has an order that is not 0. The rest is the eviction design's, while the unit is
 * loaded. */
struct mp_uvm_unit {
    uint32_t prev, next; /* in a list */
    uint64_t order;      /* of a list: ascending */
    uint64_t own;
};

enum mp_uvm_list {
    MP_UVM_EMPTIED,
    MP_UVM_FIRST,
    MP_UVM_SECOND,
    MP_UVM_THIRD,
    MP_UVM_LISTS
}; /* all but the first: of designs */

struct mp_uvm_pool {
    const struct mp_uvm_evict *design;
    void *own; /* the design's state */
    struct mp_uvm_block *block;
    struct mp_uvm_unit *unit;   /* those of all blocks, then heads of lists */
    struct mp_uvm_range *range; /* by space and address */
    uint32_t ranges, blocks;
    uint32_t page_shift, per_block, unit_pages;
    uint64_t touch; /* number of the last touch */
    uint64_t draw;
    bool evicted;
    bool has[MP_UVM_SPACES]; /* a range, or a quota */
    uint32_t used[MP_UVM_SPACES], reserve[MP_UVM_SPACES], limit[MP_UVM_SPACES], units; /* in units */
    uint64_t kept; /* units used or reserved by all: of each space, the more of the two */
};

static inline uint32_t mp_uvm_block_of(const struct mp_uvm_pool *p, uint32_t unit)
{
    return unit / p->per_block;
}

static inline uint8_t mp_uvm_space_of(const struct mp_uvm_pool *p, uint32_t unit)
{
    return p->block[mp_uvm_block_of(p, unit)].asid;
}

/* The range that has this address; NULL: none has. */
struct mp_uvm_range *mp_uvm_range_at(const struct mp_uvm_pool *p, uint8_t asid, uint64_t va);

static inline struct mp_uvm_range *mp_uvm_range_of(const struct mp_uvm_pool *p, uint32_t block)
{
    const struct mp_uvm_block *b = &p->block[block];
    return mp_uvm_range_at(p, b->asid,
                           b->number * MP_UVM_BLOCK_BYTES + ((uint64_t)b->first << p->page_shift));
}

/* ---- lists of units, one per space ---- */

static inline uint32_t mp_uvm_head(const struct mp_uvm_pool *p, uint32_t list, uint32_t space)
{
    return p->blocks * p->per_block + list * MP_UVM_SPACES + space;
}

/* ---- units of a block ---- */

struct mp_uvm;

static inline uint32_t mp_uvm_unit_of(const struct mp_uvm_pool *p, uint32_t block, uint32_t page)
{
    return block * p->per_block + page / p->unit_pages;
}

/* Gives these pages of the block their units. */
void mp_uvm_load(struct mp_uvm *u, uint32_t block, const struct mp_uvm_mask *pages,
                 const struct mp_uvm_report *report);
/* A touch of the unit. access: by the GPU. */
void mp_uvm_touch(struct mp_uvm_pool *p, uint32_t unit, bool access);
/* Changes the dirty pages of the block. */
void mp_uvm_dirty(struct mp_uvm_pool *p, uint32_t block, const struct mp_uvm_mask *dirty);
/* These pages have left the GPU for the host: units without pages are the first to leave. */
void mp_uvm_unload(struct mp_uvm_pool *p, uint32_t block, const struct mp_uvm_mask *pages);
/* Gives all units of the block back; returns their number. */
uint32_t mp_uvm_free_block(struct mp_uvm_pool *p, uint32_t block);

#endif
