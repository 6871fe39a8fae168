/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/csv.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Ends the field that starts at s with 0, removes its quotes, and returns the character after it; NULL if a
 * quote is not closed or is followed by something else. *after is the separator: ',', '\n' or 0. */
static char *field_at(char *s, char *after)
{
    char *to = s;
    bool quoted = *s == '"';
    if (quoted) {
        for (s++; *s && (*s != '"' || s[1] == '"'); *to++ = *s++)
            s += *s == '"';
        if (*s++ != '"')
            return NULL;
    } else {
        to = s += strcspn(s, ",\r\n");
    }
    s += *s == '\r';
    *after = *s;
    if (*s && *s != ',' && *s != '\n')
        return NULL;
    char *next = *s ? s + 1 : s;
    *to = 0;
    return next;
}

int csv_row(struct csv *csv, struct mp_error *err)
{
    while (*csv->text == '#' || *csv->text == '\n') {
        csv->text += strcspn(csv->text, "\n");
        csv->text += *csv->text == '\n';
        csv->line++;
    }
    if (!*csv->text)
        return 0;
    csv->line++;
    csv->nfields = 0;
    for (char after = ','; after == ',';) {
        if (csv->nfields == CSV_FIELDS)
            return mp_fail(err, "%s:%u: too many fields; at most %u", csv->name, csv->line, CSV_FIELDS);
        csv->field[csv->nfields++] = csv->text;
        csv->text = field_at(csv->text, &after);
        if (!csv->text)
            return mp_fail(err, "%s:%u: field %u has an open quote; \"TEXT\", and \"\" for a quote",
                           csv->name, csv->line, csv->nfields);
    }
    return 1;
}

int csv_open(struct csv *csv, const char *name, char *text, const char *head, struct mp_error *err)
{
    *csv = (struct csv){.name = name, .text = text};
    int row = csv_row(csv, err);
    if (row < 0)
        return -1;
    const char *rest = head;
    unsigned i = 0;
    for (; row && i < csv->nfields; i++) {
        size_t n = strlen(csv->field[i]);
        if (strncmp(rest, csv->field[i], n) != 0 || rest[n] != (i + 1 < csv->nfields ? ',' : 0))
            break;
        rest += n + 1;
    }
    return row && i == csv->nfields ? 0
                                    : mp_fail(err, "%s:%u: the first row is not '%s'", name, csv->line, head);
}

int csv_number(const struct csv *csv, unsigned field, double *value, struct mp_error *err)
{
    char *end;
    *value = strtod(csv->field[field], &end);
    return end != csv->field[field] && !*end && isfinite(*value)
               ? 0
               : mp_fail(err, "%s:%u: '%s' is not a value; a number", csv->name, csv->line,
                         csv->field[field]);
}

void csv_write(FILE *f, const char *text, char after)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, f);
    } else {
        fputc('"', f);
        for (; *text; text++) {
            if (*text == '"')
                fputc('"', f);
            fputc(*text, f);
        }
        fputc('"', f);
    }
    fputc(after, f);
}
