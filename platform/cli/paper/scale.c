/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/paper/scale.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* What the SMs of a slice, or all SMs, share. Parameters of designs say so themselves (MP_DESIGN_SCALES).
 * db/evidence/README.md gives the reasons. */
static const size_t divided[] = {
    offsetof(struct mp_config, machine.tpcs_per_slice), offsetof(struct mp_config, machine.memory_per_slice),
    offsetof(struct mp_config, l2_tlb.entries),         offsetof(struct mp_config, l2_tlb.mshrs),
    offsetof(struct mp_config, l3_tlb.entries),         offsetof(struct mp_config, l3_tlb.mshrs),
    offsetof(struct mp_config, walk.walkers_per_slice), offsetof(struct mp_config, walk.queue),
    offsetof(struct mp_config, walk.pwc_entries),       offsetof(struct mp_config, l2d.bytes_per_slice),
    offsetof(struct mp_config, l2d.banks_per_slice),    offsetof(struct mp_config, dram.channels_per_slice),
    offsetof(struct mp_config, stats.reuse_sample),
};

/* Checks a configuration by parsing its text again. */
static int check(struct mp_config *config, struct mp_error *err)
{
    char *text = cli_have(mp_config_text(config)), *name = cli_have(strdup(config->name));
    mp_config_free(config);
    int failed = mp_config_load_text(config, name, text, strlen(text), 0, NULL, err);
    free(text);
    free(name);
    return failed;
}

static uint64_t smaller(uint64_t value, unsigned factor)
{
    return value > factor ? value / factor : value != 0;
}

int scale_config(struct mp_config *config, unsigned factor, struct mp_error *err)
{
    if (factor == 1)
        return 0;
    for (size_t i = 0; i < sizeof divided / sizeof *divided; i++) {
        uint64_t *value = (uint64_t *)(void *)((char *)config + divided[i]);
        *value = smaller(*value, factor);
    }
    for (unsigned i = 0; i < mp_nparams(); i++)
        if (mp_param(i)->flags & MP_DESIGN_SCALES)
            mp_param_put(config, i, smaller(mp_param_get(config, i), factor));
    for (unsigned t = 0; t < config->ntenants; t++) {
        char size[32];
        if (!config->tenant[t].size)
            continue;
        snprintf(size, sizeof size, "%s/%u", config->tenant[t].size, factor);
        free(config->tenant[t].size);
        config->tenant[t].size = cli_have(strdup(size));
    }
    return check(config, err);
}
