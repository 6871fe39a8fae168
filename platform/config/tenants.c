/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of tenants: what each runs, and which share of the machine it gets. */
#include <string.h>

#include "config/internal.h"
#include "vm/frames/coloured.h"

const char *const mp_tenant_field_name[MP_TENANT_FIELDS] = {
    "app", "size", "input", "trace", "page_bytes", "slices", "sms", "colours", "managed"};

bool mp_config_is_external(const struct mp_tenant_config *tenant)
{
    return tenant->app && strcmp(tenant->app, MP_EXTERNAL) == 0;
}

/* Tenants get SMs in whole TPCs, because the SMs of a TPC share an L1 TLB. */
static int check_sms(const struct mp_settings *s, unsigned i, struct mp_error *err)
{
    const struct mp_config *c = s->config;
    const struct mp_tenant_config *t = &c->tenant[i];
    uint64_t per_tpc = c->machine.sms_per_tpc;
    if (t->slices)
        return mp_fail_at(
            err, &s->tenant[i][MP_TENANT_SLICES],
            "tenants.%u asks for slices, which machine.sharing = mps does not have; use sms, or "
            "nothing for an equal share",
            i);
    if (mp_config_shares_sms(c)) {
        bool threads = mp_config_is(c, "machine.sharing", "threads");
        uint64_t must = threads && c->tenant[0].sms <= mp_config_sms(c) ? c->tenant[0].sms : mp_config_sms(c);
        return t->sms && t->sms == must
                   ? 0
                   : mp_fail_at(err,
                                s->tenant[i][MP_TENANT_SMS].where ? &s->tenant[i][MP_TENANT_SMS] : &s->whole,
                                "tenants.%u gets %s of %ju SMs under machine.sharing = %s; %s%ju", i,
                                threads ? "the warps" : "turns", (uintmax_t)t->sms,
                                mp_choice("machine.sharing", c->machine.sharing),
                                threads && i ? "as tenants.0, "
                                : threads    ? "at most "
                                             : "all ",
                                (uintmax_t)must);
    }
    if (t->sms == 0 || t->sms % per_tpc)
        return mp_fail_at(err, s->tenant[i][MP_TENANT_SMS].where ? &s->tenant[i][MP_TENANT_SMS] : &s->whole,
                          "tenants.%u gets %ju SMs; a multiple of machine.sms_per_tpc = %ju", i,
                          (uintmax_t)t->sms, (uintmax_t)per_tpc);
    return 0;
}

