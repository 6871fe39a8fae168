/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plugin: a shared object with designs, which the program adds to its own lists when it starts (--plugin).
 * It defines one symbol, mempath_plugin:
 *
 *   static const struct mp_plugin_design designs[] = {{"tlb_policy", &mine}, {0}};
 *   const struct mp_plugin mempath_plugin = {MP_PLUGIN_INTERFACE, "mine", designs, NULL};
 *
 * A design is a constant of the structure that its kind has: a struct mp_tlb_policy here. It may call all
 * functions of the models that the program contains; the program and the plugin are compiled with the same
 * headers. Names of designs are unique among all kinds, and are of lower-case letters, digits and '_'.
 *
 * In C++ it may also have SystemC modules that are attached to a run's machine (gpu/tlm/plugin.h).
 */
#ifndef MP_ENGINE_PLUGIN_H
#define MP_ENGINE_PLUGIN_H

#include "engine/design.h"
#include "engine/plugin_interface.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_plugin_design {
    const char *kind;   /* "tlb_policy", "walk_scheduler", ...: the name of the structure without mp_ */
    const void *design; /* a structure of this kind, which lives as long as the program */
};

struct mp_hooks; /* gpu/tlm/plugin.h */

struct mp_plugin {
    const char *interface;                  /* MP_PLUGIN_INTERFACE */
    const char *name;                       /* of the plugin, for the rows of its runs */
    const struct mp_plugin_design *designs; /* ends with a NULL kind; or NULL */
    void (*modules)(struct mp_hooks *);     /* called once per run, before its machine is built; or NULL */
};

extern const struct mp_plugin mempath_plugin; /* what the plugin defines */

#ifdef __cplusplus
}
#endif
#endif
