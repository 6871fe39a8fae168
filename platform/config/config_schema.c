/* SPDX-License-Identifier: Apache-2.0 */
/* The YAML schema for libcyaml, made from the table of parameters. Every value is loaded as text, because a
 * size may be "64 KiB", and a refusal quotes what the user wrote. */
#include <cyaml/cyaml.h>
#include <stdlib.h>
#include <string.h>

#include "config/config_internal.h"

const char *const mp_tenant_field_name[MP_TENANT_FIELDS] = {"app",    "size", "input",  "trace",
                                                            "slices", "sms",  "colours"};

#define LONGEST_KEY  32u
#define MOST_SECTION 64u

struct schema {
    cyaml_schema_value_t document, tenant;
    cyaml_schema_field_t top[MOST_SECTION + 6];
    cyaml_schema_field_t
        param[2 * MP_MOST_PARAMS + MP_OLD_PARAMS + 1]; /* the parameters of each section, and an end mark */
    cyaml_schema_field_t tenant_field[MP_TENANT_FIELDS + 1];
    char section[MOST_SECTION][LONGEST_KEY];
};

static cyaml_schema_field_t text_field(const char *key, size_t offset)
{
    return (cyaml_schema_field_t){
        .key = key,
        .data_offset = (uint32_t)offset,
        .value = {.type = CYAML_STRING,
                  .flags = (enum cyaml_flag)(CYAML_FLAG_OPTIONAL | CYAML_FLAG_POINTER),
                  .data_size = sizeof(char),
                  .string = {.min = 0, .max = CYAML_UNLIMITED}},
    };
}

/* Makes top-level fields for the sections, each a mapping of its parameters. Returns their number. */
static unsigned add_sections(struct schema *s)
{
    unsigned sections = 0, row = 0;
    for (unsigned i = 0; i < mp_nparams(); sections++) {
        const char *path = mp_param(i)->path;
        size_t length = (size_t)(strchr(path, '.') - path);
        unsigned first = i;
        const cyaml_schema_field_t *fields = &s->param[row];
        snprintf(s->section[sections], LONGEST_KEY, "%.*s", (int)length, path);
        for (; i < mp_nparams() && strncmp(mp_param(i)->path, path, length + 1) == 0; i++)
            s->param[row++] = text_field(mp_param(i)->path + length + 1, (i - first) * sizeof(char *));
        for (unsigned k = 0; k < MP_OLD_PARAMS; k++)
            if (strncmp(mp_old_param[k], path, length + 1) == 0)
                s->param[row++] = text_field(mp_old_param[k] + length + 1,
                                             offsetof(struct mp_raw, old) - offsetof(struct mp_raw, param) +
                                                 k * sizeof(char *) - first * sizeof(char *));
        s->param[row++] = (cyaml_schema_field_t)CYAML_FIELD_END;
        s->top[sections] = (cyaml_schema_field_t){
            .key = s->section[sections],
            .data_offset = (uint32_t)(offsetof(struct mp_raw, param) + first * sizeof(char *)),
            .value = {.type = CYAML_MAPPING,
                      .flags = CYAML_FLAG_OPTIONAL,
                      .data_size = (uint32_t)((i - first) * sizeof(char *)),
                      .mapping = {.fields = fields}},
        };
    }
    return sections;
}

static struct schema *make_schema(void)
{
    struct schema *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    unsigned n = add_sections(s);
    s->top[n++] = text_field("name", offsetof(struct mp_raw, name));
    s->top[n++] = text_field("description", offsetof(struct mp_raw, description));
    s->top[n++] = text_field("preset", offsetof(struct mp_raw, preset));
    s->top[n++] = text_field("seed", offsetof(struct mp_raw, seed));
    for (unsigned f = 0; f < MP_TENANT_FIELDS; f++)
        s->tenant_field[f] = text_field(mp_tenant_field_name[f], f * sizeof(char *));
    s->tenant_field[MP_TENANT_FIELDS] = (cyaml_schema_field_t)CYAML_FIELD_END;
    s->tenant = (cyaml_schema_value_t){
        CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct mp_raw_tenant, s->tenant_field)};
    s->top[n++] =
        (cyaml_schema_field_t)CYAML_FIELD_SEQUENCE("tenants", CYAML_FLAG_OPTIONAL | CYAML_FLAG_POINTER,
                                                   struct mp_raw, tenant, &s->tenant, 0, MP_TENANTS);
    s->top[n] = (cyaml_schema_field_t)CYAML_FIELD_END;
    s->document = (cyaml_schema_value_t){CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct mp_raw, s->top)};
    return s;
}

/* Keeps libcyaml's message for errors that explain() cannot describe better. */
static void keep_first(cyaml_log_t level, void *context, const char *format, va_list args)
{
    char *text = context;
    (void)level;
    if (!*text)
        vsnprintf(text, 128, format, args);
    text[strcspn(text, "\n")] = 0;
}

static cyaml_config_t cyaml_config(char *log)
{
    return (cyaml_config_t){.log_fn = log ? keep_first : NULL,
                            .log_ctx = log,
                            .mem_fn = cyaml_mem,
                            .log_level = CYAML_LOG_ERROR,
                            .flags = CYAML_CFG_NO_ALIAS};
}

