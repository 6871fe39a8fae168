/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The GPU's address spaces: page tables in GPU memory (vm/page_format.h), written here and walked by the GPU,
 * which may do so at any moment.
 *
 * TLBs and page walk caches hold what was once valid. So an entry that was valid is first made invalid, then
 * everything that may have a copy of it is told to forget and has confirmed it, and only then the frame or
 * table behind it is given back or another takes its place. Entries that become valid need none of that: what
 * is invalid is not cached.
 */
#ifndef FW_GMMU_H
#define FW_GMMU_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "frames.h"
#include "soc/mgmt.h"
#include "vm/page_format.h"

struct gmmu_space {
    bool open;
    unsigned asid, instance;
    const struct mp_page_format *format;
    struct frames *frames;
    uint64_t root;                   /* table */
    uint64_t pages;                  /* that have a frame */
    uint64_t invalidations, removed; /* commands, and translations that TLBs lost by them */
};

/* What accesses to a page may do: nothing (it keeps its frame and they fault), load, anything. */
enum gmmu_access { GMMU_GUARDED, GMMU_READ, GMMU_FREE };

/* No space is open. */
void gmmu_init(void);

/* An empty address space for accesses from this instance; frames and tables come from `frames`. */
enum fw_error gmmu_open(unsigned asid, unsigned instance, struct frames *frames, uint64_t page_bytes);
/* All its pages and tables go. FW_EBUSY while something runs in it. */
enum fw_error gmmu_close(unsigned asid);
/* NULL when it is not open. */
const struct gmmu_space *gmmu_space(unsigned asid);

/*
 * va and bytes are multiples of the space's page, within 48 bits; FW_EINVAL otherwise.
 *
 * map gives each page a frame; FW_EEXIST when one has one, FW_ENOMEM: then nothing is mapped.
 * unmap takes the frames of those that have one; FW_ENOENT when none has.
 * remap gives each page another frame with the same contents; FW_ENOENT when one has none, FW_ENOMEM: those
 * before it have theirs. protect changes those that have a frame; FW_ENOENT when none has.
 */
enum fw_error gmmu_map(unsigned asid, uint64_t va, uint64_t bytes);
enum fw_error gmmu_unmap(unsigned asid, uint64_t va, uint64_t bytes);
enum fw_error gmmu_remap(unsigned asid, uint64_t va, uint64_t bytes);
enum fw_error gmmu_protect(unsigned asid, uint64_t va, uint64_t bytes, enum gmmu_access access);

/* TLBs forget va's page. For those who must not rely on what is said above. */
enum fw_error gmmu_forget(unsigned asid, uint64_t va);

/* The entries that a walk of va reads, from the root on, as far as it gets. */
struct gmmu_walk {
    unsigned levels; /* read */
    uint64_t at[MP_MAX_LEVELS], entry[MP_MAX_LEVELS];
    bool mapped, guarded, read_only;
    uint64_t pa; /* when it has a frame */
};
enum fw_error gmmu_walk(unsigned asid, uint64_t va, struct gmmu_walk *walk);

#endif
