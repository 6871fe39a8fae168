/* SPDX-License-Identifier: Apache-2.0 */
#include "watchdog.h"

#include <stdbool.h>
#include <string.h>

#include "clint.h"
#include "gpu.h"
#include "recovery.h"

enum { PERIOD = 10 * CLINT_TICKS_PER_MS };
/* Numbers of periods without progress. A launch that runs makes progress in microseconds, and one that waits
 * for a time of its trace counts its cycles. */
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
            sum += values[MP_MGMT_INSTRUCTIONS] + values[MP_MGMT_ACCESSES] + values[MP_MGMT_IDLE_CYCLES];
    return sum;
}

/* Whether the launch on the instance is lost. */
static bool look(unsigned i)
{
    const uint64_t progress = gpu_is_busy(i) ? progress_of(i) : UINT64_MAX;
    unsigned *idle = &watchdog.instance[i].idle;
    *idle = progress == watchdog.instance[i].progress && progress != UINT64_MAX ? *idle + 1 : 0;
    watchdog.instance[i].progress = progress;
    if (*idle == RESTART && !gpu_restart_walks(i))
        recovery_note(RECOVERY_RESTARTED_WALKS);
    if (*idle == STOP && !gpu_stop(i))
        recovery_note(RECOVERY_STOPPED_LAUNCH);
    return *idle >= LOST;
}

unsigned watchdog_look(void)
{
    const uint64_t now = clint_now();
    unsigned lost = 0;
    if (now - watchdog.looked < PERIOD)
        return 0;
    watchdog.looked = now;
    for (unsigned i = 0; i < MP_MGMT_INSTANCES; i++)
        lost |= (unsigned)look(i) << i;
    return lost;
}
