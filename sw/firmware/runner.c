/* SPDX-License-Identifier: Apache-2.0 */
#include "runner.h"

#include <stdbool.h>

#include "fault.h"
#include "gpu.h"

static struct {
    uint32_t tag; /* of the next launch */
    unsigned under_way;
} runner;

enum fw_error runner_start(unsigned instance, unsigned asid, unsigned workload)
{
    struct mp_mgmt_launch l = {instance, asid, workload, runner.tag};
    enum fw_error e = gpu_launch(&l);
    runner.tag += !e;
    runner.under_way += !e;
    return e;
}

static enum fw_error collect(void)
{
    enum fw_error first = FW_OK, end;
    for (uint32_t tag; gpu_completion(&tag, &end); runner.under_way--)
        first = first ? first : end;
    return first;
}

enum fw_error runner_wait(void)
{
    enum fw_error first = collect();
    while (runner.under_way) {
        uint32_t events =
            gpu_wait(MP_GPU_INT_STATUS_FAULT | MP_GPU_INT_STATUS_FAULT_HELD | MP_GPU_INT_STATUS_DONE);
        if (events & (MP_GPU_INT_STATUS_FAULT | MP_GPU_INT_STATUS_FAULT_HELD))
            fault_service();
        enum fw_error e = collect();
        first = first ? first : e;
    }
    return first;
}
