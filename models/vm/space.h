/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An address space as its driver manages it. Buffers are mapped to frames of an allocator, and mappings
 * change here. Every change takes one path: the page table changes, the hook sees the change, and last the
 * listeners forget the pages (shootdown.h). A page that was not mapped is kept nowhere, so that mapping it
 * needs no shootdown.
 */
#ifndef MP_VM_SPACE_H
#define MP_VM_SPACE_H

#include "vm/page_table.h"
#include "vm/shootdown.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_space;

/* A hook for changes of mappings, e.g. to keep bits in upper levels of the table right. */
struct mp_space_hook {
    void *self;
    /* Called after each change of a page's entry. was_mapped: the page had a mapping before. Returns whether
     * an upper level of the table has changed, too: page walk caches then forget it with the page. */
    bool (*changed)(void *self, struct mp_space *space, uint64_t va, bool was_mapped);
    /* Called when pages of a 2 MB have been placed together. Returns the same; translations stay right. NULL:
     * there is nothing to do. */
    bool (*placed)(void *self, struct mp_space *space, uint64_t va);
};

struct mp_space_params {
    uint16_t asid;
    uint32_t tenant; /* who uses the memory; a tenant may have several address spaces */
    const struct mp_page_format *format;
    struct mp_physmem *memory;
    struct mp_frames *frames;
    const struct mp_page_table_design *table; /* NULL: radix */
    struct mp_design_values own;              /* of the table */
};

struct mp_space {
    uint16_t asid;
    struct mp_page_table table;
    struct mp_listeners listeners; /* the blocks that may keep parts of this address space */
    struct mp_space_hook hook;     /* its owner may set it before the first change */
    struct mp_space_buffer {
        uint64_t va, bytes, page_bytes;
    } * buffer; /* mapped */
    uint32_t buffers, room;
};

/* Takes the root table. -1 with a message: out of memory, simulated or the host's. */
int mp_space_init(struct mp_space *s, const struct mp_space_params *params, struct mp_error *err);
/* Frames and tables remain taken. */
void mp_space_free(struct mp_space *s);

/* Maps a buffer by pages of 1 << page_shift B, 0 for the smallest of the format, in ascending order; pages of
 * other buffers are shared, if they are not smaller. -1 with a message: the format has no such pages, the
 * buffer ends beyond the virtual address space or has a part of a region with pages of another size, or
 * memory is used up. What is mapped then stays until the buffer is unmapped. */
int mp_space_map(struct mp_space *s, uint64_t va, uint64_t bytes, uint32_t page_shift, struct mp_error *err);
/* Unmaps a buffer, or what a range has of buffers, and gives back the frames of pages of which no buffer has
 * a part any more. */
void mp_space_unmap(struct mp_space *s, uint64_t va, uint64_t bytes);
/* Replaces the leaf entry of a mapped page: the table changes, the hook sees it, and the listeners forget the
 * page. Entry 0 unmaps it; its frame is not given back. Returns false if the page is not mapped. */
bool mp_space_change(struct mp_space *s, uint64_t va, uint64_t entry);

/* For an owner that has the frames itself, such as a server of page faults. */

/* Takes the tables that pages of 1 << page_shift B in the range will need. -1 with a message: memory is used
 * up, or the range ends beyond the virtual address space. */
int mp_space_reach(struct mp_space *s, uint64_t va, uint64_t bytes, uint32_t page_shift,
                   struct mp_error *err);
/* Maps a page that is not mapped, and for which there are tables, to the frame at pa. read_only: stores and
 * atomics fault. */
void mp_space_place(struct mp_space *s, uint64_t va, uint64_t pa, uint32_t page_shift, bool read_only);
/* The pages of a 2 MB that come together have been placed. */
void mp_space_placed(struct mp_space *s, uint64_t va);
/* Changes whether stores and atomics to a page fault. Nothing happens if it is not mapped, or is so. */
void mp_space_protect(struct mp_space *s, uint64_t va, bool read_only);
/* Unmaps the pages of the range, which begins with one; their frames are not given back. */
void mp_space_remove(struct mp_space *s, uint64_t va, uint64_t bytes);

#ifdef __cplusplus
}
#endif
#endif
