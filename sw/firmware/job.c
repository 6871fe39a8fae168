/* SPDX-License-Identifier: Apache-2.0 */
#include "job.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>

#include "counters.h"
#include "fault.h"
#include "gmmu.h"
#include "gpu.h"
#include "mig.h"
#include "print.h"
#include "runner.h"

enum { PAGE = 65536, L3 = 3 };

/* Tenant i runs workload i on instance i in address space i. */
enum { TENANTS = 3 };
static const struct {
    unsigned slices;
    bool on_demand; /* its pages are mapped on faults */
} tenants[TENANTS] = {{3, false}, {2, false}, {2, true}};

static const struct {
    const char *name;
    enum mp_mgmt_policy policy;
} designs[] = {{"baseline", MP_MGMT_POLICY_SUBENTRY}, {"STAR", MP_MGMT_POLICY_STAR}};
enum { DESIGNS = sizeof designs / sizeof *designs };

/* Maps or promises the workload's buffers. */
static enum fw_error give_memory(unsigned t)
{
    struct mp_mgmt_memory b;
    for (unsigned i = 0; gpu_buffer(t, i, &b); i++) {
        uint64_t va = b.base & -(uint64_t)PAGE,
                 bytes = ((b.base + b.bytes + PAGE - 1) & -(uint64_t)PAGE) - va;
        enum fw_error e = tenants[t].on_demand ? fault_promise(t, va, bytes) : gmmu_map(t, va, bytes);
        if (e)
            return e;
    }
    return FW_OK;
}

static enum fw_error arrive(unsigned t)
{
    enum fw_error e = mig_create(t, tenants[t].slices);
    if (!e)
        e = mig_space_open(t, t, PAGE);
    if (!e)
        e = give_memory(t);
    const struct mig_instance *m = mig_instance(t);
    if (!e)
        print("tenant %u: %ug, %" PRIu64 " MB at 0x%" PRIx64 ", %" PRIu64 " pages mapped%s\n", t, m->slices,
              m->bytes >> 20, m->base, gmmu_space(t)->pages,
              tenants[t].on_demand ? ", others on demand" : "");
    return e;
}

/* Prints the counters of a tenant's run. */
struct tally {
    struct counters counters;
    struct fault_counts faults;
};

static enum fw_error take(unsigned t, struct tally *tally)
{
    tally->faults = *fault_counts(t);
    return counters_read(t, &tally->counters);
}

static void report(unsigned t, const struct counters *c, const struct tally *before)
{
    const struct fault_counts *f = fault_counts(t);
    print("tenant %u: %" PRIu64 " pages\n", t, gmmu_space(t)->pages);
    counters_print(c);
    if (tenants[t].on_demand)
        print("  faults: %" PRIu64 " reported, %" PRIu64 " pages mapped, %" PRIu64 " replays\n",
              f->reported - before->faults.reported, f->mapped - before->faults.mapped,
              f->replays - before->faults.replays);
}

static enum fw_error run_tenants(struct counters counted[TENANTS])
{
    struct tally before[TENANTS], now;
    enum fw_error e = FW_OK;
    for (unsigned t = 0; !e && t < TENANTS; t++)
        e = arrive(t);
    for (unsigned t = 0; !e && t < TENANTS; t++)
        e = take(t, &before[t]);
    for (unsigned t = 0; !e && t < TENANTS; t++)
        e = runner_start(t, t, t);
    enum fw_error end = runner_wait();
    e = e ? e : end;
    for (unsigned t = 0; !e && t < TENANTS; t++) {
        e = take(t, &now);
        counted[t] = counters_since(&now.counters, &before[t].counters);
        report(t, &counted[t], &before[t]);
    }
    return e;
}

static enum fw_error leave_all(void)
{
    enum fw_error e = FW_OK;
    for (unsigned t = 0; !e && t < TENANTS; t++)
        e = mig_instance(t) ? mig_destroy(t) : FW_OK;
    return e;
}

static void compare(struct counters counted[DESIGNS][TENANTS])
{
    print("\n%-8s %16s %16s %16s %16s\n", "tenant", "cycles", "with STAR", "L3 TLB misses", "with STAR");
    for (unsigned t = 0; t < TENANTS; t++)
        print("%-8u %16" PRIu64 " %16" PRIu64 " %16" PRIu64 " %16" PRIu64 "\n", t,
              counted[0][t].value[MP_MGMT_CYCLES], counted[1][t].value[MP_MGMT_CYCLES],
              counted[0][t].value[MP_MGMT_L3_TLB_MISSES], counted[1][t].value[MP_MGMT_L3_TLB_MISSES]);
}

enum fw_error job_run(void)
{
    static struct counters counted[DESIGNS][TENANTS];
    if (gpu_workloads() < TENANTS) {
        print("job: %u workloads, and %d are needed\n", gpu_workloads(), TENANTS);
        return FW_ENOENT;
    }
    for (unsigned d = 0; d < DESIGNS; d++) {
        print("\n--- L3 TLB: %s\n", designs[d].name);
        enum fw_error e = gpu_tlb_set(L3, designs[d].policy);
        if (!e)
            e = run_tenants(counted[d]);
        enum fw_error left = leave_all();
        if (e || left)
            return e ? e : left;
    }
    compare(counted);
    return FW_OK;
}
