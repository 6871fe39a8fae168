/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/out.h"
#include "db/db.h"

static const char doc[] =
    "Copies the runs of databases into the database OUT, with everything that belongs to them. "
    "OUT is made if it does not exist.\vEach run has a uuid, so a run that OUT has already is "
    "not copied again, and the command can be repeated. Runs that have not ended are left out; "
    "a later merge takes them. Only runs are copied: co-simulations, measurements of RTL and "
    "points of papers stay in their files. Numbers of runs differ between files.\n"
    "\n"
    "Examples:\n"
    "  mempath merge all.db a.db b.db             the runs of two databases in one\n"
    "  mempath merge all.db a.db                  nothing new: the runs are there already\n"
    "  mempath --db all.db query runs             all runs";

struct values {
    const char *out, **in;
    unsigned n;
};

static int option(void *values, int key, const char *arg, struct mp_error *err)
{
    struct values *v = values;
    (void)key, (void)err;
    if (!v->out) {
        v->out = arg;
        return 0;
    }
    v->in = cli_have(realloc(v->in, (v->n + 1) * sizeof *v->in));
    v->in[v->n++] = arg;
    return 0;
}

static void print(const struct cli *cli, const char *out, const struct mp_db_merged *m)
{
    if (cli->json) {
        struct out_json j = {.f = stdout};
        json_object(&j, NULL);
        json_count(&j, "files", m->files);
        json_count(&j, "runs", m->runs);
        json_count(&j, "there", m->there);
        json_count(&j, "running", m->running);
        json_end_object(&j);
        return;
    }
    printf("%s: %" PRIu64 " run%s copied from %" PRIu64 " file%s; %" PRIu64 " were there", out, m->runs,
           m->runs == 1 ? "" : "s", m->files, m->files == 1 ? "" : "s", m->there);
    if (m->running)
        printf("; %" PRIu64 " left out, because they have not ended", m->running);
    putchar('\n');
}

int cmd_merge(struct cli *cli, int argc, char **argv)
{
    static const struct cli_usage usage = {
        .command = "mempath merge", .args = "OUT IN...", .doc = doc, .option = option};
    struct values v = {0};
    struct mp_db_merged merged;
    struct mp_error err;
    int code;
    if (!cli_parse(cli, &usage, argc, argv, &v, &code))
        return code;
    if (!v.n)
        return cli_fail(CLI_USAGE, "merge: no files; mempath merge OUT IN...");
    cli_catch_signals();
    if (mp_db_merge(v.out, v.n, v.in, &cli_stop, &merged, &err))
        code = cli_fail(cli_stop ? CLI_FAILED : CLI_USAGE, "%s", err.text);
    else
        print(cli, v.out, &merged);
    free(v.in);
    return code;
}
