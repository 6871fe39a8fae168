/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page-walk system, of one MIG instance or shared by tenants: a scheduler with its queues, the walkers, the
 * page walk cache, and a walk method that reads page tables in simulated memory. Each entry that a walk reads
 * takes a fixed number of cycles, or a read through the memory path.
 *
 * A walk that ends frees its walker in that cycle, and the walker's next walk starts in the same cycle. A
 * request for which there is no room is held at its port, and holds back all that comes through that port: a
 * tenant that others must not stop needs a separate port.
 *
 * A hint (MP_HINT) is taken if no request waits outside, and a walker is idle that its tenant owns, or any if
 * walkers have no owners. Otherwise it gets nothing, in the call. Every scheduler here starts such a walk at
 * once, so that no hint waits in a queue and no demand waits behind one; to a scheduler, and to RTL in its
 * place, it is a walk of its tenant that arrives, starts and completes. Hints count apart.
 */
#ifndef MP_WALK_WALK_H
#define MP_WALK_WALK_H

#include "engine/block.h"
#include "engine/link.h"
#include "engine/metric.h"
#include "map/map.h"
#include "vm/page_table.h"
#include "walk/intake.h"
#include "walk/method/method.h"
#include "walk/pages.h"
#include "walk/pwc.h"
#include "walk/records.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_walk_stats {
    uint64_t walks, queue_cycles, walk_cycles, levels_read, pwc_lookups, pwc_hits, stalls, faults;
    uint64_t stolen, waited_for; /* walks */
    struct mp_latencies walk_latency;
};

extern const struct mp_metric_table mp_walk_metrics;
extern const struct mp_metric_table mp_walk_hint_metrics; /* of the same structure, for hints */
extern const struct mp_block_kind mp_walk_kind;

/* How the entries of page tables are read: at a latency per level or per walk, or by requests. */
enum mp_walk_memory { MP_WALK_MEMORY_FIXED, MP_WALK_MEMORY_CACHED, MP_WALK_MEMORY_FLAT, MP_WALK_MEMORY_DRAM };

struct mp_walk_params {
    const struct mp_walk_scheduler *scheduler;
    const struct mp_walk_method *method;
    struct mp_design_values values; /* of the method's parameters */
    struct mp_walk_geometry geometry;
    struct mp_walk_rules rules;
    const struct mp_page_format *format;      /* of address spaces whose root is not set */
    const struct mp_page_table_design *table; /* NULL: radix */
    const struct mp_physmem *memory;
    uint32_t level_latency; /* cycles; 0: entries are read through the memory links */
    bool flat;              /* level_latency is that of a whole walk, spent on its first entry */
    /* As configured: level_latency and flat follow from them. */
    uint32_t memory_reads; /* enum mp_walk_memory */
    uint32_t fixed_latency, flat_latency;
    uint32_t links;    /* memory links: one per DRAM channel, or one */
    struct mp_map map; /* of addresses to memory links */
    uint32_t pwc_entries, pwc_ways, pwc_latency;
    uint32_t ports;
    bool counts_pages; /* walks are counted by the size of their page, too */
    bool heads_first;  /* the order of leaves (vm/page_table.h) */
};

/* Functions that the system calls as things happen. They change nothing. */
struct mp_walk_observer {
    void *self;
    void (*waits)(void *self, uint8_t tenant,
                  int change); /* a walk begins to wait (1), or no longer waits (-1) */
    void (*starts)(void *self, uint32_t walker, const struct mp_req *walk);
    void (*reads)(void *self, uint32_t walker); /* a page table entry */
    void (*ends)(void *self, uint32_t walker);  /* called while the walker still has its walk */
    void (*divided)(void *self);                /* the owners of walkers may have changed */
};

/* Faults on purpose: asked at each event of their kind. */
struct mp_walk_faults {
    void *self;
    /* A walk starts. Returns the cycles for which its walker does nothing; MP_NEVER: until mp_walk_restart.
     */
    uint64_t (*sticks)(void *self);
    /* The entry at this address is read. Returns whether that fails, and the walk ends with MP_FAULT_ECC. */
    bool (*poisoned)(void *self, uint64_t at);
    /* A walk has found the page at this physical address. */
    void (*found)(void *self, uint64_t pa);
};

/* A walker. A walk method reads `format`, reads and writes `at`, `table`, `level` and `delay`, and the
 * request's result. */
struct mp_walker {
    struct mp_req *walk; /* NULL when idle */
    const struct mp_page_format *format;
    uint64_t at;       /* physical address of the entry that is read, or is read next */
    uint64_t table;    /* the table that holds it, ... */
    uint32_t level;    /* ... and its number in the format (vm/page_format.h) */
    uint32_t delay;    /* cycles of the step that the method asked for */
    uint64_t other_at; /* address of the second half of a dual entry, while it may still count; else 0 */
    uint64_t other;    /* that half */
    uint64_t started, ended;
    struct mp_walk_stats *stats; /* of the walk: those of its tenant, or of its tenant's hints */
    uint32_t number;             /* of the last walk, in the order of starts */
    uint8_t tenant;              /* of the last walk */
    bool answered;               /* the initiator has the answer, although the walk goes on */
    bool stale;                  /* the walk was invalidated after its answer */
    bool stuck;                  /* the walk has not begun, until stuck_until */
    uint64_t stuck_until;
    struct mp_req read; /* the read through the memory path; its owner is this walker */
};

