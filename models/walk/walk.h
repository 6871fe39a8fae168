/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page-walk system, of one MIG instance or shared: a scheduler with its queues, walkers, the page walk
 * cache, and the page tables in simulated memory. A walk costs the page walk cache's lookup, then one step
 * per level that is left: a fixed number of cycles, or a read through the memory path.
 *
 * A walk that ends frees its walker in that cycle, and the next on it starts in the same one. A request that
 * finds no room is held at its port; so a tenant that shall not be stopped by another has a port of his own.
 */
#ifndef MP_WALK_WALK_H
#define MP_WALK_WALK_H

#include "engine/block.h"
#include "engine/link.h"
#include "engine/metric.h"
#include "vm/page_table.h"
#include "walk/intake.h"
#include "walk/pwc.h"
#include "walk/records.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_walk_stats {
    uint64_t walks, queue_cycles, walk_cycles, levels_read, pwc_lookups, pwc_hits, stalls, faults;
    uint64_t stolen, waited_for; /* walks */
    uint64_t walk_latency[MP_LOG2_BINS];
};

extern const struct mp_metric_table mp_walk_metrics;
extern const struct mp_block_kind mp_walk_kind;

struct mp_walk_params {
    const struct mp_walk_scheduler *scheduler;
    struct mp_walk_geometry geometry;
    struct mp_walk_rules rules;
    const struct mp_page_format *format;
    const struct mp_physmem *memory;
    uint32_t level_latency; /* cycles; 0: entries are read through the memory link */
    uint32_t pwc_entries, pwc_ways, pwc_latency;
    /* As the simulator that the authors of DWS published: when a walk starts, each upper level is looked up
     * by itself, and filled at once where it is missing. A level that hits is there more than pwc_latency
     * cycles after the start instead of being read; the others are read without waiting for the lookup. */
    bool pwc_optimistic;
    uint32_t ports;
};

/* Told what happens as it happens; it looks and changes nothing. */
struct mp_walk_observer {
    void *self;
    void (*waits)(void *self, uint8_t tenant, int change); /* one walk more waits (1), or less (-1) */
    void (*starts)(void *self, uint32_t walker, const struct mp_req *walk);
    void (*reads)(void *self, uint32_t walker); /* an entry of a page table */
    void (*ends)(void *self, uint32_t walker);  /* its walk, which it still has */
    void (*divided)(void *self);                /* walkers may have other owners */
};

struct mp_walker {
    struct mp_req *walk; /* NULL when idle */
    struct mp_req read;  /* of the next entry through the memory path; its owner is this walker */
    uint64_t table, started, ended;
    unsigned level;
    uint32_t cached; /* a bit per level that the page walk cache has, when pwc_optimistic */
    uint32_t number; /* of the walk it started last, in order of starts */
    uint8_t tenant;  /* whose that was */
};

struct mp_walk {
    struct mp_wheel *wheel;
    struct mp_walk_params p;
    struct mp_intake intake;
    struct mp_walker *walker;
    struct mp_pwc pwc;
    struct mp_ports ports;
    struct mp_walk_records records;
    struct mp_out memory; /* where page table entries are read when level_latency is 0 */
    uint64_t *root;       /* of each asid's page table; asids count tenants */
    uint64_t base, bytes; /* the memory that tables and pages may be in */
    struct mp_walk_form {
        uint64_t bits, value; /* bits of an entry, and what they must be */
    } form[2];                /* of entries that point to tables, of leaves */
    struct mp_walk_stats *stats;
    const struct mp_walk_observer *observer; /* NULL: nobody looks */
    uint32_t starts;                         /* of walks */
    uint32_t others[MP_TENANTS]; /* starts of other tenants' walks on walkers that serve this one */
    bool retry_due;
    uint64_t retried; /* cycle */
};

int mp_walk_init(struct mp_walk *w, struct mp_wheel *wheel, const struct mp_walk_params *params);
void mp_walk_free(struct mp_walk *w);
/* Tables and pages outside this range are faults, as bad entries are: reserved bits, a leaf where there
 * should be a table or the other way round, a page that is not aligned. At first all memory. */
void mp_walk_set_memory(struct mp_walk *w, uint64_t base, uint64_t bytes);
void mp_walk_set_root(struct mp_walk *w, uint16_t asid, uint64_t root);
/* Tenants come and go: the walkers are divided among those of the mask, bit t being tenant t, at least one.
 * At first all of the geometry are there. */
void mp_walk_set_tenants(struct mp_walk *w, uint32_t tenants);
/* The same with the walkers of each tenant given, a bit per walker; each belongs to one. */
void mp_walk_set_owners(struct mp_walk *w, const uint64_t owned[MP_TENANTS]);
/* Another scheduler with other rules; owned: the walkers of each tenant, a bit per walker, or NULL for an
 * equal division among all of the geometry. The system must be idle. -1: out of memory, and nothing has
 * changed. */
int mp_walk_configure(struct mp_walk *w, const struct mp_walk_scheduler *scheduler,
                      const struct mp_walk_rules *rules, const uint64_t owned[MP_TENANTS]);
bool mp_walk_idle(const struct mp_walk *w);
/* The page walk cache forgets; walks of the scope that are under way begin again at the root, and the read
 * that is under way becomes that of the root. Returns how many entries were forgotten. */
uint32_t mp_walk_invalidate(struct mp_walk *w, const struct mp_scope *scope);
void mp_walk_join(struct mp_walk *w, struct mp_target memory);

enum mp_answer mp_walk_request(void *walk, unsigned port, struct mp_req *req, uint32_t *delay);
void mp_walk_response(void *walk, struct mp_req *read);
void mp_walk_resume(void *walk, unsigned link);

#ifdef __cplusplus
}
#endif
#endif
