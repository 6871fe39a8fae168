/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/out.h"
#include "cli/run/results.h"
#include "gpu/machine.h"

const char *compare_value(const struct compare *c, unsigned value)
{
    return c->override[value] + strlen(c->path) + 1;
}

/* arg is the whole "PATH=VALUE,VALUE..." */
static int add_value(struct compare *c, const char *arg, const char *value, int length, struct mp_error *err)
{
    if (!length)
        return mp_fail(err, "--compare: a value of %s is empty; separate values by commas", c->path);
    if (c->n == COMPARE_MAX_VALUES)
        return mp_fail(err, "--compare: more than %u values; at most %u", COMPARE_MAX_VALUES,
                       COMPARE_MAX_VALUES);
    char *override = c->override[c->n];
    size_t room = sizeof c->override[0];
    int used = snprintf(override, room, "%.*s=%.*s", (int)strlen(c->path), arg, length, value);
    if (used < 0 || (size_t)used >= room)
        return mp_fail(err, "--compare: %s=%.*s is too long; at most %zu characters", c->path, length, value,
                       room - 1);
    for (unsigned i = 0; i < c->n; i++)
        if (!strcmp(override, c->override[i]))
            return mp_fail(err, "--compare: %s is given twice; all values must differ", override);
    c->n++;
    return 0;
}

int compare_parse(struct compare *c, const char *arg, struct mp_error *err)
{
    const char *equals = strchr(arg, '=');
    if (c->n)
        return mp_fail(err, "--compare: given twice; compare one parameter");
    if (!equals || equals == arg || (size_t)(equals - arg) >= sizeof c->path)
        return mp_fail(
            err, "--compare: '%s' has no values; path=value,value as in l3_tlb.policy=subentry,star", arg);
    memcpy(c->path, arg, (size_t)(equals - arg));
    c->path[equals - arg] = 0;
    for (const char *value = equals + 1; value;) {
        const char *comma = strchr(value, ',');
        if (add_value(c, arg, value, (int)(comma ? comma - value : (ptrdiff_t)strlen(value)), err))
            return -1;
        value = comma ? comma + 1 : NULL;
    }
    if (c->n < 2)
        return mp_fail(err, "--compare: only one value of %s; give two or more, or use --set", c->path);
    return 0;
}

static bool has_result(const struct run_job *job, unsigned t)
{
    return (job->outcome == RUN_DONE || job->outcome == RUN_FOUND || job->outcome == RUN_CUT) &&
           t < job->config.ntenants;
}

static double ipc(const struct run_job *job, unsigned t)
{
    return has_result(job, t) ? results_ipc(&job->result.tenant[t]) : (double)NAN;
}

static double l3_hits(const struct run_job *job, unsigned t)
{
    return has_result(job, t) ? results_hits(job, t, mp_machine_last_tlb()->name) : (double)NAN;
}

static double relative(const struct run_job *job, unsigned t, const struct run_job *alone, unsigned n)
{
    return has_result(job, t) ? results_relative(job, t, alone, n) : (double)NAN;
}

double compare_speedup(const struct run_job *variants, unsigned v, unsigned t)
{
    const struct run_job *first = &variants[0], *here = &variants[v];
    bool same = t < first->config.ntenants && t < here->config.ntenants &&
                runs_same_tenant(&first->config.tenant[t], &here->config.tenant[t]);
    return same ? ipc(here, t) / ipc(first, t) : (double)NAN;
}

double compare_mean_speedup(const struct run_job *variants, unsigned v)
{
    unsigned tenants = variants[v].config.ntenants;
    double sum = 0;
    for (unsigned t = 0; t < tenants; t++)
        sum += 1 / compare_speedup(variants, v, t);
    return tenants / sum;
}

static double percent(double ratio)
{
    return 100 * (ratio - 1);
}

static unsigned most_tenants(const struct compare *c, const struct run_job *variants)
{
    unsigned most = 0;
    for (unsigned v = 0; v < c->n; v++)
        if (variants[v].config.ntenants > most)
            most = variants[v].config.ntenants;
    return most;
}

/* The rows of a tenant are consecutive; equal names are printed once. */
static void tenant_cells(struct out_table *table, const struct run_job *variants, unsigned v, unsigned t)
{
    const struct mp_tenant_config *tenant = &variants[v].config.tenant[t];
    char name[64];
    if (v && t < variants[v - 1].config.ntenants &&
        runs_same_tenant(tenant, &variants[v - 1].config.tenant[t])) {
        out_cell(table, "%s", "");
        out_cell(table, "%s", "");
    } else {
        out_cell(table, "%s", runs_tenant_name(tenant, name, sizeof name));
        out_cell(table, "%" PRIu64, tenant->slices);
    }
}

static void change_cell(struct out_table *table, unsigned v, double speedup)
{
    if (v && isfinite(speedup))
        out_cell(table, "%+.1f", percent(speedup));
    else
        out_cell(table, "-");
}

