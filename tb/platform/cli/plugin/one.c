/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin with one or two designs that never run, for refusals.sh, which defines what is wrong in it. */
#include "engine/plugin.h"
#include "sm/scheduler.h"

#ifndef INTERFACE
#define INTERFACE MP_PLUGIN_INTERFACE
#endif
#ifndef PLUGIN
#define PLUGIN "one"
#endif
#ifndef KIND
#define KIND "warp_scheduler"
#endif
#ifndef NAME
#define NAME "one"
#endif
#ifndef TITLE
#define TITLE "none"
#endif
#ifndef PARAMS
#define PARAMS
#endif
#ifndef DESIGNS
#define DESIGNS {KIND, &design},
#endif
#ifndef MODULES
#define MODULES NULL
#endif
#ifndef SYMBOL
#define SYMBOL mempath_plugin
#endif

#define NUMBER(name) {name, "times", NULL, 1, 0, 9, "test", "a number", 0},
#define SHARED                                                                                               \
    {".owners",                                                                                              \
     NULL,                                                                                                   \
     "interleaved|blocked",                                                                                  \
     0,                                                                                                      \
     0,                                                                                                      \
     0,                                                                                                      \
     "DWS artifact",                                                                                         \
     "static, dws, dws++: tenants own walkers in turn or in equal blocks",                                   \
     0},

static const struct mp_design_param params[] = {PARAMS{0}};
static const struct mp_warp_scheduler design = {.design = {.name = NAME, .title = TITLE, .params = params}};
static const struct mp_plugin_design designs[] = {DESIGNS{0}};
const struct mp_plugin SYMBOL = {INTERFACE, PLUGIN, designs, MODULES};
