/* SPDX-License-Identifier: Apache-2.0 */
/* Two tenants on two MIG instances. The buffers of the first are mapped before it runs; those of the second
 * are mapped when they are first accessed, by the service of faults. At the end the program prints the GPU's
 * counters of both. */
#include <inttypes.h>
#include <stdio.h>

#include "fw/boot.h"
#include "fw/counters.h"
#include "fw/fault.h"
#include "fw/gmmu.h"
#include "fw/gpu.h"
#include "fw/mig.h"
#include "fw/runner.h"

enum { PAGE = 65536, TENANTS = 2 };

/* Tenant t has instance t, address space t and workload t. */
static const struct {
    unsigned slices;
    bool on_demand;
} tenants[TENANTS] = {{4, false}, {3, true}};

/* Maps or promises each buffer of the workload, in whole pages. */
static enum fw_error give_memory(unsigned t)
{
    struct mp_mgmt_memory buffer;
    for (unsigned i = 0; gpu_buffer(t, i, &buffer); i++) {
        uint64_t begin = buffer.base / PAGE * PAGE,
                 end = (buffer.base + buffer.bytes + PAGE - 1) / PAGE * PAGE;
        enum fw_error e =
            tenants[t].on_demand ? fault_promise(t, begin, end - begin) : gmmu_map(t, begin, end - begin);
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
    if (!e)
        printf("tenant %u: %u slices, %" PRIu64 " pages mapped\n", t, tenants[t].slices,
               gmmu_space(t)->pages);
    return e;
}

static enum fw_error report(unsigned t)
{
    struct counters c;
    enum fw_error e = counters_read(t, &c);
    if (e)
        return e;
    printf("tenant %u: %" PRIu64 " pages, %" PRIu64 " faults served, %" PRIu64 " replays\n", t,
           gmmu_space(t)->pages, fault_counts(t)->mapped, fault_counts(t)->replays);
    counters_print(&c);
    return FW_OK;
}

static enum fw_error run(void)
{
    enum fw_error e = boot();
    for (unsigned t = 0; !e && t < TENANTS; t++)
        e = arrive(t);
    for (unsigned t = 0; !e && t < TENANTS; t++)
        e = runner_start(t, t, t);
    if (!e)
        e = runner_wait(); /* sleeps, and serves faults, until both have ended */
    for (unsigned t = 0; !e && t < TENANTS; t++)
        e = report(t);
    return e;
}

int main(void)
{
    enum fw_error e = run();
    if (e)
        printf("tenants: %s\n", fw_error_text(e));
    return e != FW_OK; /* mempath firmware run fails if it is not 0 */
}
