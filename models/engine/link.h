/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Links between blocks. A link joins one initiator to one port of a target; requests go one way, responses
 * the other. The rules are those of the TLM-2.0 base protocol, so that a link runs as a direct C call or
 * through sockets with the same cycles. The target answers a request with one of:
 *
 *   MP_DONE   The answer is in the request and is valid `delay` cycles from now (TLM_COMPLETED).
 *   MP_TAKEN  The target works on the request and will call response() (END_REQ returned).
 *   MP_HELD   The target has the request but no room for it. The initiator must not send anything else on
 *             this link until the target calls resume(). From then on the request counts as taken (END_REQ
 *             is outstanding).
 */
#ifndef MP_ENGINE_LINK_H
#define MP_ENGINE_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/wheel.h"

#ifdef __cplusplus
extern "C" {
#endif

enum mp_answer { MP_DONE, MP_TAKEN, MP_HELD };

enum mp_op {
    MP_LOAD,
    MP_STORE,
    MP_ATOMIC,
    MP_TRANSLATE,
    MP_PTE_READ,
    MP_WRITEBACK,
    /* Those from here on are no demand. */
    MP_HINT, /* a translation that no request waits for; see below */
    /* Those from here on pass between TLBs of a level. They are answered in the call. */
    MP_PROBE,    /* a translation, if the target has it; a use of the entry */
    MP_PEEK,     /* likewise, but no use: changes nothing */
    MP_INSERTED, /* news: the sender has stored the page, or had to remove it for another */
    MP_EVICTED
};

/*
 * A hint asks for a translation that may be of use later. It goes the way of MP_TRANSLATE, and is answered
 * likewise, or with MP_FROM_NOTHING by the first that has no room for it:
 * - A link whose target holds a request, instead of letting the hint wait (mp_out_send).
 * - A target that holds a request, or has no free place where the hint would be worked on at once. It answers
 *   in the call. So no target of ours holds a hint; a foreign one may, and its link then stops as for any
 *   request.
 * A hint gets one answer: of a walk that reads on, the last. It counts apart, and if it faults, only the
 * initiator hears of it. An invalidation on its way concerns its initiator, which stores nothing then.
 */
static inline bool mp_op_is_demand(unsigned op)
{
    return op < MP_HINT;
}

static inline bool mp_op_between_tlbs(unsigned op)
{
    return op >= MP_PROBE;
}

static inline bool mp_op_is_probe(unsigned op)
{
    return op == MP_PROBE || op == MP_PEEK;
}

/*
 * The source of a translation. A probe that found nothing, and a hint for which there was no room, are
 * answered by MP_FROM_NOTHING, without a pa.
 *
 * A walk that reads on after its answer responds twice: first with the answer (MP_FROM_WALK_EARLY), for the
 * requests that wait, while the target keeps the request. Its second response says what the initiator may
 * keep: the translation with its span (MP_FROM_WALK), or nothing, since it was invalidated meanwhile
 * (MP_FROM_NOTHING). Requests that came between the two get the second, or are asked for again.
 */
enum mp_answerer {
    MP_FROM_NOTHING,
    MP_FROM_TLB,
    MP_FROM_WALK,
    MP_FROM_LEFT, /* a TLB of the same level */
    MP_FROM_RIGHT,
    MP_FROM_FOREIGN,
    MP_FROM_WALK_EARLY
};

/* Why a translation failed. */
enum mp_fault {
    MP_FAULT_NONE,
    MP_FAULT_NOT_VALID,  /* the entry is not valid; also when a foreign block does not say why */
    MP_FAULT_READ_ONLY,  /* a store or atomic to a page that may only be read */
    MP_FAULT_RESERVED,   /* the entry has reserved bits set */
    MP_FAULT_LEAF,       /* a leaf where the entry should point to a table */
    MP_FAULT_TABLE,      /* a pointer to a table where the entry should be a leaf */
    MP_FAULT_MISALIGNED, /* a frame that is not aligned to its size */
    MP_FAULT_OUTSIDE,    /* a frame or table outside the memory that walks may use */
    MP_FAULT_ROOT,       /* the root table is outside that memory */
    MP_FAULT_ECC         /* the entry cannot be read: its memory has an error that ECC cannot correct */
};

/* mp_req.fault holds the cause and, above it, the level of the page table entry; mp_req.pa is then the
 * address of the entry. */
#define MP_FAULT_LEVEL_SHIFT 4u
#define MP_FAULT_CAUSE       0xfu

/*
 * The pages for which a translation holds: `unit` is log2 of a unit's pages; the page's own unit, which is
 * aligned to its size, `before` units before it and `after` units after it are mapped to consecutive frames.
 * All zero: the page alone.
 */
struct mp_span {
    uint16_t unit : 4, before : 5, after : 5;
    uint16_t read_only : 1; /* stores and atomics to these pages fault */
};

/*
 * One request. It belongs to the initiator. While a target has it, the target may write `next`, `port` and
 * `slot`, and the results when it answers: `pa`, `page`, `fault`, `span` and `source` of a translation. A
 * target may also send it on as its own request, with another `owner` and `op`, which it puts back before it
 * answers, and with `pa` at the beginning of the line.
 */
struct mp_req {
    struct mp_req *next;
    struct mp_req *more; /* initiator's: further lines of the same page */
    void *owner;         /* initiator's */
    uint64_t va;         /* virtual address; 0 where only the physical one counts */
    uint64_t pa;         /* physical address; a translation's result */
    uint64_t sent;       /* cycle in which the initiator sent it */
    uint16_t sm;
    uint16_t port;   /* target's: where it came */
    uint16_t slot;   /* target's: its record of the request */
    uint8_t replays; /* initiator's: of a page that faulted; at most 255 are counted */
    uint8_t page;    /* of a translation: log2 of the bytes of the page in which a walk has found it */
    struct mp_span span;
    uint8_t asid; /* below MP_ASIDS */
    uint8_t tenant;
    uint8_t warp;            /* slot of the SM */
    uint8_t op;              /* enum mp_op */
    uint8_t source : 4;      /* enum mp_answerer */
    uint8_t instruction : 4; /* number of the warp's memory instruction, modulo 16; 0 if it is not known */
    uint8_t fault;           /* of a translation, enum mp_fault and the level */
};

/* The answer to a hint for which there is no room. */
static inline void mp_req_nothing(struct mp_req *req)
{
    req->source = MP_FROM_NOTHING;
    req->fault = MP_FAULT_NONE;
}

struct mp_target {
    enum mp_answer (*request)(void *self, unsigned port, struct mp_req *req, uint32_t *delay);
    void *self;
    unsigned port;
    /* Takes a request that will be sent in `cycles`. NULL: the target does not take requests ahead. */
    void (*ahead)(void *self, struct mp_req *req, uint32_t cycles);
};

/* A target without `ahead`. */
static inline struct mp_target mp_target_of(enum mp_answer (*request)(void *self, unsigned port,
                                                                      struct mp_req *req, uint32_t *delay),
                                            void *self, unsigned port)
{
    struct mp_target target;
    target.request = request;
    target.self = self;
    target.port = port;
    target.ahead = NULL;
    return target;
}

struct mp_initiator {
    void (*response)(void *self, struct mp_req *req);
    void (*resume)(void *self, unsigned port);
    void *self;
    unsigned port; /* passed to resume(): the link of the initiator that is free again */
};

static inline struct mp_initiator mp_initiator_of(void (*response)(void *self, struct mp_req *req),
                                                  void (*resume)(void *self, unsigned port), void *self,
                                                  unsigned port)
{
    struct mp_initiator initiator;
    initiator.response = response;
    initiator.resume = resume;
    initiator.self = self;
    initiator.port = port;
    return initiator;
}

static inline void mp_respond(const struct mp_initiator *up, struct mp_req *req)
{
    up->response(up->self, req);
}

/* First in, first out, through mp_req.next. */
struct mp_req_queue {
    struct mp_req *head, *tail;
    uint32_t length;
};

static inline void mp_queue_push(struct mp_req_queue *q, struct mp_req *req)
{
    req->next = NULL;
    if (q->head)
        q->tail->next = req;
    else
        q->head = req;
    q->tail = req;
    q->length++;
}

static inline struct mp_req *mp_queue_pop(struct mp_req_queue *q)
{
    struct mp_req *req = q->head;
    if (req) {
        q->head = req->next;
        q->length--;
        __builtin_prefetch(q->head); /* which is the next one to be popped */
    }
    return req;
}

/* Takes out the request at this position, counted from the head; at < q->length. */
static inline struct mp_req *mp_queue_take(struct mp_req_queue *q, uint32_t at)
{
    struct mp_req *before = NULL, *req = q->head;
    for (; at; at--) {
        before = req;
        req = req->next;
    }
    if (before)
        before->next = req->next;
    else
        q->head = req->next;
    if (q->tail == req)
        q->tail = before;
    q->length--;
    return req;
}

/* The initiator's end of a link. Requests that cannot be sent, because one is held, wait here in order. */
struct mp_out {
    struct mp_target target;
    struct mp_wheel *wheel;
    void (*response)(void *self, struct mp_req *req); /* also called for MP_DONE, when the delay is over */
    void *self;
    bool held;
    struct mp_req_queue waiting;
};

/* An event's function that hands a request to an initiator's response function. */
void mp_out_answered(void *out, void *req);
/* Sends the request, or lets it wait while one is held; a hint gets nothing then, later in this cycle. */
void mp_out_send(struct mp_out *out, struct mp_req *req);
void mp_out_send_later(void *out, void *req); /* an event that sends */

/* Sends the request in `cycles`. */
static inline void mp_out_send_in(struct mp_out *out, struct mp_req *req, uint32_t cycles)
{
    if (out->target.ahead)
        out->target.ahead(out->target.self, req, cycles);
    else
        mp_at(out->wheel, cycles, mp_out_send_later, out, req);
}

/* Sends in this cycle, for an initiator that sends nothing while out->held is set and that can use an
 * immediate answer at once. After MP_DONE the answer counts `delay` cycles from now, and response() is not
 * called. */
static inline enum mp_answer mp_out_issue(struct mp_out *out, struct mp_req *req, uint32_t *delay)
{
    req->sent = out->wheel->now;
    enum mp_answer answer = out->target.request(out->target.self, out->target.port, req, delay);
    if (answer == MP_HELD)
        out->held = true;
    return answer;
}

/* The held request was accepted: sends the requests that wait. */
void mp_out_resume(struct mp_out *out);

/* A target's ports: the initiator at each, and the requests that are held because there is no room. */
struct mp_ports {
    unsigned count;
    struct mp_initiator *up;
    struct mp_req_queue held; /* at most one request per port, in order of arrival */
};

int mp_ports_init(struct mp_ports *ports, unsigned count);
void mp_ports_free(struct mp_ports *ports);

static inline enum mp_answer mp_ports_hold(struct mp_ports *ports, struct mp_req *req)
{
    mp_queue_push(&ports->held, req);
    return MP_HELD;
}

/* A pool of requests. The one that was returned last is handed out first. */
struct mp_req_pool {
    struct mp_req *spare;
    void *slabs;
};

void mp_pool_grow(struct mp_req_pool *pool);
void mp_pool_free(struct mp_req_pool *pool);

static inline struct mp_req *mp_pool_get(struct mp_req_pool *pool)
{
    if (__builtin_expect(!pool->spare, 0))
        mp_pool_grow(pool);
    struct mp_req *req = pool->spare;
    pool->spare = req->next;
    __builtin_prefetch(pool->spare);
    return req;
}

static inline void mp_pool_put(struct mp_req_pool *pool, struct mp_req *req)
{
    req->next = pool->spare;
    pool->spare = req;
}

#ifdef __cplusplus
}
#endif
#endif
