/* SPDX-License-Identifier: Apache-2.0 */
/*
 * L1 TLBs that answer each other's misses. A policy decides which others a miss asks before the next level:
 * one file in this folder, named as its paper names it. A topology says which TLBs are neighbours. An update
 * policy decides whether the TLB that asked stores the answer: one file in update/. Here is everything that
 * decides; tlb/neighbour/probe.h gives it time and links, and `mempath replay neighbours` runs it without
 * either.
 *
 * L1 TLBs have places; in a ring, to the left of TLB i is i - 1, to its right i + 1. A TLB's peers are those
 * that it may ever ask. Each TLB has one struct mp_neighbour. With sub-entries, directories and messages name
 * a base, an aligned run of pages that share an entry of the array, and a neighbour that has the base need
 * not have the page.
 */
#ifndef MP_TLB_NEIGHBOUR_NEIGHBOUR_H
#define MP_TLB_NEIGHBOUR_NEIGHBOUR_H

#include "engine/design.h"
#include "engine/metric.h"
#include "engine/scope.h"
#include "tlb/neighbour/directory.h"
#include "tlb/neighbour/topology.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MP_NEIGHBOURS_LEAST 3u  /* TLBs of a ring, or with groups */
#define MP_PEERS_MOST       63u /* of a TLB, that a policy may ask */
#define MP_SHARERS          64u /* TLBs with a page that are counted apart */

struct mp_neighbour;
struct mp_neighbour_update;
struct mp_neighbour_policy;

/* The parameters, which all policies share. replay has options of the same names. */
enum mp_neighbour_value {
    MP_NEIGHBOUR_UPDATE,
    MP_NEIGHBOUR_DIRECTORY,
    MP_NEIGHBOUR_TAG_BITS,
    MP_NEIGHBOUR_HOP,
    MP_NEIGHBOUR_BUFFER,
    MP_NEIGHBOUR_GROUP,
    MP_NEIGHBOUR_TOPOLOGY
};
extern const struct mp_design_param mp_neighbour_parameters[];

/* The peers of a policy. */
enum mp_peers {
    MP_PEERS_NONE,
    MP_PEERS_SIDES, /* the neighbours of the topology, in the order of their sides */
    MP_PEERS_GROUP  /* peer k is k + 1 places to the right in a group of the ring */
};

/* The peers that a miss asks: `count` from `first` on; all at once, where the first that has the page
 * answers, or in turn until one has it. */
struct mp_neighbour_ask {
    uint8_t first, count;
    bool in_turn;
};

/* A page: vpn counts pages of the configured size. */
struct mp_neighbour_page {
    uint64_t vpn;
    uint16_t asid;
};

/* A message: a neighbour has inserted or evicted a page, or the base in which it is. */
struct mp_neighbour_news {
    struct mp_neighbour_page page;
    uint64_t due; /* cycle from which it is seen */
    uint8_t tenant;
    bool inserted;
};

/* Messages on their way, in the order of sending: `count` from `first` on, in a ring of `room`. */
struct mp_neighbour_mail {
    struct mp_neighbour_news *news;
    uint32_t first, count, room; /* room: 0 or a power of two */
};

/* What keeps the directory: the model, or hardware in its place. Pages are those of requests; with
 * sub-entries, a directory has bases, page.vpn >> n->base_shift. */
struct mp_neighbour_keeper {
    /* Returns the bits of the neighbours that are said to hold the page. */
    uint8_t (*named)(const struct mp_neighbour *n, struct mp_neighbour_page page);
    /* The TLB itself has inserted or evicted the page. */
    void (*changed)(struct mp_neighbour *n, struct mp_neighbour_page page, bool inserted);
    /* The neighbour of this bit has. Returns what an allocation has replaced; MP_VICTIMS without one. */
    enum mp_directory_victim (*heard)(struct mp_neighbour *n, uint8_t side, struct mp_neighbour_page page,
                                      bool inserted);
    void (*drop)(struct mp_neighbour *n, struct mp_neighbour_page page);
    void (*empty)(struct mp_neighbour *n);
};

/* Counters of an L1 TLB. Each request counts once, by the source of its answer. */
struct mp_neighbour_stats {
    uint64_t local, left, right, below, walked, latency;
    uint64_t probes, in_vain, no_room, loads;
    uint64_t allocated[MP_VICTIMS];
    uint64_t missed, neighbour_has, peer_has, sharers[MP_SHARERS + 1];
};

extern const struct mp_metric_table mp_neighbour_metrics;

struct mp_neighbour {
    const struct mp_neighbour_policy *policy;
    const struct mp_neighbour_update *update;
    uint32_t hop, buffer, peers;
    uint32_t base_shift;                      /* log2 of the pages of a base */
    uint8_t bit_of[MP_SIDES];                 /* of peers that are neighbours: enum mp_directory_bit */
    struct mp_directory *directory;           /* NULL: the policy has none */
    const struct mp_neighbour_keeper *keeper; /* if it has one */
    void *kept;                               /* by hardware; the model's is `directory` */
    struct mp_neighbour_page last;            /* the register of `twice`, while has_last */
    bool has_last;
    struct mp_neighbour_mail mail[MP_SIDES]; /* from each peer that is a neighbour */
    uint32_t waiting;                        /* messages in all of them */
    /* Whether its own array has a page of the page's base now. */
    bool (*holds)(const void *tlb, uint16_t asid, uint64_t vpn);
    const void *tlb;
    struct mp_neighbour_stats *stats; /* one per tenant */
};

