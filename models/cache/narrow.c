/* SPDX-License-Identifier: Apache-2.0 */
/* A link from the next level on which a line takes several cycles: lines follow each other in the order in
 * which the next level answers. Answers without a line do not wait. */
#include "cache/sets.h"

static void answer(void *cache, void *down)
{
    mp_cache_path(cache)->response(cache, down);
}

static void narrow_response(void *cache, struct mp_req *down)
{
    struct mp_cache *c = cache;
    const uint64_t now = c->wheel->now, start = c->line_free_at > now ? c->line_free_at : now;
    const bool line = down->op == MP_LOAD || down->op == MP_PTE_READ;
    if (line)
        c->line_free_at = start + ((1u << c->p.line_shift) - 1) / c->p.fill_bytes + 1;
    if (line && start > now)
        mp_at(c->wheel, start - now, answer, c, down);
    else
        answer(c, down);
}

void (*mp_cache_response_of(const struct mp_cache *c))(void *cache, struct mp_req *down)
{
    return c->p.fill_bytes ? narrow_response : mp_cache_path(c)->response;
}
