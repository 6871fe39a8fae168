/* SPDX-License-Identifier: Apache-2.0 */
/* Figures as data: which workloads run under which variants of the machine, and what of it is shown. */
#ifndef MP_CLI_FIGURE_H
#define MP_CLI_FIGURE_H

#include "cli/paper/paper.h"
#include "cli/paper/pool.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A machine: --set overrides on every workload. */
#define VARIANT_SETS 3u
struct variant {
    const char *label;
    const char *set[VARIANT_SETS]; /* NULL where there are fewer */
};

/* Of a workload "of both" means the arithmetic mean over its applications. */
enum metric {
    METRIC_SPEEDUP, /* IPC relative to the reference; of a workload the harmonic mean over its applications */
    METRIC_L3_HITS, /* hit rate of the L3 TLB; of both */
    METRIC_TOTAL_IPC,    /* sum of the applications' IPC, relative to the reference's */
    METRIC_WEIGHTED_IPC, /* sum of IPC relative to alone */
    METRIC_FAIRNESS,     /* the smaller IPC relative to alone over the larger */
    METRIC_INTERLEAVING, /* walks of others that a walk waits for; of both */
    METRIC_STOLEN,       /* per cent of the walks done by walkers of others; of both */
    METRIC_WALK_LATENCY, /* from arrival to end, relative to alone; of both */
    METRIC_WALKERS,      /* share of the walkers that are busy with an application's walks; of all the sum */
    METRIC_TLB_SHARE,    /* share of the L2 TLB that holds an application's translations, averaged over the
                            run's snapshots; of all the sum */
    METRIC_SUB_ENTRIES,  /* share of the entries evicted from the L3 TLB with at most so many sub-entries in
                            use */
    METRIC_REUSE /* share of the reuses at the L3 TLB with at most so many other translations between */
};

#define FIGURE_VARIANTS  7u
#define FIGURE_WORKLOADS 64u
#define FIGURE_ALONE     (~0u) /* as reference: alone on the instance, under the first of all variants */

struct figure {
    const char *name, *title, *axis;
    enum metric metric;
    const char *workloads; /* "1-11", "2 3 4 8", or "alone": the applications of Table II, each alone on 3g */
    unsigned nvariants, variant[FIGURE_VARIANTS];
    unsigned reference;         /* of METRIC_SPEEDUP and METRIC_TOTAL_IPC: a variant, or FIGURE_ALONE */
    const unsigned *references; /* or one for each variant; NULL: the same for all */
    bool applications;          /* each application, too, not workloads only */
    bool alone;                 /* applications alone, too, as the workload has them */
    bool groups_only;           /* the evaluation's groups are drawn, workloads are not */
    unsigned nover, over[FIGURE_VARIANTS][2]; /* the first of these relative to the second, for the text */
};

/* Workloads that are averaged together: those whose category is among these words, or all. */
struct group {
    const char *name, *categories; /* NULL: all */
};

/* What a paper's figures have in common; what the paper prints is paper_data(paper). */
struct evaluation {
    const char *paper, *title; /* "star", "STAR" */
    const char *machine;
    const struct group *group;     /* ends with a NULL name; NULL: by the number of applications */
    bool table2;                   /* has a Table II as STAR's */
    bool eighth;                   /* has inputs for --scale 8 */
    const struct variant *variant; /* the first is the baseline */
    const struct figure *figure;
    unsigned nfigures;
};

/* One workload of a figure and its places in the pool. */
struct figure_workload {
    char name[32];
    const char *category; /* "" if it has none */
    unsigned ntenants;
    char app[MP_TENANTS][16]; /* the paper's name: "ST_s", "BFS 2" */
    unsigned job[FIGURE_VARIANTS], reference[FIGURE_VARIANTS], over[FIGURE_VARIANTS][2];
    unsigned alone[MP_TENANTS];
};

struct figure_runs {
    const struct paper_context *c;
    const struct evaluation *e;
    const struct figure *f;
    const struct pool *pool;
    unsigned n;
    struct figure_workload w[FIGURE_WORKLOADS];
};

/* Puts the figure's runs into the pool. A cli_exit. */
int figure_plan(struct figure_runs *r, const struct paper_context *c, const struct evaluation *e,
                const struct figure *f, struct pool *pool);

/* After the runs: everything that the figure shows, in its order, and what the text derives from it. Bars:
 * series is the workload, x the application or "mean", with the variant where there are several. Curves: x
 * ends with the abscissa. Averages over workloads stand in series "all" (or "all of 4", by number of
 * applications). */
int figure_measure(const struct figure_runs *r, struct paper_points *points);

/* Configuration of `name` (an experiment or a machine) under a variant at the context's size and scale. */
int figure_config(struct mp_config *config, const struct paper_context *c, const char *name,
                  const struct variant *variant, unsigned nset, const char *const *set);

bool figure_is_curves(const struct figure *f);

/* What a metric is made of. base: the reference's place in the pool, or FIGURE_ALONE. */
struct metric_rule {
    double (*application)(const struct figure_runs *r, const struct figure_workload *w, unsigned job,
                          unsigned base, unsigned t);
    double (*workload)(const struct figure_runs *r, const struct figure_workload *w, unsigned job,
                       unsigned base);
    bool reference; /* is relative to one */
    bool alone;     /* needs each application alone */
    bool geometric; /* averages over workloads; else arithmetic */
};
const struct metric_rule *figure_metric(const struct figure *f);
bool figure_needs_alone(const struct figure *f);

/* Arithmetic mean over a workload's applications; those without a value (no lookup at all) do not count. */
double figure_mean(const struct figure_runs *r, const struct figure_workload *w, unsigned job, unsigned base);

/* What variant v adds to the name of a bar or curve: " STAR", or "" where there is one variant only. Static.
 */
const char *figure_suffix(const struct figure_runs *r, unsigned v);

/* Tables, an object of the document, pictures. */
void figure_print(const struct figure_runs *r, const struct paper_points *points);
void figure_json(const struct figure_runs *r, const struct paper_points *points, bool text_only,
                 struct out_json *j); /* text_only: of the points those that the text gives a number of */
int figure_draw(const struct figure_runs *r, const struct paper_points *points);

/* Rows of what the text says: numbers beside measured, and statements without one. */
struct out_table *figure_numbers_table(void);
struct out_table *figure_claims_table(void);
void figure_numbers(const struct figure_runs *r, const struct paper_points *points, struct out_table *t);
void figure_claims(const struct figure_runs *r, const struct paper_points *points, struct out_table *t);

#ifdef __cplusplus
}
#endif
#endif
