/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of each paper, from db/papers/<paper>_variants.csv and <paper>_figures.csv. */
#include "cli/paper/reproduce.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/csv.h"
#include "cli/paper/fgpu_probe.h"
#include "cli/paper/uvm_probe.h"

/* ---- variants ---- */

#define NAME 80u

struct reading {
    struct evaluation *e;
    struct csv csv;
    struct variant *variant;
    char (*name)[NAME]; /* of each variant: "cp", or composed, "cp+mms" */
    unsigned n, room;
};

static void add_variant(struct reading *r, const char *name, const struct variant *v)
{
    if (r->n == r->room) {
        r->room = r->room ? 2 * r->room : 32;
        r->variant = cli_have(realloc(r->variant, r->room * sizeof *r->variant));
        r->name = cli_have(realloc(r->name, r->room * sizeof *r->name));
    }
    snprintf(r->name[r->n], NAME, "%s", name);
    r->variant[r->n++] = *v;
}

static int find(const struct reading *r, const char *name)
{
    for (unsigned i = 0; i < r->n; i++)
        if (!strcmp(r->name[i], name))
            return (int)i;
    return -1;
}

static int add_set(const struct reading *r, struct variant *v, const char *set, struct mp_error *err)
{
    unsigned n = 0;
    while (n < VARIANT_SETS && v->set[n])
        n++;
    if (n == VARIANT_SETS)
        return mp_fail(err, "%s:%u: too many overrides; at most %u", r->csv.name, r->csv.line, VARIANT_SETS);
    v->set[n] = set;
    return 0;
}

static int add_label(const struct reading *r, struct variant *v, const char *label, struct mp_error *err)
{
    size_t n = strlen(v->label), room = sizeof v->label - n;
    return (size_t)snprintf(v->label + n, room, "%s%s", n && *label ? " " : "", label) < room
               ? 0
               : mp_fail(err, "%s:%u: the label '%s...' is too long; up to %zu characters", r->csv.name,
                         r->csv.line, v->label, sizeof v->label - 1);
}

/* Adds what another variant sets. */
static int add_sets(const struct reading *r, struct variant *v, const char *name, struct mp_error *err)
{
    int i = find(r, name);
    if (i < 0)
        return mp_fail(err, "%s:%u: unknown variant '%s'; a row of %s_variants.csv, before its use",
                       r->csv.name, r->csv.line, name, r->e->paper);
    const struct variant of = r->variant[i];
    for (unsigned k = 0; k < VARIANT_SETS && of.set[k]; k++)
        if (add_set(r, v, of.set[k], err))
            return -1;
    if (of.divisor)
        v->divisor = of.divisor;
    return 0;
}

