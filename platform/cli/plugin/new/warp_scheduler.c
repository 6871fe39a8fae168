/* SPDX-License-Identifier: Apache-2.0 */
/* The warp scheduler @NAME@: after each instruction the next warp that is ready has the turn, as under lrr.
 * sm/scheduler.h says what the function and the flag mean. A scheduler has no state, and gets no parameters.
 */
#include "engine/plugin.h"
#include "sm/scheduler.h"

static unsigned pick(uint64_t ready, const uint64_t *age, unsigned last, bool same_warp)
{
    unsigned slot = last;
    (void)age;
    (void)same_warp;
    do
        slot = (slot + 1) % 64;
    while (!(ready >> slot & 1));
    return slot;
}

static const struct mp_warp_scheduler scheduler = {
    .design = {.name = "@NAME@", .title = "one warp after the other"},
    .pick = pick,
    .takes_turns = true,
};

static const struct mp_plugin_design designs[] = {{"warp_scheduler", &scheduler}, {0}};
const struct mp_plugin mempath_plugin = {MP_PLUGIN_INTERFACE, "@NAME@", designs, NULL};
