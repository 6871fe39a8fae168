/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/watchdog.h"

void mp_watchdog_init(struct mp_watchdog *w, uint64_t cycles)
{
    *w = (struct mp_watchdog){.cycles = cycles};
}

bool mp_watchdog_look(struct mp_watchdog *w, unsigned tenant, uint64_t progress, bool blocked, uint64_t now)
{
    if (!blocked || !w->tenant[tenant].seen || progress != w->tenant[tenant].progress) {
        w->tenant[tenant].progress = progress;
        w->tenant[tenant].since = now;
        w->tenant[tenant].seen = blocked;
        return false;
    }
    return now - w->tenant[tenant].since >= w->cycles;
}