static void mean_rows(const struct compare *c, struct out_table *table, const struct run_job *variants,
                      const struct run_job *alone, unsigned n)
{
    for (unsigned v = 0; v < c->n; v++) {
        out_cell(table, "%s", v ? "" : "harmonic mean");
        out_cell(table, "%s", "");
        out_cell(table, "%s", compare_value(c, v));
        out_cell(table, "%s", "");
        change_cell(table, v, compare_mean_speedup(variants, v));
        out_cell(table, "%s", "");
        if (n)
            results_cell(table,
                         has_result(&variants[v], 0) ? results_harmonic(&variants[v], alone, n) : (double)NAN,
                         3);
    }
}

static void print_experiment(const struct compare *c, const struct run_job *variants,
                             const struct run_job *alone, unsigned n)
{
    const char *const heads[] = {"application", "slices", c->path, "IPC", "change %", "L3 hit %", "vs alone"};
    const struct mp_config *config = &variants[0].config;
    printf("%s%s%s\n", config->name, config->description ? ": " : "",
           config->description ? config->description : "");
    for (unsigned v = 0; v < c->n; v++)
        printf("run %" PRId64 ": %s, %.1f s, digest %016" PRIx64 "%016" PRIx64 "\n", variants[v].run_id,
               c->override[v], variants[v].result.seconds, variants[v].result.digest[1],
               variants[v].result.digest[0]);
    struct out_table *table = out_table_new(n ? 7 : 6, heads);
    for (unsigned t = 0; t < most_tenants(c, variants); t++) {
        for (unsigned v = 0; v < c->n; v++) {
            if (t >= variants[v].config.ntenants)
                continue;
            tenant_cells(table, variants, v, t);
            out_cell(table, "%s", compare_value(c, v));
            results_cell(table, ipc(&variants[v], t), 3);
            change_cell(table, v, compare_speedup(variants, v, t));
            results_cell(table, 100 * l3_hits(&variants[v], t), 1);
            if (n)
                results_cell(table, relative(&variants[v], t, alone, n), 3);
        }
    }
    mean_rows(c, table, variants, alone, n);
    out_table_print(table, stdout);
}

void compare_print(const struct compare *c, const struct run_job *jobs, unsigned experiments,
                   const struct run_job *alone, unsigned n)
{
    for (unsigned e = 0; e < experiments; e++) {
        print_experiment(c, &jobs[e * c->n], alone, n);
        putchar('\n');
    }
    if (jobs[0].until)
        printf("cut: of applications that have not ended before cycle %" PRIu64
               ", the cycles up to it are compared\n",
               jobs[0].until);
    printf("change: of IPC against %s", c->override[0]);
    printf(n ? "; vs alone: against each application alone, with %s\n" : "\n", c->override[0]);
}

static void json_experiment(struct out_json *j, const struct compare *c, const struct run_job *variants,
                            const struct run_job *alone, unsigned n)
{
    json_object(j, NULL);
    json_text(j, "experiment", variants[0].config.name);
    json_array(j, "variants");
    for (unsigned v = 0; v < c->n; v++) {
        const struct run_job *job = &variants[v];
        json_object(j, NULL);
        json_text(j, "value", compare_value(c, v));
        json_count(j, "run", job->run_id > 0 ? (uint64_t)job->run_id : 0);
        json_array(j, "tenants");
        for (unsigned t = 0; t < job->config.ntenants; t++) {
            char name[64];
            json_object(j, NULL);
            json_text(j, "name", runs_tenant_name(&job->config.tenant[t], name, sizeof name));
            json_count(j, "slices", job->config.tenant[t].slices);
            json_real(j, "ipc", ipc(job, t));
            json_real(j, "change_percent", percent(compare_speedup(variants, v, t)));
            results_json_hits(j, job, t, mp_machine_last_tlb()->name);
            if (n)
                json_real(j, "relative_to_alone", relative(job, t, alone, n));
            json_end_object(j);
        }
        json_end_array(j);
        json_real(j, "mean_change_percent", percent(compare_mean_speedup(variants, v)));
        if (n)
            json_real(j, "harmonic_mean", has_result(job, 0) ? results_harmonic(job, alone, n) : (double)NAN);
        json_end_object(j);
    }
    json_end_array(j);
    json_end_object(j);
}

void compare_print_json(const struct compare *c, const struct run_job *jobs, unsigned experiments,
                        const struct run_job *alone, unsigned n)
{
    struct out_json j = {.f = stdout};
    json_object(&j, NULL);
    json_text(&j, "parameter", c->path);
    json_array(&j, "compared");
    for (unsigned e = 0; e < experiments; e++)
        json_experiment(&j, c, &jobs[e * c->n], alone, n);
    json_end_array(&j);
    results_json(&j, jobs, experiments * c->n, alone, n);
    json_end_object(&j);
}