static int read_variant(struct reading *r, struct mp_error *err)
{
    char **f = r->csv.field, *rest = NULL;
    if (r->csv.nfields != 3)
        return mp_fail(err, "%s:%u: %u fields; 3 are needed", r->csv.name, r->csv.line, r->csv.nfields);
    if (!*f[0] || strlen(f[0]) >= NAME || strpbrk(f[0], "+|/ ") || find(r, f[0]) >= 0)
        return mp_fail(err, "%s:%u: '%s' is not a new name; one without '+', '|', '/' and blanks",
                       r->csv.name, r->csv.line, f[0]);
    struct variant v = {0};
    if (add_label(r, &v, f[1], err))
        return -1;
    for (char *word = strtok_r(f[2], " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        int failed = 0;
        if (sscanf(word, "divisor=%u", &v.divisor) != 1)
            failed = strchr(word, '=') ? add_set(r, &v, word, err) : add_sets(r, &v, word, err);
        if (failed)
            return -1;
    }
    add_variant(r, f[0], &v);
    return 0;
}

/* ---- lists of variants ---- */

struct list {
    unsigned n, most, *index;
};

/* The variant "cp", or "cp+mms", which sets what both set and has both labels. */
static int add_named(struct reading *r, struct list *list, const char *name, struct mp_error *err)
{
    if (list->n == list->most)
        return mp_fail(err, "%s:%u: too many variants; at most %u", r->csv.name, r->csv.line, list->most);
    int i = find(r, name);
    if (i < 0) {
        char parts[NAME], *rest = NULL;
        struct variant v = {0};
        snprintf(parts, sizeof parts, "%s", name);
        for (char *part = strtok_r(parts, "+", &rest); part; part = strtok_r(NULL, "+", &rest))
            if (add_sets(r, &v, part, err) || add_label(r, &v, r->variant[find(r, part)].label, err))
                return -1;
        i = (int)r->n;
        add_variant(r, name, &v);
    }
    list->index[list->n++] = (unsigned)i;
    return 0;
}

/* Adds "a|b+c|d" as a+c, a+d, b+c, b+d: `text` has n characters of the name, `at` is the next part. */
static int add_alternatives(struct reading *r, struct list *list, char text[NAME], size_t n, const char *at,
                            struct mp_error *err)
{
    const char *end = at + strcspn(at, "+");
    for (;; at++) {
        size_t k = strcspn(at, "|+");
        if (n + k + 2 > NAME)
            return mp_fail(err, "%s:%u: the variant's name is too long; up to %u characters", r->csv.name,
                           r->csv.line, NAME - 1);
        memcpy(text + n, at, k);
        text[n + k] = *end;
        text[n + k + 1] = 0;
        if (*end ? add_alternatives(r, list, text, n + k + 1, end + 1, err) : add_named(r, list, text, err))
            return -1;
        at += k;
        if (*at != '|')
            return 0;
    }
}

static int add_list(struct reading *r, struct list *list, char *words, struct mp_error *err)
{
    char text[NAME], *rest = NULL;
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        if (add_alternatives(r, list, text, 0, word, err))
            return -1;
    return 0;
}

/* ---- figures ---- */

static const char *const metrics[] = {[METRIC_SPEEDUP] = "speedup",
                                      [METRIC_PERFORMANCE] = "performance",
                                      [METRIC_L1_HITS] = "l1-hits",
                                      [METRIC_L3_HITS] = "l3-hits",
                                      [METRIC_TOTAL_IPC] = "total-ipc",
                                      [METRIC_WEIGHTED_IPC] = "weighted-ipc",
                                      [METRIC_FAIRNESS] = "fairness",
                                      [METRIC_INTERLEAVING] = "interleaving",
                                      [METRIC_STOLEN] = "stolen",
                                      [METRIC_WALK_LATENCY] = "walk-latency",
                                      [METRIC_WALKERS] = "walkers",
                                      [METRIC_READINGS] = "readings",
                                      [METRIC_TLB_SHARE] = "tlb-share",
                                      [METRIC_WALK_LINES] = "walk-lines",
                                      [METRIC_ENERGY] = "energy",
                                      [METRIC_SUB_ENTRIES] = "sub-entries",
                                      [METRIC_REUSE] = "reuse",
                                      [METRIC_NORMALISED] = "normalised",
                                      [METRIC_TIME] = "time",
                                      [METRIC_VARIATION] = "variation",
                                      [METRIC_TLB_HITS] = "tlb-hits",
                                      [METRIC_SHARERS] = "sharers",
                                      [METRIC_NEIGHBOUR_SHARE] = "neighbour-share",
                                      [METRIC_NEIGHBOUR_HITS] = "neighbour-hits",
                                      [METRIC_TRANSLATION] = "translation",
                                      [METRIC_NEIGHBOURS] = "neighbours",
                                      [METRIC_PROBES] = "probes",
                                      [METRIC_DIRECTORY_BITS] = "directory-bits",
                                      [METRIC_COVERAGE] = "coverage",
                                      [METRIC_REGIONS] = "regions",
                                      [METRIC_PAGING] = "paging"};

static const struct {
    const char *name;
    int (*measure)(const struct figure_runs *r, struct paper_points *points);
} measures[] = {
    {"pairs-3000", fgpu_pairs_3000}, {"pairs-100000", fgpu_pairs_100000}, {"functions", fgpu_functions},
    {"noise", fgpu_noise},           {"properties", fgpu_properties},     {"interference", fgpu_interference},
    {"uvm-latency", uvm_latency},    {"uvm-bandwidth", uvm_bandwidth},    {"uvm-batch", uvm_batch}};

static int read_metric(const struct reading *r, struct figure *f, const char *name, struct mp_error *err)
{
    for (unsigned i = 0; i < sizeof measures / sizeof *measures; i++)
        if (!strcmp(measures[i].name, name)) {
            f->measure = measures[i].measure;
            return 0;
        }
    for (unsigned i = 0; i < sizeof metrics / sizeof *metrics; i++)
        if (!strcmp(metrics[i], name)) {
            f->metric = (enum metric)i;
            return 0;
        }
    return mp_fail(err, "%s:%u: unknown metric '%s'; speedup, total-ipc or another of paper/evaluation.c",
                   r->csv.name, r->csv.line, name);
}

/* A reference serves as many variants as any other, in the order of both. */
static int read_references(struct reading *r, struct figure *f, char *words, struct mp_error *err)
{
    unsigned index[FIGURE_VARIANTS] = {0}; /* without words: the baseline */
    struct list list = {.most = FIGURE_VARIANTS, .index = index};
    if (!strcmp(words, "alone"))
        index[list.n++] = FIGURE_ALONE;
    else if (add_list(r, &list, words, err))
        return -1;
    if (list.n && f->nvariants % list.n)
        return mp_fail(err, "%s:%u: %u references of %u variants; one for each, or for as many", r->csv.name,
                       r->csv.line, list.n, f->nvariants);
    for (unsigned v = 0; v < f->nvariants; v++)
        f->reference[v] = index[v * list.n / f->nvariants];
    return 0;
}

/* "a+b|c/a": each variant of a list relative to the last one. */
static int read_over(struct reading *r, struct figure *f, char *words, struct mp_error *err)
{
    char *rest = NULL;
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        unsigned first[FIGURE_OVERS], second = 0;
        struct list of = {.most = FIGURE_OVERS - f->nover, .index = first},
                    to = {.most = 1, .index = &second};
        char *slash = strchr(word, '/');
        if (!slash)
            return mp_fail(err, "%s:%u: '%s' has no '/'; VARIANT/VARIANT", r->csv.name, r->csv.line, word);
        *slash = 0;
        if (add_list(r, &of, word, err) || add_list(r, &to, slash + 1, err))
            return -1;
        if (!of.n || !to.n)
            return mp_fail(err, "%s:%u: a variant is missing next to '/'; VARIANT/VARIANT", r->csv.name,
                           r->csv.line);
        for (unsigned i = 0; i < of.n; i++) {
            f->over[f->nover][0] = first[i];
            f->over[f->nover++][1] = second;
        }
    }
    return 0;
}

