/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/plan/plan.h"

static const char doc[] =
    "Plans how two applications share a GPU: how many SMs each gets, whether their pages have colours, "
    "and the size of pages. Runs each application with each share, alone and next to one that "
    "only streams, predicts from that how fast both are together, and recommends the best. "
    "With --check, all ways are simulated with both, and the plan is compared with the best of them.\v"
    "CP divides the SMs, with pages of 2 MB or 4 KB, and the tenants share L2 and DRAM. "
    "CMP divides these too, by colours of pages of 4 KB (Fractional GPUs). Persistent dispatch, "
    "which the paper needs for both, is part of the speeds. SMs and colours are divided in quarters.\n"
    "\n"
    "The prediction: with colours, a tenant is as fast as alone with its SMs and colours. "
    "Without, it is as much slower as next to the streaming application VA, times the lines "
    "of DRAM that the other tenant moves alone, relative to VA's.\n"
    "\n"
    "Runs that the database already has are not repeated.\n"
    "\n"
    "Examples:\n"
    "  mempath plan fgpu-gtx1080 MMS VA --size small          which partition suits MMS and VA\n"
    "  mempath plan fgpu-v100 SN VA --size small --check      the same, compared with all others\n"
    "  mempath plan fgpu-v100 SN VA --goal worst              as fast as possible for the slower one";

enum { KEY_CHECK = 'c', KEY_JOBS = 'j', KEY_SIZE = 's', KEY_GOAL = 'g' };

static const struct argp_option options[] = {
    {"check", KEY_CHECK, NULL, 0, "simulate both applications under every candidate, too", 0},
    {"goal", KEY_GOAL, "GOAL", 0, "sum: of both speeds (default); worst: the slower one's", 0},
    {"jobs", KEY_JOBS, "N", 0, "parallel runs (default: one per processor)", 0},
    {"size", KEY_SIZE, "SIZE", 0, "of the inputs, as mempath record --list shows (default: fgpu)", 0},
    {0},
};

struct plan_values {
    const char *word[1 + PLAN_TENANTS];
    unsigned words;
    const char *size;
    bool check, worst;
    uint64_t jobs;
};

static int option(void *values, int key, const char *arg, struct mp_error *err)
{
    struct plan_values *v = values;
    switch (key) {
    case KEY_CHECK:
        v->check = true;
        return 0;
    case KEY_JOBS:
        return cli_number("--jobs", arg, 1, 64, &v->jobs, err);
    case KEY_SIZE:
        v->size = arg;
        return 0;
    case KEY_GOAL:
        v->worst = !strcmp(arg, "worst");
        return v->worst || !strcmp(arg, "sum") ? 0 : mp_fail(err, "--goal %s: sum or worst", arg);
    case ARGP_KEY_ARG:
        if (v->words == 1 + PLAN_TENANTS)
            return mp_fail(err, "plan: '%s' is unexpected; a machine and two applications", arg);
        v->word[v->words++] = arg;
        return 0;
    default:
        return 0;
    }
}

struct lines {
    double *to[PLAN_TENANTS * PLAN_MOST + 1]; /* one for each run, in their order */
    unsigned n;
};

static void row(void *lines, unsigned ncells, const struct mp_db_cell *cell)
{
    struct lines *l = lines;
    (void)ncells;
    *l->to[l->n++] = cell->real;
}

/* Lines of DRAM per 1000 cycles that the runs alone moved. */
static int read_lines(const struct cli *cli, struct plan *p, struct mp_error *err)
{
    static const char sql[] = "SELECT total(lines_per_kcycle) FROM dram_use WHERE run = :run";
    int64_t run[PLAN_TENANTS * PLAN_MOST + 1];
    struct lines l = {.n = 0};
    unsigned n = 0;
    struct mp_db *db;
    for (unsigned i = 0; i < p->n; i++)
        for (unsigned t = 0; t < PLAN_TENANTS; t++) {
            run[n] = p->pool.job[p->candidate[i].alone[t]].run_id;
            l.to[n++] = &p->lines[t][i];
        }
    run[n] = p->pool.job[p->hog].run_id;
    l.to[n++] = &p->most;
    if (mp_db_open(&db, cli->db, MP_DB_READ, err))
        return -1;
    int failed = mp_db_rows(db, sql, 0, NULL, n, run, row, &l, err);
    mp_db_close(db);
    return failed;
}

static int execute(const struct cli *cli, struct plan *p, unsigned jobs)
{
    return runs_execute(cli, p->pool.job, p->pool.n, jobs, true);
}

static int plan(const struct cli *cli, struct plan *p, unsigned jobs)
{
    struct mp_error err;
    if (plan_prepare(p, &err) || (p->check && plan_add_pairs(p, &err)))
        return cli_fail(CLI_USAGE, "%s", err.text);
    int code = execute(cli, p, jobs);
    if (code)
        return code;
    if (read_lines(cli, p, &err))
        return cli_fail(CLI_FAILED, "%s", err.text);
    plan_choose(p);
    if (p->check)
        plan_measure(p);
    if (cli->json)
        plan_print_json(p);
    else
        plan_print(p);
    return CLI_DONE;
}

int cmd_plan(struct cli *cli, int argc, char **argv)
{
    static const struct cli_usage usage = {.command = "mempath plan",
                                           .args = "MACHINE APPLICATION APPLICATION",
                                           .doc = doc,
                                           .options = options,
                                           .option = option};
    struct plan_values v = {.size = "fgpu"};
    int code;
    if (!cli_parse(cli, &usage, argc, argv, &v, &code))
        return code;
    if (v.words != 1 + PLAN_TENANTS)
        return cli_fail(CLI_USAGE,
                        "plan: %u words; a machine and two applications, such as fgpu-gtx1080 MMS VA",
                        v.words);
    static struct plan p; /* large */
    p = (struct plan){.machine = v.word[0], .worst = v.worst, .check = v.check};
    for (unsigned t = 0; t < PLAN_TENANTS; t++) {
        p.app[t] = v.word[1 + t];
        p.size[t] = v.size;
    }
    code = plan(cli, &p, v.jobs ? (unsigned)v.jobs : runs_default_parallel());
    pool_free(&p.pool);
    return code;
}
