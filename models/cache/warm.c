/* SPDX-License-Identifier: Apache-2.0 */
/* Functional warming of a cache: tags, recency and dirty bits as a request leaves them that is answered at
 * once. Write-backs end here, because DRAM has no tags. */
#include "cache/sets.h"

static void pass_on(struct mp_cache *c, struct mp_req *req)
{
    const struct mp_target *below = &mp_cache_link(c, req->pa)->target;
    if (below->warm)
        below->warm(below->self, req);
}

/* Replaces the least recent way. */
static void insert(struct mp_cache *c, uint32_t *set, uint32_t tag)
{
    set[c->p.ways - 1] = tag;
    touch(c, set, c->p.ways - 1);
    if (c->p.write_back)
        *dirty_of(c, set) &= ~1ull;
}

static void warm_write_back(struct mp_cache *c, struct mp_req *req, struct place at)
{
    uint32_t way = find_way(c, at);
    if (way == NO_WAY) {
        insert(c, at.set, at.tag);
        if (req->op != MP_STORE)
            pass_on(c, req);
    } else if (way) {
        touch(c, at.set, way);
    }
    if (req->op == MP_STORE || req->op == MP_ATOMIC)
        *dirty_of(c, at.set) |= 1;
}

static void warm_write_through(struct mp_cache *c, struct mp_req *req, struct place at)
{
    uint32_t way = find_way(c, at);
    if (req->op != MP_LOAD) {
        if (way != NO_WAY && req->op == MP_ATOMIC)
            drop(c, at.set, way);
        pass_on(c, req);
    } else if (way == NO_WAY) {
        insert(c, at.set, at.tag);
        pass_on(c, req);
    } else if (way) {
        touch(c, at.set, way);
    }
}

void mp_cache_warm(void *cache, struct mp_req *req)
{
    struct mp_cache *c = cache;
    struct place at = place_of(c, req->pa);
    if (c->p.write_back)
        warm_write_back(c, req, at);
    else
        warm_write_through(c, req, at);
}