static int read_options(const struct reading *r, struct figure *f, char *words, struct mp_error *err)
{
    char *rest = NULL;
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        if (!strcmp(word, "applications"))
            f->applications = true;
        else if (!strcmp(word, "alone"))
            f->alone = true;
        else if (!strcmp(word, "groups-only"))
            f->groups_only = true;
        else if (!strncmp(word, "machine=", 8))
            f->machine = word + 8;
        else if (!strncmp(word, "set=", 4))
            f->set = word + 4;
        else if (sscanf(word, "histories=%u", &f->histories) != 1)
            return mp_fail(err,
                           "%s:%u: unknown option '%s'; applications, alone, groups-only, machine=M, "
                           "set=PATH=VALUE or histories=N",
                           r->csv.name, r->csv.line, word);
    return 0;
}

static int read_figure(struct reading *r, struct figure *figure, struct mp_error *err)
{
    char **f = r->csv.field;
    if (r->csv.nfields != 9)
        return mp_fail(err, "%s:%u: %u fields; 9 are needed", r->csv.name, r->csv.line, r->csv.nfields);
    *figure = (struct figure){.name = f[0], .title = f[1], .axis = f[2], .workloads = f[4]};
    struct list variants = {.most = FIGURE_VARIANTS, .index = figure->variant};
    if (read_metric(r, figure, f[3], err) || add_list(r, &variants, f[5], err))
        return -1;
    figure->nvariants = variants.n;
    if (!figure->measure && strcmp(f[4], "alone") != 0 && (!*f[4] || f[4][strspn(f[4], "0123456789- ")]))
        return mp_fail(err, "%s:%u: '%s' are no workloads; alone, or numbers as in 1-11 14", r->csv.name,
                       r->csv.line, f[4]);
    return read_references(r, figure, f[6], err) || read_over(r, figure, f[7], err) ||
                   read_options(r, figure, f[8], err)
               ? -1
               : 0;
}

