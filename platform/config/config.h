/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration of a run: the machine (params.def) and its tenants. */
#ifndef MP_CONFIG_H
#define MP_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/params.def"
#include "engine/block.h"
#include "engine/design.h"
#include "engine/setting.h"
#include "engine/tenant.h"
#include "tlb/policy.h"
#include "vm/page_choice.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MP_MOST_VALUES 256u /* of parameters that blocks and designs bring */

#define MP_MORE_LEVELS 4u /* that a file adds */
#define MP_LEVEL_VALUES                                                                                      \
    24u /* of a level: how many blocks, and the parameters of their kind and its designs */

#define MP_FIELD_U(field, ...) uint64_t field;
#define MP_FIELD_B(field, ...) bool field;
#define MP_FIELD_E(field, ...) uint32_t field; /* position in the list of choices */
#define MP_FIELD_D             MP_FIELD_E
#define MP_SECTION_STRUCT(section, PARAMS, title)                                                            \
    struct mp_##section##_config {                                                                           \
        PARAMS(MP_FIELD_U, MP_FIELD_B, MP_FIELD_E, MP_FIELD_D)                                               \
    };
#define MP_NO_SECTION(level, title)
MP_SECTIONS(MP_SECTION_STRUCT, MP_NO_SECTION)

/* One application and its share of the GPU. Either app and size are given, or trace; a program recorded by
 * cl-recorder is given as a trace, too. */
struct mp_tenant_config {
    char *app;        /* name of a project application, MP_EXTERNAL, or NULL if trace is given */
    char *size;       /* "small", "medium", "paper", "star", "mesc", "neidty",
                       * "fgpu" */
    char *input;      /* graph file of an application on graphs, or NULL */
    char *trace;      /* path of a GWT file, or NULL */
    char *page_bytes; /* of its buffers: "65536", "auto", "65536,0=2097152"; NULL: machine.page_bytes */
    uint64_t slices;  /* GPC slices of its MIG instance; 0 under MPS */
    uint64_t
        colours;  /* that its pages have, for vm.frames = coloured; 0: one, its number modulo vm.colours */
    uint64_t sms; /* its SMs under MPS (0 requests an equal share, which is filled in); 0 under MIG */
    bool managed; /* its buffers get memory when it accesses them (section uvm) */
};

/* The app of a tenant without an application: modules of a program with libmempath send its requests. It has
 * no size. */
#define MP_EXTERNAL "EXTERNAL"
bool mp_config_is_external(const struct mp_tenant_config *tenant);

/* A level that a file adds to those of every machine. */
struct mp_level_config {
    char name[MP_LEVEL_NAME], to[MP_LEVEL_NAME]; /* to: the level that its links lead to */
    unsigned kind;                               /* position in mp_machine_more */
    uint64_t value[MP_LEVEL_VALUES];
    char path[MP_LEVEL_VALUES][40];
};

#define MP_SECTION_MEMBER(section, PARAMS, title) struct mp_##section##_config section;
struct mp_config {
    char *name; /* description of the file or preset */
    char *description;
    char *changes; /* "path=value path=value": the overrides, and the differences of a user's file from the
                      shipped file below it; parameters first, then tenants. Not part of the text. */
    MP_SECTIONS(MP_SECTION_MEMBER, MP_NO_SECTION)
    uint64_t value[MP_MOST_VALUES]; /* what blocks and designs bring, for mp_config_value() */
    unsigned nlevels;
    struct mp_level_config level[MP_MORE_LEVELS];
    uint64_t seed;     /* for all random values: inputs of the applications */
    unsigned ntenants; /* 0 for a bare machine preset */
    struct mp_tenant_config tenant[MP_TENANTS];
};

/* Loads a shipped preset or experiment by name or a YAML file by path, with
 * the preset that its `preset:` names below it. Then applies each override "section.field=value" (also
 * tenants.N.field=value). Checks everything, including geometry that cannot be built. On failure, returns
 * -1 with one line in err, and config is empty. */
int mp_config_load(struct mp_config *config, const char *name_or_path, unsigned noverrides,
                   const char *const *overrides, struct mp_error *err);

/* The same from text in memory, such as the stored configuration of a run. Errors call the text `name`. */
int mp_config_load_text(struct mp_config *config, const char *name, const char *text, size_t size,
                        unsigned noverrides, const char *const *overrides, struct mp_error *err);
void mp_config_free(struct mp_config *config);
int mp_config_copy(struct mp_config *to, const struct mp_config *from);

/* Returns the effective configuration as malloc'ed YAML text. mp_config_load reads the same values from
 * it. */
char *mp_config_text(const struct mp_config *config);

/* The same without name, description and tenants: equal for runs on equal machines. */
char *mp_config_machine_text(const struct mp_config *config);

/* Returns a malloc'ed title: the description, and in parentheses what has been changed, or in how many values
 * if that is long. NULL if memory runs out. */
char *mp_config_title(const struct mp_config *config);

/* Returns the same values one by one: the seed, every parameter, and each value that a tenant gives
 * ("tenants.0.app"). Choices and booleans are texts. The result is a malloc'ed array of *n values whose
 * texts belong to the configuration, or NULL if memory runs out. */
struct mp_setting *mp_config_settings(const struct mp_config *config, unsigned *n);

