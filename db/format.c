/* SPDX-License-Identifier: Apache-2.0 */
/* Writes rows as an aligned table, as JSON (an array of objects), or as CSV (quoted as in RFC 4180, with a
 * header; lines end in LF, for Unix tools). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "db/format.h"
#include "db/sql.h"

/* ---- table ---- */

/* Tables have six digits, to be readable; JSON and CSV have all. NULL is "-". */
static char *cell_text(sqlite3_stmt *s, int column)
{
    char text[64];
    double v;
    switch (sqlite3_column_type(s, column)) {
    case SQLITE_NULL:
        return strdup("-");
    case SQLITE_FLOAT:
        v = sqlite3_column_double(s, column);
        snprintf(text, sizeof text, fabs(v) >= 1e6 && fabs(v) < 1e15 ? "%.0f" : "%.6g", v);
        return strdup(text);
    case SQLITE_BLOB:
        snprintf(text, sizeof text, "(%d bytes)", sqlite3_column_bytes(s, column));
        return strdup(text);
    default:
        return strdup((const char *)sqlite3_column_text(s, column));
    }
}

/* Width on a terminal: the number of code points, which is right for Latin and Greek. */
static size_t width_of(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

struct cells {
    char **text; /* header, then rows */
    size_t count, room;
    int columns;
    bool *number,
        *words; /* per column: whether it holds numbers, words; columns of numbers are aligned right */
    size_t *width;
};

static int add_cell(struct cells *c, int column, char *text, struct mp_error *err)
{
    if (!text)
        return mp_db_out_of_memory(err);
    if (mp_db_grow((void **)&c->text, c->count, &c->room, sizeof *c->text, err)) {
        free(text);
        return -1;
    }
    c->text[c->count++] = text;
    size_t width = width_of(text);
    c->width[column] = width > c->width[column] ? width : c->width[column];
    return 0;
}

static void pad(size_t n, char with, FILE *out)
{
    while (n--)
        putc(with, out);
}

static void print_cells(const struct cells *c, FILE *out)
{
    for (size_t i = 0; i < c->count; i++) {
        int column = (int)(i % (size_t)c->columns);
        bool last = column == c->columns - 1;
        size_t space = c->width[column] - width_of(c->text[i]);
        bool right = c->number[column] && !c->words[column];
        if (right)
            pad(space, ' ', out);
        for (const char *p = c->text[i]; *p; p++)
            putc((unsigned char)*p < ' ' ? ' ' : *p, out); /* one line per row */
        if (!right && !last)
            pad(space, ' ', out);
        fputs(last ? "\n" : "  ", out);
        if (i != (size_t)c->columns - 1)
            continue;
        for (column = 0; column < c->columns; column++) {
            pad(c->width[column], '-', out);
            fputs(column == c->columns - 1 ? "\n" : "  ", out);
        }
    }
}

static int write_table(struct mp_db *db, sqlite3_stmt *s, const char *runs, FILE *out, struct mp_error *err)
{
    size_t columns = (size_t)sqlite3_column_count(s);
    struct cells c = {.columns = (int)columns,
                      .number = calloc(columns, sizeof *c.number),
                      .words = calloc(columns, sizeof *c.words),
                      .width = calloc(columns, sizeof *c.width)};
    int result = 0, code = SQLITE_DONE;
    if (!c.number || !c.words || !c.width) {
        free(c.number);
        free(c.words);
        free(c.width);
        return mp_db_out_of_memory(err);
    }
    for (int i = 0; !result && i < c.columns; i++)
        result = add_cell(&c, i, strdup(sqlite3_column_name(s, i)), err);
    while (!result && (code = mp_db_next_row(s, &runs)) == SQLITE_ROW) {
        for (int i = 0; !result && i < c.columns; i++) {
            int type = sqlite3_column_type(s, i);
            c.number[i] = c.number[i] || type == SQLITE_INTEGER || type == SQLITE_FLOAT;
            c.words[i] = c.words[i] || type == SQLITE_TEXT;
            result = add_cell(&c, i, cell_text(s, i), err);
        }
    }
    if (!result && code != SQLITE_DONE)
        result = mp_db_fail_sqlite(db, err);
    if (!result && c.columns == 1 && c.count == 2 && strchr(c.text[1], '\n'))
        fputs(c.text[1], out); /* a document, such as a configuration */
    else if (!result)
        print_cells(&c, out);
    for (size_t i = 0; i < c.count; i++)
        free(c.text[i]);
    free(c.text);
    free(c.number);
    free(c.words);
    free(c.width);
    return result;
}

/* ---- JSON and CSV ---- */

/* Writes the fewest digits that read back as the same double. */
static void real_text(double v, char text[32])
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, 32, "%.*g", digits, v);
        if (strtod(text, NULL) == v)
            break;
    }
}

