/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/report/columns.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

struct column {
    char *name, *unit;
    unsigned nvalues, room, nslots;
    char **value;   /* distinct ones as JSON; the first is null */
    unsigned *slot; /* hash table: index of a value, 0 if free */
    unsigned *cell; /* by row: index of its value */
};

struct columns {
    unsigned n, rows, room;
    struct column *column;
};

struct columns *columns_new(void)
{
    return cli_alloc(1, sizeof(struct columns));
}

static void free_column(struct column *c)
{
    for (unsigned i = 0; i < c->nvalues; i++)
        free(c->value[i]);
    free(c->name);
    free(c->unit);
    free(c->value);
    free(c->slot);
    free(c->cell);
}

void columns_free(struct columns *c)
{
    for (unsigned i = 0; i < c->n; i++)
        free_column(&c->column[i]);
    free(c->column);
    free(c);
}

unsigned columns_rows(const struct columns *c)
{
    return c->rows;
}

/* ---- distinct values ---- */

static unsigned hash(const char *text)
{
    unsigned h = 2166136261u;
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 16777619u;
    return h;
}

/* The slot with this text, or the free one where it belongs. */
static unsigned *slot_of(const struct column *c, const char *text)
{
    unsigned at = hash(text) & (c->nslots - 1);
    while (c->slot[at] && strcmp(c->value[c->slot[at]], text) != 0)
        at = (at + 1) & (c->nslots - 1);
    return &c->slot[at];
}

static void make_room(struct column *c)
{
    c->room *= 2;
    c->nslots = 2 * c->room;
    c->value = cli_have(realloc(c->value, c->room * sizeof *c->value));
    free(c->slot);
    c->slot = cli_alloc(c->nslots, sizeof *c->slot);
    for (unsigned i = 1; i < c->nvalues; i++)
        *slot_of(c, c->value[i]) = i;
}

static unsigned value_of(struct column *c, const char *text)
{
    unsigned *slot = slot_of(c, text);
    if (!*slot && c->nvalues == c->room) {
        make_room(c);
        slot = slot_of(c, text);
    }
    if (!*slot) {
        *slot = c->nvalues;
        c->value[c->nvalues++] = cli_have(strdup(text));
    }
    return *slot;
}

/* ---- columns and rows ---- */

unsigned columns_find(struct columns *c, const char *name, const char *unit)
{
    for (unsigned i = 0; i < c->n; i++)
        if (!strcmp(c->column[i].name, name))
            return i;
    c->column = cli_have(realloc(c->column, (c->n + 1) * sizeof *c->column));
    struct column *column = &c->column[c->n];
    *column = (struct column){.name = cli_have(strdup(name)), .nvalues = 1, .room = 8, .nslots = 16};
    column->unit = unit ? cli_have(strdup(unit)) : NULL;
    column->value = cli_alloc(column->room, sizeof *column->value);
    column->value[0] = cli_have(strdup("null"));
    column->slot = cli_alloc(column->nslots, sizeof *column->slot);
    column->cell = cli_alloc(c->room ? c->room : 1, sizeof *column->cell);
    return c->n++;
}

unsigned columns_row(struct columns *c)
{
    if (c->rows == c->room) {
        unsigned room = c->room ? 2 * c->room : 64;
        for (unsigned i = 0; i < c->n; i++) {
            unsigned *cell = cli_alloc(room, sizeof *cell);
            memcpy(cell, c->column[i].cell, c->rows * sizeof *cell);
            free(c->column[i].cell);
            c->column[i].cell = cell;
        }
        c->room = room;
    }
    return c->rows++;
}

static void set_text(struct columns *c, unsigned row, unsigned column, const char *text)
{
    char *json = NULL;
    size_t size = 0;
    FILE *f = cli_have(open_memstream(&json, &size));
    mp_db_json_text(text, f);
    fclose(f);
    c->column[column].cell[row] = value_of(&c->column[column], cli_have(json));
    free(json);
}

/* Five digits are more than a reader compares. */
static void set_real(struct columns *c, unsigned row, unsigned column, double value)
{
    char text[32];
    snprintf(text, sizeof text, fabs(value) >= 1e5 && fabs(value) < 1e15 ? "%.0f" : "%.5g", value);
    if (isfinite(value))
        c->column[column].cell[row] = value_of(&c->column[column], text);
}

void columns_set(struct columns *c, unsigned row, unsigned column, const struct mp_db_cell *cell)
{
    char text[32];
    switch (cell->type) {
    case SQLITE_NULL:
        break;
    case SQLITE_INTEGER:
        snprintf(text, sizeof text, "%lld", (long long)cell->integer);
        c->column[column].cell[row] = value_of(&c->column[column], text);
        break;
    case SQLITE_FLOAT:
        set_real(c, row, column, cell->real);
        break;
    default:
        set_text(c, row, column, cell->text);
    }
}