/* The name of the i-th shipped machine preset or experiment, such as "star/w2"; NULL after the last. */
const char *mp_config_name(unsigned i);

struct mp_param {
    const char *path, *type, *unit, *source, *description,
        *choices; /* unit, choices: NULL if there are none */
    uint64_t def, min, max;
    unsigned flags; /* enum mp_design_flags */
};
/* All parameters: those of params.def, and those of the designs. */
unsigned mp_nparams(void);
const struct mp_param *mp_param(unsigned i);
/* Returns whether the path is that of a parameter that has been replaced, which files and --set may still
 * contain. */
bool mp_param_was(const char *path);
/* Returns whether configurations have a key of this name, such as "walk" or "seed", without any design. */
bool mp_config_has_key(const char *name);
/* As mp_nparams() for a configuration, in which the parameters of the levels that it adds follow those of
 * mp_param(). */
unsigned mp_config_nparams(const struct mp_config *config);
struct mp_param mp_config_param(const struct mp_config *config, unsigned i);
unsigned mp_config_find(const struct mp_config *config, const char *path); /* mp_config_nparams(): none */
uint64_t mp_param_get(const struct mp_config *config, unsigned i);
void mp_param_put(struct mp_config *config, unsigned i, uint64_t value);

/* Reads a whole number, decimal or 0x-hex; with `bytes` also "64 KiB" or "6.25 MiB". Returns NULL, or what is
 * wrong: "is too large". */
const char *mp_read_number(const char *text, bool bytes, uint64_t least, uint64_t most, uint64_t *value);

/* Returns the values of a design's own parameters in this configuration. */
struct mp_design_values mp_config_values(const struct mp_config *config, const struct mp_design *design);

/* A level's parameter, as "l2_tlb.entries". */
struct mp_path {
    char text[64];
};
struct mp_path mp_path(const char *level, const char *name);

/* Returns the value of a parameter, which must exist: mp_config_value(config, "l2_tlb.entries"). */
uint64_t mp_config_value(const struct mp_config *config, const char *path);
void mp_config_put(struct mp_config *config, const char *path, uint64_t value);
/* The name of the chosen word of a parameter of choices, and whether it is this one. */
const char *mp_config_word(const struct mp_config *config, const char *path);
bool mp_config_is(const struct mp_config *config, const char *path, const char *word);

/* The name of level i: first those of every machine, in the order of params.def, then those that the
 * configuration adds. NULL after the last. */
const char *mp_config_level_name(const struct mp_config *config, unsigned i);
/* Returns whether there are blocks of the level. mp_config_need_level: 0 if so; else -1, and err says that
 * this value of an option needs them. */
bool mp_config_has_level(const struct mp_config *config, const char *level);
int mp_config_need_level(const struct mp_config *config, const char *level, const char *option,
                         const char *value, struct mp_error *err);

#define MP_TLB_LEVELS 8u /* at most; the levels of every machine and MP_MORE_LEVELS */
/* Lists the names of the levels of TLBs in the order in which a translation takes them, and returns their
 * number. */
unsigned mp_config_tlbs(const struct mp_config *config, const char *level[MP_TLB_LEVELS]);
/* The position of a level among them, or -1. */
int mp_config_tlb(const struct mp_config *config, const char *level);

/* SMs of the machine. */
uint64_t mp_config_sms(const struct mp_config *config);

/* Fills in the parameters of a level's blocks (models/gpu/machine.h), for one GPC slice and without what
 * depends on other blocks. */
void mp_config_level(const struct mp_config *config, const char *level, void *params);

/* The sizes of pages that the machine takes, or'ed; machine.page_bytes is the least. */
uint64_t mp_config_page_sizes(const struct mp_config *config);
/* The sizes of pages of a tenant's buffers. */
struct mp_page_choice mp_config_pages(const struct mp_config *config, unsigned tenant);
/* Some tenant has pages of another size than machine.page_bytes. */
bool mp_config_mixes_pages(const struct mp_config *config);

struct mp_neighbour_policy;
/* Returns the policy by which L1 TLBs ask each other, and the values of its parameters. */
const struct mp_neighbour_policy *mp_config_neighbours(const struct mp_config *config,
                                                       struct mp_design_values *values);

/* Returns the policy with which the last TLB begins (mp_machine_last_tlb), and the values of its parameters.
 * It has the other one from cycle stats.warmup on. */
const struct mp_tlb_policy *mp_config_warmup_policy(const struct mp_config *config,
                                                    struct mp_design_values *values);

/* Returns true if at most SMs are divided and everything behind them is shared, or false if each tenant has a
 * MIG instance. */
bool mp_config_is_mps(const struct mp_config *config);

/* Returns true if every tenant may use every SM. mp_config_is_mps is then true, too. */
bool mp_config_shares_sms(const struct mp_config *config);
bool mp_config_has_managed(const struct mp_config *config);
/* Tenants have managed memory whose pages may stay on the host, or be pinned to it. */
bool mp_config_maps_host(const struct mp_config *config);

/* Returns the number of page-walk systems: one for all tenants, or one for each. */
unsigned mp_config_walk_systems(const struct mp_config *config);

/* Returns the name of choice `value` of an enumerated parameter, e.g. mp_choice("sm.scheduler", 0) is
 * "gto". */
const char *mp_choice(const char *path, uint32_t value);

#ifdef __cplusplus
}
#endif
#endif