int mp_tenant_check(const struct mp_settings *s, unsigned i, struct mp_error *err)
{
    static const char *const sizes[] = {"small",  "medium", "paper",  "star", "mesc",
                                        "neidty", "fgpu",   "star-s", "uvm"};
    const struct mp_tenant_config *t = &s->config->tenant[i];
    const struct mp_origin *origin = s->tenant[i];
    struct mp_origin both = {0}; /* where one of its fields was set last */
    for (unsigned f = 0; f < MP_TENANT_FIELDS; f++)
        mp_origin_later(&both, &origin[f]);
    if (!both.where)
        both = s->whole;
    const bool external = mp_config_is_external(t);
    if (!t->app && !t->trace)
        return mp_fail_at(err, &both, "tenants.%u runs nothing; set app and size, or trace", i);
    if (t->app && t->trace)
        return mp_fail_at(
            err, &both,
            "tenants.%u has both an app and a trace; keep one of them (tenants.%u.app= clears it)", i, i);
    if (external && (t->size || t->input))
        return mp_fail_at(err, &both,
                          "tenants.%u has a %s, which an external one does not use; app: external", i,
                          t->size ? "size" : "input");
    if (t->app && !t->size && !external)
        return mp_fail_at(err, &origin[MP_TENANT_APP],
                          "tenants.%u has no size; small, medium, paper, star, star-s, mesc, "
                          "neidty, fgpu or uvm",
                          i);
    if (t->trace && (t->size || t->input))
        return mp_fail_at(
            err, &both, "tenants.%u has a trace, which has its %s already; only trace and slices are allowed",
            i, t->size ? "size" : "input");
    bool known = !t->size;
    for (unsigned k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
        known = known || strcmp(t->size, sizes[k]) == 0;
    if (!known)
        return mp_fail_at(err, &origin[MP_TENANT_SIZE],
                          "tenants.%u.size = '%.60s' is not a size; small, medium, paper, "
                          "star, star-s, mesc, neidty, fgpu or uvm",
                          i, t->size);
    if (mp_config_is_mps(s->config))
        return check_sms(s, i, err);
    if (t->sms)
        return mp_fail_at(
            err, &origin[MP_TENANT_SMS],
            "tenants.%u asks for SMs, which MIG assigns by slices; use slices, or machine.sharing = mps", i);
    if (t->slices == 0)
        return mp_fail_at(err, origin[MP_TENANT_SLICES].where ? &origin[MP_TENANT_SLICES] : &both,
                          "tenants.%u has no slices; 1, 2, 3, 4 or 7 (GPC slices)", i);
    if (t->slices > 7 || t->slices == 5 || t->slices == 6)
        return mp_fail_at(err, origin[MP_TENANT_SLICES].where ? &origin[MP_TENANT_SLICES] : &both,
                          "tenants.%u.slices = %ju is not a MIG instance; 1, 2, 3, 4 or 7 (GPC slices)", i,
                          (uintmax_t)t->slices);
    return 0;
}

/* Tenants get colours in their order, as they get SMs. */
static int check_colours(const struct mp_settings *s, struct mp_error *err)
{
    const struct mp_config *c = s->config;
    struct mp_origin origin = {0};
    uint64_t asked = 0;
    unsigned asking = 0;
    for (unsigned i = 0; i < c->ntenants; i++) {
        asked += c->tenant[i].colours;
        asking += c->tenant[i].colours != 0;
        if (c->tenant[i].colours)
            mp_origin_later(&origin, &s->tenant[i][MP_TENANT_COLOURS]);
    }
    if (!asking)
        return 0;
    if (!mp_config_is(c, "vm.frames", "coloured"))
        return mp_fail_at(err, &origin, "tenants have colours, and vm.frames = %s gives pages none; coloured",
                          mp_choice("vm.frames", (uint32_t)c->vm.frames));
    if (asking != c->ntenants)
        return mp_fail_at(err, &origin, "%u of %u tenants have colours; all or none", asking, c->ntenants);
    const uint64_t there = mp_config_values(c, &mp_frames_coloured.design).v[0];
    return asked <= there ? 0
                          : mp_fail_at(err, &origin,
                                       "tenants ask for %ju colours of vm.colours = %ju; %ju in all at most",
                                       (uintmax_t)asked, (uintmax_t)there, (uintmax_t)there);
}

void mp_config_share_sms(struct mp_config *config)
{
    uint64_t left = mp_config_sms(config), per_tpc = config->machine.sms_per_tpc;
    unsigned asking = 0;
    if (mp_config_shares_sms(config)) {
        uint64_t share = mp_config_is(config, "machine.sharing", "threads") && config->ntenants
                             ? left / config->ntenants
                             : left;
        for (unsigned i = 0; i < config->ntenants; i++)
            config->tenant[i].sms = config->tenant[i].sms ? config->tenant[i].sms : share;
        return;
    }
    for (unsigned i = 0; i < config->ntenants; i++) {
        left -= config->tenant[i].sms < left ? config->tenant[i].sms : left;
        asking += config->tenant[i].sms == 0;
    }
    for (unsigned i = 0; mp_config_is_mps(config) && i < config->ntenants; i++) {
        if (config->tenant[i].sms)
            continue;
        config->tenant[i].sms = asking > 1 ? left / asking / per_tpc * per_tpc : left;
        left -= config->tenant[i].sms;
        asking--;
    }
}

int mp_tenants_check_shares(const struct mp_settings *s, struct mp_error *err)
{
    const struct mp_config *c = s->config;
    bool mps = mp_config_is_mps(c);
    uint64_t asked = 0, there = mps ? mp_config_sms(c) : c->machine.slices;
    struct mp_origin origin = s->param[mp_param_find("machine.slices")];
    if (check_colours(s, err))
        return -1;
    for (unsigned i = 0; i < c->ntenants; i++)
        if (mp_tenant_check_pages(s, i, err))
            return -1;
    for (unsigned i = 0; i < c->ntenants; i++) {
        asked += mps ? c->tenant[i].sms : c->tenant[i].slices;
        mp_origin_later(&origin, &s->tenant[i][mps ? MP_TENANT_SMS : MP_TENANT_SLICES]);
    }
    if (asked <= there || mp_config_shares_sms(c))
        return 0;
    return mp_fail_at(err, &origin, "tenants ask for %ju %s of %s = %ju; %ju in all at most",
                      (uintmax_t)asked, mps ? "SMs" : "slices", mps ? "the machine's" : "machine.slices",
                      (uintmax_t)there, (uintmax_t)there);
}