void columns_text(struct columns *c, unsigned row, const char *column, const char *text)
{
    unsigned at = columns_find(c, column, NULL);
    if (text)
        set_text(c, row, at, text);
}

void columns_real(struct columns *c, unsigned row, const char *column, double value)
{
    set_real(c, row, columns_find(c, column, NULL), value);
}

static unsigned find_named(struct columns *c, const char *title)
{
    char name[80], unit[80];
    size_t n = strcspn(title, "(");
    if (!n || !title[n] || sscanf(title + n, "(%79[^)])", unit) != 1)
        return columns_find(c, title, NULL);
    snprintf(name, sizeof name, "%.*s", (int)n - 1, title);
    return columns_find(c, name, unit);
}

void columns_add(void *self, unsigned ncells, const struct mp_db_cell *cell)
{
    struct columns *c = self;
    unsigned row = columns_row(c);
    for (unsigned i = 0; i < ncells; i++)
        columns_set(c, row, find_named(c, cell[i].name), &cell[i]);
}

void columns_drop_constant(struct columns *c, unsigned from)
{
    unsigned kept = from;
    for (unsigned i = from; i < c->n; i++) {
        struct column *column = &c->column[i];
        unsigned row = 1;
        while (row < c->rows && column->cell[row] == column->cell[0])
            row++;
        if (row < c->rows)
            c->column[kept++] = *column;
        else
            free_column(column);
    }
    c->n = kept;
}

/* ---- writing ---- */

static void write_values(const struct column *c, FILE *f)
{
    for (unsigned i = 0; i < c->nvalues; i++)
        fprintf(f, "%s%s", i ? "," : "\"v\":[", c->value[i]);
    fputc(']', f);
}

static void write_plain(const struct column *c, unsigned rows, FILE *f)
{
    fputs("\"v\":[", f);
    for (unsigned i = 0; i < rows; i++)
        fprintf(f, "%s%s", i ? "," : "", c->value[c->cell[i]]);
    fputc(']', f);
}

static void write_indices(const struct column *c, unsigned rows, FILE *f)
{
    write_values(c, f);
    for (unsigned i = 0; i < rows; i++)
        fprintf(f, "%s%u", i ? "," : ",\"i\":[", c->cell[i]);
    fputs(rows ? "]" : ",\"i\":[]", f);
}

static void write_repeats(const struct column *c, unsigned rows, FILE *f)
{
    write_values(c, f);
    fputs(",\"r\":[", f);
    for (unsigned i = 0, next = 0; i < rows; i = next) {
        while (next < rows && c->cell[next] == c->cell[i])
            next++;
        fprintf(f, "%s%u,%u", i ? "," : "", c->cell[i], next - i);
    }
    fputc(']', f);
}

/* The shortest JSON of a column, malloc'ed. */
static char *column_text(const struct column *c, unsigned rows)
{
    static void (*const forms[])(const struct column *, unsigned, FILE *) = {write_repeats, write_indices,
                                                                             write_plain};
    char *best = NULL;
    for (unsigned i = 0; i < sizeof forms / sizeof *forms; i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *f = cli_have(open_memstream(&text, &size));
        fputs("{\"name\":", f);
        mp_db_json_text(c->name, f);
        if (c->unit) {
            fputs(",\"unit\":", f);
            mp_db_json_text(c->unit, f);
        }
        fputc(',', f);
        forms[i](c, rows, f);
        fputc('}', f);
        fclose(f);
        bool better = !best || strlen(cli_have(text)) < strlen(best);
        free(better ? best : text);
        best = better ? text : best;
    }
    return best;
}

void columns_write(const struct columns *c, const char *name, size_t budget, FILE *f)
{
    bool *left_out = cli_alloc(c->n + 1, sizeof *left_out);
    size_t size = 0;
    const char *comma = "";
    fprintf(f, "\"%s\":{\"rows\":%u,\"columns\":[", name, c->rows);
    for (unsigned i = 0; i < c->n; i++) {
        char *text = column_text(&c->column[i], c->rows);
        left_out[i] = size + strlen(text) > budget;
        if (!left_out[i]) {
            size += strlen(text);
            fprintf(f, "%s\n%s", comma, text);
            comma = ",";
        }
        free(text);
    }
    fputs("],\"left_out\":[", f);
    comma = "";
    for (unsigned i = 0; i < c->n; i++)
        if (left_out[i]) {
            fputs(comma, f);
            mp_db_json_text(c->column[i].name, f);
            comma = ",";
        }
    fputs("]}", f);
    free(left_out);
}
