/* SPDX-License-Identifier: Apache-2.0 */
/* A memory that answers every access after the same time, as akita's mem/idealmemcontroller: it has no banks,
 * queues and data bus. */
#include "dram/dram.h"

enum mp_answer mp_dram_ideal_request(void *dram, unsigned port, struct mp_req *req, uint32_t *delay)
{
    struct mp_dram *d = dram;
    struct mp_dram_stats *s = &d->stats[req->tenant];
    bool write = req->op == MP_WRITEBACK || req->op == MP_STORE;
    (void)port;
    s->writes += write;
    s->reads += !write;
    *delay = d->p.latency;
    return MP_DONE;
}
