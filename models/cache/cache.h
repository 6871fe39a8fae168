/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A data cache of physical lines, in banks that each take one request per cycle. There are two write
 * policies: write-through without allocation (an SM's L1), and write-back with allocation and byte masks, so
 * that a store miss fetches nothing (the L2). A write-back cache executes atomics; a write-through cache
 * passes them on and drops its copy.
 *
 * The bank and the set of a line come from an address map (map/map.h). A set is its tags, most recent first,
 * and in a write-back cache a word with a bit for each that is dirty. A tag is the number of a line plus 1,
 * in 32 bits, so that a set shares one line of the host's cache: memory has at most MP_CACHE_LINES lines. An
 * SM's sets of two ways take 8 bytes each, and those of 98 SMs 200 KB.
 *
 * A load that misses goes down as the same request, so that one line of the host's cache is touched on its
 * way and not one for each level. While it is below, `owner` is this cache's, `pa` is the line's, and an
 * atomic is a load.
 */
#ifndef MP_CACHE_CACHE_H
#define MP_CACHE_CACHE_H

#include "engine/block.h"
#include "engine/link.h"
#include "engine/metric.h"
#include "engine/mshr.h"
#include "map/map.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MP_CACHE_LINES (UINT32_MAX - 1) /* of memory, at most */

struct mp_cache_stats {
    uint64_t lookups, hits, misses, mshr_merges, stalls, stores, atomics, fills, writebacks, port_cycles;
};

extern const struct mp_metric_table mp_cache_metrics;
/* A write-back cache with banks, and a write-through cache without. */
extern const struct mp_block_kind mp_cache_kind, mp_through_cache_kind;
extern const struct mp_block_param mp_through_cache_params[];

struct mp_cache_params {
    uint64_t bytes;             /* as configured: sets follow from it */
    uint32_t banks, sets, ways; /* sets of one bank */
    uint32_t line_shift;
    uint32_t page_shift; /* of a cache that is looked up before translation (virtual.h) */
    uint32_t latency;    /* cycles of a lookup with its data, including wires */
    uint32_t clock;      /* MHz, as configured: latency and period follow from it */
    uint32_t period; /* 65536ths of a cycle between a port's requests, of a write-back cache; 0: a cycle */
    uint32_t mshrs, merges; /* of one bank */
    uint32_t ports, tenants;
    uint32_t links;      /* to the level below, one per DRAM channel or bank of an L2, or 1 */
    uint32_t fill_bytes; /* of lines that the level below sends in a cycle; 0: no limit. Of a write-through
                            cache */
    bool write_back;
    bool bank_ports;     /* each initiator has a link to each bank, and not one to the cache */
    bool loads_go_past;  /* nothing is stored (bypass.c); of a write-through cache */
    uint32_t hosts;      /* links to host memory, after those to the level below: 1 or 0 */
    bool remote;         /* lines of host memory come, too: they are passed on (remote.c) */
    bool machine_map;    /* the machine gives it its map (mp_machine_set_map), as it gives it to the L2 data
                            cache */
    struct mp_map map;   /* of lines to banks and sets */
    struct mp_map below; /* of addresses to links; all zero: as `map` */
};

struct mp_cache {
    struct mp_wheel *wheel;
    struct mp_cache_params p;
    uint32_t *set; /* all sets (sets.h) */
    struct mp_cache_bank {
        uint64_t free_at; /* cycle, or its 65536ths if there is a period, in which the port takes the next
                             request */
        uint32_t fetching, writing_back;
        bool serving_held;
        struct mp_req_queue held; /* requests that wait for room, in order */
    } * bank;
    struct mp_mshr_file mshr;
    struct mp_initiator *up; /* one per port */
    struct mp_out *below;
    struct mp_req_pool pool;
    struct mp_cache_stats *stats;
    uint64_t line_free_at;             /* cycle in which the level below can send the next line (narrow.c) */
    const struct mp_cache_path *local; /* of lines of the GPU's memory (remote.c) */
};

/* Returns -1 if memory runs out. */
int mp_cache_init(struct mp_cache *c, struct mp_wheel *wheel, const struct mp_cache_params *params);
void mp_cache_free(struct mp_cache *c);
void mp_cache_join(struct mp_cache *c, unsigned link, struct mp_target below);

/* Drops all lines, dirty ones too. Fetches and write-backs in flight go on. */
void mp_cache_forget(struct mp_cache *c);

/* The way of a request through the cache and back. */
struct mp_cache_path {
    enum mp_answer (*request)(void *cache, unsigned port, struct mp_req *req, uint32_t *delay);
    void (*response)(void *cache, struct mp_req *down);
};

/* Of all lines, and of those of the GPU's memory: compiled for the cache's sets, if these are frequent, or
 * for any. */
const struct mp_cache_path *mp_cache_path(const struct mp_cache *c);
const struct mp_cache_path *mp_cache_local_path(const struct mp_cache *c);
/* Of a cache to which lines of host memory come, too (remote.c). */
extern const struct mp_cache_path mp_cache_remote_path;

/* What answers from the level below are given to: that of its path, or what waits until a line has been sent.
 */
void (*mp_cache_response_of(const struct mp_cache *c))(void *cache, struct mp_req *down);

/* Those for any sets. */
enum mp_answer mp_cache_request(void *cache, unsigned port, struct mp_req *req, uint32_t *delay);
void mp_cache_response(void *cache, struct mp_req *down);
void mp_cache_resume(void *cache, unsigned link);

void mp_cache_xray(const void *cache, const struct mp_xray *x); /* mp_block_kind.xray */

/* The same of a cache that loads go past. */
enum mp_answer mp_cache_past_request(void *cache, unsigned port, struct mp_req *req, uint32_t *delay);
void mp_cache_past_answer(void *cache, struct mp_req *down);

#ifdef __cplusplus
}
#endif
#endif
