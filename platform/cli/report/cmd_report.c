/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/out.h"
#include "cli/report/report.h"
#include "cli/revision.h"
#include "cli/spawn.h"
#include "cli/table_file.h"

static const char doc[] =
    "Writes a page about the result database: one HTML file that needs no network and sends no request. "
    "It has the studies and their pictures, the runs, comparisons of runs, plots of any metric against any "
    "parameter, kernels over time, papers compared with measurements, page walks over time, the cost of the "
    "RTL, runs of firmware, "
    "and simulation speed over revisions.\vThe page has the latest 1000 runs, or those of --runs, and is "
    "smaller than 1 MB: counters that would not fit are named on it. The same database gives the same page.\n"
    "\n"
    "Examples:\n"
    "  mempath report                        report.html, from mempath.db\n"
    "  mempath report -o star.html --open    another name, and show it in the browser\n"
    "  mempath report --runs 1:12            these runs only\n"
    "  mempath report --runs 7               this run only\n"
    "  mempath report --json                 what the page has, for a program";

#define RUNS      1000u
#define PAGE_SIZE 1000000u /* bytes, at most */
#define ESCAPES   20000u   /* bytes by which write_page() may lengthen the data */

struct values {
    const char *output;
    uint64_t first, last;
    bool open;
};

enum { OPTION_RUNS = 256, OPTION_OPEN };

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "the page (default: report.html)", 0},
    {"runs", OPTION_RUNS, "RUN or FIRST:LAST", 0, "runs by their numbers (default: the latest 1000)", 0},
    {"open", OPTION_OPEN, NULL, 0, "show the page in the browser (xdg-open)", 0},
    {0},
};

static int option(void *values, int key, const char *arg, struct mp_error *err)
{
    struct values *v = values;
    switch (key) {
    case 'o':
        v->output = arg;
        return 0;
    case OPTION_RUNS:
        return cli_runs(arg, &v->first, &v->last, err);
    case OPTION_OPEN:
        v->open = true;
        return 0;
    default:
        return mp_fail(err, "report: '%s' is unexpected; -o FILE names the page", arg);
    }
}

static void add_number(void *self, unsigned n, const struct mp_db_cell *cell)
{
    uint64_t *number = self;
    (void)n;
    *number = cell->integer > 0 ? (uint64_t)cell->integer : 0;
}

/* The latest runs, unless the user chose some. */
static int choose_runs(struct report_data *d, const struct values *v, struct mp_error *err)
{
    char sql[120];
    uint64_t runs = 0;
    if (!v->last) {
        snprintf(sql, sizeof sql, "SELECT min(id) FROM (SELECT id FROM run ORDER BY id DESC LIMIT %u)", RUNS);
        d->last = INT64_MAX;
        return mp_db_rows(d->db, sql, 0, NULL, 0, NULL, add_number, &d->first, err);
    }
    d->first = v->first;
    d->last = v->last;
    snprintf(sql, sizeof sql, "SELECT count(*) FROM run WHERE id BETWEEN %" PRIu64 " AND %" PRIu64, d->first,
             d->last);
    if (mp_db_rows(d->db, sql, 0, NULL, 0, NULL, add_number, &runs, err))
        return -1;
    return runs && runs <= RUNS
               ? 0
               : mp_fail(err, "--runs: %" PRIu64 " runs have such numbers; 1 to %u of them", runs, RUNS);
}

static void write_about(struct report_data *d, const char *path, bool live)
{
    const char *slash = strrchr(path, '/');
    fputs("{\"database\":", d->f);
    mp_db_json_text(slash ? slash + 1 : path, d->f);
    fputs(",\"revision\":", d->f);
    mp_db_json_text(MEMPATH_REVISION, d->f);
    fputs(live ? ",\"live\":true,\n" : ",\n", d->f);
}

/* The data as JSON, malloc'ed; NULL with err. */
static char *data_text(const char *path, const struct values *v, bool live, struct report_data *d,
                       struct mp_error *err)
{
    char *text = NULL;
    size_t size = 0;
    d->f = cli_have(open_memstream(&text, &size));
    d->limit = PAGE_SIZE - ESCAPES - strlen(report_head) - strlen(report_tail);
    int result = choose_runs(d, v, err);
    write_about(d, path, live);
    if (!result)
        result = report_papers(d, err);
    if (!result)
        result = report_sections(d, err);
    if (!result)
        result = report_counters(d, err);
    fputs("\"end\":true}", d->f);
    fclose(d->f);
    if (!result)
        return cli_have(text);
    free(text);
    return NULL;
}

char *report_data(const char *path, struct mp_db *db, bool live, struct mp_error *err)
{
    struct report_data d = {.db = db};
    const struct values latest = {0};
    return data_text(path, &latest, live, &d, err);
}

/* A page that is served may ask its server; one in a file sends no request. */
static void write_head(bool live, FILE *f)
{
    static const char policy[] = "default-src 'none';";
    const char *at = live ? strstr(report_head, policy) : NULL;
    if (!at) {
        fputs(report_head, f);
        return;
    }
    at += strlen(policy);
    fprintf(f, "%.*s connect-src 'self';%s", (int)(at - report_head), report_head, at);
}

/* Text from the database is in JSON strings only, where these characters can be written as escapes. So
 * nothing in it can end the element that contains it. */
void report_page(const char *data, bool live, FILE *f)
{
    write_head(live, f);
    for (const char *s = data; *s; s++) {
        if (strchr("<>&", *s))
            fprintf(f, "\\u%04x", (unsigned)*s);
        else
            fputc(*s, f);
    }
    fputs(report_tail, f);
}

static void write_page(const void *self, FILE *f)
{
    report_page(self, false, f);
}

int report_open(const char *address)
{
    char program[] = "xdg-open", *argv[] = {program, (char *)(uintptr_t)address, NULL};
    int reader, pid = spawn_tool(argv, NULL, &reader);
    if (pid >= 0)
        close(reader);
    if (pid < 0 || spawn_wait(pid))
        return cli_fail(CLI_FAILED, "--open: %s; open %s by hand, or install xdg-utils",
                        pid < 0 ? strerror(errno) : "xdg-open found no browser", address);
    return CLI_DONE;
}

static int report(const struct cli *cli, const struct values *v, struct mp_db *db)
{
    struct report_data d = {.db = db};
    struct mp_error err;
    char *text = data_text(cli->db, v, false, &d, &err);
    if (!text)
        return cli_fail(CLI_USAGE, "%s", err.text);
    int code = CLI_DONE;
    if (cli->json)
        puts(text);
    else if (table_write(v->output, write_page, text, &err))
        code = cli_fail(CLI_USAGE, "%s", err.text);
    else
        printf("%s: %u runs\n", v->output, d.runs);
    free(text);
    return code || cli->json || !v->open ? code : report_open(v->output);
}

int cmd_report(struct cli *cli, int argc, char **argv)
{
    static const struct cli_usage usage = {
        .command = "mempath report", .doc = doc, .options = options, .option = option};
    struct values v = {.output = "report.html"};
    struct mp_error err;
    struct mp_db *db;
    int code;
    if (!cli_parse(cli, &usage, argc, argv, &v, &code))
        return code;
    if (mp_db_open(&db, cli->db, MP_DB_READ, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    code = report(cli, &v, db);
    mp_db_close(db);
    return code;
}
