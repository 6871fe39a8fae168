/* SPDX-License-Identifier: Apache-2.0 */
/* Measurements of a GPU, and values of the machine's parameters that fit to them. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/chase/chase.h"
#include "cli/csv.h"
#include "cli/embedded.h"
#include "cli/table_file.h"

/* ---- files ---- */

#define MOST_BYTES (1u << 20)

/* A file, or one of those that are included. */
static int read_text(const char *path, char **text, struct mp_error *err)
{
    FILE *f = fopen(path, "r");
    const char *included = cli_file_text(chase_files, path);
    if (!f && included) {
        *text = cli_have(strdup(included));
        return 0;
    }
    if (!f)
        return mp_fail(err, "--beside %s: %s", path, strerror(errno));
    *text = cli_alloc(MOST_BYTES + 1, 1);
    const size_t n = fread(*text, 1, MOST_BYTES + 1, f);
    const bool whole = n <= MOST_BYTES && !ferror(f);
    fclose(f);
    if (whole)
        return 0;
    free(*text);
    *text = NULL;
    mp_fail(err, "--beside %s: larger than 1 MiB, or unreadable; rows of %s", path, CHASE_COLUMNS);
    return -1;
}

/* Counts of a row must be whole numbers that a machine can have. */
static int read_counts(const struct csv *csv, uint64_t count[4], double *cycles, struct mp_error *err)
{
    static const struct {
        const char *name;
        double least, most;
    } column[] = {{"stride", 4, 1e12}, {"page_bytes", 4096, 1e12}, {"sm", 0, 100000}, {"footprint", 4, 1e13}};
    for (unsigned i = 0; i < 4; i++) {
        double v;
        if (csv_number(csv, i, &v, err))
            return -1;
        if (v < column[i].least || v > column[i].most || v != floor(v))
            return mp_fail(err, "%s:%u: %s = %s; a whole number from %.0f to %.0f", csv->name, csv->line,
                           column[i].name, csv->field[i], column[i].least, column[i].most);
        count[i] = (uint64_t)v;
    }
    if (csv_number(csv, 4, cycles, err))
        return -1;
    if (!(*cycles > 0))
        return mp_fail(err, "%s:%u: cycles = %s; more than 0", csv->name, csv->line, csv->field[4]);
    return 0;
}

static struct chase_curve *curve_of(struct chase *c, const uint64_t count[4])
{
    for (unsigned k = 0; k < c->curves; k++)
        if (c->curve[k].stride == count[0] && c->curve[k].page_bytes == count[1] &&
            c->curve[k].sm == count[2])
            return &c->curve[k];
    if (c->curves == CHASE_CURVES)
        return NULL;
    c->curve[c->curves] =
        (struct chase_curve){.stride = count[0], .page_bytes = count[1], .sm = (uint32_t)count[2]};
    return &c->curve[c->curves++];
}

static int add_row(struct chase *c, const struct csv *csv, struct mp_error *err)
{
    uint64_t count[4] = {0};
    double cycles = 0;
    if (read_counts(csv, count, &cycles, err))
        return -1;
    struct chase_curve *curve = curve_of(c, count);
    if (!curve || curve->n == CHASE_POINTS)
        return mp_fail(err, "%s:%u: more than %u curves or %u points of one; fewer", csv->name, csv->line,
                       CHASE_CURVES, CHASE_POINTS);
    if (count[3] < count[0])
        return mp_fail(err, "%s:%u: footprint = %" PRIu64 " with stride = %" PRIu64 "; the stride at least",
                       csv->name, csv->line, count[3], count[0]);
    if (curve->n && count[3] <= curve->point[curve->n - 1].footprint)
        return mp_fail(err, "%s:%u: footprint = %" PRIu64 " after %" PRIu64 "; footprints of a curve ascend",
                       csv->name, csv->line, count[3], curve->point[curve->n - 1].footprint);
    curve->point[curve->n++] = (struct chase_point){count[3], NAN, cycles};
    return 0;
}

