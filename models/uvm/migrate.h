/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Migration policies: whether a page of the host stays there and is mapped remotely, and when enough remote
 * accesses have been counted to move it. A policy is one file in migrate/ and one word in the list of
 * CMakeLists.txt.
 */
#ifndef MP_UVM_MIGRATE_H
#define MP_UVM_MIGRATE_H

#include "engine/design.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a policy sees. */
struct mp_uvm_pressure {
    bool evicted;         /* the pool has evicted */
    uint32_t used, units; /* of the pool */
    uint32_t counter, penalty;
    uint32_t evictions; /* of the big page, at most 63 */
};

struct mp_uvm_migrate {
    struct mp_design design;
    /* Whether the page stays on the host and is mapped remotely, for a fault of a load or a store. */
    bool (*stays)(const struct mp_uvm_pressure *p, bool store);
    /* Remote accesses to a granule at which its notice is given; 0: nothing is counted. NULL: the policy has
     * no counters. A policy with counters moves pages at stores and atomics, and maps what is evicted
     * remotely. */
    uint32_t (*threshold)(const struct mp_uvm_pressure *p);
};

#define MP_UVM_MIGRATE_NEEDS(EACH, WITH) EACH(stays)

extern const struct mp_uvm_migrate mp_uvm_migrate_first_touch;

extern const struct mp_uvm_migrate *mp_uvm_migrates[]; /* NULL-terminated; the first is the default */
extern const struct mp_design *mp_uvm_migrate_designs[];
const struct mp_uvm_migrate *mp_uvm_migrate_find(const char *name);

#ifdef __cplusplus
}
#endif
#endif
