/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Migration by access counters (Ganguly et al., DATE 2021; gpgpu-sim_UVMSmart, should_cause_page_migration):
 * loads are remote until `counter` of them were counted, stores and atomics move the page.
 *
 * counter   always;
 * oversub   from the pool's first eviction on, before it as first-touch;
 * adaptive  always, with a threshold that grows with the pool's use and with the evictions of the big page.
 */
#include "uvm/migrate.h"

static bool loads_stay(const struct mp_uvm_pressure *p, bool store)
{
    (void)p;
    return !store;
}

static bool loads_stay_then(const struct mp_uvm_pressure *p, bool store)
{
    return p->evicted && !store;
}

static uint32_t fixed(const struct mp_uvm_pressure *p)
{
    return p->counter;
}

static uint32_t fixed_then(const struct mp_uvm_pressure *p)
{
    return p->evicted ? p->counter : 0;
}

static uint32_t moving(const struct mp_uvm_pressure *p)
{
    return p->evicted ? p->counter * p->penalty * (p->evictions + 1)
                      : 1 + (uint32_t)((uint64_t)p->counter * p->used / p->units);
}

const struct mp_uvm_migrate mp_uvm_migrate_counter = {
    .design = {.name = "counter", .title = "at stores, or when enough remote loads were counted"},
    .stays = loads_stay,
    .threshold = fixed};

const struct mp_uvm_migrate mp_uvm_migrate_oversub = {
    .design = {.name = "oversub", .title = "first-touch, after the first eviction counter"},
    .stays = loads_stay_then,
    .threshold = fixed_then};

const struct mp_uvm_migrate mp_uvm_migrate_adaptive = {
    .design = {.name = "adaptive", .title = "counter, with a threshold that grows with evictions"},
    .stays = loads_stay,
    .threshold = moving};
