/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A write-through data cache that is looked up before translation: sets and tags are those of virtual lines,
 * and a tag has the address space's number. A load that hits needs no translation. A load that misses asks
 * the TLB for its line's page and then the level below; a store or an atomic asks in any case, since it goes
 * on below. There is one request to the TLB for each line, in the order of the misses, so that lines of a
 * page merge there. (STAR, Figure 2.)
 *
 * Permissions belong to translations. A store's is checked here, and a line is answered with a fault instead
 * of its data if there is no translation. An invalidation of pages drops their lines. A line that is being
 * fetched by then is answered, but not kept, and requests that come after the invalidation wait until it has
 * gone, to be translated anew.
 *
 * The request to the TLB leaves in the cycle after the look-up. The one to the level below leaves `latency`
 * cycles after the translation, so that a miss takes as long as with a cache behind the translation.
 */
#ifndef MP_CACHE_VIRTUAL_H
#define MP_CACHE_VIRTUAL_H

#include "cache/cache.h"
#include "engine/scope.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const struct mp_block_kind mp_virtual_cache_kind;

enum mp_virtual_cache_link { MP_VIRTUAL_CACHE_LINES, MP_VIRTUAL_CACHE_TRANSLATION }; /* groups of out links */

struct mp_virtual_cache {
    struct mp_wheel *wheel;
    struct mp_cache_params p; /* one bank; write_back, map and loads_go_past are not used */
    uint64_t *tag;            /* ways of each set, most recent first: (asid, line) plus 1, 0 if empty */
    uint64_t free_at;         /* cycle in which the port takes the next request */
    struct mp_mshr_file mshr;
    bool serving_held;
    struct mp_req_queue held;
    struct mp_initiator *up; /* one per port */
    struct mp_out translate, *below;
    struct mp_req_pool pool; /* stores and atomics on their way */
    struct mp_cache_stats *stats;
};

/* Returns -1 if memory runs out. */
int mp_virtual_cache_init(struct mp_virtual_cache *c, struct mp_wheel *wheel,
                          const struct mp_cache_params *params);
void mp_virtual_cache_free(struct mp_virtual_cache *c);
/* Out link 0 to links - 1: to the level below; link `links`: to the TLB. */
void mp_virtual_cache_join(struct mp_virtual_cache *c, unsigned link, struct mp_target target);

enum mp_answer mp_virtual_cache_request(void *cache, unsigned port, struct mp_req *req, uint32_t *delay);
void mp_virtual_cache_translated(void *cache, struct mp_req *req);
void mp_virtual_cache_response(void *cache, struct mp_req *down);
void mp_virtual_cache_resume(void *cache, unsigned link);

void mp_virtual_cache_xray(const void *cache, const struct mp_xray *x); /* mp_block_kind.xray */
/* The virtual address of the line with this tag. */
uint64_t mp_virtual_cache_line(const struct mp_virtual_cache *c, uint64_t tag);

/* Drops the lines of the scope and returns their number. */
uint32_t mp_virtual_cache_invalidate(struct mp_virtual_cache *c, const struct mp_scope *scope);

#ifdef __cplusplus
}
#endif
#endif