#define MP_WALK_NOWHERE (1ull << 63) /* a table outside the memory: all its entries read as 0 */

struct mp_walk {
    struct mp_wheel *wheel;
    struct mp_walk_params p;
    struct mp_intake intake;
    struct mp_walk_view view;         /* of this system, for its scheduler */
    struct mp_intake_sharing sharing; /* likewise, for the intake */
    struct mp_walker *walker;
    struct mp_pwc pwc;
    void *method;       /* the walk method's state, or NULL */
    void *method_stats; /* per tenant: what the method's design.counters describes; or NULL */
    struct mp_ports ports;
    struct mp_walk_records records;
    struct mp_out *memory;   /* links by which page table entries are read if level_latency is 0 */
    uint64_t root[MP_ASIDS]; /* of the page tables */
    const struct mp_page_format *format[MP_ASIDS];
    uint64_t base, bytes; /* the memory that tables and pages may be in */
    struct mp_walk_reach {
        uint64_t base, bytes;
    } reach[MP_ASIDS];                       /* other memory that pages may be in */
    struct mp_walk_stats *stats, *hints;     /* one per tenant: of demands, of hints */
    struct mp_walk_pages *pages;             /* of demands, per tenant, or NULL */
    const struct mp_walk_observer *observer; /* or NULL */
    const struct mp_walk_faults *faults;     /* or NULL */
    uint32_t starts;                         /* number of walks that have started */
    uint32_t
        others[MP_TENANTS]; /* per tenant: starts of other tenants' walks on walkers that serve this tenant */
    bool retry_due;         /* an event will serve the requests outside */
    uint64_t retried;       /* the last cycle in which one of them came in */
};

/* Returns -1 if out of memory. */
int mp_walk_init(struct mp_walk *w, struct mp_wheel *wheel, const struct mp_walk_params *params);
void mp_walk_free(struct mp_walk *w);
/* Sets the physical memory, in bytes, that tables and pages may be in; at first it is all memory. A walk that
 * finds them elsewhere faults, as it does at a bad entry: reserved bits, a leaf instead of a table or the
 * reverse, a page that is not aligned. */
void mp_walk_set_memory(struct mp_walk *w, uint64_t base, uint64_t bytes);
/* The pages of an address space may also be in this memory; at first, and with 0 bytes, in no other. */
void mp_walk_set_reach(struct mp_walk *w, uint16_t asid, uint64_t base, uint64_t bytes);
/* The page table of an address space; its format may be another one than that of the parameters, if the
 * method does not refuse it (mp_walk_method.check). */
void mp_walk_set_root(struct mp_walk *w, uint16_t asid, const struct mp_page_format *format, uint64_t root);
/* Divides the walkers among these tenants, a bit each, at least one. At first all tenants of the geometry
 * have some. */
void mp_walk_set_tenants(struct mp_walk *w, uint32_t tenants);
/* The same with the walkers of each tenant given, a bit per walker; each walker belongs to one tenant. */
void mp_walk_set_owners(struct mp_walk *w, const uint64_t owned[MP_TENANTS]);
/* Replaces the scheduler and its rules; the system must be idle. owned: the walkers of each tenant, a bit per
 * walker, or NULL to divide them equally. Returns -1 if out of memory, and then nothing has changed. */
int mp_walk_configure(struct mp_walk *w, const struct mp_walk_scheduler *scheduler,
                      const struct mp_walk_rules *rules, const uint64_t owned[MP_TENANTS]);
bool mp_walk_idle(const struct mp_walk *w);
/* The number of page table reads that a walk for this address would have before it if it arrived now, as
 * mp_walk_view.work has it. */
uint32_t mp_walk_reads_left(struct mp_walk *w, uint16_t asid, uint64_t va);
/* The page walk cache and the method forget the scope; returns the number of entries forgotten. Walks in
 * flight that the scope concerns begin again at the root: the read in flight becomes that of the root's
 * entry. What walks in flight have found for waiting ones in the scope is forgotten. Those that have been
 * answered already end with the read in flight, and their initiator keeps nothing. */
uint32_t mp_walk_invalidate(struct mp_walk *w, const struct mp_scope *scope);
/* Walks whose walkers are stuck begin. */
void mp_walk_restart(struct mp_walk *w);
/* Where entries are read, if level_latency is 0. */
void mp_walk_join(struct mp_walk *w, unsigned link, struct mp_target memory);

enum mp_answer mp_walk_request(void *walk, unsigned port, struct mp_req *req, uint32_t *delay);
void mp_walk_response(void *walk, struct mp_req *read);
void mp_walk_resume(void *walk, unsigned link);
void mp_walk_xray(const void *walk, const struct mp_xray *x); /* mp_block_kind.xray */

#ifdef __cplusplus
}
#endif
#endif
