/* SPDX-License-Identifier: Apache-2.0 */
/* Figures whose bars have parts, which a query returns for each run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/paper/parts.h"

/* Counters of the exchange between L1 TLBs, summed over the TLBs and over tenants. */
#define SUMS                                                                                                 \
    "WITH c AS (SELECT metric, sum(value) AS n FROM metrics WHERE run = :run AND kind IN "                   \
    "(SELECT name FROM component_kind WHERE kind = 'neighbours') GROUP BY metric), "                         \
    "s AS (SELECT total(n) FILTER (WHERE metric IN ('local', 'left', 'right', 'below', 'walked')) AS n, "    \
    "total(n) FILTER (WHERE metric = 'local') AS local, "                                                    \
    "total(n) FILTER (WHERE metric IN ('left', 'right')) AS remote, "                                        \
    "total(n) FILTER (WHERE metric IN ('local', 'left', 'right')) AS l1, "                                   \
    "total(n) FILTER (WHERE metric = 'below') AS l2, "                                                       \
    "total(n) FILTER (WHERE metric IN ('below', 'walked')) AS l2_asked, "                                    \
    "total(n) FILTER (WHERE metric = 'latency') AS cycles, "                                                 \
    "total(n) FILTER (WHERE metric = 'probes') AS probes, "                                                  \
    "total(n) FILTER (WHERE metric = 'in_vain') AS in_vain, "                                                \
    "total(n) FILTER (WHERE metric = 'peer_has') AS peer_has FROM c) "
#define OR        "UNION ALL "
#define LOCAL     "SELECT 'local', local / n, '' FROM s "
#define REMOTE    "SELECT 'remote', remote / n, '' FROM s "
#define L1        "SELECT 'L1', l1 / n, '' FROM s "
#define ACCURACY  "SELECT 'accuracy', 1 - in_vain / probes, '' FROM s "
#define PER_CYCLE "SELECT 'translation', n / cycles, 'ratio' FROM s "
#define IPC       "SELECT 'IPC', total(ipc), 'ratio' FROM ipc WHERE run = :run "