/* ---- both files ---- */

static int open_file(struct reading *r, char name[64], const char *suffix, char *text, const char *head,
                     struct mp_error *err)
{
    snprintf(name, 64, "db/papers/%s%s.csv", r->e->paper, suffix);
    return csv_open(&r->csv, name, text, head, err);
}

static int read_both(struct reading *r, char *variants, char *figures, struct figure **figure,
                     struct mp_error *err)
{
    char name[64];
    int row = open_file(r, name, "_variants", variants, "name,label,set", err);
    while (!row && (row = csv_row(&r->csv, err)) > 0)
        row = read_variant(r, err);
    if (!row)
        row = open_file(r, name, "_figures", figures,
                        "figure,title,axis,metric,workloads,variants,reference,over,options", err);
    while (!row && (row = csv_row(&r->csv, err)) > 0) {
        *figure = cli_have(realloc(*figure, (r->e->nfigures + 1) * sizeof **figure));
        row = read_figure(r, &(*figure)[r->e->nfigures++], err);
    }
    return row;
}

int evaluation_read(struct evaluation *e, char *variants, char *figures, struct mp_error *err)
{
    struct reading r = {.e = e};
    struct figure *figure = NULL;
    e->nfigures = 0;
    int failed = read_both(&r, variants, figures, &figure, err);
    e->variant = r.variant;
    e->figure = figure;
    free(r.name);
    return failed;
}

void evaluation_free(struct evaluation *e)
{
    free((struct variant *)e->variant);
    free((struct figure *)e->figure);
}

/* ---- the papers ---- */

static const struct group dws_groups[] =
    {{"LL", "LL"}, {"ML", "ML"},       {"MM", "MM"},       {"HL", "HL"},       {"HM", "HM"}, {"HH", "HH"},
     {"all", 0},   {"32", "HL HM HH"}, {"3 tenants", "3"}, {"4 tenants", "4"}, {0}},
                          mesc_groups[] = {{"S", "S"}, {"I", "I"}, {0}};

static struct evaluation papers[] = {
    {.paper = "star",
     .title = "STAR",
     .machine = "star-a100-mig",
     .recovered = "star-mgpusim",
     .table2 = true},
    {.paper = "dws", .title = "DWS", .machine = "dws-30sm", .group = dws_groups},
    {.paper = "neidty", .title = "NeiDty", .machine = "neidty-16sm", .input = "neidty"},
    {.paper = "mesc", .title = "MESC", .machine = "mesc-16cu", .input = "mesc", .group = mesc_groups},
    {.paper = "fgpu", .title = "Fractional GPUs", .machine = "fgpu-gtx1080", .input = "fgpu"},
    {.paper = "uvm", .title = "UVMSmart's logs", .machine = "uvm/smart", .input = "uvm"}};
#define PAPERS (sizeof papers / sizeof *papers)

const char *reproduce_paper_name(unsigned i)
{
    return i < PAPERS ? papers[i].paper : NULL;
}

const struct evaluation *reproduce_evaluation(const char *paper)
{
    struct mp_error err;
    unsigned i = 0;
    while (i < PAPERS && strcmp(papers[i].paper, paper) != 0)
        i++;
    if (i == PAPERS)
        return NULL;
    if (!papers[i].figure &&
        evaluation_read(&papers[i], paper_text(paper, "_variants"), paper_text(paper, "_figures"), &err))
        exit(cli_fail(CLI_FAILED, "%s", err.text));
    return &papers[i];
}
