/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines of the GPU's memory that copies of pages read and write, and that zeroing writes. The owner of
 * the copies decides when each begins and how long it takes on the link (link.h). This block accesses the
 * copy's lines meanwhile, at equal distances, by ordinary requests. The lines of a kind of copies are
 * accessed in the order in which the copies were added.
 */
#ifndef MP_HOST_COPY_H
#define MP_HOST_COPY_H

#include "engine/block.h"
#include "host/link.h"
#include "map/map.h"

#ifdef __cplusplus
extern "C" {
#endif

enum mp_copy_kind { MP_COPY_IN, MP_COPY_OUT, MP_COPY_ZERO, MP_COPY_KINDS }; /* from and to the host */

struct mp_copies_stats {
    uint64_t read, written, late;
};

extern const struct mp_metric_table mp_copies_metrics;
extern const struct mp_block_kind mp_copies_kind;

struct mp_copies_params {
    uint32_t line_shift; /* log2 of the bytes of a line */
    uint32_t tenants, links;
    uint16_t sm;       /* whose requests its own look like */
    struct mp_map map; /* of addresses to links */
};

struct mp_copy {
    uint64_t pa, bytes; /* in the GPU's memory; bytes > 0 */
    uint64_t from, to;  /* cycles between which its lines are due, if no line of the host delays it */
    uint64_t after;     /* the copy out that must have ended before, as the memory is the same; 0: none */
    uint8_t tenant;     /* for whom its lines count */
};

/* Of a copy that begins and ends on the link so, the times between which its lines are due, in the unit of
 * the link's latency: one to the GPU writes them after the latency, and one to the host has read them by
 * then. */
static inline void mp_copy_due(enum mp_copy_kind kind, uint64_t latency, uint64_t *from, uint64_t *to)
{
    *from += kind == MP_COPY_IN ? latency : 0;
    *to -= kind == MP_COPY_OUT ? latency : 0;
}

/* One who waits for the end of a copy. It belongs to the caller, and is in use until fn is called. */
struct mp_copy_wait {
    struct mp_copy_wait *next;
    uint64_t number;
    mp_event_fn *fn;
    void *object, *argument;
};

struct mp_copy_entry;

struct mp_copies {
    struct mp_wheel *wheel;
    struct mp_copies_params p;
    struct mp_out *out;
    struct mp_req_pool pool;
    struct mp_copies_stats *stats;
    struct mp_copies_queue {
        struct mp_copy_entry *first, *last; /* that have not ended */
        struct mp_copy_entry *sends;        /* of which lines are sent; NULL: all are */
        uint64_t numbers, ended;
        bool alarm;                    /* an event is on its way that sends the next line */
        const struct mp_host_way *way; /* whose lines delay the copies; NULL: none do */
        struct mp_copy_wait *waits;
    } queue[MP_COPY_KINDS];
    struct mp_copy_entry *spare;
    uint64_t in_flight; /* lines */
};

/* Lines of the host that this link sends delay copies. Before the first copy. */
void mp_copies_share(struct mp_copies *c, const struct mp_host_link *link);
/* Returns the copy's number among those of its kind, from 1. */
uint64_t mp_copies_add(struct mp_copies *c, enum mp_copy_kind kind, const struct mp_copy *copy);
/* Whether all lines of this copy, and of those of its kind before it, have been answered; of number 0, they
 * have. */
bool mp_copies_ended(const struct mp_copies *c, enum mp_copy_kind kind, uint64_t number);
/* Has wait->fn called, as an event, when copy wait->number has ended, which it has not. */
void mp_copies_await(struct mp_copies *c, enum mp_copy_kind kind, struct mp_copy_wait *wait);

#ifdef __cplusplus
}
#endif
#endif
