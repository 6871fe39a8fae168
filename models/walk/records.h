/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record that a page-walk system keeps of a request from its arrival to its answer. Its number is in the
 * request's `slot`, so that the request itself remains the initiator's.
 *
 * The table is as large as the walkers, the queue and one held request per port need. More can be in the
 * system if walks join others in flight (method/method.h), or if initiators do not wait while a request of
 * theirs is held, such as concurrent callers of TLM's blocking transport; then the table grows to their peak.
 */
#ifndef MP_WALK_RECORDS_H
#define MP_WALK_RECORDS_H

#include "engine/link.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MP_WALK_RECORDS 65536u /* at most: mp_req.slot has 16 bits */

struct mp_walk_record {
    uint64_t arrived;        /* cycle */
    uint32_t starts, others; /* counts of starts in struct mp_walk when it arrived */
    uint64_t table;          /* if level is not 0: the table of this number for its address, ... */
    uint32_t level;          /* ... which another walk has found */
};

struct mp_walk_records {
    struct mp_walk_record *record; /* by slot */
    uint16_t *spare;               /* free slots, a stack */
    uint32_t spares, size;
};

/* Returns -1 if out of memory. */
int mp_walk_records_init(struct mp_walk_records *r, uint64_t size);
void mp_walk_records_free(struct mp_walk_records *r);
/* The slow part of mp_walk_record_take. */
void mp_walk_records_grow(struct mp_walk_records *r);

static inline struct mp_walk_record *mp_walk_record_of(const struct mp_walk_records *r,
                                                       const struct mp_req *req)
{
    return &r->record[req->slot];
}

static inline struct mp_walk_record *mp_walk_record_take(struct mp_walk_records *r, struct mp_req *req)
{
    if (__builtin_expect(!r->spares, 0))
        mp_walk_records_grow(r);
    req->slot = r->spare[--r->spares];
    return mp_walk_record_of(r, req);
}

static inline void mp_walk_record_give(struct mp_walk_records *r, const struct mp_req *req)
{
    r->spare[r->spares++] = req->slot;
}

#ifdef __cplusplus
}
#endif
#endif
