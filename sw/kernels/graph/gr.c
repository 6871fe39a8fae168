/* SPDX-License-Identifier: Apache-2.0 */
/* The shortest path format of the 9th DIMACS implementation challenge. */
#include "lines.h"

#include <inttypes.h>
#include <string.h>

struct gr {
    uint64_t vertices, arcs; /* no vertices: the problem line was not read yet */
};

static int read_problem(struct lines *l, struct gr *h, const char *at)
{
    if (h->vertices)
        return mp_fail(l->err, "%s:%lu: a second problem line; one \"p sp VERTICES ARCS\" is allowed",
                       l->name, l->number);
    at = lines_skip_blanks(at);
    if (strncmp(at, "sp", 2) != 0)
        return mp_fail(l->err, "%s:%lu: a problem other than sp; \"p sp VERTICES ARCS\" is allowed", l->name,
                       l->number);
    at += 2;
    if (*at != ' ' && *at != '\t')
        return mp_fail(l->err, "%s:%lu: a problem other than sp; \"p sp VERTICES ARCS\" is allowed", l->name,
                       l->number);
    return lines_number(l, &at, "number of vertices", 1, l->max_vertices, &h->vertices) ||
                   lines_number(l, &at, "number of arcs", 0, GRAPH_MAX_ARCS, &h->arcs) ||
                   lines_end(l, at, "p sp VERTICES ARCS")
               ? -1
               : 0;
}

static int read_arc(struct lines *l, const struct gr *h, struct arcs *a, const char *at)
{
    uint64_t from, to, weight;
    if (!h->vertices)
        return mp_fail(l->err, "%s:%lu: an arc before the problem line; \"p sp VERTICES ARCS\" comes first",
                       l->name, l->number);
    if (a->count == h->arcs)
        return mp_fail(l->err, "%s:%lu: more arcs than the problem line says; %" PRIu64 " are allowed",
                       l->name, l->number, h->arcs);
    if (lines_number(l, &at, "arc's start", 1, h->vertices, &from) ||
        lines_number(l, &at, "arc's end", 1, h->vertices, &to) ||
        lines_number(l, &at, "arc's weight", 0, UINT32_MAX, &weight) || lines_end(l, at, "a FROM TO WEIGHT"))
        return -1;
    return arcs_add(a, l, from, to);
}

static int read_line(struct lines *l, struct gr *h, struct arcs *a)
{
    const char kind = l->text[0];
    const bool alone = kind == '\0' || l->text[1] == '\0' || l->text[1] == ' ' || l->text[1] == '\t';
    if (kind == '\0' || (kind == 'c' && alone))
        return 0;
    if (kind == 'p' && alone)
        return read_problem(l, h, l->text + 1);
    if (kind == 'a' && alone)
        return read_arc(l, h, a, l->text + 1);
    return mp_fail(l->err, "%s:%lu: a line that begins with \"%.8s\"; c, p and a lines are allowed", l->name,
                   l->number, l->text);
}

static int read_all(struct lines *l, struct gr *h, struct arcs *a)
{
    int got;
    while ((got = lines_next(l)) > 0)
        if (read_line(l, h, a))
            return -1;
    if (got == 0 && (!h->vertices || a->count != h->arcs))
        return mp_fail(l->err,
                       "%s:%lu: the file ends after %zu arcs; the problem line must come and say how many",
                       l->name, l->number, a->count);
    return got;
}

int graph_read_gr(struct graph *g, FILE *f, const char *name, uint32_t max_vertices, struct mp_error *err)
{
    struct lines l = {.file = f, .name = name, .err = err, .max_vertices = max_vertices};
    struct gr h = {0};
    struct arcs a = {0};
    const int result = read_all(&l, &h, &a);
    lines_free(&l);
    if (result)
        arcs_free(&a);
    else
        graph_build(g, (uint32_t)h.vertices, (uint32_t)a.count, a.source, a.target);
    return result;
}