/* Returns the schema of the field with this key, or NULL if there is none. */
static const cyaml_schema_field_t *find_field(const cyaml_schema_field_t *field, const char *key,
                                              size_t length)
{
    for (; field->key; field++)
        if (strncmp(field->key, key, length) == 0 && !field->key[length])
            return field;
    return NULL;
}

/* Follows a path down the schema. Returns NULL if the schema does not allow it. */
static const cyaml_schema_value_t *find_value(const struct schema *s, const struct mp_yaml_key *key)
{
    const cyaml_schema_value_t *value = &s->document;
    const char *rest = key->path;
    for (unsigned d = 0; d < key->depth; d++) {
        size_t length = strcspn(rest, ".");
        if (value->type == CYAML_MAPPING) {
            const cyaml_schema_field_t *field = find_field(value->mapping.fields, rest, length);
            if (!field)
                return NULL;
            value = &field->value;
        } else if (value->type == CYAML_SEQUENCE) {
            value = value->sequence.entry;
        } else {
            return NULL;
        }
        rest += length + (rest[length] == '.');
    }
    return value;
}

static int explain_kind(const char *where, const struct mp_yaml_key *key, const cyaml_schema_value_t *wanted,
                        struct mp_error *err)
{
    const char *path = key->path;
    if (wanted->type == CYAML_SEQUENCE)
        return mp_fail(
            err, "%s:%u: tenants is not a list; a list with '- {app: NAME, size: NAME, slices: N}' for each",
            where, key->line);
    if (wanted->type == CYAML_STRING) {
        char allowed[256] = "text";
        if (mp_param_find(path) < mp_nparams())
            mp_param_allowed(mp_param_find(path), allowed, sizeof allowed);
        return mp_fail(err, "%s:%u: %s is a %s; a single value, %s", where, key->line, path,
                       key->node == MP_SEQUENCE ? "list" : "mapping", allowed);
    }
    if (!*path)
        return mp_fail(err, "%s:%u: the file is not a mapping; 'key: value' lines", where, key->line);
    if (key->depth == 2)
        return mp_fail(err, "%s:%u: %s is not a mapping; app, size, input, trace, slices, sms and colours",
                       where, key->line, path);
    return mp_fail(err, "%s:%u: %s is not a mapping; a section with its parameters below it, indented", where,
                   key->line, path);
}

/* Describes the first key that the schema does not allow. */
static int explain(const struct schema *s, const char *where, const struct mp_yaml_index *index,
                   const char *complaint, struct mp_error *err)
{
    for (unsigned i = 0; i < index->n; i++) {
        const struct mp_yaml_key *key = &index->key[i];
        const cyaml_schema_value_t *wanted = key->dotted ? NULL : find_value(s, key);
        if (!wanted && key->dotted && mp_param_find(key->path) < mp_nparams())
            return mp_fail(err,
                           "%s:%u: %s is not a key of a file; write its section as a mapping, with the "
                           "parameter indented below",
                           where, key->line, key->path);
        if (!wanted && key->depth == 1 && key->node == MP_MAPPING) {
            const char *best = s->top[0].key;
            for (const cyaml_schema_field_t *f = s->top; f->key; f++)
                if (mp_edit_distance(key->path, f->key) < mp_edit_distance(key->path, best))
                    best = f->key;
            return mp_fail(err, "%s:%u: unknown section %.80s; nearest is %s", where, key->line, key->path,
                           best);
        }
        if (!wanted)
            return mp_fail(err, "%s:%u: unknown key %.80s; nearest is %s", where, key->line, key->path,
                           mp_param_nearest(key->path));
        enum mp_node node = wanted->type == CYAML_MAPPING    ? MP_MAPPING
                            : wanted->type == CYAML_SEQUENCE ? MP_SEQUENCE
                                                             : MP_SCALAR;
        if (node != key->node)
            return explain_kind(where, key, wanted, err);
        if (key->depth == 2 && strtoul(key->path + strcspn(key->path, ".") + 1, NULL, 10) >= MP_TENANTS)
            return mp_fail(err, "%s:%u: more than %u tenants; 1 to %u", where, key->line, MP_TENANTS,
                           MP_TENANTS);
    }
    return mp_fail(err, "%s: refused (%s); see mempath params", where, complaint);
}

int mp_raw_load(struct mp_raw **raw, const struct mp_source *source, const struct mp_yaml_index *index,
                struct mp_error *err)
{
    *raw = NULL;
    struct schema *s = make_schema();
    if (!s)
        return mp_fail(err, "%s: out of memory; a smaller file is needed", source->where);
    char complaint[128] = "";
    cyaml_config_t config = cyaml_config(complaint);
    cyaml_err_t status = cyaml_load_data((const uint8_t *)source->text, source->size, &config, &s->document,
                                         (cyaml_data_t **)raw, NULL);
    int result = status == CYAML_OK ? 0 : explain(s, source->where, index, complaint, err);
    free(s);
    return result;
}

void mp_raw_free(struct mp_raw *raw)
{
    struct schema *s = raw ? make_schema() : NULL;
    if (!s)
        return;
    cyaml_config_t config = cyaml_config(NULL);
    cyaml_free(&config, &s->document, raw, 0);
    free(s);
}
