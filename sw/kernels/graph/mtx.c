/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix Market files: https://math.nist.gov/MatrixMarket/formats.html */
#include "lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct mtx {
    bool values, symmetric;
    uint64_t size, entries;
};

/* The allowed values of each word of the banner. */
static const char *const banner[][4] = {
    {"%%MatrixMarket"}, {"matrix"}, {"coordinate"}, {"pattern", "real", "integer"}, {"general", "symmetric"},
};
enum { WORDS = sizeof banner / sizeof *banner, FIELD = 3, SYMMETRY = 4 };

static int read_banner(struct lines *l, struct mtx *m)
{
    const int got = lines_next(l);
    if (got < 0)
        return -1;
    unsigned found[WORDS] = {0};
    char *rest = got ? l->text : NULL, *save = NULL;
    for (unsigned w = 0; w < WORDS; w++) {
        const char *word = rest ? strtok_r(w ? NULL : rest, " \t", &save) : NULL;
        while (word && found[w] < 4 && banner[w][found[w]] && strcasecmp(word, banner[w][found[w]]) != 0)
            found[w]++;
        if (!word || found[w] == 4 || !banner[w][found[w]])
            return mp_fail(l->err,
                           "%s:%lu: \"%.20s\" as word %u of the header; \"%%%%MatrixMarket matrix coordinate "
                           "pattern|real|integer general|symmetric\" is allowed",
                           l->name, l->number, word ? word : "", w + 1);
    }
    m->values = found[FIELD] != 0;
    m->symmetric = found[SYMMETRY] != 0;
    return 0;
}

/* Reads the next line that is neither blank nor a comment. */
static int next_content(struct lines *l)
{
    int got;
    while ((got = lines_next(l)) > 0) {
        const char *p = lines_skip_blanks(l->text);
        if (*p && *p != '%')
            break;
    }
    return got;
}

static int read_size(struct lines *l, struct mtx *m)
{
    const int got = next_content(l);
    if (got < 0)
        return -1;
    const char *at = got ? l->text : "";
    uint64_t columns;
    if (lines_number(l, &at, "number of rows", 1, l->max_vertices, &m->size) ||
        lines_number(l, &at, "number of columns", 1, l->max_vertices, &columns) ||
        lines_number(l, &at, "number of entries", 0, GRAPH_MAX_ARCS, &m->entries) ||
        lines_end(l, at, "ROWS COLUMNS ENTRIES"))
        return -1;
    if (columns != m->size)
        return mp_fail(l->err,
                       "%s:%lu: %" PRIu64 " rows and %" PRIu64 " columns; a graph needs a square matrix",
                       l->name, l->number, m->size, columns);
    return 0;
}

static int read_value(struct lines *l, const char **at)
{
    char *end;
    strtod(*at, &end); /* values are checked and not kept */
    if (end == *at || (*end && *end != ' ' && *end != '\t'))
        return mp_fail(l->err,
                       "%s:%lu: the value is missing or not a number; \"ROW COLUMN VALUE\" is allowed",
                       l->name, l->number);
    *at = end;
    return 0;
}

static int read_entry(struct lines *l, const struct mtx *m, struct arcs *a)
{
    const char *at = l->text;
    uint64_t row, column;
    if (lines_number(l, &at, "row", 1, m->size, &row) ||
        lines_number(l, &at, "column", 1, m->size, &column) || (m->values && read_value(l, &at)) ||
        lines_end(l, at, m->values ? "ROW COLUMN VALUE" : "ROW COLUMN"))
        return -1;
    if (arcs_add(a, l, row, column))
        return -1;
    return m->symmetric && row != column ? arcs_add(a, l, column, row) : 0;
}

static int read_all(struct lines *l, struct mtx *m, struct arcs *a)
{
    if (read_banner(l, m) || read_size(l, m))
        return -1;
    uint64_t entries = 0;
    int got;
    while ((got = next_content(l)) > 0) {
        if (entries++ == m->entries)
            return mp_fail(l->err, "%s:%lu: more entries than the header says; %" PRIu64 " are allowed",
                           l->name, l->number, m->entries);
        if (read_entry(l, m, a))
            return -1;
    }
    if (got == 0 && entries != m->entries)
        return mp_fail(l->err, "%s:%lu: the file ends after %" PRIu64 " entries; the header says %" PRIu64,
                       l->name, l->number, entries, m->entries);
    return got;
}

int graph_read_mtx(struct graph *g, FILE *f, const char *name, uint32_t max_vertices, struct mp_error *err)
{
    struct lines l = {.file = f, .name = name, .err = err, .max_vertices = max_vertices};
    struct mtx m = {0};
    struct arcs a = {0};
    const int result = read_all(&l, &m, &a);
    lines_free(&l);
    if (result)
        arcs_free(&a);
    else
        graph_build(g, (uint32_t)m.size, (uint32_t)a.count, a.source, a.target);
    return result;
}
