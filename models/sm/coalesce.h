/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The coalescer: the addresses of a warp's active lanes become one request per line, grouped by page, in the
 * order in which the lanes first touch them.
 */
#ifndef MP_SM_COALESCE_H
#define MP_SM_COALESCE_H

#include "engine/link.h"
#include "trace/gwt.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MP_COALESCE_SLOTS 256u /* over twice the 64 lines that 32 lanes can straddle */

struct mp_coalescer {
    uint32_t page_shift, line_shift;
    struct mp_req_pool *pool;
    uint32_t generation; /* slots of earlier accesses are vacant */
    struct mp_coalesce_slot {
        uint64_t key;
        uint32_t generation;
        struct mp_req *head, *tail; /* of a page: its lines */
    } page[MP_COALESCE_SLOTS], line[MP_COALESCE_SLOTS];
};

/* Page requests chained by `next`; each is itself its first line and chains the others by `more`. All are
 * copies of `like` but for va, next and more. *lines and *pages: how many there are. */
struct mp_req *mp_coalesce(struct mp_coalescer *c, const struct gwt_event *access, const struct mp_req *like,
                           uint32_t *pages, uint32_t *lines);

#ifdef __cplusplus
}
#endif
#endif
