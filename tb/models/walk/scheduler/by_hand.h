/* SPDX-License-Identifier: Apache-2.0 */
/* Events of a walk scheduler, one by one. Walks are numbered from 0 as they arrive. */
#ifndef MP_TB_WALK_BY_HAND_H
#define MP_TB_WALK_BY_HAND_H

#include "drive.h"

#define QUEUED  MP_WALK_QUEUED
#define OUTSIDE MP_WALK_NO_ROOM
#define IDLE    (-1)

static struct drive d;

static inline void begin(const struct mp_walk_scheduler *s, uint32_t walkers, uint32_t places,
                         uint32_t tenants, const struct mp_walk_rules *r)
{
    const struct mp_walk_geometry g = {.walkers = walkers, .queue = walkers * places, .tenants = tenants};
    drive_init(&d, s, &g, r, NULL);
}

static inline void begin_plain(const struct mp_walk_scheduler *s, uint32_t walkers, uint32_t places,
                               uint32_t tenants)
{
    const struct mp_walk_rules r = drive_rules(MP_WALK_PAPER);
    begin(s, walkers, places, tenants, &r);
}

static inline int tear_down(void **state)
{
    (void)state;
    drive_free(&d);
    return 0;
}

static inline const struct mp_dws_state *tables(void)
{
    return mp_dws_state(d.intake.state);
}

/* n walks of a tenant arrive, and all go to the same kind of place. */
static inline void arrive(uint8_t tenant, uint32_t n, int where)
{
    while (n--)
        assert_int_equal(drive_arrive(&d, tenant), where);
}

static inline void takes(uint32_t walker, int walk)
{
    assert_int_equal(drive_complete(&d, walker), walk);
}

#endif
