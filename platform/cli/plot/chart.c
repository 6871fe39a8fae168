/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/plot/chart_rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool same(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

/* ---- keys: what a row has for a parameter, an application, a cycle ---- */

static const char *const own_keys[] = {"app",    "apps",  "tenant", "run", "structure",
                                       "kernel", "cycle", "launch", NULL};

static bool is_own(const char *key)
{
    unsigned i = 0;
    while (own_keys[i] && strcmp(own_keys[i], key) != 0)
        i++;
    return own_keys[i] != NULL;
}

/* The text, in a buffer of the caller's where it is a number; NULL: the row has none. */
static const char *value_of(struct chart_rows *c, const struct chart_row *row, const char *key,
                            char number[24])
{
    if (!strcmp(key, "app"))
        return row->app;
    if (!strcmp(key, "apps"))
        return c->apps[row->run];
    if (!strcmp(key, "structure") || !strcmp(key, "kernel"))
        return row->part;
    if (!strcmp(key, "cycle") || !strcmp(key, "launch") || !*key)
        return row->place;
    if (!strcmp(key, "run") || !strcmp(key, "tenant")) {
        int64_t value = *key == 'r' ? c->run[row->run] : row->tenant;
        if (value < 0)
            return NULL;
        snprintf(number, 24, "%" PRId64, value);
        return number;
    }
    unsigned p = chart_path(c, key);
    return p < c->npaths ? c->setting[(size_t)p * c->nruns + row->run] : NULL;
}

static int check_key(struct chart_rows *c, const char *option, const char *key, struct mp_error *err)
{
    const char *names[CHART_PATHS + 16];
    unsigned n = 0;
    if (is_own(key) || chart_path(c, key) < c->npaths)
        return 0;
    for (unsigned i = 0; own_keys[i]; i++)
        names[n++] = own_keys[i];
    for (unsigned p = 0; p < c->npaths; p++)
        names[n++] = c->path[p];
    names[n] = NULL;
    return cli_unknown(err, key, names, "a parameter of mempath params, or app, apps, tenant, run",
                       "%s: no run has '%s'", option, key);
}

static int check_keys(struct chart_rows *c, struct mp_error *err)
{
    const struct chart_request *q = c->request;
    for (unsigned k = 0; k < q->nagainst; k++)
        if (check_key(c, "--against", q->against[k], err))
            return -1;
    for (unsigned k = 0; k < q->nby; k++)
        if (check_key(c, "--by", q->by[k], err))
            return -1;
    for (unsigned k = 0; k < q->nwhere; k++)
        if (check_key(c, "--where", q->where[k].path, err))
            return -1;
    return q->relative.values ? check_key(c, "--relative-to", q->relative.path, err) : 0;
}

static bool admits(struct chart_rows *c, const struct chart_row *row, const struct chart_condition *condition)
{
    char number[24];
    const char *value = value_of(c, row, condition->path, number), *at = condition->values;
    for (; value; at++) {
        size_t length = strcspn(at, ",");
        if (strlen(value) == length && !strncmp(value, at, length))
            return true;
        at += length;
        if (!*at)
            break;
    }
    return false;
}

static int keep_admitted(struct chart_rows *c, struct mp_error *err)
{
    const struct chart_request *q = c->request;
    unsigned kept = 0;
    for (unsigned i = 0; i < c->nrows; i++) {
        bool keep = true;
        for (unsigned k = 0; k < q->nwhere; k++)
            keep = keep && admits(c, &c->row[i], &q->where[k]);
        if (keep)
            c->row[kept++] = c->row[i];
        else
            chart_row_free(&c->row[i]);
    }
    c->nrows = kept;
    return kept ? 0 : mp_fail(err, "--where: none of %u runs has these values", c->nruns);
}

/* ---- relative values ---- */

/* Whether two rows are alike in all but one key. */
static bool alike(struct chart_rows *c, const struct chart_row *a, const struct chart_row *b, const char *but)
{
    if (a->tenant != b->tenant || !same(a->part, b->part) || !same(a->place, b->place))
        return false;
    if (strcmp(but, "app") != 0 && !same(a->app, b->app))
        return false;
    for (unsigned p = 0; p < c->npaths; p++)
        if (strcmp(c->path[p], but) != 0 &&
            !same(c->setting[(size_t)p * c->nruns + a->run], c->setting[(size_t)p * c->nruns + b->run]))
            return false;
    return true;
}

static int make_relative(struct chart_rows *c, struct mp_error *err)
{
    const struct chart_condition *to = &c->request->relative;
    char text[160], number[24];
    if (!to->values)
        return 0;
    unsigned nbases = 0, *base = cli_alloc(c->nrows, sizeof *base);
    double *ratio = cli_alloc(c->nrows, sizeof *ratio);
    int result = 0;
    for (unsigned i = 0; i < c->nrows; i++)
        if (admits(c, &c->row[i], to))
            base[nbases++] = i;
    for (unsigned i = 0; i < c->nrows && !result; i++) {
        const struct chart_row *row = &c->row[i];
        const char *value = value_of(c, row, to->path, number);
        unsigned k = 0;
        while (k < nbases && !alike(c, row, &c->row[base[k]], to->path))
            k++;
        if (k == nbases)
            result = mp_fail(
                err, "--relative-to: run %" PRId64 " (%s=%s) has no run with %s=%s that is alike otherwise",
                c->run[row->run], to->path, value ? value : "-", to->path, to->values);
        else
            ratio[i] = c->row[base[k]].value != 0 ? row->value / c->row[base[k]].value : (double)NAN;
    }
    for (unsigned i = 0; i < c->nrows && !result; i++)
        c->row[i].value = ratio[i];
    free(base);
    free(ratio);
    free(c->metric_unit);
    snprintf(text, sizeof text, "relative to %s=%s", to->path, to->values);
    c->metric_unit = chart_copy(text);
    return result;
}

/* ---- axes ---- */

static bool number_of(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return end != text && !*end && isfinite(*value);
}

/* The text of several keys, joined; false: the row lacks one. */
static bool joined(struct chart_rows *c, const struct chart_row *row, unsigned n, const char *const *key,
                   char text[256])
{
    size_t used = 0;
    *text = '\0';
    for (unsigned k = 0; k < n; k++) {
        char number[24];
        const char *value = value_of(c, row, key[k], number);
        if (!value)
            return false;
        used += (size_t)snprintf(text + used, 256 - used, "%s%s%s", used ? ", " : "",
                                 !strcmp(key[k], "tenant") ? "tenant " : "", value);
        used = used < 255 ? used : 255;
    }
    return true;
}

static int by_number(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static unsigned index_of(const struct chart_axis *axis, const char *label)
{
    double value;
    unsigned i = 0;
    if (axis->numeric && number_of(label, &value)) {
        const double *at = bsearch(&value, axis->at, axis->n, sizeof value, by_number);
        return at ? (unsigned)(at - axis->at) : axis->n;
    }
    while (i < axis->n && strcmp(axis->label[i], label) != 0)
        i++;
    return i;
}

static void add_label(struct chart_axis *axis, const char *label)
{
    axis->label = cli_have(realloc(axis->label, (axis->n + 1) * sizeof *axis->label));
    axis->label[axis->n++] = chart_copy(label);
}

/* Distinct values in the order of the runs, or of their size if all are numbers. */
static void make_axis(struct chart_rows *c, struct chart_axis *axis, unsigned n, const char *const *key)
{
    char text[256];
    double value;
    axis->numeric = n == 1;
    for (unsigned i = 0; i < c->nrows && axis->numeric; i++)
        axis->numeric = !joined(c, &c->row[i], n, key, text) || number_of(text, &value);
    if (axis->numeric) {
        axis->at = cli_alloc(c->nrows + 1, sizeof *axis->at);
        for (unsigned i = 0; i < c->nrows; i++)
            if (joined(c, &c->row[i], n, key, text) && number_of(text, &value))
                axis->at[axis->n++] = value;
        qsort(axis->at, axis->n, sizeof *axis->at, by_number);
        unsigned kept = 0;
        for (unsigned i = 0; i < axis->n; i++)
            if (!kept || axis->at[i] != axis->at[kept - 1])
                axis->at[kept++] = axis->at[i];
        axis->n = 0;
        for (unsigned i = 0; i < kept; i++) {
            snprintf(text, sizeof text, "%.15g", axis->at[i]);
            add_label(axis, text);
        }
        return;
    }
    for (unsigned i = 0; i < c->nrows; i++)
        if (joined(c, &c->row[i], n, key, text) && index_of(axis, text) == axis->n)
            add_label(axis, text);
}

static void name_axis(struct chart_rows *c, struct chart_axis *axis, unsigned n, const char *const *key)
{
    char text[256] = "";
    for (unsigned k = 0; k < n; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", k ? ", " : "", key[k]);
    axis->name = chart_copy(text);
    unsigned p = n == 1 ? chart_path(c, key[0]) : c->npaths;
    axis->unit = chart_copy(p < c->npaths                        ? c->unit[p]
                            : n == 1 && !strcmp(key[0], "cycle") ? "cycles"
                                                                 : NULL);
}

/* ---- cells ---- */

static double quantile(unsigned n, const double *ascending, double q)
{
    double at = q * (n - 1);
    unsigned low = (unsigned)at;
    return low + 1 < n ? ascending[low] + (at - low) * (ascending[low + 1] - ascending[low])
                       : ascending[n - 1];
}

static void summarise(const struct chart_rows *c, struct chart_cell *cell, unsigned n, double *value)
{
    double sum = 0, squares = 0;
    qsort(value, n, sizeof *value, by_number);
    for (unsigned i = 0; i < n; i++)
        sum += value[i];
    cell->n = n;
    cell->mean = sum / n;
    for (unsigned i = 0; i < n; i++)
        squares += (value[i] - cell->mean) * (value[i] - cell->mean);
    cell->half = n > 1 ? c->student[n < CHART_STUDENT ? n : CHART_STUDENT] * sqrt(squares / (n - 1) / n) : 0;
    cell->low = value[0];
    cell->quarter = quantile(n, value, 0.25);
    cell->median = quantile(n, value, 0.5);
    cell->three_quarters = quantile(n, value, 0.75);
    cell->high = value[n - 1];
}

/* What seeds change is averaged. Anything else that differs must be chosen. */
static bool is_seed(const char *path)
{
    return !strcmp(path, "seed") || !strcmp(path, "vm.seed");
}

static int differ(struct chart_rows *c, const struct chart_row *a, const struct chart_row *b,
                  struct mp_error *err)
{
    char paths[400] = "";
    unsigned n = 0;
    const char *one = NULL;
    for (unsigned p = 0; p < c->npaths; p++) {
        if ((is_seed(c->path[p]) && c->kind != CHART_CDF && c->kind != CHART_TIME) ||
            same(c->setting[(size_t)p * c->nruns + a->run], c->setting[(size_t)p * c->nruns + b->run]))
            continue;
        one = one ? one : c->path[p];
        if (n++ < 3)
            snprintf(paths + strlen(paths), sizeof paths - strlen(paths), "%s%s", n > 1 ? ", " : "",
                     c->path[p]);
    }
    if (!one && a->run == b->run && a->tenant != b->tenant)
        return mp_fail(err,
                       "plot: one value is of several tenants; --by tenant or --by app keeps them apart");
    return one ? mp_fail(err,
                         "plot: runs %" PRId64 " and %" PRId64
                         " have one place in the picture, but differ in %s%s; add "
                         "it to --against or --by, or choose with --where %s=VALUE",
                         c->run[a->run], c->run[b->run], paths, n > 3 ? " and others" : "", one)
               : 0;
}

struct place {
    size_t cell;
    unsigned row;
};

static int by_cell(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return x->cell != y->cell ? (x->cell > y->cell) - (x->cell < y->cell)
                              : (x->row > y->row) - (x->row < y->row);
}

/* Of a stack, rows of one run in a cell are tenants, and add up. */
static int fill(struct chart_rows *c, struct chart *chart, size_t n, const struct place *place,
                struct mp_error *err)
{
    double *value = cli_alloc(n + 1, sizeof *value);
    int result = 0;
    for (size_t i = 0, k; i < n && !result; i = k) {
        struct chart_cell *cell = &chart->cell[place[i].cell];
        unsigned nvalues = 0;
        for (k = i; k < n && place[k].cell == place[i].cell && !result; k++) {
            const struct chart_row *row = &c->row[place[k].row],
                                   *before = k > i ? &c->row[place[k - 1].row] : NULL;
            if (c->kind == CHART_STACK && before && before->run == row->run) {
                value[nvalues - 1] += row->value;
                continue;
            }
            result = before ? differ(c, &c->row[place[i].row], row, err) : 0;
            value[nvalues++] = row->value;
            cell->roof = row->roof;
        }
        summarise(c, cell, nvalues, value);
    }
    free(value);
    return result;
}

static bool seeds_matter(const struct chart *chart)
{
    bool some = false;
    for (size_t i = 0; i < (size_t)chart->series.n * chart->y.n * chart->x.n; i++)
        some = some || (chart->cell[i].n >= 3 && chart->cell[i].low < chart->cell[i].high);
    return some;
}

static int make_cells(struct chart_rows *c, struct chart *chart, const char *const *x,
                      const char *const *series, unsigned nseries, struct mp_error *err)
{
    static const char *const none[] = {""};
    const struct chart_request *q = c->request;
    bool heat = q->nagainst == 2 && c->kind != CHART_STACK;
    unsigned nx = c->kind == CHART_STACK && q->nagainst ? q->nagainst : 1;
    make_axis(c, &chart->x, nx, x);
    name_axis(c, &chart->x, nx, x);
    if (heat) {
        make_axis(c, &chart->y, 1, &q->against[1]);
        name_axis(c, &chart->y, 1, &q->against[1]);
    } else {
        add_label(&chart->y, "");
        name_axis(c, &chart->y, 1, none);
    }
    if (nseries)
        make_axis(c, &chart->series, nseries, series);
    else
        add_label(&chart->series, q->metric);
    name_axis(c, &chart->series, nseries, series);
    if (chart->series.n > CHART_SERIES)
        return mp_fail(err, "plot: %u curves; %u at most, --where %s=VALUE chooses", chart->series.n,
                       CHART_SERIES, chart->series.name);
    struct place *place = cli_alloc(c->nrows, sizeof *place);
    size_t n = 0;
    chart->cell = cli_alloc((size_t)chart->series.n * chart->y.n * chart->x.n, sizeof *chart->cell);
    for (size_t i = 0; i < (size_t)chart->series.n * chart->y.n * chart->x.n; i++)
        chart->cell[i].roof = (double)NAN;
    for (unsigned i = 0; i < c->nrows; i++) {
        char xs[256], ys[256] = "", names[256] = "";
        const struct chart_row *row = &c->row[i];
        if (!joined(c, row, nx, x, xs) || (heat && !joined(c, row, 1, &q->against[1], ys)) ||
            (nseries && !joined(c, row, nseries, series, names)) || !isfinite(row->value))
            continue;
        unsigned s = nseries ? index_of(&chart->series, names) : 0;
        place[n++] =
            (struct place){((size_t)s * chart->y.n + (heat ? index_of(&chart->y, ys) : 0)) * chart->x.n +
                               index_of(&chart->x, xs),
                           i};
    }
    qsort(place, n, sizeof *place, by_cell);
    int result = n ? fill(c, chart, n, place, err) : mp_fail(err, "plot: no run has all of these");
    free(place);
    return result;
}

static bool several_apps(const struct chart_rows *c)
{
    for (unsigned i = 1; i < c->nrows; i++)
        if (c->row[i].app && c->row[0].app && strcmp(c->row[i].app, c->row[0].app) != 0)
            return true;
    return false;
}

static bool tells_tenants(unsigned n, const char *const *key)
{
    for (unsigned k = 0; k < n; k++)
        if (!strcmp(key[k], "app") || !strcmp(key[k], "tenant"))
            return true;
    return false;
}

/* Applications are kept apart, too, unless the user says how. */
static unsigned choose_series(struct chart_rows *c, const char *series[CHART_KEYS + 1])
{
    const struct chart_request *q = c->request;
    unsigned n = 0;
    if (c->kind == CHART_STACK) {
        series[n++] = "structure";
        return n;
    }
    for (unsigned k = 0; k < q->nby; k++)
        series[n++] = q->by[k];
    if (several_apps(c) && !tells_tenants(q->nby, q->by) && !tells_tenants(q->nagainst, q->against))
        series[n++] = "app";
    return n;
}

static void describe(struct chart_rows *c, struct chart *chart)
{
    const struct chart_request *q = c->request;
    char text[400];
    snprintf(text, sizeof text, "%s%s%s%s%s%s", q->metric,
             c->kind == CHART_CDF ? ": share of values up to x" : " against ",
             c->kind == CHART_CDF ? "" : chart->x.name, chart->y.name && *chart->y.name ? " and " : "",
             chart->y.name, q->relative.values ? ", relative" : "");
    for (unsigned k = 0; k < q->nwhere; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text), ", %s=%s", q->where[k].path,
                 q->where[k].values);
    chart->title = chart_copy(text);
    chart->metric = chart_copy(q->metric);
    chart->unit = chart_copy(c->metric_unit);
    chart->nruns = c->nruns;
    if (c->kind == CHART_CDF) {
        free(chart->x.name);
        chart->x.name = chart_copy(q->metric);
        free(chart->x.unit);
        chart->x.unit = chart->unit;
        chart->unit = chart_copy("share of values");
    }
    chart->kind = c->kind;
    if (q->nagainst == 2 && c->kind == CHART_LINES)
        chart->kind = CHART_HEAT;
    else if (c->kind == CHART_LINES && !(chart->x.numeric && chart->x.n > 1))
        chart->kind = seeds_matter(chart) ? CHART_BOXES : CHART_BARS;
}

static int collect(struct chart_rows *c, struct chart *chart, struct mp_db *db, struct mp_error *err)
{
    const struct chart_request *q = c->request;
    const char *series[CHART_KEYS + 1], *x[CHART_KEYS + 1] = {"apps"};
    if (chart_rows_read(c, db, err) || check_keys(c, err) || keep_admitted(c, err) || make_relative(c, err))
        return -1;
    if (!q->nagainst && c->kind != CHART_CDF && c->kind != CHART_STACK)
        return mp_fail(err, "plot: %s has one number a run; --against PATH says what it depends on",
                       q->metric);
    for (unsigned k = 0; k < q->nagainst; k++)
        x[k] = q->against[k];
    if (c->kind == CHART_CDF)
        x[0] = "";
    if (c->kind == CHART_STACK && q->nagainst < CHART_KEYS && q->nby)
        return mp_fail(err, "plot: energy is stacked by structure; --against %s,%s shows both",
                       q->nagainst ? q->against[0] : "app", q->by[0]);
    if (make_cells(c, chart, x, series, choose_series(c, series), err))
        return -1;
    describe(c, chart);
    return 0;
}

int chart_collect(struct chart *chart, struct mp_db *db, const struct chart_request *request,
                  struct mp_error *err)
{
    struct chart_rows c = {.request = request};
    *chart = (struct chart){0};
    int result = collect(&c, chart, db, err);
    chart_rows_free(&c);
    return result;
}

bool chart_overlaps(const struct chart *c, unsigned series, unsigned x)
{
    const struct chart_cell *cell = chart_cell(c, series, 0, x),
                            *with = chart_cell(c, 0, 0, c->series.n > 1 ? x : 0);
    return cell != with && cell->n > 1 && with->n > 1 && cell->half + with->half > 0 &&
           fabs(cell->mean - with->mean) <= cell->half + with->half;
}

static void free_axis(struct chart_axis *axis)
{
    for (unsigned i = 0; i < axis->n; i++)
        free(axis->label[i]);
    free(axis->label);
    free(axis->at);
    free(axis->name);
    free(axis->unit);
}

void chart_free(struct chart *chart)
{
    free_axis(&chart->x);
    free_axis(&chart->y);
    free_axis(&chart->series);
    free(chart->title);
    free(chart->metric);
    free(chart->unit);
    free(chart->cell);
}