/* Length of the UTF-8 sequence at p, or 0 if it is none (overlong forms and surrogates included). */
static unsigned utf8_length(const unsigned char *p)
{
    unsigned n = p[0] < 0x80 ? 1 : p[0] >= 0xc2 && p[0] < 0xe0 ? 2 : (p[0] & 0xf0) == 0xe0 ? 3 : 0;
    if (p[0] >= 0xf0 && p[0] < 0xf5)
        n = 4;
    for (unsigned i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80) /* the terminating 0 included */
            return 0;
    }
    bool bad = (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] >= 0xa0) ||
               (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] >= 0x90);
    return bad ? 0 : n;
}

void mp_db_json_text(const char *text, FILE *out)
{
    const unsigned char *p = (const unsigned char *)text;
    putc('"', out);
    while (*p) {
        unsigned n = utf8_length(p);
        if (*p == '"' || *p == '\\')
            fprintf(out, "\\%c", *p);
        else if (*p == '\n')
            fputs("\\n", out);
        else if (*p < ' ')
            fprintf(out, "\\u%04x", *p);
        else if (n == 0)
            fputs("\\ufffd", out);
        else
            fwrite(p, 1, n, out);
        p += n ? n : 1;
    }
    putc('"', out);
}

static void hex_string(sqlite3_stmt *s, int column, FILE *out)
{
    const unsigned char *bytes = sqlite3_column_blob(s, column);
    for (int i = 0; i < sqlite3_column_bytes(s, column); i++)
        fprintf(out, "%02x", bytes[i]);
}

static void json_cell(sqlite3_stmt *s, int column, FILE *out)
{
    char text[32];
    double v;
    switch (sqlite3_column_type(s, column)) {
    case SQLITE_NULL:
        fputs("null", out);
        break;
    case SQLITE_INTEGER:
        fprintf(out, "%lld", (long long)sqlite3_column_int64(s, column));
        break;
    case SQLITE_FLOAT:
        v = sqlite3_column_double(s, column);
        real_text(v, text);
        fputs(isfinite(v) ? text : "null", out);
        break;
    case SQLITE_BLOB:
        putc('"', out);
        hex_string(s, column, out);
        putc('"', out);
        break;
    default:
        mp_db_json_text((const char *)sqlite3_column_text(s, column), out);
    }
}

static void csv_string(const char *text, FILE *out)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    putc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', out);
        putc(*text, out);
    }
    putc('"', out);
}

static void csv_cell(sqlite3_stmt *s, int column, FILE *out)
{
    char text[32];
    switch (sqlite3_column_type(s, column)) {
    case SQLITE_NULL:
        break;
    case SQLITE_FLOAT:
        real_text(sqlite3_column_double(s, column), text);
        fputs(text, out);
        break;
    case SQLITE_BLOB:
        hex_string(s, column, out);
        break;
    default:
        csv_string((const char *)sqlite3_column_text(s, column), out);
    }
}

static void json_row(sqlite3_stmt *s, bool first, FILE *out)
{
    fputs(first ? "\n{" : ",\n{", out);
    for (int i = 0; i < sqlite3_column_count(s); i++) {
        if (i)
            putc(',', out);
        mp_db_json_text(sqlite3_column_name(s, i), out);
        putc(':', out);
        json_cell(s, i, out);
    }
    putc('}', out);
}

static void csv_row(sqlite3_stmt *s, bool header, FILE *out)
{
    for (int i = 0; i < sqlite3_column_count(s); i++) {
        if (i)
            putc(',', out);
        if (header)
            csv_string(sqlite3_column_name(s, i), out);
        else
            csv_cell(s, i, out);
    }
    putc('\n', out);
}

static int write_stream(struct mp_db *db, sqlite3_stmt *s, const char *runs, enum mp_db_format format,
                        FILE *out, struct mp_error *err)
{
    bool json = format == MP_DB_JSON;
    uint64_t rows = 0;
    int code = mp_db_next_row(s, &runs); /* before any output, for a statement that fails at once */
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        return mp_db_fail_sqlite(db, err);
    if (json)
        putc('[', out);
    else
        csv_row(s, true, out);
    for (; code == SQLITE_ROW && !ferror(out) && (!db->most_rows || rows < db->most_rows);
         code = mp_db_next_row(s, &runs), rows++) {
        if (json)
            json_row(s, !rows, out);
        else
            csv_row(s, false, out);
    }
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        return mp_db_fail_sqlite(db, err);
    if (json)
        fputs(rows ? "\n]\n" : "]\n", out);
    return 0;
}

int mp_db_next_row(sqlite3_stmt *statement, const char **runs)
{
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_DONE && *runs && **runs) {
        char *end;
        sqlite3_reset(statement);
        sqlite3_bind_int64(statement, sqlite3_bind_parameter_index(statement, ":run"),
                           strtoll(*runs + 1, &end, 10));
        *runs = end;
    }
    return code;
}

int mp_db_write_rows(struct mp_db *db, sqlite3_stmt *statement, const char *runs, enum mp_db_format format,
                     FILE *out, struct mp_error *err)
{
    int result = format == MP_DB_TABLE ? write_table(db, statement, runs, out, err)
                                       : write_stream(db, statement, runs, format, out, err);
    if (!result && (fflush(out) || ferror(out)))
        return mp_fail(err, "output: cannot be written; a file or terminal with free space is needed");
    return result;
}
