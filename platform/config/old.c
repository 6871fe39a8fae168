/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters that have been replaced. Files, stored configurations of earlier revisions and --set may
 * still contain them. Each value is translated to that of the parameter that replaced it; a parameter without
 * values in the table only has another path. */
#include <string.h>

#include "config/internal.h"

const char *const mp_old_param[MP_OLD_PARAMS] = {
    "machine.tlb_levels", "l2_tlb.per_tenant",    "walk.per_tenant", "walk.pwc_fill",
    "walk.thresholds",    "walk.queue_threshold", "walk.epoch"};

static const struct {
    const char *path, *value, *now, *text;
} old[] = {
    {"machine.tlb_levels", "2", "l3_tlb.per", "none"},
    {"machine.tlb_levels", "3", "l3_tlb.per", "machine"},
    {"l2_tlb.per_tenant", "false", "l2_tlb.per", "slice"},
    {"l2_tlb.per_tenant", "true", "l2_tlb.per", "tenant"},
    {"walk.per_tenant", "false", "walk.per", "instance"},
    {"walk.per_tenant", "true", "walk.per", "tenant"},
    {"walk.pwc_fill", NULL, "walk.method", NULL},
    {"walk.thresholds", NULL, "dws++.thresholds", NULL},
    {"walk.queue_threshold", NULL, "dws++.queue_threshold", NULL},
    {"walk.epoch", NULL, "dws++.epoch", NULL},
};

unsigned mp_old_find(const char *path)
{
    unsigned i = 0;
    while (i < MP_OLD_PARAMS && strcmp(mp_old_param[i], path) != 0)
        i++;
    return i;
}

bool mp_param_was(const char *path)
{
    return mp_old_find(path) < MP_OLD_PARAMS;
}

int mp_set_old(struct mp_settings *settings, unsigned i, const char *text, struct mp_origin origin,
               struct mp_error *err)
{
    const char *now = "";
    char allowed[128] = "";
    for (unsigned k = 0; k < sizeof old / sizeof *old; k++) {
        size_t used = strlen(allowed);
        if (strcmp(old[k].path, mp_old_param[i]) != 0)
            continue;
        if (!old[k].value || strcmp(old[k].value, text) == 0)
            return mp_set_param(settings, mp_param_find(old[k].now), old[k].value ? old[k].text : text,
                                origin, err);
        now = old[k].now;
        snprintf(allowed + used, sizeof allowed - used, "%s%s for %s", used ? ", " : "", old[k].text,
                 old[k].value);
    }
    return mp_fail_at(err, &origin, "%s = '%.60s' is no longer a parameter; %s: %s", mp_old_param[i], text,
                      now, allowed);
}
