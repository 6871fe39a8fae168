/* SPDX-License-Identifier: Apache-2.0 */
/* How long pairs of loads took while `mempath reveal` looked for banks, and the limit of a conflict. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/plot/plot.h"
#include "cli/run/runs.h"

struct pairs {
    int64_t run;
    uint64_t limit, readings, conflicts;
    unsigned n;
    uint64_t (*at)[2]; /* cycles, readings */
};

static int read_pairs(struct mp_db *db, struct pairs *p, struct mp_error *err)
{
    static const char sql[] = "SELECT r.run, pair_limit, cycles, p.readings FROM reveal r "
                              "JOIN reveal_pair p ON p.run = r.run WHERE r.run = :run ORDER BY cycles";
    char *text = runs_ask(db, sql, p->run, MP_DB_CSV, err), *rest = NULL;
    unsigned lines = 0;
    if (!text)
        return -1;
    for (const char *at = text; *at; at++)
        lines += *at == '\n';
    p->at = cli_alloc(lines, sizeof *p->at);
    for (char *line = strtok_r(text, "\r\n", &rest); line; line = strtok_r(NULL, "\r\n", &rest)) {
        uint64_t *at = p->at[p->n];
        if (sscanf(line, "%" SCNd64 ",%" SCNu64 ",%" SCNu64 ",%" SCNu64, &p->run, &p->limit, &at[0],
                   &at[1]) != 4)
            continue; /* the header */
        p->n++;
        p->readings += at[1];
        p->conflicts += at[0] >= p->limit ? at[1] : 0;
    }
    free(text);
    if (!p->n && p->run)
        return mp_fail(err, "plot: run %" PRId64 " has no pairs of loads; mempath reveal measures them",
                       p->run);
    if (!p->n)
        return mp_fail(err, "plot: the latest run has no pairs of loads; mempath reveal measures them");
    return 0;
}

static int draw(const struct cli *cli, const struct pairs *p, const char *output)
{
    char title[120], file[48], limit[48];
    snprintf(title, sizeof title,
             "Two loads without waiting between them (run %" PRId64 ", %" PRIu64 " pairs)", p->run,
             p->readings);
    snprintf(file, sizeof file, "pairs-run%" PRId64, p->run);
    snprintf(limit, sizeof limit, "limit, %" PRIu64 " cycles", p->limit);
    const struct plot_histogram histogram = {.title = title,
                                             .x_axis = "cycles until both are answered",
                                             .axis = "pairs",
                                             .below = "no conflict",
                                             .above = "one bank, two rows",
                                             .limit_name = limit,
                                             .limit = p->limit,
                                             .n = p->n,
                                             .at = (const uint64_t(*)[2])p->at};
    int code = plot_histogram(cli, output, file, &histogram);
    if (!code && cli->json) {
        struct out_json j = {.f = stdout};
        json_object(&j, NULL);
        json_count(&j, "run", (uint64_t)p->run);
        json_count(&j, "pairs", p->readings);
        json_count(&j, "conflicts", p->conflicts);
        json_count(&j, "limit", p->limit);
        plot_json(&j, output, file);
        json_end_object(&j);
    }
    return code;
}

int plot_pairs(const struct cli *cli, struct mp_db *db, int64_t run, const char *output)
{
    struct pairs p = {.run = run};
    struct mp_error err;
    int code = read_pairs(db, &p, &err) ? cli_fail(CLI_USAGE, "%s", err.text) : draw(cli, &p, output);
    free(p.at);
    return code;
}
