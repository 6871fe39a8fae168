/* SPDX-License-Identifier: Apache-2.0 */
#include "slicer.h"

#include <stddef.h>

#include "clint.h"
#include "gpu.h"

/* A job whose launch is refused has ended. */
static bool queue(unsigned instance, struct slicer_job *j)
{
    j->end =
        j->slices ? runner_resume(&j->launch) : runner_follow(&j->launch, instance, j->asid, j->workload);
    j->ended = j->end != FW_OK;
    if (j->ended && j->slices)
        gpu_drop(j->launch.tag);
    j->slices += !j->ended;
    return !j->ended;
}

static bool waits(const struct slicer_job *j)
{
    return !j->ended && !j->launch.under_way;
}

/* Queues the next job of those that wait, after `now` in the list. Returns NULL if there is none. */
static struct slicer_job *queue_next(unsigned instance, struct slicer_job *job, unsigned jobs,
                                     const struct slicer_job *now)
{
    const unsigned at = (unsigned)(now - job);
    for (unsigned i = 1; i <= jobs; i++) {
        struct slicer_job *j = &job[(at + i) % jobs];
        if (waits(j) && queue(instance, j))
            return j;
    }
    return NULL;
}

static bool any_waits(const struct slicer_job *job, unsigned jobs)
{
    for (unsigned i = 0; i < jobs; i++)
        if (waits(&job[i]))
            return true;
    return false;
}

/* Serves everything until the job has ended, or the slice is over and another job waits. */
static void serve(const struct slicer_job *now, uint64_t ticks, bool others)
{
    struct clint_timer slice;
    clint_set(&slice, clint_now() + ticks);
    while (others && now->launch.under_way && !slice.rang)
        runner_serve_until(&slice);
    clint_clear(&slice);
    while (!others && now->launch.under_way)
        runner_serve_next();
}

/* The next job is queued at once, so it begins as soon as this one has stopped. A job that ends by itself
 * meanwhile is none to preempt, and neither is the next one then. */
static struct slicer_job *stop(unsigned instance, struct slicer_job *job, unsigned jobs,
                               struct slicer_job *now)
{
    const uint64_t asked = clint_now();
    gpu_preempt(instance);
    struct slicer_job *next = queue_next(instance, job, jobs, now);
    while (now->launch.under_way)
        runner_serve_next();
    const uint64_t took = clint_now() - asked;
    now->stopping += took;
    now->longest = took > now->longest ? took : now->longest;
    return next;
}

enum fw_error slicer_run(unsigned instance, struct slicer_job *job, unsigned jobs, uint64_t ticks)
{
    const uint64_t began = clint_now();
    enum fw_error failed = FW_OK;
    if (!ticks || !jobs)
        return FW_EINVAL;
    if (!gpu_contexts())
        return FW_EUNSUPPORTED;
    struct slicer_job *now = queue_next(instance, job, jobs, &job[jobs - 1]);
    while (now) {
        struct slicer_job *next = NULL;
        serve(now, ticks, any_waits(job, jobs));
        if (now->launch.under_way)
            next = stop(instance, job, jobs, now);
        now->end = now->launch.end;
        now->ended = now->end != FW_EPREEMPTED;
        now->preempted += !now->ended;
        now->ended_at = clint_now() - began;
        now = next ? next : queue_next(instance, job, jobs, now);
    }
    for (unsigned i = jobs; i--;)
        failed = job[i].end ? job[i].end : failed;
    return failed;
}
