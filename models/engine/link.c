/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/link.h"

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/memory.h"

_Static_assert(sizeof(struct mp_req) == 64, "a request fills one cache line");

void mp_out_answered(void *out, void *req)
{
    struct mp_out *o = out;
    o->response(o->self, req);
}

static void send_now(struct mp_out *out, struct mp_req *req)
{
    uint32_t delay = 0;
    if (mp_out_issue(out, req, &delay) == MP_DONE)
        mp_at(out->wheel, delay, mp_out_answered, out, req);
}

void mp_out_send(struct mp_out *out, struct mp_req *req)
{
    if (!out->held) {
        send_now(out, req);
    } else if (req->op == MP_HINT) {
        mp_req_nothing(req);
        mp_at(out->wheel, 0, mp_out_answered, out, req);
    } else {
        mp_queue_push(&out->waiting, req);
    }
}

void mp_out_send_later(void *out, void *req)
{
    mp_out_send(out, req);
}

void mp_out_resume(struct mp_out *out)
{
    out->held = false;
    while (!out->held && out->waiting.head)
        send_now(out, mp_queue_pop(&out->waiting));
}

int mp_ports_init(struct mp_ports *ports, unsigned count)
{
    *ports = (struct mp_ports){.count = count, .up = mp_calloc(count, sizeof *ports->up)};
    return ports->up ? 0 : -1;
}

void mp_ports_free(struct mp_ports *ports)
{
    free(ports->up);
    ports->up = NULL;
}

#define REQS_PER_SLAB 256u

struct slab {
    struct slab *next;
    alignas(64) struct mp_req req[REQS_PER_SLAB];
};

/* Memory is never returned to the system: the size of the pool follows the peak number of requests in flight,
 * which finite queues and MSHRs bound. */
void mp_pool_grow(struct mp_req_pool *pool)
{
    struct slab *slab = aligned_alloc(64, sizeof *slab);
    if (!slab) {
        fputs("mempath: engine: out of memory for requests\n", stderr);
        abort();
    }
    slab->next = pool->slabs;
    pool->slabs = slab;
    for (unsigned i = REQS_PER_SLAB; i-- > 0;)
        mp_pool_put(pool, &slab->req[i]);
}

void mp_pool_free(struct mp_req_pool *pool)
{
    for (struct slab *s = pool->slabs; s;) {
        struct slab *next = s->next;
        free(s);
        s = next;
    }
    *pool = (struct mp_req_pool){0};
}
