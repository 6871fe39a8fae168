/* SPDX-License-Identifier: Apache-2.0 */
#include "soc/coverage.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "soc/symbols.h"

enum { UNIT = 2 }; /* bytes: the alignment of instructions */

struct mp_coverage {
    struct mp_symbols *symbols;
    uint64_t begin, units;
    uint64_t count[]; /* of the instruction that starts at begin + UNIT * index */
};

struct mp_coverage *mp_coverage_open(const char *file, uint64_t begin, uint64_t end, struct mp_error *err)
{
    uint64_t units = end > begin ? (end - begin + UNIT - 1) / UNIT : 0;
    struct mp_coverage *c = calloc(1, sizeof *c + units * sizeof c->count[0]);
    if (!c) {
        mp_fail(err, "%s: out of memory for the coverage of %" PRIu64 " bytes", file, end - begin);
        return NULL;
    }
    c->begin = begin;
    c->units = units;
    c->symbols = mp_symbols_open(file, err);
    if (c->symbols && mp_symbols_have_lines(c->symbols))
        return c;
    if (c->symbols)
        mp_fail(err, "%s: no line information for coverage; compile it with -g", file);
    mp_coverage_close(c);
    return NULL;
}

void mp_coverage_close(struct mp_coverage *c)
{
    if (c)
        mp_symbols_close(c->symbols);
    free(c);
}

void mp_coverage_see(struct mp_coverage *c, uint64_t pc)
{
    uint64_t unit = (pc - c->begin) / UNIT;
    if (unit < c->units)
        c->count[unit]++;
}

/* The places of a source, in the order of the output. */
struct places {
    const struct mp_coverage *coverage;
    struct place {
        struct mp_source_place at;
        uint64_t count;
    } * place;
    size_t n, room;
    bool failed;
};

/* Code that the linker has removed is at addresses outside the program. */
static void add(void *self, const struct mp_source_place *at)
{
    struct places *p = self;
    uint64_t unit = (at->address - p->coverage->begin) / UNIT;
    if (unit >= p->coverage->units || p->failed)
        return;
    if (p->n == p->room) {
        size_t room = p->room ? 2 * p->room : 1024;
        struct place *more = realloc(p->place, room * sizeof *more);
        p->failed = !more;
        if (!more)
            return;
        p->place = more;
        p->room = room;
    }
    p->place[p->n++] = (struct place){*at, p->coverage->count[unit]};
}

/* By file; functions before lines; by line. */
static int compare(const void *a, const void *b)
{
    const struct mp_source_place *x = &((const struct place *)a)->at, *y = &((const struct place *)b)->at;
    int file = strcmp(x->file, y->file);
    if (file)
        return file;
    if (!x->function != !y->function)
        return !x->function - !y->function;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->function ? strcmp(x->function, y->function) : 0;
}

static void merge(struct places *p)
{
    size_t n = 0;
    qsort(p->place, p->n, sizeof *p->place, compare);
    for (size_t i = 0; i < p->n; i++) {
        struct place *to = n ? &p->place[n - 1] : NULL;
        const struct place *from = &p->place[i];
        if (!to || compare(to, from))
            p->place[n++] = *from;
        else if (from->at.function)
            to->count += from->count;
        else if (from->count > to->count)
            to->count = from->count;
    }
    p->n = n;
}

static size_t write_functions(FILE *f, const struct place *p, size_t n, struct mp_coverage_sum *sum)
{
    size_t end = 0, executed = 0;
    for (; end < n && p[end].at.function && !strcmp(p[end].at.file, p[0].at.file); end++) {
        fprintf(f, "FN:%d,%s\n", p[end].at.line, p[end].at.function);
        executed += p[end].count > 0;
    }
    for (size_t i = 0; i < end; i++)
        fprintf(f, "FNDA:%" PRIu64 ",%s\n", p[i].count, p[i].at.function);
    fprintf(f, "FNF:%zu\nFNH:%zu\n", end, executed);
    sum->functions += end;
    sum->functions_executed += executed;
    return end;
}

static size_t write_lines(FILE *f, const char *file, const struct place *p, size_t n,
                          struct mp_coverage_sum *sum)
{
    size_t end = 0, executed = 0;
    for (; end < n && !p[end].at.function && !strcmp(p[end].at.file, file); end++) {
        fprintf(f, "DA:%d,%" PRIu64 "\n", p[end].at.line, p[end].count);
        executed += p[end].count > 0;
    }
    fprintf(f, "LF:%zu\nLH:%zu\n", end, executed);
    sum->lines += end;
    sum->lines_executed += executed;
    return end;
}

int mp_coverage_write(const struct mp_coverage *c, FILE *f, struct mp_coverage_sum *sum, struct mp_error *err)
{
    struct places p = {.coverage = c};
    *sum = (struct mp_coverage_sum){0};
    mp_symbols_each_place(c->symbols, add, &p);
    if (p.failed) {
        free(p.place);
        return mp_fail(err, "out of memory for the coverage of %zu places", p.n);
    }
    if (p.n)
        merge(&p);
    for (size_t i = 0; i < p.n;) {
        const char *file = p.place[i].at.file;
        fprintf(f, "TN:\nSF:%s\n", file);
        i += write_functions(f, p.place + i, p.n - i, sum);
        i += write_lines(f, file, p.place + i, p.n - i, sum);
        fputs("end_of_record\n", f);
    }
    free(p.place);
    return 0;
}
