/* SPDX-License-Identifier: Apache-2.0 */
#include "runner.h"

#include "fault.h"
#include "gmmu.h"
#include "gpu.h"
#include "request.h"

static struct {
    uint32_t tag; /* tag of the next launch */
    unsigned under_way;
    enum fw_error failed; /* error of the first launch that failed */
    struct {
        uint32_t tag;
        runner_ended *ended; /* NULL: free */
    } other[MP_MGMT_QUEUE];  /* launches of runner_start_for */
} runner;

#define FAULTS (MP_GPU_INT_STATUS_FAULT | MP_GPU_INT_STATUS_FAULT_HELD)
#define EVENTS (FAULTS | MP_GPU_INT_STATUS_DONE | MP_GPU_INT_STATUS_MEMORY)

static enum fw_error start(unsigned instance, unsigned asid, unsigned workload)
{
    struct mp_mgmt_launch l = {instance, asid, workload, runner.tag};
    const struct gmmu_space *s = gmmu_space(asid);
    struct contiguity found;
    enum fw_error e = s && s->unscanned ? gmmu_scan(asid, &found) : FW_OK;
    gpu_take_requests();
    if (!e)
        e = gpu_launch(&l);
    runner.tag += !e;
    return e;
}

enum fw_error runner_start(unsigned instance, unsigned asid, unsigned workload)
{
    enum fw_error e = start(instance, asid, workload);
    runner.under_way += !e;
    return e;
}

enum fw_error runner_start_for(unsigned instance, unsigned asid, unsigned workload, runner_ended *ended,
                               uint32_t *tag)
{
    unsigned i = 0;
    while (i < MP_MGMT_QUEUE && runner.other[i].ended)
        i++;
    if (i == MP_MGMT_QUEUE)
        return FW_ENOMEM;
    *tag = runner.other[i].tag = runner.tag;
    enum fw_error e = start(instance, asid, workload);
    runner.other[i].ended = e ? NULL : ended;
    return e;
}

/* Whether another than runner_wait waits for the launch; it is informed. */
static bool is_other(uint32_t tag, enum fw_error end)
{
    for (unsigned i = 0; i < MP_MGMT_QUEUE; i++)
        if (runner.other[i].ended && runner.other[i].tag == tag) {
            runner.other[i].ended(tag, end);
            runner.other[i].ended = NULL;
            return true;
        }
    return false;
}

static void collect(void)
{
    enum fw_error end;
    for (uint32_t tag; gpu_completion(&tag, &end);) {
        if (is_other(tag, end))
            continue;
        runner.under_way--;
        runner.failed = runner.failed ? runner.failed : end;
    }
}

static void serve(uint32_t events)
{
    if (events & FAULTS)
        fault_service();
    if (events & MP_GPU_INT_STATUS_MEMORY)
        request_service();
    collect();
}

unsigned runner_serve(void)
{
    serve(gpu_take(EVENTS));
    return runner.under_way;
}

bool runner_rang(void)
{
    return gpu_rang(EVENTS);
}

unsigned runner_serve_next(void)
{
    if (runner.under_way)
        serve(gpu_wait(EVENTS));
    return runner.under_way;
}

enum fw_error runner_wait(void)
{
    collect();
    while (runner_serve_next())
        ;
    enum fw_error failed = runner.failed;
    runner.failed = FW_OK;
    return failed;
}