static const char *const queries[] = {
    [METRIC_TLB_HITS] = SUMS L1 OR
    "SELECT 'L2', l2 / l2_asked, '' FROM s " OR
    "SELECT 'L2 or joined', (total(value) FILTER (WHERE metric IN ('hits', 'mshr_merges'))) / "
    "total(value) FILTER (WHERE metric = 'lookups'), '' FROM metrics WHERE run = :run AND kind = 'l2_tlb'",
    [METRIC_NEIGHBOUR_HITS] = SUMS LOCAL OR REMOTE OR L1 OR
    "SELECT 'local relative', local / n, 'ratio' FROM s " OR "SELECT 'L1 gain', l1 / n, 'points' FROM s " OR
    "SELECT 'L1 relative', l1 / n, 'means' FROM s",
    [METRIC_TRANSLATION] = SUMS PER_CYCLE OR IPC,
    [METRIC_NEIGHBOURS] = SUMS LOCAL OR REMOTE OR L1 OR PER_CYCLE OR IPC,
    [METRIC_PROBES] =
        SUMS ACCURACY OR "SELECT 'coverage', remote / peer_has, '' FROM s " OR
                         "SELECT 'per miss', probes / (n - local), '' FROM s " OR REMOTE OR PER_CYCLE OR IPC,
    [METRIC_SHARERS] =
        "WITH bin(name, least, most) AS "
        "(VALUES ('1', 1, 1), ('2-4', 2, 4), ('5-8', 5, 8), ('9-12', 9, 12), ('13-16', 13, 16)), "
        "d AS (SELECT low, count FROM distributions WHERE run = :run AND metric = 'sharers' AND low > 0) "
        "SELECT name, total(count) FILTER (WHERE low BETWEEN least AND most) / (SELECT total(count) FROM d), "
        "'' "
        "FROM bin LEFT JOIN d GROUP BY name, least ORDER BY least",
    [METRIC_NEIGHBOUR_SHARE] =
        "WITH t AS (SELECT component, total(value) FILTER (WHERE metric.name = 'missed') AS missed, "
        "total(value) FILTER (WHERE metric.name = 'neighbour_has') AS has, "
        "total(value) FILTER (WHERE metric.name IN ('local', 'left', 'right', 'below', 'walked')) AS n "
        "FROM value JOIN metric ON metric.id = value.metric WHERE run = :run AND component_kind IN "
        "(SELECT name FROM component_kind WHERE kind = 'neighbours') GROUP BY component ORDER BY component) "
        "SELECT 'TLB' || (row_number() OVER (ORDER BY component) - 1), has / missed, '' FROM t " OR
        "SELECT 'average', avg(has / missed), '' FROM t " OR "SELECT 'of all', avg(has / n), '' FROM t",
    /* gem5-gpu's L1 TLBs send each miss to the next level, where ours join those of a page that are in
       flight. */
    [METRIC_READINGS] =
        "WITH m AS (SELECT total(value) FILTER (WHERE kind = 'l1_tlb' AND metric = 'misses') AS sent, "
        "total(value) FILTER (WHERE kind = 'l3_tlb' AND metric = 'lookups') AS asked, "
        "total(value) FILTER (WHERE kind = 'l3_tlb' AND metric = 'hits') AS hits, "
        "total(value) FILTER (WHERE kind = 'l3_tlb' AND metric = 'mshr_merges') AS joined, "
        "total(value) FILTER (WHERE kind = 'walk' AND metric = 'walks') AS walks, "
        "total(value) FILTER (WHERE kind = 'tlb_lines' AND metric = 'lookups') AS lines, "
        "total(value) FILTER (WHERE kind = 'tlb_lines' AND metric = 'misses') AS missed "
        "FROM metrics WHERE run = :run) "
        "SELECT 'hits', hits / asked, '' FROM m " OR
        "SELECT 'hits and joined', (hits + joined) / asked, '' FROM m " OR
        "SELECT 'each miss of an L1 TLB', 1 - walks / sent, '' FROM m " OR
        "SELECT 'each line that misses', 1 - walks / missed, '' FROM m " OR
        "SELECT 'L1 hits by line', 1 - missed / lines, '' FROM m",
    [METRIC_DIRECTORY_BITS] =
        "WITH p AS (SELECT (SELECT count(*) FROM component WHERE run = :run AND kind = 'neidty') AS tlbs, "
        "(SELECT value FROM parameter WHERE run = :run AND path = 'neighbours.directory') AS entries, "
        "(SELECT value FROM parameter WHERE run = :run AND path = 'neighbours.tag_bits') AS tag) "
        "SELECT 'tags and maps', tlbs * entries * (tag + 3.0), '' FROM p " OR
        "SELECT 'with valid bits', tlbs * entries * (tag + 4.0), '' FROM p",
    [METRIC_PAGING] =
        "WITH u AS (SELECT total(value) FILTER (WHERE metric = 'faulted') AS faulted, "
        "total(value) FILTER (WHERE metric = 'bytes_in') AS bytes, "
        "total(value) FILTER (WHERE metric = 'busy_in') AS busy FROM metrics WHERE run = :run AND kind = "
        "'uvm'), "
        "c AS (SELECT value / 1e3 AS ghz, (SELECT 1.0 * cycles FROM run WHERE id = :run) AS cycles "
        "FROM parameter WHERE run = :run AND path = 'machine.clock_mhz') "
        "SELECT 'faults', faulted, '' FROM u " OR "SELECT 'time', cycles / ghz / 1e3, '' FROM c " OR
        "SELECT 'GB/s', bytes / busy * ghz, '' FROM u, c " OR
        "SELECT 'GB/s of the time', bytes / cycles * ghz, '' FROM u, c " OR
        "SELECT 'speed', total(ipc), 'ratio' FROM ipc WHERE run = :run",
};

bool figure_has_parts(const struct figure *f)
{
    return f->measure || figure_is_mapping(f) ||
           (f->metric < sizeof queries / sizeof *queries && queries[f->metric]);
}

static int read_parts(struct parts *p, struct mp_db *db, const struct figure_runs *r, unsigned job,
                      struct mp_error *err)
{
    char *text = runs_ask(db, queries[r->f->metric], r->pool->job[job].run_id, MP_DB_CSV, err), *rest = NULL;
    p->n = 0;
    if (!text)
        return -1;
    strtok_r(text, "\r\n", &rest); /* the header */
    for (char *line; p->n < PARTS && (line = strtok_r(NULL, "\r\n", &rest));) {
        struct part *part = &p->part[p->n];
        char value[32] = "";
        *part = (struct part){.value = (double)NAN};
        if (sscanf(line, "%23[^,],%31[^,],%7s", part->name, value, part->how) < 2)
            sscanf(line, "%23[^,],,%7s", part->name, part->how); /* no value, such as nothing of nothing */
        else
            part->value = strtod(value, NULL);
        p->n++;
    }
    free(text);
    return 0;
}

