/* SPDX-License-Identifier: Apache-2.0 */
/* A sweep in the database: a study with its axes and points; and the runs alone with which points are
 * compared. */
#include "cli/sweep/study.h"

#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/results.h"

/* "l3_tlb.policy=star l3_tlb.entries=256", of what varies; the experiment and the workload by their names. */
static char *label_of(const struct sweep *s, unsigned run)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = cli_have(open_memstream(&text, &size));
    for (unsigned d = 0; d < s->ndimensions; d++)
        for (unsigned p = 0; s->dimension[d].nvalues > 1 && p < s->dimension[d].npaths; p++) {
            const char *path = s->dimension[d].path[p];
            bool named = strchr(path, '.') || !strcmp(path, "seed");
            fprintf(f, "%s%s%s%s", ftell(f) ? " " : "", named ? path : "", named ? "=" : "",
                    sweep_value(s, run, d, p));
        }
    if (!ftell(f))
        fputs(sweep_value(s, run, 0, 0), f);
    fclose(f);
    return cli_have(text);
}

/* The file's name without folder and suffix. */
static char *name_of(const char *file)
{
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    return cli_have(strndup(name, strcspn(name, ".")));
}

static unsigned count_axes(const struct sweep *s)
{
    unsigned n = 0;
    for (unsigned d = 0; d < s->ndimensions; d++)
        n += s->dimension[d].npaths;
    return n;
}

int study_begin(struct sweep_jobs *j)
{
    const struct sweep *s = j->sweep;
    const unsigned naxes = count_axes(s);
    struct mp_db_axis *axis = cli_alloc(naxes, sizeof *axis);
    char **label = cli_alloc(s->nruns, sizeof *label);
    const char **value = cli_alloc((size_t)s->nruns * naxes, sizeof *value);
    for (unsigned d = 0, a = 0; d < s->ndimensions; d++)
        for (unsigned p = 0; p < s->dimension[d].npaths; p++, a++) {
            axis[a] = (struct mp_db_axis){d, s->dimension[d].path[p], s->dimension[d].nvalues > 1};
            for (unsigned run = 0; run < s->nruns; run++)
                value[(size_t)run * naxes + a] = sweep_value(s, run, d, p);
        }
    for (unsigned run = 0; run < s->nruns; run++)
        label[run] = label_of(s, run);
    char *name = name_of(j->file);
    const struct mp_db_study study = {.name = name,
                                      .description = s->description,
                                      .naxes = naxes,
                                      .npoints = s->nruns,
                                      .axis = axis,
                                      .label = (const char *const *)label,
                                      .value = value};
    struct mp_db *db = NULL;
    struct mp_error err;
    int64_t id = mp_db_open(&db, j->cli->db, MP_DB_WRITE, &err) ? -1 : mp_db_study(db, &study, &err);
    mp_db_close(db);
    for (unsigned i = 0; id > 0 && i < j->n; i++)
        j->job[i].at = (struct mp_db_at){id, j->number[i]};
    for (unsigned run = 0; run < s->nruns; run++)
        free(label[run]);
    free(label);
    free(value);
    free(axis);
    free(name);
    return id > 0 ? CLI_DONE : cli_fail(CLI_USAGE, "%s", err.text);
}

/* ---- runs alone ---- */

/* A configuration and the first job that has it; in a tree by the text. */
struct known {
    char *text;
    unsigned job;
};

static int by_text(const void *a, const void *b)
{
    return strcmp(((const struct known *)a)->text, ((const struct known *)b)->text);
}

static void free_known(void *known)
{
    free(((struct known *)known)->text);
    free(known);
}

/* The number of the first job with this configuration: `number`, unless there is one already. */
static unsigned find_same(void **tree, const struct mp_config *config, unsigned number)
{
    struct known *k = cli_alloc(1, sizeof *k);
    *k = (struct known){cli_have(mp_config_text(config)), number};
    const struct known *found = *(struct known *const *)cli_have(tsearch(k, tree, by_text));
    const unsigned first = found->job;
    if (found != k)
        free_known(k);
    return first;
}

/* Tenant t of a point alone, on the reference's machine. */
static int add_alone(struct study_alone *a, const struct sweep_jobs *j, unsigned i, unsigned t)
{
    struct mp_config machine;
    struct mp_error err;
    struct run_job *job = &a->job[a->n];
    if (sweep_config_with(j->sweep, j->number[i] - 1, a->nsettings, a->setting, &machine, &err))
        return cli_fail(CLI_USAGE, "--alone: %s", err.text);
    if (t >= machine.ntenants) {
        mp_config_free(&machine);
        return cli_fail(CLI_USAGE, "--alone: the reference has fewer tenants; settings of the machine");
    }
    runs_alone(job, &machine, t);
    mp_config_free(&machine);
    const unsigned same = find_same(&a->known, &job->config, a->n);
    if (same < a->n)
        mp_config_free(&job->config);
    else
        a->n++;
    a->reference[a->nreferences++] = (struct run_reference){
        .job = &j->job[i], .tenant = t, .alone = &a->job[same], .settings = a->settings};
    return CLI_DONE;
}

int study_alone_load(struct study_alone *a, const struct sweep_jobs *j, const char *settings)
{
    unsigned most = 0;
    for (unsigned i = 0; i < j->n; i++)
        most += j->job[i].config.ntenants;
    *a = (struct study_alone){.settings = cli_have(strdup(settings)), .words = cli_have(strdup(settings))};
    a->setting = cli_alloc(strlen(settings) + 1, sizeof *a->setting);
    char *rest = NULL;
    for (char *word = strtok_r(a->words, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
        a->setting[a->nsettings++] = word;
    for (char *comma = a->settings; (comma = strchr(comma, ','));)
        *comma = ' ';
    a->job = cli_alloc(most, sizeof *a->job);
    a->reference = cli_alloc(most, sizeof *a->reference);
    int code = CLI_DONE;
    a->first = cli_alloc(j->n + 1, sizeof *a->first);
    a->jobs = j->job;
    for (unsigned i = 0; !code && i < j->n; i++, a->first[i] = a->nreferences)
        for (unsigned t = 0; !code && j->job[i].config.ntenants > 1 && t < j->job[i].config.ntenants; t++)
            code = add_alone(a, j, i, t);
    return code;
}

void study_alone_free(struct study_alone *a)
{
    if (a->job)
        runs_free(a->job, a->n);
    tdestroy(a->known, free_known);
    free(a->reference);
    free(a->first);
    free(a->setting);
    free(a->settings);
    free(a->words);
    *a = (struct study_alone){0};
}

const struct study_speed study_no_speed = {(double)NAN, (double)NAN, (double)NAN, (double)NAN};

struct study_speed study_speed(const struct study_alone *a, const struct run_job *job)
{
    const unsigned first = a->first[job - a->jobs], end = a->first[job - a->jobs + 1];
    struct study_speed s = {0};
    double least = INFINITY;
    for (unsigned i = first; i < end; i++) {
        const double relative = results_relative_to(job, a->reference[i].tenant, a->reference[i].alone);
        if (!(relative > 0))
            return study_no_speed;
        s.weighted += relative;
        s.harmonic += 1 / relative;
        s.slowdown = fmax(s.slowdown, 1 / relative);
        least = fmin(least, 1 / relative);
    }
    if (first == end)
        return study_no_speed;
    s.harmonic = (end - first) / s.harmonic;
    s.fairness = least / s.slowdown;
    return s;
}
