/* SPDX-License-Identifier: Apache-2.0 */
/* A page moves to the GPU at its first access. */
#include "uvm/migrate.h"

static bool stays(const struct mp_uvm_pressure *p, bool store)
{
    (void)p, (void)store;
    return false;
}

const struct mp_uvm_migrate mp_uvm_migrate_first_touch = {
    .design = {.name = "first-touch", .title = "a page moves at its first access"}, .stays = stays};
