/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of DWS and DWS++ (DWS Fig. 4, Sec. VI-A), field by field as in hardware, so that a lockstep with
 * RTL can compare them after every event. Static partitions have the same tables.
 *
 * They are the paper's 192 bits for 16 walkers with 12 places each and two tenants:
 *   FWA  80 = 16 x (free, 0 to 12: 4; is_stolen: 1)
 *   TWM  80 = 2 x (a bit per walker: 16; PEND_WALKS and ENQ_EPOCH: 24 together, here 12 each)
 *   WTM  32 = 16 x (tenantID: 2)
 * The EPOCH counter and the register DIFF_THRES are not included.
 */
#ifndef MP_WALK_DWS_STATE_H
#define MP_WALK_DWS_STATE_H

#include "walk/scheduler/scheduler.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MP_DWS_WALKERS  64u /* at most: bitmaps are one word */
#define MP_DWS_COUNTERS 12u /* bits of PEND_WALKS, and of ENQ_EPOCH */
#define MP_DWS_COUNT    ((1u << MP_DWS_COUNTERS) - 1)

struct mp_dws_state {
    /* Free Walker Array, by walker */
    uint16_t fwa_free[MP_DWS_WALKERS]; /* places left in the walker's queue */
    /* The walk that the walker took last belongs to another tenant. Under MP_WALK_HPCA21: the walker took it
     * by threshold, or has not chosen one yet. */
    uint64_t fwa_is_stolen; /* a bit per walker */
    /* Tenant to Walker Mapping, by tenant */
    uint64_t
        twm_walkers[MP_TENANTS + 1]; /* owned ones, a bit per walker; the last: of no tenant, always none */
    uint16_t twm_pend_walks[MP_TENANTS + 1]; /* its walks in queues */
    uint16_t twm_enq_epoch[MP_TENANTS];      /* its arrivals in this epoch */
    /* Walker to Tenant Mapping, by walker; the number of tenants: no owner */
    uint8_t wtm_tenant[MP_DWS_WALKERS];
    /* registers */
    uint16_t epoch;
    uint8_t diff_thres; /* percent, MP_WALK_NEVER */
    uint64_t idle;      /* a bit per walker */
};

/* The tables in the state of static, dws or dws++. */
const struct mp_dws_state *mp_dws_state(const void *state);

/* Gives a walker to a tenant, in the state of static, dws or dws++; the number of tenants: to none. */
void mp_dws_own(void *state, uint32_t walker, uint8_t tenant);

/* Sizes in hardware, in bits. */
struct mp_dws_bits {
    uint32_t fwa, twm, wtm;
};
struct mp_dws_bits mp_dws_bits(const struct mp_walk_geometry *g);

#ifdef __cplusplus
}
#endif
#endif
