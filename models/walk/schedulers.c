/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "walk/scheduler.h"

const struct mp_walk_scheduler *const mp_walk_schedulers[] = {&mp_walk_fcfs, &mp_walk_static, &mp_walk_dws,
                                                              &mp_walk_dwspp, NULL};

const struct mp_walk_scheduler *mp_walk_scheduler_find(const char *name)
{
    for (unsigned i = 0; mp_walk_schedulers[i]; i++)
        if (!strcmp(mp_walk_schedulers[i]->name, name))
            return mp_walk_schedulers[i];
    return NULL;
}
