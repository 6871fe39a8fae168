/* SPDX-License-Identifier: Apache-2.0 */
#include "watchdog.h"

#include <string.h>

#include "clint.h"
#include "gpu.h"
#include "recovery.h"

enum { PERIOD = 10 * CLINT_TICKS_PER_MS };
/* Numbers of periods without progress. A launch that runs makes progress in microseconds. */
enum { RESTART = 3, STOP = 6, LOST = 12 };

static struct {
    uint64_t looked;
    struct {
        uint64_t progress;
        unsigned idle;
    } instance[MP_MGMT_INSTANCES];
} watchdog;

void watchdog_init(void)
{
    memset(&watchdog, 0, sizeof watchdog);
}

static uint64_t progress_of(unsigned instance)
{
    uint64_t sum = 0, values[MP_MGMT_COUNTERS];
    for (unsigned a = 0; a < MP_MGMT_SPACES; a++)
        if (gpu_instance_of(a) == instance && !gpu_count(a, values))
            sum += values[MP_MGMT_INSTRUCTIONS] + values[MP_MGMT_ACCESSES];
    return sum;
}

static enum fw_error look(unsigned i)
{
    const uint64_t progress = gpu_is_busy(i) ? progress_of(i) : UINT64_MAX;
    unsigned *idle = &watchdog.instance[i].idle;
    *idle = progress == watchdog.instance[i].progress && progress != UINT64_MAX ? *idle + 1 : 0;
    watchdog.instance[i].progress = progress;
    if (*idle == RESTART && !gpu_restart_walks(i))
        recovery_note(RECOVERY_RESTARTED_WALKS);
    if (*idle == STOP && !gpu_stop(i))
        recovery_note(RECOVERY_STOPPED_LAUNCH);
    return *idle == LOST ? FW_ETIMEOUT : FW_OK;
}

enum fw_error watchdog_look(void)
{
    const uint64_t now = clint_now();
    enum fw_error e = FW_OK;
    if (now - watchdog.looked < PERIOD)
        return FW_OK;
    watchdog.looked = now;
    for (unsigned i = 0; i < MP_MGMT_INSTANCES; i++) {
        enum fw_error lost = look(i);
        e = e ? e : lost;
    }
    return e;
}
