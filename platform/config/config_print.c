/* SPDX-License-Identifier: Apache-2.0 */
/* `mempath params`: the parameters as a table for people or as JSON. */
#include <fnmatch.h>
#include <string.h>

#include "config/config_internal.h"

static bool wanted(unsigned i, const char *pattern)
{
    if (!pattern || !*pattern)
        return true;
    bool found = strcasestr(mp_params[i].path, pattern) || strcasestr(mp_params[i].description, pattern);
    return found || fnmatch(pattern, mp_params[i].path, FNM_CASEFOLD) == 0;
}

static void default_text(unsigned i, char *buffer, size_t size)
{
    uint64_t def = mp_params[i].def;
    if (mp_param_kind(i) == MP_NUMBER)
        snprintf(buffer, size, "%ju", (uintmax_t)def);
    else
        snprintf(buffer, size, "%s",
                 mp_param_kind(i) == MP_BOOL ? def ? "true" : "false" : mp_param_choice(i, def));
}

static void range_text(unsigned i, char *buffer, size_t size)
{
    if (mp_param_kind(i) == MP_NUMBER)
        snprintf(buffer, size, "%ju to %ju", (uintmax_t)mp_params[i].min, (uintmax_t)mp_params[i].max);
    else
        mp_param_allowed(i, buffer, size);
}

#define COLUMNS 7u

static void row(unsigned i, char cell[COLUMNS][256])
{
    const struct mp_param *p = &mp_params[i];
    snprintf(cell[0], 256, "%s", p->path);
    snprintf(cell[1], 256, "%s", p->type);
    snprintf(cell[2], 256, "%s", p->unit ? p->unit : "-");
    default_text(i, cell[3], 256);
    range_text(i, cell[4], 256);
    snprintf(cell[5], 256, "%s", p->source);
    snprintf(cell[6], 256, "%s", p->description);
}

static unsigned print_table(FILE *f, const char *pattern)
{
    static const char *const title[COLUMNS] = {"path",    "type",   "unit",      "default",
                                               "allowed", "source", "what it is"};
    char cell[COLUMNS][256];
    size_t width[COLUMNS];
    unsigned found = 0;
    for (unsigned c = 0; c < COLUMNS; c++)
        width[c] = strlen(title[c]);
    for (unsigned i = 0; i < MP_NPARAMS; i++) {
        if (!wanted(i, pattern))
            continue;
        row(i, cell);
        found++;
        for (unsigned c = 0; c < COLUMNS; c++)
            width[c] = strlen(cell[c]) > width[c] ? strlen(cell[c]) : width[c];
    }
    for (unsigned c = 0; found && c < COLUMNS; c++)
        fprintf(f, "%-*s%s", c + 1 < COLUMNS ? (int)width[c] : 0, title[c], c + 1 < COLUMNS ? "  " : "\n");
    for (unsigned i = 0; i < MP_NPARAMS; i++) {
        if (!wanted(i, pattern))
            continue;
        row(i, cell);
        for (unsigned c = 0; c < COLUMNS; c++)
            fprintf(f, "%-*s%s", c + 1 < COLUMNS ? (int)width[c] : 0, cell[c], c + 1 < COLUMNS ? "  " : "\n");
    }
    return found;
}

static void json_string(FILE *f, const char *before, const char *text)
{
    fprintf(f, "%s\"", before);
    for (; *text; text++)
        fprintf(f, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    fputc('"', f);
}

static void json_param(FILE *f, unsigned i)
{
    const struct mp_param *p = &mp_params[i];
    enum mp_kind kind = mp_param_kind(i);
    char def[256];
    default_text(i, def, sizeof def);
    json_string(f, "{\"path\": ", p->path);
    json_string(f, ", \"type\": ", p->type);
    if (kind == MP_NUMBER) {
        json_string(f, ", \"unit\": ", p->unit);
        fprintf(f, ", \"min\": %ju, \"max\": %ju", (uintmax_t)p->min, (uintmax_t)p->max);
    }
    if (kind == MP_CHOICE) {
        for (unsigned c = 0; mp_param_choice(i, c); c++)
            json_string(f, c ? ", " : ", \"choices\": [", mp_param_choice(i, c));
        fputc(']', f);
        json_string(f, ", \"default\": ", def);
    } else {
        fprintf(f, ", \"default\": %s", def);
    }
    json_string(f, ", \"source\": ", p->source);
    json_string(f, ", \"description\": ", p->description);
    fputc('}', f);
}

static unsigned print_json(FILE *f, const char *pattern)
{
    unsigned found = 0;
    fputc('[', f);
    for (unsigned i = 0; i < MP_NPARAMS; i++)
        if (wanted(i, pattern)) {
            fputs(found++ ? ",\n " : "\n ", f);
            json_param(f, i);
        }
    fputs("\n]\n", f);
    return found;
}

unsigned mp_params_print(FILE *f, const char *pattern, bool json)
{
    return json ? print_json(f, pattern) : print_table(f, pattern);
}