struct mp_neighbour_policy {
    struct mp_design design;
    enum mp_peers peers;
    bool has_directory;
    /* Returns the peers that a miss asks. A count of 0 means that it asks no other TLB. */
    struct mp_neighbour_ask (*ask)(const struct mp_neighbour *n, uint16_t asid, uint64_t vpn);
};

#define MP_NEIGHBOUR_POLICY_NEEDS(EACH, WITH) EACH(ask)

struct mp_neighbour_update {
    struct mp_design design;
    bool needs_directory;
    /* Whether a neighbour's answer, which `requests` wait for, is stored. They are accesses in a row. */
    bool (*stores)(struct mp_neighbour *n, uint16_t asid, uint64_t vpn, uint32_t requests);
};

#define MP_NEIGHBOUR_UPDATE_NEEDS(EACH, WITH) EACH(stores)
#define MP_NEIGHBOUR_UPDATE_NAMES             mp_neighbour_update_names
extern char mp_neighbour_update_names[MP_DESIGN_NAMES]; /* of all, as choices of a parameter */

extern const struct mp_neighbour_policy mp_neighbour_none, mp_neighbour_direct, mp_neighbour_ring,
    mp_neighbour_neidty;

/* The lists: generated, each ends with NULL. */
extern const struct mp_neighbour_policy *mp_neighbour_policies[];
extern const struct mp_design *mp_neighbour_policy_designs[];
const struct mp_neighbour_policy *mp_neighbour_policy_find(const char *name);
extern const struct mp_neighbour_update *mp_neighbour_updates[];
extern const struct mp_design *mp_neighbour_update_designs[];
const struct mp_neighbour_update *mp_neighbour_update_find(const char *name);

/* Checks the values of a policy. -1: err is "NAME: ..." with what is allowed. */
int mp_neighbour_check(const struct mp_neighbour_policy *policy, const struct mp_design_values *values,
                       struct mp_error *err);

/* The least number of TLBs among which the policy works with these values. */
uint32_t mp_neighbour_least(const struct mp_neighbour_policy *policy, const struct mp_design_values *values);
/* The peers of TLB i among n, in the order in which a policy numbers them; returns their number. The last
 * group may be smaller than the others. */
uint32_t mp_neighbour_peers(const struct mp_neighbour_policy *policy, const struct mp_design_values *values,
                            uint32_t i, uint32_t n, uint32_t list[MP_PEERS_MOST]);
/* The neighbours of TLB i among n, in the order of their sides; returns their number. A policy need not ask
 * them. */
uint32_t mp_neighbour_neighbours(const struct mp_design_values *values, uint32_t i, uint32_t n,
                                 uint32_t list[MP_SIDES]);

/* Cycles from a request's arrival until the answer of a neighbour, or the end of a probe in vain, if `asked`
 * peers were asked one after the other. latency: of a look-up. The answer of a group goes on round it. */
uint64_t mp_neighbour_cycles(const struct mp_neighbour *n, uint32_t latency, uint32_t hop, uint32_t asked);

/* Of TLB i among `tlbs`. tenants: of the counts. Returns -1 if memory runs out. The caller sets tlb, holds
 * and, with sub-entries, base_shift. */
int mp_neighbour_init(struct mp_neighbour *n, const struct mp_neighbour_policy *policy,
                      const struct mp_design_values *values, uint32_t i, uint32_t tlbs, uint32_t tenants);
void mp_neighbour_free(struct mp_neighbour *n);

/* The bits of the neighbours that the directory names for a page. */
uint8_t mp_neighbour_named(const struct mp_neighbour *n, uint16_t asid, uint64_t vpn);
/* The entry of the model's directory with the page's tag, or NULL. It is valid until the directory changes.
 */
struct mp_directory_entry *mp_neighbour_entry(const struct mp_neighbour *n, uint16_t asid, uint64_t vpn);
/* A message of a peer that is a neighbour, which is seen n->hop cycles from now. */
void mp_neighbour_hear(struct mp_neighbour *n, uint32_t peer, uint64_t now, uint8_t tenant,
                       struct mp_neighbour_page page, bool inserted);
/* Takes in what is due. To be called before the array changes and before the directory is used; so messages
 * need no events. */
void mp_neighbour_settle(struct mp_neighbour *n, uint64_t now);
/* The TLB itself has inserted or evicted a page. */
void mp_neighbour_changed(struct mp_neighbour *n, struct mp_neighbour_page page, bool inserted);
/* The scope has been invalidated everywhere. Messages on their way are taken in before. */
void mp_neighbour_invalidate(struct mp_neighbour *n, const struct mp_scope *scope, uint32_t page_shift);

#ifdef __cplusplus
}
#endif
#endif
