/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this folder share. Users include config.h. */
#ifndef MP_CONFIG_INTERNAL_H
#define MP_CONFIG_INTERNAL_H

#include "config/config.h"

/* At most, those of designs included. */
#define MP_MOST_PARAMS 256u

enum mp_tenant_field {
    MP_TENANT_APP,
    MP_TENANT_SIZE,
    MP_TENANT_INPUT,
    MP_TENANT_TRACE,
    MP_TENANT_SLICES,
    MP_TENANT_SMS
};
#define MP_TENANT_FIELDS 6u
extern const char *const mp_tenant_field_name[MP_TENANT_FIELDS];

/* ---- parameters by position, as mp_param() has them (config_params.c) ---- */
enum mp_kind { MP_NUMBER, MP_BOOL, MP_CHOICE };
enum mp_kind mp_param_kind(unsigned i);
unsigned mp_param_find(const char *path);                                /* mp_nparams() if there is none */
unsigned mp_param_of_design(const struct mp_design *design, unsigned i); /* its parameter i */
const char *mp_param_choice(unsigned i, uint64_t value);                 /* NULL if there is none */
void mp_param_allowed(unsigned i, char *buffer, size_t size);            /* "1 to 64 (warps)", "gto or lrr" */
/* The known path nearest to a wrong one; a parameter of the same name in another section is near. */
const char *mp_param_nearest(const char *path);

/* ---- parameters that have been replaced (config_old.c) ---- */
#define MP_OLD_PARAMS 3u
extern const char *const mp_old_param[MP_OLD_PARAMS]; /* paths */
unsigned mp_old_find(const char *path);               /* MP_OLD_PARAMS if there is none */

/* ---- shipped files and files of the user (config_source.c) ---- */
struct mp_shipped {
    const char *name, *path, *text;
    size_t size;
};
extern const struct mp_shipped mp_shipped[];
extern const unsigned mp_nshipped;

struct mp_source {
    const char *text;
    size_t size;
    char *read;  /* text, if it was read from a file */
    char *name;  /* what the configuration is called */
    char *where; /* what errors call the file */
    char *id;    /* the same for the same file however it was named */
};
/* Opens a shipped file by name or a file by path, relative paths from the folder of `from` (NULL: the current
 * one). where: what an error begins with, NULL for the name itself. */
int mp_source_open(struct mp_source *source, const char *name, const char *from, const char *where,
                   struct mp_error *err);
void mp_source_close(struct mp_source *source);
/* The absolute path of the folder from which a file of the user means its paths; malloc'ed. NULL for a
 * shipped file and for text in memory. */
char *mp_source_folder(const struct mp_source *source);

/* ---- YAML ---- */
/* The keys of a file and their lines (config_yaml.c). */
enum mp_node { MP_SCALAR, MP_MAPPING, MP_SEQUENCE };
struct mp_yaml_key {
    char *path;     /* "sm.warps", "tenants.0.app"; "" is the document */
    unsigned line;  /* from 1 */
    unsigned depth; /* keys and positions above it */
    bool dotted;    /* the key itself holds a '.', so path says less than it seems to */
    enum mp_node node;
};
struct mp_yaml_index {
    struct mp_yaml_key *key;
    unsigned n, room;
};
/* Refuses what is no YAML, more than one document, aliases and duplicate keys. */
int mp_yaml_read(struct mp_yaml_index *index, const struct mp_source *source, struct mp_error *err);
void mp_yaml_free(struct mp_yaml_index *index);
unsigned mp_yaml_line(const struct mp_yaml_index *index, const char *path);

/* The values of a file as text (config_schema.c); NULL if the file does not set them. */
struct mp_raw_tenant {
    char *field[MP_TENANT_FIELDS];
};
struct mp_raw {
    char *name, *description, *preset, *seed;
    char *param[MP_MOST_PARAMS];
    char *old[MP_OLD_PARAMS];
    struct mp_raw_tenant *tenant;
    unsigned tenant_count;
};
/* Loads by libcyaml; what the schema refuses is explained with the index. *raw is NULL for an empty file. */
int mp_raw_load(struct mp_raw **raw, const struct mp_source *source, const struct mp_yaml_index *index,
                struct mp_error *err);
void mp_raw_free(struct mp_raw *raw);

/* ---- values with their origin (config_set.c) ---- */
struct mp_origin {
    const char *where; /* a file's name or "--set path=value"; NULL for a default */
    unsigned line;     /* 0 if where says it all */
    unsigned rank;     /* later files and overrides have higher ranks */
};
struct mp_settings {
    struct mp_config *config;
    struct mp_origin whole;           /* the file that was asked for */
    uint64_t shipped[MP_MOST_PARAMS]; /* values before the first file of the user */
    struct mp_origin param[MP_MOST_PARAMS];
    struct mp_origin tenant[MP_TENANTS][MP_TENANT_FIELDS];
    unsigned rank;
    const char *folder; /* absolute; paths of the values being set begin there. NULL: they stay as they are */
    char **kept;        /* strings that origins point to */
    unsigned nkept;
};
/* An error at an origin: "where:line: " and the text. */
__attribute__((format(printf, 3, 4))) int mp_fail_at(struct mp_error *err, const struct mp_origin *origin,
                                                     const char *format, ...);
int mp_set_param(struct mp_settings *settings, unsigned i, const char *text, struct mp_origin origin,
                 struct mp_error *err);
/* The same of old parameter i: sets the parameter that took its place. */
int mp_set_old(struct mp_settings *settings, unsigned i, const char *text, struct mp_origin origin,
               struct mp_error *err);
/* A trace replaces the app, size and input that earlier files and overrides gave the tenant, and an app its
 * trace. */
int mp_set_tenant(struct mp_settings *settings, unsigned tenant, unsigned field, const char *text,
                  struct mp_origin origin, struct mp_error *err);
int mp_set_seed(struct mp_settings *settings, const char *text, struct mp_origin origin,
                struct mp_error *err);
int mp_set_string(char **string, const char *what, const char *text, struct mp_origin origin,
                  struct mp_error *err);
/* An override "path=value". */
int mp_set_override(struct mp_settings *settings, const char *text, struct mp_origin origin,
                    struct mp_error *err);
void mp_tenant_clear(struct mp_tenant_config *tenant);

/* Fills config->changes. files: rank of the last file; overrides have higher ones. */
int mp_config_changes(const struct mp_settings *settings, unsigned files);

/* What the parameters exclude in each other (config_check.c). */
int mp_config_check(const struct mp_settings *settings, struct mp_error *err);

/* Under MPS, SMs for the tenants that ask for none of their own: equal shares of what the others leave, whole
 * TPCs, the last one takes the rest. */
void mp_config_share_sms(struct mp_config *config);

#endif
