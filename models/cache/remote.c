/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of host memory: a cache keeps none of them, as drivers do not have the GPU cache remote memory, and
 * passes each request on after the time of a look-up. Every request is a miss and takes no MSHR. Of several
 * caches on the way, the last has a link to the host. */
#include "cache/sets.h"
#include "host/host.h"

static struct mp_out *out_of(struct mp_cache *c, uint64_t pa)
{
    return c->p.hosts ? &c->below[c->p.links] : mp_cache_link(c, pa);
}

static enum mp_answer request(void *cache, unsigned port, struct mp_req *req, uint32_t *delay)
{
    struct mp_cache *c = cache;
    if (req->pa < MP_HOST_MEMORY)
        return c->local->request(cache, port, req, delay);
    struct mp_cache_stats *s = &c->stats[req->tenant];
    struct mp_cache_bank *bank = &c->bank[place_of(c, shape_of(c), req->pa).bank];
    const uint32_t wait = c->p.period ? mp_cache_port_wait_clocked(c, bank) : mp_cache_port_wait(c, bank);
    struct mp_req *down = mp_pool_get(&c->pool);
    req->port = (uint16_t)port;
    s->lookups++;
    s->misses++;
    s->stores += req->op == MP_STORE;
    s->atomics += req->op == MP_ATOMIC;
    s->port_cycles += wait;
    *down = *req;
    down->owner = req;
    mp_out_send_in(out_of(c, req->pa), down, wait + c->p.latency);
    return MP_TAKEN;
}

static void response(void *cache, struct mp_req *down)
{
    const struct mp_cache *c = cache;
    if (down->pa < MP_HOST_MEMORY)
        c->local->response(cache, down);
    else
        mp_cache_past_answer(cache, down);
}

const struct mp_cache_path mp_cache_remote_path = {request, response};
