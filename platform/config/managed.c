/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of managed memory. */
#include <string.h>

#include "config/internal.h"
#include "host/host.h"
#include "vm/frames/allocator.h"
#include "vm/page_format.h"
#include "vm/tables/design.h"

bool mp_config_has_managed(const struct mp_config *c)
{
    bool managed = false;
    for (unsigned t = 0; t < c->ntenants; t++)
        managed |= c->tenant[t].managed;
    return managed;
}

bool mp_config_maps_host(const struct mp_config *c)
{
    return mp_config_has_managed(c) && (c->uvm.thrashing || !mp_config_is(c, "uvm.migrate", "first-touch"));
}

/* Whether entries can lead to host memory. */
static bool reaches_host(const struct mp_config *c)
{
    const struct mp_page_format *f =
        mp_page_format_find(mp_config_word(c, "vm.format"), c->machine.page_bytes);
    const struct mp_pte_form *leaf = f ? f->form[f->levels - 1] : NULL;
    return leaf && leaf->address << leaf->shift & ~(MP_HOST_MEMORY - 1);
}

/* Machines that managed memory does not have: a parameter, its value, and what it must be. */
static int check_machine(const struct mp_settings *s, unsigned tenant, struct mp_error *err)
{
    const struct mp_config *c = s->config;
    const struct mp_frame_allocator *frames = mp_frame_allocator_find(mp_config_word(c, "vm.frames"));
    const struct mp_page_table_design *table = mp_page_table_design_find(mp_config_word(c, "vm.table"));
    const struct {
        bool bad;
        const char *path, *allowed;
    } rule[] = {{c->machine.page_bytes > 65536, "machine.page_bytes", "4096 or 65536"},
                {mp_config_is(c, "sm.translate", "after"), "sm.translate", "before"},
                {!frames->larger, "vm.frames", "ascending or buddy"},
                {!table->tree, "vm.table", "radix"},
                {mp_config_maps_host(c) && !reaches_host(c), "vm.format",
                 "one whose entries have more than 40 address bits, if uvm.migrate is not first-touch or "
                 "uvm.thrashing is true"}};
    for (unsigned i = 0; i < sizeof rule / sizeof *rule; i++) {
        const unsigned at = mp_param_find(rule[i].path);
        struct mp_origin origin = s->tenant[tenant][MP_TENANT_MANAGED];
        char number[24];
        mp_origin_later(&origin, &s->param[at]);
        snprintf(number, sizeof number, "%ju", (uintmax_t)mp_param_get(c, at));
        if (rule[i].bad)
            return mp_fail_at(err, &origin, "tenants.%u.managed with %s = %s; %s", tenant, rule[i].path,
                              mp_param_kind(at) == MP_CHOICE ? mp_config_word(c, rule[i].path) : number,
                              rule[i].allowed);
    }
    return 0;
}

/* Managed buffers have pages of one size. */
static int check_tenant(const struct mp_settings *s, unsigned tenant, struct mp_error *err)
{
    const struct mp_config *c = s->config;
    if (mp_config_is_external(&c->tenant[tenant]))
        return mp_fail_at(err, &s->tenant[tenant][MP_TENANT_MANAGED],
                          "tenants.%u.managed of an external tenant, which allocates nothing; false", tenant);
    if (mp_config_pages(c, tenant).sizes != c->machine.page_bytes)
        return mp_fail_at(err, &s->tenant[tenant][MP_TENANT_PAGES],
                          "tenants.%u.managed with tenants.%u.page_bytes = %s; machine.page_bytes = %ju",
                          tenant, tenant, c->tenant[tenant].page_bytes, (uintmax_t)c->machine.page_bytes);
    return check_machine(s, tenant, err);
}

/* Each address space keeps the memory of a 2 MB that is served, so those of an instance need one each. */
int mp_managed_check(const struct mp_settings *s, struct mp_error *err)
{
    const struct mp_config *c = s->config;
    unsigned managed = 0;
    for (unsigned t = 0; t < c->ntenants; t++) {
        if (c->tenant[t].managed && check_tenant(s, t, err))
            return -1;
        managed += c->tenant[t].managed;
    }
    const unsigned least = mp_config_is_mps(c) ? managed : managed > 0;
    if (!c->uvm.chunks || c->uvm.chunks >= least)
        return 0;
    return mp_fail_at(err, &s->param[mp_param_find("uvm.chunks")],
                      "uvm.chunks = %ju for %u managed tenants that share them; 0, or %u at least",
                      (uintmax_t)c->uvm.chunks, managed, least);
}
