/* SPDX-License-Identifier: Apache-2.0 */
/* A first-level data cache that loads go past, as on GPUs that keep no global data there: it stores nothing,
 * and a request leaves after the time of a look-up. Every request is a miss and takes no MSHR. */
#include "cache/sets.h"

void mp_cache_past_answer(void *cache, struct mp_req *down)
{
    struct mp_cache *c = cache;
    struct mp_req *req = down->owner;
    mp_pool_put(&c->pool, down);
    mp_respond(&c->up[req->port], req);
}

enum mp_answer mp_cache_past_request(void *cache, unsigned port, struct mp_req *req, uint32_t *delay)
{
    struct mp_cache *c = cache;
    struct mp_cache_stats *s = &c->stats[req->tenant];
    uint32_t wait = mp_cache_port_wait(c, c->bank);
    struct mp_req *down = mp_pool_get(&c->pool);
    (void)delay;
    req->port = (uint16_t)port;
    s->lookups++;
    s->misses++;
    s->stores += req->op == MP_STORE;
    s->atomics += req->op == MP_ATOMIC;
    s->port_cycles += wait;
    *down = *req;
    down->owner = req;
    mp_out_send_in(mp_cache_link(c, req->pa), down, wait + c->p.latency);
    return MP_TAKEN;
}
