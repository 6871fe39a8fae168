/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/out.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

struct out_table {
    unsigned columns;
    size_t cells, capacity;
    char **cell; /* starting with the heads */
};

static void add_cell(struct out_table *t, char *text)
{
    if (t->cells == t->capacity) {
        t->capacity = t->capacity ? 2 * t->capacity : 64;
        t->cell = cli_have(realloc(t->cell, t->capacity * sizeof *t->cell));
    }
    t->cell[t->cells++] = text;
}

struct out_table *out_table_new(unsigned columns, const char *const *heads)
{
    struct out_table *t = cli_have(calloc(1, sizeof *t));
    t->columns = columns;
    for (unsigned i = 0; i < columns; i++)
        add_cell(t, cli_have(strdup(heads[i])));
    return t;
}

void out_cell(struct out_table *t, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    int length = vasprintf(&text, format, args);
    va_end(args);
    add_cell(t, cli_have(length < 0 ? NULL : text));
}

void out_count(struct out_table *t, uint64_t value)
{
    char digits[24], text[32];
    int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)value), k = 0;
    for (int i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0)
            text[k++] = ',';
        text[k++] = digits[i];
    }
    text[k] = 0;
    out_cell(t, "%s", text);
}

/* Counts characters, not bytes: names may contain UTF-8. */
static int width_of(const char *text)
{
    int width = 0;
    for (; *text; text++)
        width += (*text & 0xc0) != 0x80;
    return width;
}

static bool is_number(const char *text)
{
    return !*text || !strcmp(text, "-") || isdigit((unsigned char)text[*text == '-' || *text == '+']);
}

struct column {
    int width;
    bool numbers;
};

static struct column measure(const struct out_table *t, unsigned column)
{
    struct column c = {.numbers = t->cells > t->columns};
    for (size_t i = column; i < t->cells; i += t->columns) {
        int width = width_of(t->cell[i]);
        c.width = width > c.width ? width : c.width;
        c.numbers = c.numbers && (i == column || is_number(t->cell[i]));
    }
    return c;
}

void out_table_print(struct out_table *t, FILE *f)
{
    struct column *columns = cli_alloc(t->columns, sizeof *columns);
    for (unsigned i = 0; i < t->columns; i++)
        columns[i] = measure(t, i);
    for (size_t row = 0; row + t->columns <= t->cells; row += t->columns) {
        for (unsigned i = 0; i < t->columns; i++) {
            const char *text = t->cell[row + i];
            int pad = columns[i].width - width_of(text);
            bool numbers = columns[i].numbers, last = i + 1 == t->columns;
            fprintf(f, "%*s%s%*s%s", numbers ? pad : 0, "", text, numbers || last ? 0 : pad, "",
                    last ? "\n" : "  ");
        }
    }
    for (size_t i = 0; i < t->cells; i++)
        free(t->cell[i]);
    free(columns);
    free(t->cell);
    free(t);
}

void json_quote(FILE *f, const char *s)
{
    fputc('"', f);
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            fprintf(f, "\\%c", c);
        else if (c < 0x20)
            fprintf(f, "\\u%04x", c);
        else
            fputc(c, f);
    }
    fputc('"', f);
}

static void json_begin(struct out_json *j, const char *name)
{
    if (j->depth) {
        if (j->some[j->depth])
            fputc(',', j->f);
        fprintf(j->f, "\n%*s", (int)(2 * j->depth), "");
        j->some[j->depth] = true;
    }
    if (name) {
        json_quote(j->f, name);
        fputs(": ", j->f);
    }
}

static void json_open(struct out_json *j, const char *name, char bracket)
{
    json_begin(j, name);
    fputc(bracket, j->f);
    if (j->depth + 1 < sizeof j->some / sizeof *j->some)
        j->depth++;
    j->some[j->depth] = false;
}

static void json_close(struct out_json *j, char bracket)
{
    bool some = j->some[j->depth--];
    if (some)
        fprintf(j->f, "\n%*s", (int)(2 * j->depth), "");
    fputc(bracket, j->f);
    if (!j->depth)
        fputc('\n', j->f);
}

void json_object(struct out_json *j, const char *name)
{
    json_open(j, name, '{');
}
void json_array(struct out_json *j, const char *name)
{
    json_open(j, name, '[');
}
void json_end_object(struct out_json *j)
{
    json_close(j, '}');
}
void json_end_array(struct out_json *j)
{
    json_close(j, ']');
}

void json_text(struct out_json *j, const char *name, const char *value)
{
    json_begin(j, name);
    if (value)
        json_quote(j->f, value);
    else
        fputs("null", j->f);
}

void json_count(struct out_json *j, const char *name, uint64_t value)
{
    json_begin(j, name);
    fprintf(j->f, "%llu", (unsigned long long)value);
}

void json_real(struct out_json *j, const char *name, double value)
{
    json_begin(j, name);
    if (isfinite(value))
        fprintf(j->f, "%.9g", value);
    else
        fputs("null", j->f);
}

void json_flag(struct out_json *j, const char *name, bool value)
{
    json_begin(j, name);
    fputs(value ? "true" : "false", j->f);
}

void out_list(bool json, const char *kind, const struct out_entry *entries, unsigned n)
{
    const char *const heads[] = {kind, "what it is"};
    struct out_table *t = json ? NULL : out_table_new(2, heads);
    struct out_json j = {.f = stdout};
    if (json)
        json_array(&j, NULL);
    for (unsigned i = 0; i < n; i++) {
        if (json) {
            json_object(&j, NULL);
            json_text(&j, kind, entries[i].name);
            json_text(&j, "title", entries[i].title);
            json_end_object(&j);
        } else {
            out_cell(t, "%s", entries[i].name);
            out_cell(t, "%s", entries[i].title);
        }
    }
    if (json)
        json_end_array(&j);
    else
        out_table_print(t, stdout);
}
