/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/paper/data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/csv.h"
#include "cli/embedded.h"

/* Makes room for one more element after n, and another that stays zero. */
static void *grow(void *array, unsigned n, size_t size)
{
    array = cli_have(realloc(array, (n + 2) * size));
    memset((char *)array + n * size, 0, 2 * size);
    return array;
}

static const char *or_null(const char *text)
{
    return *text ? text : NULL;
}

/* The file's name in messages. */
static const char *file_name(char name[64], const char *paper, const char *suffix)
{
    snprintf(name, 64, "db/papers/%s%s.csv", paper, suffix);
    return name;
}

static int read_points(struct paper_data *data, const char *paper, char *text, struct mp_error *err)
{
    char name[64];
    struct csv csv;
    unsigned n = 0;
    int row = csv_open(&csv, file_name(name, paper, ""), text, "figure,series,x,value,unit,note", err);
    data->point = grow(data->point, 0, sizeof *data->point);
    while (!row && (row = csv_row(&csv, err)) > 0) {
        data->point = grow(data->point, n, sizeof *data->point);
        struct mp_db_point *p = &data->point[n++];
        char **f = csv.field;
        if (csv.nfields != 6)
            return mp_fail(err, "%s:%u: %u fields; 6 are needed", csv.name, csv.line, csv.nfields);
        *p = (struct mp_db_point){.paper = paper,
                                  .figure = f[0],
                                  .series = f[1],
                                  .x = f[2],
                                  .has_value = true,
                                  .unit = f[4],
                                  .note = f[5]};
        row = csv_number(&csv, 3, &p->value, err);
    }
    return row;
}

static int read_claims(struct paper_data *data, const char *paper, char *text, struct mp_error *err)
{
    static const char *const relations[] = {"less", "more", "mostly-less", "mostly-more", NULL};
    char name[64];
    struct csv csv;
    unsigned n = 0;
    int row = csv_open(&csv, file_name(name, paper, "_claims"), text,
                       "figure,series,x,relation,than_series,than_x,than,text", err);
    data->claim = grow(data->claim, 0, sizeof *data->claim);
    while (!row && (row = csv_row(&csv, err)) > 0) {
        data->claim = grow(data->claim, n, sizeof *data->claim);
        struct paper_claim *c = &data->claim[n++];
        char **f = csv.field;
        if (csv.nfields != 8)
            return mp_fail(err, "%s:%u: %u fields; 8 are needed", csv.name, csv.line, csv.nfields);
        unsigned relation = 0;
        while (relations[relation] && strcmp(f[3], relations[relation]) != 0)
            relation++;
        if (!relations[relation])
            return mp_fail(err, "%s:%u: unknown relation '%s'; less, more, mostly-less or mostly-more",
                           csv.name, csv.line, f[3]);
        *c = (struct paper_claim){.figure = f[0],
                                  .series = f[1],
                                  .x = f[2],
                                  .relation = relation,
                                  .than_series = or_null(f[4]),
                                  .than_x = or_null(f[5]),
                                  .text = f[7]};
        row = c->than_x ? 0 : csv_number(&csv, 6, &c->than, err);
    }
    return row;
}

static int read_workloads(struct paper_data *data, const char *paper, char *text, struct mp_error *err)
{
    char name[64];
    struct csv csv;
    int row = csv_open(&csv, file_name(name, paper, "_workloads"), text,
                       "name,category,experiment,app_1,app_2,app_3,app_4,set", err);
    while (!row && (row = csv_row(&csv, err)) > 0) {
        data->workload = grow(data->workload, data->nworkloads, sizeof *data->workload);
        struct paper_workload *w = &data->workload[data->nworkloads++];
        char **f = csv.field, *rest = NULL;
        if (csv.nfields != 8)
            return mp_fail(err, "%s:%u: %u fields; 8 are needed", csv.name, csv.line, csv.nfields);
        *w = (struct paper_workload){.name = f[0], .category = f[1], .experiment = or_null(f[2])};
        for (unsigned t = 0; t < PAPER_TENANTS; t++)
            w->app[t] = or_null(f[3 + t]);
        for (unsigned i = 0; i < 2; i++)
            w->set[i] = strtok_r(i ? NULL : f[7], " ", &rest);
        row = 0;
    }
    return row;
}

int paper_data_read(struct paper_data *data, const char *paper, char *points, char *claims, char *workloads,
                    struct mp_error *err)
{
    *data = (struct paper_data){0};
    return read_points(data, paper, points, err) || read_claims(data, paper, claims, err) ||
                   read_workloads(data, paper, workloads, err)
               ? -1
               : 0;
}

void paper_data_free(struct paper_data *data)
{
    free(data->point);
    free(data->claim);
    free(data->workload);
    *data = (struct paper_data){0};
}

char *paper_text(const char *paper, const char *suffix)
{
    char name[64];
    snprintf(name, sizeof name, "%s%s", paper, suffix);
    const char *text = cli_file_text(paper_files, name);
    if (!text)
        exit(cli_fail(CLI_FAILED, "db/papers/%s.csv: not built in", name));
    return cli_have(strdup(text));
}

const struct paper_data *paper_data(const char *paper)
{
    static struct {
        char *paper;
        struct paper_data data;
    } kept[8];
    unsigned i = 0;
    while (kept[i].paper && strcmp(kept[i].paper, paper) != 0)
        i++;
    if (!kept[i].paper) {
        struct mp_error err;
        kept[i].paper = cli_have(strdup(paper));
        if (paper_data_read(&kept[i].data, paper, paper_text(paper, ""), paper_text(paper, "_claims"),
                            paper_text(paper, "_workloads"), &err))
            exit(cli_fail(CLI_FAILED, "%s", err.text));
    }
    return &kept[i].data;
}

const struct mp_db_point *paper_find(const struct mp_db_point *points, const char *figure, const char *series,
                                     const char *x)
{
    for (; points->paper; points++)
        if (!strcmp(points->figure, figure) && !strcmp(points->series, series) && !strcmp(points->x, x))
            return points;
    return NULL;
}
