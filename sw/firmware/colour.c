/* SPDX-License-Identifier: Apache-2.0 */
#include "colour.h"

#include <stdbool.h>
#include <stddef.h>

#include "counters.h"
#include "gmmu.h"
#include "gpu.h"
#include "mig.h"
#include "prober.h"
#include "runner.h"

enum { MOVE_AT_ONCE = 32 }; /* pages, until faults are served */

static struct frames_colours colours;

const struct frames_colours *colour_frames(void)
{
    return &colours;
}

/* --- functions ------------------------------------------------------------------------------------ */

/* Takes a function with this bit out of the list, and the bit out of the others. Returns 0 if none has it. */
static uint64_t eliminate(uint64_t *function, unsigned n, unsigned bit)
{
    uint64_t pivot = 0;
    for (unsigned i = 0; i < n; i++) {
        if (!(function[i] >> bit & 1))
            continue;
        if (!pivot) {
            pivot = function[i];
            function[i] = 0;
        } else
            function[i] ^= pivot;
    }
    return pivot;
}

enum fw_error colour_set(const uint64_t *function, unsigned n)
{
    enum { MOST = REVERSE_MOST, FIRST_BIT = 12, BITS = 64 };
    struct frames_colours found = {0};
    uint64_t left[MOST];
    if (n > MOST)
        return FW_EINVAL;
    for (unsigned i = 0; i < n; i++)
        left[i] = function[i];
    for (unsigned bit = 0; bit < BITS; bit++) {
        uint64_t f = eliminate(left, n, bit);
        if (!f || bit < FIRST_BIT)
            continue;
        if (found.functions == FRAMES_FUNCTIONS)
            return FW_EINVAL;
        found.function[found.functions++] = f;
    }
    colours = found;
    return FW_OK;
}

/* --- by time -------------------------------------------------------------------------------------- */

static struct {
    struct prober prober;
    enum fw_error failed;
    void (*progress)(void *unused, const char *step, uint32_t done, uint32_t all);
} finder;

static uint64_t chase(void *unused, const uint64_t *address, uint32_t n, uint32_t *cycles)
{
    uint64_t all = 0;
    (void)unused;
    if (!finder.failed)
        finder.failed = prober_chase(&finder.prober, address, n, cycles, &all);
    return all;
}

static uint64_t pair(void *unused, uint64_t a, uint64_t b)
{
    uint64_t cycles = 0;
    (void)unused;
    if (!finder.failed)
        finder.failed = prober_pair(&finder.prober, a, b, &cycles);
    return cycles;
}

enum fw_error colour_find(uint64_t l2_bytes, struct reverse_found *found, const char **step,
                          void (*progress)(void *unused, const char *step, uint32_t done, uint32_t all))
{
    const char *failed_step;
    if (l2_bytes < REVERSE_LEAST_L2 || l2_bytes > gpu_memory())
        return FW_EINVAL;
    finder.failed = prober_open(&finder.prober);
    if (finder.failed)
        return finder.failed;
    const struct reverse_gpu gpu = {.memory_bytes = gpu_memory(),
                                    .l2_bytes = l2_bytes,
                                    .base = finder.prober.base,
                                    .bytes = finder.prober.bytes,
                                    .page_bytes = finder.prober.page_bytes,
                                    .chase = chase,
                                    .pair = pair,
                                    .progress = progress};
    bool failed = reverse_run(&gpu, found, &failed_step);
    if (step)
        *step = failed ? failed_step : NULL;
    enum fw_error closed = prober_close();
    if (finder.failed || closed)
        return finder.failed ? finder.failed : closed;
    return failed ? FW_ENOENT : colour_set(found->module.function, found->module.n);
}

/* --- the plan ------------------------------------------------------------------------------------- */

/* The tenant with the greatest share for what it has, the first of equal ones. */
static unsigned next_of(const struct colour_plan *p, const unsigned has[])
{
    unsigned next = 0;
    for (unsigned i = 1; i < p->tenants; i++)
        if (p->of[i].share * has[next] > p->of[next].share * has[i])
            next = i;
    return next;
}

static void divide(const struct colour_plan *p, unsigned total, unsigned has[])
{
    for (unsigned i = 0; i < p->tenants; i++)
        has[i] = 1;
    for (unsigned given = p->tenants; given < total; given++)
        has[next_of(p, has)]++;
}

enum fw_error colour_divide(const uint64_t share[], unsigned tenants, struct colour_plan *plan)
{
    struct colour_plan p = {.tenants = tenants};
    unsigned slices[MP_MGMT_INSTANCES], of_colours[MP_MGMT_INSTANCES], first = 0;
    if (!tenants || tenants > MP_MGMT_INSTANCES)
        return FW_EINVAL;
    if (tenants > gpu_slices() || tenants > colour_count())
        return FW_ENOMEM;
    for (unsigned i = 0; i < tenants; i++) {
        if (!share[i] || share[i] > UINT32_MAX)
            return FW_EINVAL;
        p.of[i].share = share[i];
    }
    divide(&p, gpu_slices(), slices);
    divide(&p, colour_count(), of_colours);
    for (unsigned i = 0; i < tenants; first += of_colours[i++]) {
        p.of[i].slices = slices[i];
        p.of[i].colours = of_colours[i];
        p.of[i].mask = (uint32_t)(((1ull << of_colours[i]) - 1) << first);
    }
    *plan = p;
    return FW_OK;
}

enum fw_error colour_move(unsigned asid, const struct colour_plan *plan)
{
    const struct gmmu_space *s = gmmu_space(asid);
    if (!s || s->instance >= plan->tenants)
        return FW_ENOENT;
    enum fw_error e = mig_colour(s->instance, &colours, plan->of[s->instance].mask);
    for (uint64_t va = 0; !e && va < 1ull << GMMU_VA_BITS;) {
        e = gmmu_recolour(asid, &va, MOVE_AT_ONCE);
        runner_serve();
    }
    return e;
}

/* --- isolation ------------------------------------------------------------------------------------ */

static enum fw_error start(unsigned asid, unsigned workload)
{
    return runner_start(gmmu_space(asid)->instance, asid, workload);
}

static enum fw_error run(unsigned asid, unsigned workload, unsigned other, unsigned other_workload,
                         bool alone, uint64_t *cycles)
{
    struct counters before, after;
    enum fw_error e = counters_read(asid, &before);
    if (!e)
        e = start(asid, workload);
    while (!e && gpu_in_use(asid)) {
        if (!alone && !gpu_in_use(other))
            e = start(other, other_workload);
        runner_serve_next();
    }
    if (!e)
        e = counters_read(asid, &after);
    enum fw_error ended = runner_wait();
    if (e || ended)
        return e ? e : ended;
    *cycles = after.value[MP_MGMT_CYCLES] - before.value[MP_MGMT_CYCLES];
    return FW_OK;
}

enum fw_error colour_measure(unsigned asid, unsigned workload, unsigned other, unsigned other_workload,
                             struct colour_times *t)
{
    if (!gmmu_space(asid) || !gmmu_space(other))
        return FW_ENOENT;
    if (gmmu_space(asid)->instance == gmmu_space(other)->instance)
        return FW_EINVAL;
    enum fw_error e =
        run(other, other_workload, asid, workload, true, &t->alone); /* both fill TLBs and caches, */
    for (unsigned i = 0; !e && i < 2; i++)                           /* and faults map their pages */
        e = run(asid, workload, other, other_workload, true, &t->alone);
    return e ? e : run(asid, workload, other, other_workload, false, &t->together);
}
