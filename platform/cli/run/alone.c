/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of tenants alone, and which runs are compared with them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/runs.h"

bool runs_same_tenant(const struct mp_tenant_config *a, const struct mp_tenant_config *b)
{
    const char *const x[] = {a->app, a->size, a->input, a->trace, a->page_bytes}, *const y[] = {
                                                                                      b->app, b->size,
                                                                                      b->input, b->trace,
                                                                                      b->page_bytes};
    for (unsigned i = 0; i < sizeof x / sizeof *x; i++)
        if (strcmp(x[i] ? x[i] : "", y[i] ? y[i] : "") != 0)
            return false;
    return a->slices == b->slices && a->sms == b->sms && a->colours == b->colours;
}

const char *runs_tenant_name(const struct mp_tenant_config *tenant, char *buffer, size_t size)
{
    if (tenant->app) {
        snprintf(buffer, size, "%s %s", tenant->app, tenant->size ? tenant->size : "");
    } else {
        const char *slash = strrchr(tenant->trace, '/');
        snprintf(buffer, size, "%s", slash ? slash + 1 : tenant->trace);
    }
    return buffer;
}

int runs_alone(struct run_job *job, const struct mp_config *config, unsigned t)
{
    char name[48];
    *job = (struct run_job){.role = MP_DB_ALONE};
    if (mp_config_copy(&job->config, config))
        cli_have(NULL);
    struct mp_config *c = &job->config;
    struct mp_tenant_config kept = c->tenant[t];
    for (unsigned i = 0; i < c->ntenants; i++) {
        if (i != t) {
            free(c->tenant[i].app);
            free(c->tenant[i].size);
            free(c->tenant[i].input);
            free(c->tenant[i].trace);
        }
        c->tenant[i] = (struct mp_tenant_config){0};
    }
    c->tenant[0] = kept;
    c->ntenants = 1;
    runs_tenant_name(&kept, name, sizeof name);
    if (kept.sms)
        snprintf(job->label, sizeof job->label, "%s alone %u SMs", name, (unsigned)kept.sms);
    else
        snprintf(job->label, sizeof job->label, "%s alone %ug", name, (unsigned)kept.slices);
    /* The name says what the run is, not where it was needed first, so that every command finds it again. */
    free(c->name);
    free(c->description);
    c->name = cli_have(strdup(job->label));
    c->description = NULL;
    char *tenants = c->changes ? strstr(c->changes, "tenants.") : NULL; /* its name says which tenant it is */
    if (tenants)
        tenants[tenants > c->changes ? -1 : 0] = 0; /* with the blank before it */
    return CLI_DONE;
}

static bool is_done(const struct run_job *job)
{
    return job->outcome == RUN_DONE || job->outcome == RUN_FOUND;
}

int runs_refer(const struct cli *cli, const struct run_reference *reference, unsigned n)
{
    struct mp_db_reference *rows = cli_alloc(n, sizeof *rows);
    struct mp_db *db = NULL;
    struct mp_error err;
    unsigned done = 0;
    for (unsigned i = 0; i < n; i++) {
        const struct run_reference *r = &reference[i];
        if (is_done(r->job) && is_done(r->alone))
            rows[done++] = (struct mp_db_reference){r->job->run_id, r->alone->run_id, r->tenant, r->settings};
    }
    int failed =
        done && (mp_db_open(&db, cli->db, MP_DB_WRITE, &err) || mp_db_references(db, rows, done, &err));
    mp_db_close(db);
    free(rows);
    return failed ? cli_fail(CLI_FAILED, "%s", err.text) : CLI_DONE;
}
