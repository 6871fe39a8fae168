/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds tenants that no longer move: all warps of a tenant wait, and since some cycle it has neither issued
 * an instruction nor finished an access. Another tenant's progress does not hide it. Looks at regular cycles
 * give the same answers in every run.
 */
#ifndef MP_GPU_WATCHDOG_H
#define MP_GPU_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/tenant.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_watchdog {
    uint64_t cycles; /* without progress, after which a tenant is stuck */
    struct {
        uint64_t progress, since; /* what was seen last, and the cycle in which it was seen first */
        bool seen;
    } tenant[MP_TENANTS];
};

void mp_watchdog_init(struct mp_watchdog *w, uint64_t cycles);
/* Looks at a tenant in cycle `now`: progress is mp_app_progress(), blocked mp_app_blocked(). Returns whether
 * it is stuck, since w->tenant[tenant].since or before. */
bool mp_watchdog_look(struct mp_watchdog *w, unsigned tenant, uint64_t progress, bool blocked, uint64_t now);

#ifdef __cplusplus
}
#endif
#endif
