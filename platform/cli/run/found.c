/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the results of a run that the database already has, through the same views as `query`. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/runs.h"

static void take(struct mp_tenant_result *r, const struct mp_config *config, const char *level,
                 uint64_t lookups, uint64_t hits, uint64_t misses)
{
    int tlb = mp_config_tlb(config, level);
    if (tlb >= 0) {
        r->tlb[tlb] = (struct mp_tlb_result){lookups, misses};
    } else if (!strcmp(level, "walk")) {
        r->walks = lookups;
        r->stolen = hits;
        r->waited_for = misses;
    } else if (!strcmp(level, "walk_time")) {
        r->queue_cycles = hits;
        r->walk_cycles = misses;
    }
}

char *runs_ask(struct mp_db *db, const char *sql, int64_t run, enum mp_db_format format, struct mp_error *err)
{
    char id[24], *text = NULL;
    size_t size = 0;
    FILE *f = cli_have(open_memstream(&text, &size));
    snprintf(id, sizeof id, "%" PRId64, run);
    const struct mp_db_parameter parameter = {.name = "run", .value = id};
    int failed = mp_db_query(db, sql, run > 0 ? 1 : 0, &parameter, format, f, err);
    fclose(f);
    if (!failed)
        return text;
    free(text);
    return NULL;
}

int runs_config(struct mp_db *db, int64_t wanted, int64_t *run, struct mp_config *config,
                struct mp_error *err)
{
    char *id = runs_ask(db, "SELECT id FROM run WHERE id = :run", wanted, MP_DB_CSV, err);
    if (!id)
        return -1;
    int found = sscanf(id, "id %" SCNd64, run);
    free(id);
    if (found != 1 && wanted)
        return mp_fail(err, "plot: no run %" PRId64 "; mempath query runs lists them", wanted);
    if (found != 1)
        return mp_fail(err, "plot: no finished run; mempath run EXPERIMENT");
    char *text = runs_ask(db, "config", *run, MP_DB_TABLE, err);
    int failed =
        text ? mp_config_load_text(config, "the run's configuration", text, strlen(text), 0, NULL, err) : -1;
    free(text);
    return failed;
}

static int read_tlbs(struct mp_db *db, int64_t run, const struct mp_config *config, struct mp_result *result,
                     struct mp_error *err)
{
    static const char sql[] =
        "SELECT tenant, level, ifnull(lookups, 0), ifnull(hits, 0), ifnull(misses, 0) "
        "FROM tlb_hit_rate WHERE run = :run AND tenant IS NOT NULL UNION ALL "
        "SELECT tenant, 'walk_time', walks, queue_cycles, walk_cycles "
        "FROM walk_counts WHERE run = :run AND tenant IS NOT NULL UNION ALL "
        "SELECT tenant, 'walk', sum(value) FILTER (WHERE metric = 'walks'), "
        "sum(value) FILTER (WHERE metric = 'stolen'), sum(value) FILTER (WHERE metric = 'waited_for') "
        "FROM metrics WHERE run = :run AND kind = 'walk' AND tenant IS NOT NULL GROUP BY tenant";
    char *text = runs_ask(db, sql, run, MP_DB_CSV, err), *rest = NULL;
    if (!text)
        return -1;
    for (char *line = strtok_r(text, "\r\n", &rest); line; line = strtok_r(NULL, "\r\n", &rest)) {
        unsigned tenant;
        char level[16];
        uint64_t lookups, hits, misses;
        if (sscanf(line, "%u,%15[^,],%" SCNu64 ",%" SCNu64 ",%" SCNu64, &tenant, level, &lookups, &hits,
                   &misses) == 5 &&
            tenant < MP_TENANTS) /* the header has no five numbers */
            take(&result->tenant[tenant], config, level, lookups, hits, misses);
    }
    free(text);
    return 0;
}

int runs_read(struct mp_db *db, int64_t run, const struct mp_config *config, struct mp_result *result,
              struct mp_error *err)
{
    struct mp_db_tenant_result found[MP_TENANTS];
    int n = mp_db_tenant_results(db, run, MP_TENANTS, found, err);
    if (n < 0)
        return -1;
    *result = (struct mp_result){0};
    for (int t = 0; t < n && t < (int)MP_TENANTS; t++)
        result->tenant[t] =
            (struct mp_tenant_result){.cycles = found[t].cycles,
                                      .instructions = found[t].instructions,
                                      .thread_instructions = found[t].thread_instructions,
                                      .accesses = found[t].accesses,
                                      .translations = found[t].translations,
                                      .completions = found[t].completions,
                                      .recorded_instructions = found[t].recorded_instructions};
    return read_tlbs(db, run, config, result, err) ? -1 : n;
}
