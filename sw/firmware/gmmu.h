/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The GPU's address spaces: page tables in GPU memory (vm/page_format.h), written here and walked by the GPU,
 * which may do so at any moment.
 *
 * TLBs and page walk caches may hold entries that were valid. To change a valid entry, the driver first makes
 * it invalid, then invalidates all caches that may hold a copy and waits for their confirmation. Only then
 * does it free or replace the frame or table that the entry pointed to. An entry that becomes valid needs no
 * invalidation, because invalid entries are not cached.
 *
 * Where page walks use contiguity bits (contiguity.h), spaces with pages of 4 KB have them. After each change
 * of a mapped page, the driver scans the page's frame of 2 MB before it invalidates. Pages that come are
 * scanned by gmmu_scan, which runner_start calls.
 */
#ifndef FW_GMMU_H
#define FW_GMMU_H

#include <stdbool.h>
#include <stdint.h>

#include "contiguity.h"
#include "error.h"
#include "frames.h"
#include "soc/mgmt.h"
#include "vm/page_format.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gmmu_space {
    bool open;
    unsigned asid, instance;
    const struct mp_page_format *format;
    struct frames *frames;
    bool contiguity;                 /* its tables have contiguity bits */
    bool unscanned;                  /* pages were mapped since the last gmmu_scan */
    uint64_t root;                   /* address of the root table */
    uint64_t pages;                  /* number of pages that have a frame */
    uint64_t invalidations, removed; /* commands, and translations that they removed from TLBs */
    uint64_t read, rewritten;        /* by scans: leaf entries read, frames whose bits have changed */
    uint64_t moved, tables_moved;    /* by gmmu_recolour */
};

/* The accesses to a page that are allowed: none (it keeps its frame, accesses fault), loads, or all. */
enum gmmu_access { GMMU_GUARDED, GMMU_READ, GMMU_FREE };

/* Afterwards no space is open. */
void gmmu_init(void);

/* Opens an empty address space for accesses from this instance; takes frames and tables from `frames`. */
enum fw_error gmmu_open(unsigned asid, unsigned instance, struct frames *frames, uint64_t page_bytes);
/* Frees all its pages and tables. Returns FW_EBUSY while a launch runs in it. */
enum fw_error gmmu_close(unsigned asid);
/* Returns NULL if it is not open. */
const struct gmmu_space *gmmu_space(unsigned asid);

/*
 * va and bytes are multiples of the space's page size, within 48 bits; otherwise the result is FW_EINVAL.
 *
 * map gives each page a frame. It returns FW_EEXIST if a page has one, FW_ENOMEM if frames are missing, and
 * then maps nothing. unmap frees the frames of the pages that have one; it returns FW_ENOENT if none has.
 * remap gives each page another frame with the same contents. It returns FW_ENOENT if a page has no frame.
 * After FW_ENOMEM the pages before the failed one have their new frames. protect changes the pages that have
 * a frame; it returns FW_ENOENT if none has.
 */
enum fw_error gmmu_map(unsigned asid, uint64_t va, uint64_t bytes);
enum fw_error gmmu_unmap(unsigned asid, uint64_t va, uint64_t bytes);
enum fw_error gmmu_remap(unsigned asid, uint64_t va, uint64_t bytes);
enum fw_error gmmu_protect(unsigned asid, uint64_t va, uint64_t bytes, enum gmmu_access access);

/*
 * Moves the next pages from *va on whose frames may not be taken any more (frames_colour), at most `most` of
 * them, and the page tables on the way to them. *va is then where to go on; 1 << GMMU_VA_BITS is the end. A
 * launch may run meanwhile: its accesses to a page that moves fault, and wait until faults are served.
 * Returns FW_ENOMEM if memory of these colours is used up; what has been moved stays so.
 */
enum fw_error gmmu_recolour(unsigned asid, uint64_t *va, unsigned most);

/*
 * Managed ranges: their pages get their entries here alone, and all functions above return FW_EBUSY for them,
 * so does gmmu_close. manage returns FW_EEXIST if a page of the range has a frame, FW_EBUSY if another
 * managed range has it, FW_ENOMEM if there is no room for page tables or for the range. After it, gmmu_enter
 * needs no memory. unmanage: of the range that begins at va, whose entries have left.
 */
enum fw_error gmmu_manage(unsigned asid, uint64_t va, uint64_t bytes);
void gmmu_unmanage(unsigned asid, uint64_t va);
bool gmmu_is_managed(unsigned asid, uint64_t va);
/* These pages, which have no entries and are in an aligned 2 MB, get frames that follow each other. */
enum fw_error gmmu_enter(unsigned asid, uint64_t va, uint64_t bytes, uint64_t pa, bool read_only);
/* The entries of these pages, in an aligned 2 MB, become invalid. */
void gmmu_clear(unsigned asid, uint64_t va, uint64_t bytes);
/* At FW_OK, no access uses a translation of these pages, in an aligned 2 MB, whose entries were invalid
 * before. Others may lie between them. */
enum fw_error gmmu_confirm(unsigned asid, uint64_t va, uint64_t bytes);

/* Adds the space's pages of each colour to pages[], which has room for all colours. */
void gmmu_count_colours(unsigned asid, const struct frames_colours *colours, uint64_t pages[]);

/* Scans the whole address space for contiguous pages. *found receives what the tables then have. Returns
 * FW_EUNSUPPORTED if the space has no contiguity bits. */
enum fw_error gmmu_scan(unsigned asid, struct contiguity *found);

/* Invalidates va's page in the TLBs. For callers that cannot rely on the rule above that invalid entries are
 * not cached. */
enum fw_error gmmu_forget(unsigned asid, uint64_t va);

/* Finds the page that has the frame at pa, of any space, by reading all page tables; false if there is none.
 */
bool gmmu_find(uint64_t pa, unsigned *asid, uint64_t *va, uint64_t *bytes);

/* Clears the entry at this address, in any space, which cannot be read. The frames and tables that it led to
 * stay taken. */
void gmmu_drop_entry(uint64_t at);

/* The entries that a walk of va reads, from the root on, as far as it gets. */
struct gmmu_walk {
    unsigned levels; /* number of levels read */
    uint64_t at[GMMU_LEVELS], entry[GMMU_LEVELS];
    bool mapped, guarded, read_only;
    uint64_t pa; /* if the page has a frame */
};
enum fw_error gmmu_walk(unsigned asid, uint64_t va, struct gmmu_walk *walk);

#ifdef __cplusplus
}
#endif
#endif
