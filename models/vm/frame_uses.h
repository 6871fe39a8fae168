/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The entries of page tables that lead to a frame: the page tables of all address spaces, read backwards. It
 * follows every store to a table that walks can reach, so it costs nothing to ask.
 */
#ifndef MP_VM_FRAME_USES_H
#define MP_VM_FRAME_USES_H

#include <stdbool.h>

#include "vm/page_format.h"
#include "vm/physmem.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MP_FRAME_SPACES  16u
#define MP_FRAME_NOWHERE UINT64_MAX

/* An entry, and the way from a root to it: an entry of a shared table is in use once for each way. */
struct mp_frame_use {
    uint64_t at;     /* the entry's address; MP_FRAME_NOWHERE for a root */
    uint64_t va;     /* the first that it maps */
    uint64_t frame;  /* address of the frame or table to which it leads */
    uint64_t since;  /* struct mp_frame_uses.now */
    uint64_t stored; /* the latest time when an answer to a store has named it, 0 for never */
    uint32_t next;   /* use of the same unit; 0: none */
    uint16_t asid;
    uint8_t page_shift; /* log2 of the page's bytes; 0: it leads to a table */
    uint8_t table;      /* the number of that table in the format */
    bool read_only;
};

/* The memory of the smallest page's size, aligned to it. */
struct mp_frame_unit {
    uint32_t first;  /* use that begins here */
    uint32_t passed; /* the use whose latest answer has passed all checks, if nothing has changed since */
    uint32_t launch; /* then: which of the address space */
    bool holds;      /* it has had the contents of a page that a launch has accessed */
};

struct mp_frame_uses {
    struct mp_physmem *memory;
    const struct mp_page_format *format;              /* its smallest page is the smallest of all */
    const struct mp_page_format *of[MP_FRAME_SPACES]; /* of the tables of each address space */
    uint64_t sizes;                                   /* of all their pages, or'ed */
    uint64_t now;                                     /* set before each change */
    void *self;
    /* A page loses its frame. ended: its entry, or one above it, becomes 0 rather than another value. Returns
     * -1 if memory runs out. */
    int (*lost)(void *self, const struct mp_frame_use *use, bool ended);
    uint64_t root[MP_FRAME_SPACES]; /* MP_FRAME_NOWHERE: none */
    struct mp_frame_unit **chunk;
    uint64_t chunks;
    struct mp_frame_use *use; /* 0 is not used */
    uint32_t uses, room, spare;
    struct mp_frame_role { /* of the table that a store changes */
        uint64_t va;
        uint16_t asid;
        uint8_t table;
    } * role;
    uint32_t roles, role_room;
};

/* The caller fills in self and lost. Returns -1 if memory runs out, as the others do. */
int mp_frame_uses_init(struct mp_frame_uses *u, struct mp_physmem *memory,
                       const struct mp_page_format *format);
void mp_frame_uses_free(struct mp_frame_uses *u);

/* Writes a word to the memory. */
int mp_frame_uses_write(struct mp_frame_uses *u, uint64_t at, uint64_t word);
/* The tables of an address space without a root get another format; at first all have that of the start. */
void mp_frame_uses_set_format(struct mp_frame_uses *u, uint16_t asid, const struct mp_page_format *format);
/* root: MP_FRAME_NOWHERE if the address space ends. */
int mp_frame_uses_set_root(struct mp_frame_uses *u, uint16_t asid, uint64_t root);

/* The unit with this address; NULL if nothing has led to its surroundings. */
struct mp_frame_unit *mp_frame_unit(const struct mp_frame_uses *u, uint64_t pa);
/* The same, made if it is missing; the address is inside the memory. Returns NULL if memory runs out. */
struct mp_frame_unit *mp_frame_make_unit(struct mp_frame_uses *u, uint64_t pa);
static inline bool mp_frame_is_page(const struct mp_frame_use *use)
{
    return use->page_shift;
}

/* The use of the frame with address pa as va's page, of any size; 0 if there is none. */
uint32_t mp_frame_use_of(const struct mp_frame_uses *u, uint64_t pa, uint16_t asid, uint64_t va);

/* The uses of some memory: a loop over mp_frame_overlap_next(), which returns 0 after the last one. */
struct mp_frame_overlap {
    uint64_t from, unit, end; /* from: aligned to the smallest page */
    uint64_t sizes;           /* of larger pages, around this memory, which are still to be looked at */
    uint32_t next;
};

/* bytes: a power of two to which `from` is aligned, at least the smallest page. */
struct mp_frame_overlap mp_frame_overlap(const struct mp_frame_uses *u, uint64_t from, uint64_t bytes);
uint32_t mp_frame_overlap_next(const struct mp_frame_uses *u, struct mp_frame_overlap *o);

#ifdef __cplusplus
}
#endif
#endif
