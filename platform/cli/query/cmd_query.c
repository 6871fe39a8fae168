/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/out.h"
#include "db/db.h"

static const char doc[] =
    "Queries the result database, by a named query or by any SELECT. Without an argument, lists the named "
    "queries.\vA query's parameters are given as name=value; those left out take the latest run, or all.\n"
    "\n"
    "Examples:\n"
    "  mempath query                      the named queries\n"
    "  mempath query runs                 what ran, when, how fast\n"
    "  mempath query ipc run=3            instructions per cycle of each tenant of run 3\n"
    "  mempath query walks run=1,2        page walks of runs 1 and 2\n"
    "  mempath query parameters path=l3_tlb   "
    "parameters of the latest finished run whose path contains l3_tlb\n"
    "  mempath query compare run=3,7      what differs between runs, in configuration and results\n"
    "  mempath query \"SELECT id, experiment, digest FROM run WHERE status = 'done'\"\n"
    "  mempath query runs --json          for a program; --csv for a spreadsheet";

#define MAX_PARAMETERS 16u

struct values {
    const char *query;
    bool csv;
    unsigned n;
    struct mp_db_parameter parameter[MAX_PARAMETERS];
    char name[MAX_PARAMETERS][32];
};

static const struct argp_option options[] = {{"csv", 'c', NULL, 0, "comma-separated values", 0}, {0}};

static int option(void *values, int key, const char *arg, struct mp_error *err)
{
    struct values *v = values;
    if (key == 'c') {
        v->csv = true;
    } else if (key == ARGP_KEY_ARG && !v->query) {
        v->query = arg;
    } else if (key == ARGP_KEY_ARG) {
        const char *equals = strchr(arg, '=');
        if (!equals || equals == arg || (size_t)(equals - arg) >= sizeof v->name[0] || v->n == MAX_PARAMETERS)
            return mp_fail(err, "query: '%s' is not a parameter; name=value, or quote the whole SELECT", arg);
        memcpy(v->name[v->n], arg, (size_t)(equals - arg));
        v->name[v->n][equals - arg] = 0;
        v->parameter[v->n] = (struct mp_db_parameter){.name = v->name[v->n], .value = equals + 1};
        v->n++;
    }
    return 0;
}

static int list(const struct cli *cli)
{
    if (cli->json) {
        struct out_json j = {.f = stdout};
        json_array(&j, NULL);
        for (unsigned i = 0; i < mp_db_nqueries; i++) {
            json_object(&j, NULL);
            json_text(&j, "name", mp_db_queries[i].name);
            json_text(&j, "parameters", mp_db_queries[i].parameters);
            json_text(&j, "description", mp_db_queries[i].description);
            json_end_object(&j);
        }
        json_end_array(&j);
        return CLI_DONE;
    }
    static const char *const heads[] = {"query", "parameters", "answers"};
    struct out_table *t = out_table_new(3, heads);
    for (unsigned i = 0; i < mp_db_nqueries; i++) {
        out_cell(t, "%s", mp_db_queries[i].name);
        out_cell(t, "%s", mp_db_queries[i].parameters);
        out_cell(t, "%s", mp_db_queries[i].description);
    }
    out_table_print(t, stdout);
    return CLI_DONE;
}

static const char *query_name(unsigned i)
{
    return i < mp_db_nqueries ? mp_db_queries[i].name : NULL;
}

int cmd_query(struct cli *cli, int argc, char **argv)
{
    static const struct cli_usage usage = {.command = "mempath query",
                                           .args = "[NAME|SQL] [PARAMETER=VALUE...]",
                                           .word = query_name,
                                           .doc = doc,
                                           .options = options,
                                           .option = option};
    struct values v = {0};
    struct mp_error err;
    struct mp_db *db;
    int code;
    if (!cli_parse(cli, &usage, argc, argv, &v, &code))
        return code;
    if (!v.query)
        return list(cli);
    if (v.csv && cli->json)
        return cli_fail(CLI_USAGE, "query: both --json and --csv; use one of them");
    if (mp_db_open(&db, cli->db, MP_DB_READ, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    enum mp_db_format format = cli->json ? MP_DB_JSON : v.csv ? MP_DB_CSV : MP_DB_TABLE;
    if (mp_db_query(db, v.query, v.n, v.parameter, format, stdout, &err))
        code = cli_fail(CLI_USAGE, "%s", err.text);
    else
        code = CLI_DONE;
    mp_db_close(db);
    return code;
}
