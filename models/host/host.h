/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host's memory behind its link, as the GPU accesses it line by line. Physical addresses from
 * MP_HOST_MEMORY on are the host's. Each direction of the link sends one line after the other: a read's line
 * comes in, a write's goes out, and an atomic's goes out and then comes in. Reads and atomics take the link's
 * latency there and back; a write is posted, and its acknowledgement takes as long. Requests and
 * acknowledgements take none of the link's bandwidth. Copies share it (link.h).
 */
#ifndef MP_HOST_HOST_H
#define MP_HOST_HOST_H

#include "engine/block.h"
#include "host/link.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MP_HOST_MEMORY (UINT64_C(1) << 40)

struct mp_host_stats {
    uint64_t reads, writes, busy_in, busy_out, wait_in, wait_out;
};

extern const struct mp_metric_table mp_host_metrics;
extern const struct mp_block_kind mp_host_kind;

struct mp_host_params {
    uint32_t latency; /* cycles of a request and its answer on an idle link, without the line */
    uint32_t line;    /* 65536ths of a cycle that a line takes in its direction */
    uint32_t tenants, ports;
};

struct mp_host_watch {
    void (*accessed)(void *self, const struct mp_req *req); /* NULL: nothing watches */
    void *self;
};

struct mp_host {
    struct mp_wheel *wheel;
    struct mp_host_params p;
    struct mp_host_link own, *link;
    struct mp_initiator *up;
    struct mp_host_stats *stats;
    struct mp_host_watch *watch; /* by tenant */
};

/* From now on, the link is this one, which copies use, too. Before the first request. */
void mp_host_share(struct mp_host *h, struct mp_host_link *link);

/* Calls accessed() for each request of the tenant, before it is answered: an access counter. */
void mp_host_watch(struct mp_host *h, uint32_t tenant, struct mp_host_watch watch);

#ifdef __cplusplus
}
#endif
#endif