static double shown(const char *how, double value, double reference)
{
    if (!strcmp(how, "points"))
        return value - reference;
    return *how ? value / reference : value;
}

static double of_workload(const struct part *p)
{
    return shown(p->how, p->value, p->reference);
}

static int read_workload(struct parts of[FIGURE_VARIANTS], struct mp_db *db, const struct figure_runs *r,
                         const struct figure_workload *w, struct mp_error *err)
{
    if (figure_is_mapping(r->f))
        return figure_mapping_parts(r, w, of, err);
    for (unsigned v = 0; v < r->f->nvariants; v++) {
        struct parts reference;
        if (read_parts(&of[v], db, r, w->job[v], err) || read_parts(&reference, db, r, w->reference[v], err))
            return -1;
        for (unsigned k = 0; k < of[v].n; k++)
            of[v].part[k].reference = k < reference.n ? reference.part[k].value : (double)NAN;
    }
    return 0;
}

static void add_runs(const struct figure_runs *r, const struct figure_workload *w, unsigned v,
                     struct paper_measured *m)
{
    if (figure_is_mapping(r->f))
        return;
    paper_add_run(m, r->pool->job[w->job[v]].run_id);
    paper_add_run(m, r->pool->job[w->reference[v]].run_id);
}

/* Arithmetic, over the workloads that have the value. */
static double average(const struct figure_runs *r, struct parts (*of)[FIGURE_VARIANTS], unsigned v,
                      unsigned k)
{
    const char *how = of[0][v].part[k].how;
    bool means = !strcmp(how, "means");
    double sum = 0, references = 0;
    unsigned n = 0;
    for (unsigned i = 0; i < r->n; i++) {
        const struct part *p = &of[i][v].part[k];
        double value = means ? p->value : of_workload(p);
        if (!isfinite(value))
            continue;
        sum += value;
        references += p->reference;
        n++;
    }
    return !n ? (double)NAN : means ? shown(how, sum, references) : sum / n;
}

static void add_averages(const struct figure_runs *r, struct parts (*of)[FIGURE_VARIANTS],
                         struct paper_points *points)
{
    for (unsigned k = 0; r->n && k < of[0][0].n; k++)
        for (unsigned v = 0; v < r->f->nvariants; v++) {
            struct paper_measured *m = paper_add(points, "all", average(r, of, v, k), "%s%s",
                                                 of[0][0].part[k].name, figure_suffix(r, v));
            for (unsigned i = 0; i < r->n; i++)
                add_runs(r, &r->w[i], v, m);
        }
}

static void add_workload(const struct figure_runs *r, const struct figure_workload *w, const struct parts *of,
                         struct paper_points *points)
{
    for (unsigned k = 0; k < of[0].n; k++)
        for (unsigned v = 0; v < r->f->nvariants; v++)
            add_runs(r, w, v,
                     paper_add(points, w->name, of_workload(&of[v].part[k]), "%s%s", of[0].part[k].name,
                               figure_suffix(r, v)));
}

int figure_measure_parts(const struct figure_runs *r, struct paper_points *points)
{
    struct mp_error err;
    struct mp_db *db = NULL;
    if (!figure_is_mapping(r->f) && mp_db_open(&db, r->c->cli->db, MP_DB_READ, &err))
        return cli_fail(CLI_FAILED, "%s", err.text);
    struct parts(*of)[FIGURE_VARIANTS] = cli_alloc(r->n, sizeof *of);
    int failed = 0;
    for (unsigned i = 0; !failed && i < r->n; i++) {
        failed = read_workload(of[i], db, r, &r->w[i], &err);
        if (!failed)
            add_workload(r, &r->w[i], of[i], points);
    }
    if (!failed)
        add_averages(r, of, points);
    if (db)
        mp_db_close(db);
    free(of);
    if (failed && cli_stop) /* a line was printed */
        return CLI_FAILED;
    return failed ? cli_fail(CLI_FAILED, "%s", err.text) : CLI_DONE;
}
