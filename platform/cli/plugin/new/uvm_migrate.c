/* SPDX-License-Identifier: Apache-2.0 */
/* The migration policy @NAME@ of unified memory: a page moves to the GPU at its first access, as under
 * first-touch. uvm/migrate.h says what the functions have to do. */
#include "engine/plugin.h"
#include "uvm/migrate.h"

static bool stays(const struct mp_uvm_pressure *p, bool store)
{
    (void)p, (void)store;
    return false;
}

static const struct mp_uvm_migrate migrate = {
    .design = {.name = "@NAME@", .title = "a page moves at its first access"},
    .stays = stays,
};

static const struct mp_plugin_design designs[] = {{"uvm_migrate", &migrate}, {0}};
const struct mp_plugin mempath_plugin = {MP_PLUGIN_INTERFACE, "@NAME@", designs, NULL};
