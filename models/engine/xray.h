/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A block's part of an X-ray, to find out why nothing moves: how full its structures are, and each request
 * that waits in it, with what the request waits for. A kind's `xray` (block.h) calls these functions;
 * it changes nothing and allocates nothing. It may be called between events only.
 */
#ifndef MP_ENGINE_XRAY_H
#define MP_ENGINE_XRAY_H

#include "engine/link.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MP_XRAY_HERE    UINT32_MAX       /* mp_xray_wait.out: nothing has been sent on for the request */
#define MP_XRAY_ANY     (UINT32_MAX - 1) /* or parts of it, on any of the block's out links */
#define MP_XRAY_NONE    UINT32_MAX       /* mp_xray_wait.number */
#define MP_XRAY_UNKNOWN UINT64_MAX       /* a cycle or an address */

struct mp_xray_wait {
    const char *where; /* "MSHR", "walker" */
    uint32_t number;   /* of the walker, channel or warp; MP_XRAY_NONE if `where` is not numbered */
    uint32_t out;      /* out link on which it was sent on, or as above */
    uint64_t asks;     /* if it was sent on: the virtual or physical address of what was sent */
    uint64_t since;    /* cycle */
    uint64_t va, pa;   /* the request's */
    bool outside;      /* it waits for a place that other requests of the block have */
    bool from;         /* the rest is known */
    uint16_t sm;
    uint8_t warp, asid, tenant;
    uint8_t op; /* enum mp_op; UINT8_MAX: an access of any kind */
};

struct mp_xray {
    void *self;
    /* A structure with `used` of `most` places taken; most 0: it has no limit. */
    void (*room)(void *self, const char *name, uint64_t used, uint64_t most);
    void (*wait)(void *self, const struct mp_xray_wait *wait);
};

static inline void mp_xray_room(const struct mp_xray *x, const char *name, uint64_t used, uint64_t most)
{
    x->room(x->self, name, used, most);
}

/* The request waits in the block, and nothing has been sent on for it. */
static inline struct mp_xray_wait mp_xray_wait_of(const char *where, const struct mp_req *req)
{
    struct mp_xray_wait wait;
    wait.where = where;
    wait.number = MP_XRAY_NONE;
    wait.out = MP_XRAY_HERE;
    wait.asks = MP_XRAY_UNKNOWN;
    wait.since = req->sent;
    wait.va = req->va;
    wait.pa = req->pa;
    wait.outside = false;
    wait.from = true;
    wait.sm = req->sm;
    wait.warp = req->warp;
    wait.asid = req->asid;
    wait.tenant = req->tenant;
    wait.op = req->op;
    return wait;
}

/* All requests of a queue wait outside. */
static inline void mp_xray_queue(const struct mp_xray *x, const char *where, uint32_t number,
                                 const struct mp_req_queue *queue)
{
    const struct mp_req *req = queue->head;
    for (uint32_t i = 0; i < queue->length; i++, req = req->next) {
        struct mp_xray_wait wait = mp_xray_wait_of(where, req);
        wait.number = number;
        wait.outside = true;
        x->wait(x->self, &wait);
    }
}

/* The ring of requests that wait for a miss (engine/mshr.h), each as `like` says. */
static inline void mp_xray_ring(const struct mp_xray *x, const struct mp_xray_wait *like,
                                const struct mp_req *last, uint32_t length)
{
    const struct mp_req *req = last ? last->next : NULL;
    for (uint32_t i = 0; req && i < length; i++, req = req->next) {
        struct mp_xray_wait wait = mp_xray_wait_of(like->where, req);
        wait.number = like->number;
        wait.out = like->out;
        wait.asks = like->asks;
        x->wait(x->self, &wait);
    }
}

#ifdef __cplusplus
}
#endif
#endif
