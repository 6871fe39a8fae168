/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int estimate_error(const char *arg, double *error, struct mp_error *err)
{
    char *end;
    double percent = strtod(arg, &end);
    if (end == arg || strcmp(end, "%") != 0 || !(percent >= 0.1 && percent <= 50))
        return mp_fail(err, "--error: '%.20s' is not an error; 0.1%% to 50%%, as in 3%%", arg);
    *error = percent / 100;
    return 0;
}

/* "0.512 +- 0.013", times a factor. */
static void cell(struct out_table *t, const struct mp_interval *i, double factor, int digits)
{
    if (!isfinite(i->value))
        out_cell(t, "-");
    else if (!isfinite(i->half_width))
        out_cell(t, "%.*f +- ?", digits, factor * i->value);
    else
        out_cell(t, "%.*f +- %.*f", digits, factor * i->value, digits, factor * i->half_width);
}

/* Whether each tenant's IPC is as exact as was asked for. */
static bool reached(const struct run_job *job)
{
    for (unsigned t = 0; t < job->config.ntenants; t++) {
        const struct mp_interval *ipc = &job->result.estimate[t].value[0];
        if (!(ipc->half_width <= job->estimate * ipc->value))
            return false;
    }
    return true;
}

void estimate_print(const struct run_job *job)
{
    static const char *const heads[] = {"tenant",   "IPC",          "L1 hit %", "L2 hit %",
                                        "L3 hit %", "walk latency", "windows"};
    static const struct {
        double factor;
        int digits;
    } form[MP_ESTIMATE_VALUES] = {{1, 3}, {100, 1}, {100, 1}, {100, 1}, {1, 1}};
    struct out_table *t = out_table_new(2 + MP_ESTIMATE_VALUES, heads);
    for (unsigned i = 0; i < job->config.ntenants; i++) {
        const struct mp_estimated *e = &job->result.estimate[i];
        char name[64];
        out_cell(t, "%s", runs_tenant_name(&job->config.tenant[i], name, sizeof name));
        for (unsigned v = 0; v < MP_ESTIMATE_VALUES; v++)
            cell(t, &e->value[v], form[v].factor, form[v].digits);
        out_count(t, e->windows);
    }
    out_table_print(t, stdout);
    printf("estimates with 95 %% intervals; %.1f %% of the cycles in detail\n", 100 * job->result.detail);
    if (!reached(job))
        printf("the run is too short for an error of %g %%: the intervals are wider\n", 100 * job->estimate);
}

void estimate_json(struct out_json *j, const struct run_job *job, unsigned t)
{
    const struct mp_estimated *e = &job->result.estimate[t];
    json_object(j, "estimate");
    for (unsigned v = 0; v < MP_ESTIMATE_VALUES; v++) {
        json_object(j, mp_estimate_values[v].name);
        json_real(j, "value", e->value[v].value);
        json_real(j, "half_width", e->value[v].half_width);
        json_end_object(j);
    }
    json_count(j, "windows", e->windows);
    json_end_object(j);
}

int estimate_store(struct mp_db *db, const struct mp_result *result, unsigned tenants, struct mp_error *err)
{
    for (unsigned t = 0; t < tenants; t++)
        for (unsigned v = 0; v < MP_ESTIMATE_VALUES; v++) {
            const struct mp_estimated *e = &result->estimate[t];
            const struct mp_db_estimate row = {.tenant = t,
                                               .name = mp_estimate_values[v].name,
                                               .unit = mp_estimate_values[v].unit,
                                               .value = e->value[v].value,
                                               .half_width = e->value[v].half_width,
                                               .windows = e->windows};
            if (isfinite(row.value) && mp_db_estimate(db, &row, err))
                return -1;
        }
    return 0;
}
