/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration of a run: the machine (params.def) and its tenants. */
#ifndef MP_CONFIG_H
#define MP_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/params.def"
#include "engine/design.h"
#include "engine/setting.h"
#include "engine/tenant.h"
#include "tlb/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MP_MOST_DESIGN_PARAMS 128u

#define MP_FIELD_U(field, ...) uint64_t field;
#define MP_FIELD_B(field, ...) bool field;
#define MP_FIELD_E(field, ...) uint32_t field; /* position in the list of choices */
#define MP_FIELD_D             MP_FIELD_E
#define MP_SECTION_STRUCT(section, PARAMS, title)                                                            \
    struct mp_##section##_config {                                                                           \
        PARAMS(MP_FIELD_U, MP_FIELD_B, MP_FIELD_E, MP_FIELD_D)                                               \
    };
MP_SECTIONS(MP_SECTION_STRUCT)

/* One application and its share of the GPU. Either app and size, or trace, or cl-recorded traces given as
 * trace.
 */
struct mp_tenant_config {
    char *app;       /* name of a project application, NULL when trace is given */
    char *size;      /* "small", "medium", "paper", "medium/8", "paper/8" */
    char *input;     /* graph file for BFS and PR, or NULL */
    char *trace;     /* path of a GWT file, or NULL */
    uint64_t slices; /* GPC slices of its MIG instance; 0 under MPS */
    uint64_t sms;    /* its SMs under MPS, where 0 asks for an equal share and is filled in; 0 under MIG */
};

#define MP_SECTION_MEMBER(section, PARAMS, title) struct mp_##section##_config section;
struct mp_config {
    char *name; /* of the file or preset */
    char *description;
    char *changes; /* "path=value path=value": overrides, and where a file of the user differs from the
                      shipped one below it; parameters first, then tenants'. Not part of the text. */
    MP_SECTIONS(MP_SECTION_MEMBER)
    uint64_t design[MP_MOST_DESIGN_PARAMS]; /* parameters of designs, for mp_config_values() */
    uint64_t seed;                          /* of everything random: inputs of the applications */
    unsigned ntenants;                      /* 0: a bare machine preset */
    struct mp_tenant_config tenant[MP_TENANTS];
};

/* Loads a preset or experiment by name (searched in the installed folders) or a YAML file by path, with its
 * `preset:` below it, then applies each override "section.field=value" (also tenants.N.field=value).
 * Everything is checked, impossible geometry included. On failure -1 and one line in err; config is then
 * empty. */
int mp_config_load(struct mp_config *config, const char *name_or_path, unsigned noverrides,
                   const char *const *overrides, struct mp_error *err);

/* The same from text in memory, such as the stored configuration of a run; name is what errors call it. */
int mp_config_load_text(struct mp_config *config, const char *name, const char *text, size_t size,
                        unsigned noverrides, const char *const *overrides, struct mp_error *err);
void mp_config_free(struct mp_config *config);
int mp_config_copy(struct mp_config *to, const struct mp_config *from);

/* The effective configuration as YAML text that mp_config_load reads back to the same values; malloc'ed. */
char *mp_config_text(const struct mp_config *config);

/* The same values one by one: the seed, every parameter, and what each tenant says ("tenants.0.app"). Choices
 * and booleans are texts. A malloc'ed array of *n; its texts are the configuration's. NULL out of memory. */
struct mp_setting *mp_config_settings(const struct mp_config *config, unsigned *n);

/* Names of the shipped machine presets and experiments, "star/w2" style; malloc'ed array, NULL-terminated. */
char **mp_config_names(void);

struct mp_param {
    const char *path, *type, *unit, *source, *description, *choices; /* unit, choices: NULL if it has none */
    uint64_t def, min, max;
    unsigned flags; /* enum mp_design_flags */
};
/* All parameters: those of params.def, and those that the designs bring. */
unsigned mp_nparams(void);
const struct mp_param *mp_param(unsigned i);
uint64_t mp_param_get(const struct mp_config *config, unsigned i);
void mp_param_put(struct mp_config *config, unsigned i, uint64_t value);

/* What the configuration gives a design as its own parameters. */
struct mp_design_values mp_config_values(const struct mp_config *config, const struct mp_design *design);

/* The policy of the TLBs of a level, 1 to 3, and their geometry; how static partitions divide the ways is
 * left open. */
const struct mp_tlb_policy *mp_config_tlb(const struct mp_config *config, unsigned level,
                                          struct mp_tlb_geometry *geometry);

/* Whether SMs are divided and everything behind them is shared, or each tenant has a MIG instance. */
bool mp_config_is_mps(const struct mp_config *config);

/* Whether there is an L3 TLB, of all instances or of each. */
bool mp_config_has_l3(const struct mp_config *config);

/* Number of page-walk systems: one for all tenants, or one for each. */
unsigned mp_config_walk_systems(const struct mp_config *config);

/* Name of choice `value` of an enumerated parameter, e.g. mp_choice("sm.scheduler", 0) is "gto". */
const char *mp_choice(const char *path, uint32_t value);

#ifdef __cplusplus
}
#endif
#endif
