/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/machine/machine.h"
#include "gpu/configure.h"

/* A preset has no tenants, and without them no instances and thus no blocks. */
static void give_tenant(struct mp_config *c)
{
    c->ntenants = 1;
    c->tenant[0] = (struct mp_tenant_config){0};
    if (mp_config_is_mps(c))
        c->tenant[0].sms = mp_config_sms(c);
    else
        c->tenant[0].slices = c->machine.slices;
}

int machine_load(struct machine *m, const char *name, unsigned noverrides, const char *const *overrides,
                 struct mp_error *err)
{
    *m = (struct machine){0};
    if (mp_config_load(&m->config, name, noverrides, overrides, err))
        return -1;
    m->bare = !m->config.ntenants;
    if (m->bare)
        give_tenant(&m->config);
    mp_machine_configure(&m->description, &m->config);
    if (!mp_plan_init(&m->plan, &m->description, err))
        return 0;
    machine_free(m);
    return -1;
}

void machine_free(struct machine *m)
{
    mp_plan_free(&m->plan);
    mp_config_free(&m->config);
}
