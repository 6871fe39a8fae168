/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run/managed.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *const managed_kinds[MANAGED_KINDS] = {
    [MANAGED_BATCH] = "batch",       [MANAGED_VICTIM] = "victim",   [MANAGED_INVALIDATION] = "invalidation",
    [MANAGED_COPY_OUT] = "copy out", [MANAGED_COPY_IN] = "copy in", [MANAGED_ZEROING] = "zeroing",
    [MANAGED_SERVICE] = "service",   [MANAGED_FAULT] = "fault",     [MANAGED_REPLAY] = "replay"};

static int kind_of(const char *name)
{
    for (int k = 0; k < MANAGED_KINDS; k++)
        if (!strcmp(managed_kinds[k], name))
            return k;
    return -1;
}

/* The answer to a SELECT, whose header has been read: its lines follow from *rest. NULL with err. */
static char *ask(struct mp_db *db, int64_t run, const char *sql, size_t *lines, char **rest,
                 struct mp_error *err)
{
    char *text = runs_ask(db, sql, run, MP_DB_CSV, err);
    *lines = 0;
    for (const char *at = text; at && *at; at++)
        *lines += *at == '\n';
    if (text)
        strtok_r(text, "\r\n", rest);
    return text;
}

static int load_actions(struct mp_db *db, int64_t run, int64_t component, struct managed_server *s,
                        struct mp_error *err)
{
    char sql[256], *rest = NULL;
    size_t lines;
    snprintf(sql, sizeof sql,
             "SELECT tenant, began, ended, ifnull(page, 0), pages, kind FROM managed_action "
             "WHERE run = :run AND component = %" PRId64 " ORDER BY began, number",
             component);
    char *text = ask(db, run, sql, &lines, &rest, err);
    s->action = cli_alloc(lines + 1, sizeof *s->action);
    for (char *line; text && (line = strtok_r(NULL, "\r\n", &rest));) {
        struct managed_action *a = &s->action[s->nactions];
        char kind[16];
        if (sscanf(line, "%u,%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%15[a-z ]", &a->tenant,
                   &a->began, &a->ended, &a->page, &a->pages, kind) != 6 ||
            a->tenant >= MP_TENANTS || kind_of(kind) < 0)
            continue; /* only mempath may write the database */
        a->kind = (enum managed_kind)kind_of(kind);
        s->nactions++;
    }
    free(text);
    return text ? 0 : -1;
}

static int load_changes(struct mp_db *db, int64_t run, int64_t component, struct managed_server *s,
                        struct mp_error *err)
{
    char sql[256], *rest = NULL;
    size_t lines;
    snprintf(sql, sizeof sql,
             "SELECT tenant, block, cycle, pages FROM managed_resident "
             "WHERE run = :run AND component = %" PRId64 " ORDER BY cycle, tenant, block",
             component);
    char *text = ask(db, run, sql, &lines, &rest, err);
    s->change = cli_alloc(lines + 1, sizeof *s->change);
    for (char *line; text && (line = strtok_r(NULL, "\r\n", &rest));) {
        struct managed_change *c = &s->change[s->nchanges];
        s->nchanges += sscanf(line, "%u,%" SCNu64 ",%" SCNu64 ",%" SCNu64, &c->tenant, &c->block, &c->cycle,
                              &c->pages) == 4 &&
                       c->tenant < MP_TENANTS;
    }
    free(text);
    return text ? 0 : -1;
}

int managed_load(struct mp_db *db, int64_t run, struct managed *m, struct mp_error *err)
{
    char *rest = NULL;
    size_t lines;
    *m = (struct managed){0};
    if (runs_config(db, run, &m->run, &m->config, err))
        return -1;
    for (unsigned t = 0; t < m->config.ntenants; t++) {
        char app[56];
        snprintf(m->name[t], sizeof m->name[t], "%u: %s", t,
                 runs_tenant_name(&m->config.tenant[t], app, sizeof app));
    }
    char *text =
        ask(db, m->run,
            "SELECT component, first, last, page_bytes, path FROM managed_window w "
            "JOIN component c ON c.run = w.run AND c.id = component WHERE w.run = :run ORDER BY path",
            &lines, &rest, err);
    int failed = text ? 0 : -1;
    m->server = cli_alloc(lines + 1, sizeof *m->server);
    for (char *line; !failed && (line = strtok_r(NULL, "\r\n", &rest));) {
        struct managed_server *s = &m->server[m->n];
        int64_t component;
        if (sscanf(line, "%" SCNd64 ",%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%63s", &component, &s->first,
                   &s->last, &s->page_bytes, s->path) != 5)
            continue;
        m->n++;
        failed = load_actions(db, m->run, component, s, err) || load_changes(db, m->run, component, s, err)
                     ? -1
                     : 0;
    }
    free(text);
    return failed;
}

void managed_free(struct managed *m)
{
    for (unsigned i = 0; i < m->n; i++) {
        free(m->server[i].action);
        free(m->server[i].change);
    }
    free(m->server);
    mp_config_free(&m->config);
    *m = (struct managed){0};
}
