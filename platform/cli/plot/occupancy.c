/* SPDX-License-Identifier: Apache-2.0 */
/* The shared L3 TLB's entries per tenant over time, from the snapshots of `run --epochs`. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/plot/plot.h"
#include "cli/run/runs.h"
#include "gpu/machine.h"

struct occupancy {
    int64_t run;
    struct mp_config config;
    unsigned n;
    uint64_t *cycle, *held; /* held: n rows with a column per tenant */
};

/* Reads the snapshots in the order of their cycles. */
static int read_snapshots(struct mp_db *db, struct occupancy *o, struct mp_error *err)
{
    char sql[200];
    snprintf(sql, sizeof sql,
             "SELECT cycle, tenant, sum(value) FROM epochs WHERE run = :run AND kind = '%s' "
             "AND metric = 'held' GROUP BY cycle, tenant ORDER BY cycle",
             mp_machine_last_tlb()->name);
    char *text = runs_ask(db, sql, o->run, MP_DB_CSV, err), *rest = NULL;
    unsigned tenants = o->config.ntenants, lines = 0;
    if (!text)
        return -1;
    for (const char *at = text; *at; at++)
        lines += *at == '\n';
    o->cycle = cli_alloc(lines, sizeof *o->cycle);
    o->held = cli_alloc((size_t)lines * tenants, sizeof *o->held);
    for (char *line = strtok_r(text, "\r\n", &rest); line; line = strtok_r(NULL, "\r\n", &rest)) {
        uint64_t cycle, held;
        unsigned tenant;
        if (sscanf(line, "%" SCNu64 ",%u,%" SCNu64, &cycle, &tenant, &held) != 3 || tenant >= tenants)
            continue; /* the header */
        if (!o->n || o->cycle[o->n - 1] != cycle)
            o->cycle[o->n++] = cycle;
        o->held[(size_t)(o->n - 1) * tenants + tenant] = held;
    }
    free(text);
    if (o->n < 2)
        return mp_fail(err,
                       "plot: run %" PRId64
                       " has %s of the L3 TLB; mempath run %s --epochs CYCLES takes them, "
                       "and a run should last many",
                       o->run, o->n ? "one snapshot" : "no snapshots", o->config.name);
    return 0;
}

static int draw(const struct cli *cli, const struct occupancy *o, const char *output)
{
    struct mp_tlb_params tlb;
    mp_config_level(&o->config, mp_machine_last_tlb()->name, &tlb);
    uint64_t limit = (uint64_t)tlb.entries * tlb.geometry.sub_entries;
    char title[160], file[48], capacity[40], name[MP_TENANTS][80];
    const char *series[MP_TENANTS];
    for (unsigned t = 0; t < o->config.ntenants; t++) {
        char app[64];
        snprintf(name[t], sizeof name[t], "%s, %" PRIu64 "g",
                 runs_tenant_name(&o->config.tenant[t], app, sizeof app), o->config.tenant[t].slices);
        series[t] = name[t];
    }
    snprintf(title, sizeof title, "Whose translations the L3 TLB holds (run %" PRId64 ", %s)", o->run,
             o->config.name);
    snprintf(file, sizeof file, "occupancy-run%" PRId64, o->run);
    snprintf(capacity, sizeof capacity, "capacity, %" PRIu64, limit);
    const struct plot_stack stack = {.title = title,
                                     .axis = "valid translations in the L3 TLB (pages)",
                                     .series = series,
                                     .nseries = o->config.ntenants,
                                     .n = o->n,
                                     .cycle = o->cycle,
                                     .value = o->held,
                                     .limit = limit,
                                     .limit_name = capacity};
    int code = plot_stack(cli, output, file, &stack);
    if (!code && cli->json) {
        struct out_json j = {.f = stdout};
        json_object(&j, NULL);
        json_count(&j, "run", (uint64_t)o->run);
        json_count(&j, "snapshots", o->n);
        json_count(&j, "capacity", stack.limit);
        plot_json(&j, output, file);
        json_end_object(&j);
    }
    return code;
}

int plot_occupancy(const struct cli *cli, struct mp_db *db, int64_t run, const char *output)
{
    struct occupancy o = {0};
    struct mp_error err;
    int code = runs_config(db, run, &o.run, &o.config, &err) || read_snapshots(db, &o, &err)
                   ? cli_fail(CLI_USAGE, "%s", err.text)
                   : draw(cli, &o, output);
    free(o.cycle);
    free(o.held);
    mp_config_free(&o.config);
    return code;
}
