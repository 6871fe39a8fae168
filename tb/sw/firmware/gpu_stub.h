/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A GPU for the firmware on the host, behind the platform's management block. Its memory, TLB and page walk
 * cache keep entries as long as possible, and accesses come at any time, also in the middle of the firmware's
 * operations. It detects that a frame is freed while a cache still holds its entry. With
 * operations.contiguity, it also believes contiguity bits.
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
    unsigned busy;     /* probability of an access while the firmware writes memory, percent */
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
        uint64_t prefix, entry;
    } walk_cache[STUB_WALK_CACHE];
    struct stub_waiting {
        unsigned asid;
        uint64_t va;
        bool write, read_only, recorded;
    } waiting[STUB_WAITING];
    unsigned waits;
    struct mp_mgmt_invalidation invalidation;
    unsigned invalidation_left; /* steps; 0: no invalidation in progress */
    struct stub_run {
        bool runs, given_up;
        struct mp_mgmt_launch launch;
        unsigned left; /* accesses that have not started */
        bool stops;
        unsigned context;
    } run[MP_MGMT_INSTANCES], saved[MP_MGMT_CONTEXTS];
    uint64_t base[MP_MGMT_SPACES]; /* where an address space's accesses go: STUB_SPAN pages from there */
    struct mp_mgmt_walk walk;
    unsigned walks_set, tlb_level, tlb_policy;
    bool hangs; /* launches do nothing */
    unsigned restarts;
    uint64_t accesses, hits, faults, stores_refused, invalidations, given_up;
};

extern struct gpu_stub gpu_stub;

/* Call board_reset first. Each launch has `accesses` accesses. */
void gpu_stub_reset(struct rng rng, unsigned accesses);
void gpu_stub_free(void);

/* One access; returns false if it faulted. With `report`, a faulting access is kept and reported. */
bool gpu_stub_access(unsigned asid, uint64_t va, bool write, bool report);

/* Checks that all cached entries agree with the page tables. */
void gpu_stub_check(void);

#endif
