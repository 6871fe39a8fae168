/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of the host stay there. */
#include "uvm/migrate.h"

static bool stays(const struct mp_uvm_pressure *p, bool store)
{
    (void)p, (void)store;
    return true;
}

const struct mp_uvm_migrate mp_uvm_migrate_host = {
    .design = {.name = "host", .title = "pages of the host stay there"}, .stays = stays};
