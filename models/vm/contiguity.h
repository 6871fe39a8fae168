/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contiguity bits of tables of pages of 4 KB (page_format.h), as software keeps them (MESC Sec. IV-D,
 * Algorithm 1). Page v + d continues page v if both are mapped, their frames are d apart in memory, and their
 * permissions are equal. Physical alignment plays no part.
 *
 * The whole table is scanned after an allocation. Each later change of a mapped page scans its frame again at
 * once, and so does a server of page faults when pages have come to it; that a page was mapped otherwise
 * which had no mapping changes no bit until the next scan.
 */
#ifndef MP_VM_CONTIGUITY_H
#define MP_VM_CONTIGUITY_H

#include "engine/metric.h"
#include "vm/space.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The leaf entry that page v + d has, if v has `entry` and v + d continues it. */
static inline uint64_t mp_pte_continued(uint64_t entry, int64_t d)
{
    return entry + (uint64_t)(d * (int64_t)MP_FRAME_BYTES);
}

/* An entry that this table of this number has points to a table of pages of 4 KB, and so has contiguity bits.
 */
static inline bool mp_contiguity_entry(const struct mp_page_format *f, unsigned number, uint64_t entry)
{
    return f->contiguity && number == MP_CONTIGUITY_LEVEL &&
           (f->forms[number] == 1 || !(entry & (MP_PTE_LEAF | MP_PTE_64K)));
}

/* The frame can be mapped by one large page: it is contiguous, and its first page's memory is aligned to it.
 */
static inline bool mp_contiguity_aligned(uint64_t table_entry, uint64_t first_leaf)
{
    return table_entry & MP_PTE_CONTIGUOUS_FRAME &&
           !(first_leaf & MP_PTE_ADDRESS & ((1ull << MP_CONTIGUITY_SHIFT) - 1));
}

struct mp_contiguity;

/* Scans a frame in place of the functions here. at: address of its entry, which points to a table. Returns
 * whether the entry has changed. */
typedef bool mp_contiguity_scanner(void *self, struct mp_contiguity *c, struct mp_page_table *t, uint64_t at);

struct mp_contiguity {
    uint64_t read, written;           /* by all scans: leaf entries read, entries of level 2 written */
    uint64_t scans;                   /* of the whole table; when the last one ended: */
    uint64_t pages, contiguous_pages; /* that were mapped; that were in contiguous subregions */
    uint64_t mapped;                  /* pages, now; only the hook counts them */
    /* Hardware that scans, and counts `read` and `written`, too; NULL: none. */
    mp_contiguity_scanner *scanner;
    void *scanner_self;
};

/* Software's scan, whatever the scanner is. */
bool mp_contiguity_scan_at(struct mp_contiguity *c, struct mp_page_table *t, uint64_t at);

extern const struct mp_metric_table mp_contiguity_metrics;

/* The contiguity in a whole table after a scan. */
struct mp_contiguity_found {
    uint64_t frames; /* that have a table */
    uint64_t subregions, whole,
        aligned;      /* contiguous subregions and frames; frames that a large page can map */
    uint64_t changed; /* frames whose bits this scan has changed */
};

/* Scans one frame. A subregion is read up to the first page that does not continue its head. Returns whether
 * the entry of level 2 has changed. */
bool mp_contiguity_scan_frame(struct mp_contiguity *c, struct mp_page_table *t, uint64_t va);
/* Scans all frames in ascending order, and calls `changed` for each whose bits have changed: what keeps upper
 * levels on its way has to forget them then. TLBs need not forget anything. */
struct mp_contiguity_found mp_contiguity_scan(struct mp_contiguity *c, struct mp_page_table *t,
                                              void (*changed)(void *self, uint64_t va), void *self);

/* The bits of va's frame: its entry of level 2, or 0 if it has no table. */
uint64_t mp_contiguity_bits(const struct mp_page_table *t, uint64_t va);

/* The same, and the listeners of the address space forget the upper levels on the way to such frames. */
struct mp_contiguity_found mp_contiguity_scan_space(struct mp_contiguity *c, struct mp_space *s);

/* struct mp_space_hook for an address space with these bits; c must live as long as it. */
struct mp_space_hook mp_contiguity_hook(struct mp_contiguity *c);

#ifdef __cplusplus
}
#endif
#endif
