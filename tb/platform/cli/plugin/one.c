/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin with one or two designs that never run, for refusals.sh, which defines what is wrong in it. */
#include "engine/plugin.h"
#include "sm/scheduler.h"
#include "walk/scheduler/scheduler.h"

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
#define SHARED       MP_WALK_OWNERS_PARAM,

static unsigned pick(uint64_t ready, const uint64_t *age, unsigned last, bool same_warp)
{
    (void)last;
    (void)same_warp;
    return mp_oldest_warp(ready, age);
}

static const struct mp_design_param params[] = {PARAMS{0}};
static const struct mp_warp_scheduler design = {.design = {.name = NAME, .title = TITLE, .params = params},
                                                .pick = pick};
/* A design of any other kind, with all functions. */
static const struct {
    struct mp_design design;
    void *function[40];
} any = {.design = {.name = NAME, .title = TITLE, .params = params}, .function = {[0 ... 39] = (void *)pick}};
static const struct mp_plugin_design designs[] = {DESIGNS{0}};
static const void *const unused[] __attribute__((unused)) = {&design, &any, designs};
const struct mp_plugin SYMBOL = {INTERFACE, PLUGIN, designs, MODULES};
