/* SPDX-License-Identifier: Apache-2.0 */
/* The effective configuration as YAML: every parameter, in the order of params.def, so that equal
 * configurations give equal bytes. */
#include <stdlib.h>
#include <string.h>

#include "config/config_internal.h"

static void put_string(FILE *f, const char *before, const char *text)
{
    if (!text)
        return;
    fprintf(f, "%s\"", before);
    for (; *text; text++)
        switch (*text) {
        case '\n':
            fputs("\\n", f);
            break;
        case '\t':
            fputs("\\t", f);
            break;
        case '"':
        case '\\':
            fputc('\\', f);
            /* fall through */
        default:
            fputc(*text, f);
        }
    fputs("\"\n", f);
}

static void put_params(FILE *f, const struct mp_config *config)
{
    const char *section = "";
    size_t length = 0;
    for (unsigned i = 0; i < MP_NPARAMS; i++) {
        const char *path = mp_params[i].path;
        if (length == 0 || strncmp(path, section, length + 1) != 0) {
            section = path;
            length = strcspn(path, ".");
            fprintf(f, "%.*s:\n", (int)length, path);
        }
        uint64_t value = mp_param_get(config, i);
        fprintf(f, "  %s: ", path + length + 1);
        if (mp_param_kind(i) == MP_NUMBER)
            fprintf(f, "%ju\n", (uintmax_t)value);
        else
            fprintf(f, "%s\n",
                    mp_param_kind(i) == MP_BOOL ? value ? "true" : "false" : mp_param_choice(i, value));
    }
}

char *mp_config_text(const struct mp_config *config)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return NULL;
    put_string(f, "name: ", config->name);
    put_string(f, "description: ", config->description);
    fprintf(f, "seed: %ju\n", (uintmax_t)config->seed);
    put_params(f, config);
    fputs(config->ntenants ? "tenants:\n" : "tenants: []\n", f);
    for (unsigned i = 0; i < config->ntenants; i++) {
        const struct mp_tenant_config *t = &config->tenant[i];
        if (t->sms)
            fprintf(f, "  - sms: %ju\n", (uintmax_t)t->sms);
        else
            fprintf(f, "  - slices: %ju\n", (uintmax_t)t->slices);
        put_string(f, "    app: ", t->app);
        put_string(f, "    size: ", t->size);
        put_string(f, "    input: ", t->input);
        put_string(f, "    trace: ", t->trace);
    }
    bool failed = ferror(f);
    if (fclose(f) || failed) {
        free(text);
        return NULL;
    }
    return text;
}
