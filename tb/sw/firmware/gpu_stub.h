/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A GPU for the firmware on the host, behind the platform's own management block: memory, TLB and page walk
 * cache that remember for as long as they may, and accesses at any moment, also in the middle of what the
 * firmware does. It notices when a frame is given back that something still remembers.
 */
#ifndef GPU_STUB_H
#define GPU_STUB_H

#include "board.h"

#include "soc/mgmt.h"
#include "vm/physmem.h"

#include "../../models/engine/fakes.h"

#define STUB_SLICE_BYTES (32ull << 20)

enum { STUB_TLB = 256, STUB_WALK_CACHE = 64, STUB_WAITING = 512, STUB_SPAN = 64 };

struct gpu_stub {
    struct mp_mgmt mgmt;
    struct mp_mgmt_gpu operations;
    struct mp_physmem memory;
    struct rng rng;
    unsigned busy;     /* percent: how probable an access is while the firmware writes memory */
    unsigned owner[7]; /* of each slice: instance + 1, 0 for none */
    struct mp_mgmt_space space[MP_MGMT_SPACES];
    struct stub_translation {
        bool valid;
        unsigned asid;
        uint64_t va, pa;
        bool read_only;
    } tlb[STUB_TLB];
    struct stub_table {
        bool valid;
        unsigned asid, level;
        uint64_t prefix, table;
    } walk_cache[STUB_WALK_CACHE];
    struct stub_waiting {
        unsigned asid;
        uint64_t va;
        bool write, read_only, recorded;
    } waiting[STUB_WAITING];
    unsigned waits;
    struct mp_mgmt_invalidation invalidation;
    unsigned invalidation_left; /* steps; 0: none is under way */
    struct stub_run {
        bool runs, given_up;
        struct mp_mgmt_launch launch;
        unsigned left; /* accesses that have not begun */
    } run[MP_MGMT_INSTANCES];
    uint64_t base[MP_MGMT_SPACES]; /* where an address space's accesses go: STUB_SPAN pages from there */
    struct mp_mgmt_walk walk;
    unsigned walks_set, tlb_level, tlb_policy;
    uint64_t accesses, hits, faults, stores_refused, invalidations, given_up;
};

extern struct gpu_stub gpu_stub;

/* With board_reset before it. Accesses of a launch: `accesses` each. */
void gpu_stub_reset(struct rng rng, unsigned accesses);
void gpu_stub_free(void);

/* One access; false when it faulted. `report`: it is kept and reported then. */
bool gpu_stub_access(unsigned asid, uint64_t va, bool write, bool report);

/* Everything that is remembered is as the page tables say. */
void gpu_stub_check(void);

#endif
