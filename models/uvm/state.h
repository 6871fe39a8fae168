/* SPDX-License-Identifier: Apache-2.0 */
/* The library's state, for its own files. */
#ifndef MP_UVM_STATE_H
#define MP_UVM_STATE_H

#include "uvm/pool.h"

#define MP_UVM_MOST_BIG 16u  /* pages of a big page */
#define MP_UVM_NOTICES  256u /* served at once */

/* Blocks that no range has, from first on. */
struct mp_uvm_gap {
    uint32_t first, blocks;
};

struct mp_uvm_entry {
    uint64_t page; /* address / page bytes */
    uint32_t sm;
    uint8_t asid, access;
};

/* A page of a batch. */
struct mp_uvm_faulted {
    uint64_t page;
    uint8_t asid;
    uint8_t access; /* the highest */
    bool load;      /* one of its entries is a load */
};

struct mp_uvm_notice {
    uint64_t page; /* the block's first */
    uint32_t bigs; /* that were met */
    uint8_t asid, granule;
};

/* What the driver knows of a page's migrations. Sets and `free` are of enum mp_uvm_processor. */
struct mp_uvm_track_page {
    uint64_t time, end, deadline; /* of its last migration; of a hold; of a pin, 0: none */
    uint32_t prev, next;          /* in the list of pins with a deadline */
    uint8_t seen, held, free, events, holds;
    uint8_t pin; /* where; MP_UVM_NOBODY: not pinned */
};

/* Those of a big page. */
struct mp_uvm_track {
    uint32_t block;
    uint16_t thrashing, pinned;
    uint16_t next; /* that is free, and 1 */
    uint8_t big;
    struct mp_uvm_track_page page[MP_UVM_MOST_BIG];
};

struct mp_uvm {
    struct mp_uvm_params p;
    struct mp_uvm_pool pool;
    uint32_t pages, big;    /* of 2 MB, of 64 KB */
    struct mp_uvm_gap *gap; /* ascending, none next to another */
    uint32_t gaps;
    struct mp_uvm_entry *entry; /* rings, from `get` on */
    uint32_t entries, get;
    struct mp_uvm_notice *notice;
    uint32_t notices, notice_get;
    struct mp_uvm_faulted *faulted; /* of a batch */
    uint64_t *key, *sorted;
    uint32_t *last_of_sm;       /* its last entry that was not merged, and 1 */
    struct mp_uvm_track *track; /* and one more, whose first page is the head of pins */
    uint16_t track_free;        /* the first, and 1; 0: none */
    uint64_t untracked;
    uint64_t now; /* ns */
    struct mp_uvm_prefetcher tree;
};

/* ---- ranges ---- */

/* The block that has this page, or MP_UVM_NONE; *index: the page in its 2 MB. */
uint32_t mp_uvm_find(const struct mp_uvm *u, uint8_t asid, uint64_t page, uint32_t *index);

static inline uint64_t mp_uvm_page(const struct mp_uvm *u, uint64_t va)
{
    return va >> u->pool.page_shift;
}

/* ---- services ---- */

/* These pages of the block get GPU memory, with those that are prefetched. service->fault is set. */
void mp_uvm_bring(struct mp_uvm *u, uint32_t block, struct mp_uvm_service *service,
                  const struct mp_uvm_report *report);
/* Adds the pages that come along to this destination to `out`, which is empty. */
void mp_uvm_along(struct mp_uvm *u, uint32_t block, enum mp_uvm_processor to,
                  const struct mp_uvm_mask *faulted, struct mp_uvm_mask *out);
struct mp_uvm_pressure mp_uvm_pressure(const struct mp_uvm *u, const struct mp_uvm_block *b, uint32_t page);
void mp_uvm_name(const struct mp_uvm_block *b, struct mp_uvm_service *service);

/* ---- thrashing ---- */

void mp_uvm_track_init(struct mp_uvm *u);
/* Pages of the block were copied to a processor. */
void mp_uvm_copied(struct mp_uvm *u, uint32_t block, const struct mp_uvm_mask *pages,
                   enum mp_uvm_processor to);

struct mp_uvm_answer {
    bool held;
    uint8_t pin;  /* where to; MP_UVM_NOBODY: nothing is said */
    uint64_t end; /* of held */
};

/* Where a page is to be that `by` has accessed, and that is somewhere. */
struct mp_uvm_answer mp_uvm_ask(struct mp_uvm *u, uint32_t block, uint32_t page, enum mp_uvm_processor by);
struct mp_uvm_mask mp_uvm_thrashing(const struct mp_uvm *u, const struct mp_uvm_block *b);
struct mp_uvm_mask mp_uvm_pinned(const struct mp_uvm *u, const struct mp_uvm_block *b);
bool mp_uvm_is_pinned(const struct mp_uvm *u, const struct mp_uvm_block *b, uint32_t page);
/* Whether the GPU accesses a page of the host so without a fault. */
static inline bool mp_uvm_maps_remotely(const struct mp_uvm *u, const struct mp_uvm_block *b, uint32_t page,
                                        bool store)
{
    return mp_uvm_has(&b->remote, page) &&
           !(store && u->p.migrate->threshold && !mp_uvm_is_pinned(u, b, page));
}

/* Forgets all of a block. */
void mp_uvm_untrack(struct mp_uvm *u, uint32_t block);

#endif
