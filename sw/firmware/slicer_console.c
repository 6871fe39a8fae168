/* SPDX-License-Identifier: Apache-2.0 */
#include "slicer_console.h"

#include <inttypes.h>
#include <stdbool.h>

#include "clint.h"
#include "gpu.h"
#include "print.h"
#include "slicer.h"

enum { JOBS = 3 };

/* What a job takes alone, and by turns. */
struct times {
    uint64_t alone, by_turns; /* ticks until its end, from the beginning of all */
    uint64_t cycles[2];       /* of its address space */
};

static uint64_t us(uint64_t ticks)
{
    return ticks / CLINT_TICKS_PER_US;
}

static uint64_t cycles(unsigned asid)
{
    uint64_t value[MP_MGMT_COUNTERS];
    return gpu_count(asid, value) ? 0 : value[MP_MGMT_CYCLES];
}

/* Both ways begin with TLBs that have nothing of the address spaces. */
static enum fw_error forget(const struct slicer_job *job, unsigned jobs)
{
    enum fw_error e = FW_OK;
    for (unsigned i = 0; !e && i < jobs; i++)
        e = gpu_invalidate(
            &(struct mp_mgmt_invalidation){.scope = MP_MGMT_ASID, .walk_cache = true, .asid = job[i].asid},
            NULL);
    return e;
}

static enum fw_error run_each(unsigned instance, struct slicer_job *job, struct times *t, unsigned jobs)
{
    const uint64_t began = clint_now();
    enum fw_error e = FW_OK;
    for (unsigned i = 0; !e && i < jobs; i++) {
        const uint64_t before = cycles(job[i].asid);
        e = runner_start(instance, job[i].asid, job[i].workload);
        if (!e)
            e = runner_wait();
        t[i].alone = clint_now() - began;
        t[i].cycles[0] = cycles(job[i].asid) - before;
    }
    return e;
}

static enum fw_error run_by_turns(unsigned instance, uint64_t ticks, struct slicer_job *job, struct times *t,
                                  unsigned jobs)
{
    for (unsigned i = 0; i < jobs; i++)
        t[i].cycles[1] = cycles(job[i].asid);
    enum fw_error e = slicer_run(instance, job, jobs, ticks);
    for (unsigned i = 0; i < jobs; i++) {
        t[i].cycles[1] = cycles(job[i].asid) - t[i].cycles[1];
        t[i].by_turns = job[i].ended_at;
    }
    return e;
}

static void print_jobs(const struct slicer_job *job, const struct times *t, unsigned jobs)
{
    print("                                              cycles               end after\n"
          "space workload  slices  preempted  longest stop   in sequence     by turns  in sequence     by "
          "turns\n");
    for (unsigned i = 0; i < jobs; i++)
        print("%5u %8u %7u %10u %10" PRIu64 " us %13" PRIu64 " %12" PRIu64 " %9" PRIu64 " us %9" PRIu64
              " us\n",
              job[i].asid, job[i].workload, job[i].slices, job[i].preempted, us(job[i].longest),
              t[i].cycles[0], t[i].cycles[1], us(t[i].alone), us(t[i].by_turns));
}

static void print_sum(const struct slicer_job *job, const struct times *t, unsigned jobs)
{
    uint64_t alone = t[jobs - 1].alone, by_turns = 0, stops = 0, stopping = 0;
    for (unsigned i = 0; i < jobs; i++) {
        by_turns = t[i].by_turns > by_turns ? t[i].by_turns : by_turns;
        stops += job[i].preempted;
        stopping += job[i].stopping;
    }
    const int64_t permille = alone ? (int64_t)(by_turns * 1000 / alone) - 1000 : 0;
    print("one after the other %" PRIu64 " us, by turns %" PRIu64 " us (%s%" PRId64 ".%" PRId64
          " %%); %" PRIu64 " stops, %" PRIu64 " us each\n",
          us(alone), us(by_turns), permille < 0 ? "-" : "+", (permille < 0 ? -permille : permille) / 10,
          (permille < 0 ? -permille : permille) % 10, stops, stops ? us(stopping / stops) : 0);
}

enum fw_error slicer_cmd(unsigned n, const uint64_t *number)
{
    struct slicer_job job[JOBS] = {0};
    struct times t[JOBS] = {0};
    const unsigned jobs = (n - 2) / 2;
    unsigned spaces = 0;
    if (n % 2 || number[0] >= MP_MGMT_INSTANCES || !number[1] || number[1] > UINT32_MAX)
        return FW_EINVAL;
    if (!gpu_contexts())
        return FW_EUNSUPPORTED;
    for (unsigned i = 0; i < jobs; i++) {
        const uint64_t asid = number[2 + 2 * i], workload = number[3 + 2 * i];
        if (asid >= MP_MGMT_SPACES || workload >= gpu_workloads() || spaces >> asid & 1)
            return FW_EINVAL;
        spaces |= 1u << asid;
        job[i].asid = (unsigned)asid;
        job[i].workload = (unsigned)workload;
    }
    enum fw_error e = forget(job, jobs);
    if (!e)
        e = run_each((unsigned)number[0], job, t, jobs);
    if (!e)
        e = forget(job, jobs);
    if (!e)
        e = run_by_turns((unsigned)number[0], number[1] * CLINT_TICKS_PER_US, job, t, jobs);
    if (!e) {
        print_jobs(job, t, jobs);
        print_sum(job, t, jobs);
    }
    return e;
}
