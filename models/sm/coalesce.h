/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The coalescer: turns the addresses of a warp's active lanes into lines. Each line comes once; lines are
 * grouped by page; pages and lines are in the order in which lanes first touch them.
 */
#ifndef MP_SM_COALESCE_H
#define MP_SM_COALESCE_H

#include "trace/gwt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* 64 lanes of at most 1024 bytes, none of them aligned to the smallest lines (32 bytes). */
#define MP_COALESCE_LINES 2112u
#define MP_COALESCE_SLOTS 4096u /* of the hash tables: a power of two well above that */
/* Almost every access touches fewer lines than these, and uses as many slots: 4 KiB of each table stay in the
 * host's first-level cache. */
#define MP_COALESCE_FEW       64u
#define MP_COALESCE_FEW_SLOTS 256u

struct mp_coalesced {
    uint32_t pages, lines;
    uint64_t line[MP_COALESCE_LINES]; /* byte address of each line, grouped by page */
    uint16_t end[MP_COALESCE_LINES];  /* of each page: one past its last line */
};

struct mp_coalescer {
    uint32_t page_shift, line_shift;
    uint32_t generation; /* slots of earlier generations are vacant */
    uint32_t mask;       /* of the slots in use */
    struct mp_coalesce_slot {
        uint64_t key;
        uint32_t generation;
        uint16_t page;
    } page[MP_COALESCE_SLOTS], line[MP_COALESCE_SLOTS];
};

void mp_coalesce(struct mp_coalescer *c, const struct gwt_step *access, struct mp_coalesced *out);

#ifdef __cplusplus
}
#endif
#endif
