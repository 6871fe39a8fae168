/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the files of this folder share. Users include config.h. */
#ifndef MP_CONFIG_INTERNAL_H
#define MP_CONFIG_INTERNAL_H

#include "config/config.h"
#include "config/source.h"

struct mp_level;

/* Maximum number, including the parameters of designs. */
#define MP_MOST_PARAMS 336u

enum mp_tenant_field {
    MP_TENANT_APP,
    MP_TENANT_SIZE,
    MP_TENANT_INPUT,
    MP_TENANT_TRACE,
    MP_TENANT_PAGES,
    MP_TENANT_SLICES,
    MP_TENANT_SMS,
    MP_TENANT_COLOURS,
    MP_TENANT_MANAGED
};
#define MP_TENANT_FIELDS 9u
extern const char *const mp_tenant_field_name[MP_TENANT_FIELDS];

/* ---- parameters by position, as mp_config_param() numbers them (params.c) ---- */
enum mp_kind { MP_NUMBER, MP_BOOL, MP_CHOICE };
/* The number of the parameter's row, which all levels of a kind share. */
unsigned mp_param_row(const struct mp_config *config, unsigned i);
const char *mp_row_path(const struct mp_config *config, unsigned i); /* "tlb.entries" for an added level */
enum mp_kind mp_param_kind(unsigned row);
unsigned mp_param_find(const char *path); /* mp_nparams() if there is no such parameter */
/* The parameters of a design that is chosen in this section, and the number of its parameter i. */
struct mp_design_values mp_config_values_at(const struct mp_config *config, const char *section,
                                            const struct mp_design *design);
unsigned mp_param_of_design(const struct mp_config *config, const char *section,
                            const struct mp_design *design, unsigned i);
const char *mp_param_choice(unsigned row, uint64_t value);      /* NULL if there is no such parameter */
void mp_param_allowed(unsigned row, char *buffer, size_t size); /* "1 to 64 (warps)", "gto or lrr" */
/* Returns the known path that is most similar to a wrong one. A parameter of the same name in another
 * section counts as similar. */
const char *mp_param_nearest(const struct mp_config *config, const char *path);

/* ---- parameters that have been replaced (old.c) ---- */
#define MP_OLD_PARAMS 7u
extern const char *const mp_old_param[MP_OLD_PARAMS]; /* paths */
unsigned mp_old_find(const char *path);               /* MP_OLD_PARAMS if there is no such parameter */

/* ---- shipped files and files of the user (source.c) ---- */
struct mp_shipped {
    const char *name, *path, *text;
    size_t size;
};
extern const struct mp_shipped mp_shipped[];
extern const unsigned mp_nshipped;

/* ---- YAML (keys.c) ---- */
struct mp_settings;
/* Refuses keys that a configuration does not have. Sections with a `kind` add levels. document: NULL for an
 * empty file. */
int mp_keys_check(struct mp_settings *settings, const struct mp_yaml *document, const char *where,
                  struct mp_error *err);

/* ---- levels that a file adds (levels.c) ---- */
/* The added level of that name, or NULL. */
struct mp_level_config *mp_config_added(const struct mp_config *config, const char *name);
/* The row of a level, one of every machine or an added one. */
const struct mp_level *mp_config_level_row(const struct mp_config *config, const char *name);

/* ---- values with their origin (set.c) ---- */
struct mp_origin {
    const char *where; /* name of a file, or "--set path=value"; NULL for a default */
    unsigned line;     /* 0 if `where` is sufficient */
    unsigned rank;     /* later files and overrides have higher ranks */
};
struct mp_settings {
    struct mp_config *config;
    struct mp_origin whole;           /* the file that the user requested */
    uint64_t shipped[MP_MOST_PARAMS]; /* values before the first file of the user */
    struct mp_origin param[MP_MOST_PARAMS];
    struct mp_origin level[MP_MORE_LEVELS];
    unsigned shipped_levels;
    struct mp_origin tenant[MP_TENANTS][MP_TENANT_FIELDS];
    unsigned rank;
    const char *folder; /* absolute folder in which the paths of the current values begin; NULL if paths
                           remain as they are */
    char **kept;        /* strings that origins point to */
    unsigned nkept;
};
/* Fails with an error at an origin, of which is a struct mp_origin *. */
#define mp_fail_at(err, origin, ...) mp_fail_line(err, (origin)->where, (origin)->line, __VA_ARGS__)
int mp_set_param(struct mp_settings *settings, unsigned i, const char *text, struct mp_origin origin,
                 struct mp_error *err);
/* The same for old parameter i: sets the parameter that replaced it. */
int mp_set_old(struct mp_settings *settings, unsigned i, const char *text, struct mp_origin origin,
               struct mp_error *err);
/* A trace replaces the app, size and input that earlier files and overrides gave to the tenant. An app
 * replaces a trace. */
int mp_set_tenant(struct mp_settings *settings, unsigned tenant, unsigned field, const char *text,
                  struct mp_origin origin, struct mp_error *err);
int mp_set_seed(struct mp_settings *settings, const char *text, struct mp_origin origin,
                struct mp_error *err);
int mp_set_string(char **string, const char *what, const char *text, struct mp_origin origin,
                  struct mp_error *err);
/* Applies an override "path=value". */
int mp_set_override(struct mp_settings *settings, const char *text, struct mp_origin origin,
                    struct mp_error *err);
void mp_tenant_clear(struct mp_tenant_config *tenant);

/* Fills config->changes. files: rank of the last file; overrides have higher ranks. */
int mp_config_changes(const struct mp_settings *settings, unsigned files);

/* Checks the rules between parameters (check.c). */
int mp_config_check(const struct mp_settings *settings, struct mp_error *err);

/* Replaces an origin by one that was set later. */
void mp_origin_later(struct mp_origin *best, const struct mp_origin *other);

/* ---- sizes of pages (pages.c) ---- */
/* Sets the sizes of pages that a tenant asks for; an empty text: none. */
int mp_set_pages(char **string, const char *what, const char *text, struct mp_origin origin,
                 struct mp_error *err);
int mp_tenant_check_pages(const struct mp_settings *settings, unsigned tenant, struct mp_error *err);

/* ---- tenants (tenants.c) ---- */
int mp_tenant_check(const struct mp_settings *settings, unsigned tenant, struct mp_error *err);
/* Checks that the tenants together do not ask for more than there is. */
int mp_tenants_check_shares(const struct mp_settings *settings, struct mp_error *err);

/* ---- managed memory (managed.c) ---- */
int mp_managed_check(const struct mp_settings *settings, struct mp_error *err);

/* Under MPS, assigns SMs to the tenants that request no number: equal shares of what the others leave, in
 * whole TPCs; the last tenant takes the rest. */
void mp_config_share_sms(struct mp_config *config);

#endif