int chase_read(struct chase *c, const char *path, struct mp_error *err)
{
    struct csv csv;
    char *text = NULL;
    int row = -1;
    if (read_text(path, &text, err))
        return -1;
    c->curves = 0;
    if (!csv_open(&csv, path, text, CHASE_COLUMNS, err))
        while ((row = csv_row(&csv, err)) > 0)
            if (add_row(c, &csv, err)) {
                row = -1;
                break;
            }
    free(text);
    if (!row && !c->curves)
        return mp_fail(err, "%s: no measurements; rows of %s", path, CHASE_COLUMNS);
    return row;
}

static void rows(const void *self, FILE *f)
{
    const struct chase *c = self;
    fputs(CHASE_COLUMNS "\n", f);
    for (unsigned k = 0; k < c->curves; k++)
        for (uint32_t i = 0; i < c->curve[k].n; i++)
            fprintf(f, "%" PRIu64 ",%" PRIu64 ",%u,%" PRIu64 ",%.2f\n", c->curve[k].stride,
                    c->curve[k].page_bytes, c->curve[k].sm, c->curve[k].point[i].footprint,
                    c->curve[k].point[i].cycles);
}

int chase_write(const struct chase *c, const char *path, struct mp_error *err)
{
    return table_write(path, rows, c, err);
}

/* ---- fit ---- */

double chase_residual(const struct chase *c)
{
    double sum = 0;
    unsigned n = 0;
    for (unsigned k = 0; k < c->curves; k++)
        for (uint32_t i = 0; i < c->curve[k].n; i++, n++) {
            const struct chase_point *p = &c->curve[k].point[i];
            const double off = (p->cycles - p->measured) / p->measured;
            sum += off * off;
        }
    return sqrt(sum / n);
}

static int residual_of(struct chase *c, double *residual, struct mp_error *err)
{
    for (unsigned k = 0; k < c->curves; k++)
        if (chase_measure(c, &c->curve[k], err))
            return -1;
    *residual = chase_residual(c);
    return 0;
}

/* Adds the direction, `step` times; false if a value would leave its range. */
static bool move(struct chase *c, const int8_t direction[CHASE_FITS], int64_t step)
{
    for (unsigned i = 0; i < c->fits; i++) {
        const int64_t to = (int64_t)c->fit[i].value + direction[i] * step;
        if (to < (int64_t)c->fit[i].least || to > (int64_t)c->fit[i].most)
            return false;
    }
    for (unsigned i = 0; i < c->fits; i++)
        c->fit[i].value = (uint64_t)((int64_t)c->fit[i].value + direction[i] * step);
    return true;
}

/* Goes downhill in one direction, by steps that halve when they no longer help. */
static int descend(struct chase *c, const int8_t direction[CHASE_FITS], int64_t step, double *best,
                   struct mp_error *err)
{
    while (step) {
        double now = INFINITY;
        const bool moved = move(c, direction, step);
        if (moved && residual_of(c, &now, err))
            return -1;
        if (now < *best) {
            *best = now;
            continue;
        }
        if (moved)
            move(c, direction, -step);
        step /= 2;
    }
    return 0;
}

/* Each value alone, up and down, by steps from a quarter of its range, so that small rises do not stop it;
 * and each two of them: what one adds to a latency, another one can take away. */
static int descend_all(struct chase *c, double *best, struct mp_error *err)
{
    for (unsigned i = 0; i < c->fits; i++)
        for (unsigned k = i; k < c->fits; k++)
            for (unsigned sign = 0; sign < (i == k ? 2 : 4); sign++) {
                const int64_t range = (int64_t)(c->fit[i].most - c->fit[i].least);
                int8_t direction[CHASE_FITS] = {0};
                direction[k] = sign & 2 ? -1 : 1;
                direction[i] = sign & 1 ? -1 : 1;
                if (descend(c, direction, i == k ? range / 4 + 1 : 4, best, err))
                    return -1;
            }
    return 0;
}

int chase_fit(struct chase *c, double *before, double *after, struct mp_error *err)
{
    if (residual_of(c, before, err))
        return -1;
    *after = *before;
    for (double last = INFINITY; *after < last;) {
        last = *after;
        if (descend_all(c, after, err))
            return -1;
    }
    return residual_of(c, after, err); /* the curves of the values that were kept */
}
