/* SPDX-License-Identifier: Apache-2.0 */
/* Figures as data: the workloads, the variants of the machine, and the metric shown. */
#ifndef MP_CLI_FIGURE_H
#define MP_CLI_FIGURE_H

#include "cli/paper/paper.h"
#include "cli/run/pool.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A machine: --set overrides on every workload. */
#define VARIANT_SETS 12u
struct variant {
    char label[40];
    const char *set[VARIANT_SETS]; /* NULL where there are fewer */
    unsigned divisor;              /* of the bytes of buffers in figures of mappings; 0: 1 */
};

/* "mean" is the arithmetic mean over a workload's applications. Metrics of parts have several values of a
 * run, relative to the reference's where their names say so. */
enum metric {
    METRIC_SPEEDUP, /* IPC relative to the reference; for a workload, the harmonic mean over its applications
                     */
    METRIC_PERFORMANCE,  /* IPC relative to the reference's; arithmetic means over workloads */
    METRIC_L1_HITS,      /* hit rate of the L1 TLBs; mean */
    METRIC_L3_HITS,      /* hit rate of the L3 TLB; mean */
    METRIC_TOTAL_IPC,    /* sum of the applications' IPC, relative to the reference's */
    METRIC_WEIGHTED_IPC, /* sum of IPC relative to alone */
    METRIC_FAIRNESS,     /* the smaller IPC relative to alone over the larger */
    METRIC_INTERLEAVING, /* walks of other tenants that a walk waits for; mean */
    METRIC_STOLEN,       /* per cent of the walks done by other tenants' walkers; mean */
    METRIC_WALK_LATENCY, /* from arrival to end, relative to alone; mean */
    METRIC_WALKERS, /* share of the walkers that are busy with an application's walks; for a workload the sum
                     */
    METRIC_TLB_SHARE, /* share of the L2 TLB that holds an application's translations, averaged over the run's
                         snapshots; for a workload the sum */
    METRIC_WALK_LINES,  /* share of the lines that the DRAM moves which walks read; arithmetic means */
    METRIC_ENERGY,      /* of translation, relative to the reference's; arithmetic means */
    METRIC_SUB_ENTRIES, /* share of the entries evicted from the L3 TLB with at most N sub-entries in use */
    METRIC_REUSE,       /* share of the reuses at the L3 TLB with at most N other translations in between */
    METRIC_NORMALISED,  /* time of a run by as much as the reference's would be on its share of the SMs */
    METRIC_TIME,        /* time of a run, relative to the reference's */
    METRIC_VARIATION, /* per cent by which a run is longer next to others: the most of the pairs in `over` */
    /* Parts; those of requests to L1 TLBs count each request once. */
    METRIC_TLB_HITS,        /* hit ratios of the L1 and L2 TLBs; requests to L2 that hit or join a walk */
    METRIC_SHARERS,         /* requests by the number of L1 TLBs that have their page */
    METRIC_NEIGHBOUR_SHARE, /* misses of each L1 TLB whose page a neighbour has */
    METRIC_NEIGHBOUR_HITS,  /* requests that the L1 TLB itself, another, or either answers */
    METRIC_TRANSLATION,     /* requests by their cycles, and IPC, both relative */
    METRIC_NEIGHBOURS,      /* of the last two, what a sweep needs */
    METRIC_PROBES,          /* accuracy and coverage of probes */
    METRIC_DIRECTORY_BITS,  /* storage */
    METRIC_READINGS, /* hit ratios of the L3 TLB by what a request is, and whether one that joins hits */
    /* Parts of mappings, for which nothing runs. */
    METRIC_COVERAGE, /* pages in contiguous subregions; over all histories */
    METRIC_REGIONS,  /* regions and pages by the length of the region */
    METRIC_PAGING    /* of managed memory: faults, speed, bandwidth of copies */
};

#define FIGURE_VARIANTS  32u
#define FIGURE_OVERS     24u
#define FIGURE_WORKLOADS 64u
#define FIGURE_ALONE     (~0u) /* as reference: alone on the instance, under the baseline */

struct figure_runs;
struct figure {
    const char *name, *title, *axis;
    enum metric metric;
    const char *machine;   /* NULL: the evaluation's */
    const char *set;       /* an override of all its runs; NULL: none */
    const char *workloads; /* "1-11", "2 3 4 8", or "alone": the applications of Table II, each alone on 3g */
    unsigned nvariants, variant[FIGURE_VARIANTS];
    unsigned reference[FIGURE_VARIANTS]; /* of each variant: another, or FIGURE_ALONE */
    /* Measures without runs of applications, for a figure without metric and workloads; NULL: it has them.
     * Returns a cli_exit. */
    int (*measure)(const struct figure_runs *r, struct paper_points *points);
    bool applications;                     /* shows each application, too */
    bool alone;                            /* shows applications alone, too, on the workload's instances */
    bool groups_only;                      /* draws the evaluation's groups only, not workloads */
    unsigned histories;                    /* of memory, vm.seed 1 and up, for figures of mappings; 0: 1 */
    unsigned nover, over[FIGURE_OVERS][2]; /* the first relative to the second, for the text */
};

/* Workloads that are averaged together: those whose category is among these words, or all. */
struct group {
    const char *name, *categories; /* NULL: all */
};

/* Settings that the figures of a paper share. The paper's printed values are in paper_data(paper). */
struct evaluation {
    const char *paper, *title; /* "star", "STAR" */
    const char *machine;
    const char *recovered;         /* the machine of PAPER_STAR; NULL: there is none */
    const char *input;             /* size of the inputs at PAPER_PAPER; NULL: "paper" */
    const struct group *group;     /* ends with a NULL name; NULL: by the number of applications */
    bool table2;                   /* has a Table II as STAR's */
    const struct variant *variant; /* the first is the baseline */
    const struct figure *figure;
    unsigned nfigures;
};

/* One workload of a figure and its places in the pool. */
struct figure_workload {
    char name[32];
    const struct paper_workload *of;
    const char *category; /* "" if it has none */
    unsigned ntenants;
    char app[MP_TENANTS][16]; /* the paper's name: "ST_s", "BFS 2" */
    unsigned job[FIGURE_VARIANTS], reference[FIGURE_VARIANTS], over[FIGURE_OVERS][2];
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

/* Parses the texts of <paper>_variants.csv and <paper>_figures.csv into an evaluation that has the other
 * members. It modifies the texts, and the result points into them. -1 with err; call evaluation_free() either
 * way. */
int evaluation_read(struct evaluation *e, char *variants, char *figures, struct mp_error *err);
void evaluation_free(struct evaluation *e);

/* Adds the figure's runs to the pool. r->n == 0: the figure has none of the context's workloads. Returns a
 * cli_exit. */
int figure_plan(struct figure_runs *r, const struct paper_context *c, const struct evaluation *e,
                const struct figure *f, struct pool *pool);

/* After the runs: computes everything that the figure shows, in its order, and the values that the text
 * derives from it. For bars, series is the workload and x the application or "mean", with the variant if
 * there are several. For curves, x ends with the abscissa. Averages over workloads are in series "all" (or
 * "all of 4", by number of applications). */
int figure_measure(const struct figure_runs *r, struct paper_points *points);

/* Configuration of `name` (an experiment or a machine) under a variant at the context's size. What
 * the variant sets wins over what the context sets. */
int figure_config(struct mp_config *config, const struct paper_context *c, const char *name,
                  const struct variant *variant, unsigned nset, const char *const *set);

bool figure_is_curves(const struct figure *f);

/* Figures of mappings are figures of parts without runs. */
bool figure_is_mapping(const struct figure *f);
/* The machine on which a workload is mapped, in memory with this history. Returns a cli_exit. */
int figure_mapping_config(struct mp_config *config, const struct figure_runs *r,
                          const struct figure_workload *w, unsigned variant, unsigned seed);

/* Figures of parts: for each workload, x is the part's name, with the variant if there are several. Series
 * "all" has the arithmetic averages. */
bool figure_has_parts(const struct figure *f);
int figure_measure_parts(const struct figure_runs *r, struct paper_points *points);
/* A figure that the paper does not have; it is made by name, or with all of "PAPER/ext". */
bool figure_is_extra(const struct figure *f);

/* How a metric is computed. base: the reference's index in the pool, or FIGURE_ALONE. */
struct metric_rule {
    double (*application)(const struct figure_runs *r, const struct figure_workload *w, unsigned job,
                          unsigned base, unsigned t);
    double (*workload)(const struct figure_runs *r, const struct figure_workload *w, unsigned job,
                       unsigned base);
    bool reference; /* is relative to a reference */
    bool alone;     /* needs each application alone */
    bool geometric; /* averages over workloads are geometric, otherwise arithmetic */
    bool largest;   /* the pairs in `over` are parts of the value; the workload with the most is shown, too */
};
const struct metric_rule *figure_metric(const struct figure *f);
bool figure_needs_alone(const struct figure *f);

/* The suffix of variant v in the name of a bar or curve: " STAR", or "" if there is one variant only. Valid
 * until the next call. */
const char *figure_suffix(const struct figure_runs *r, unsigned v);

/* Print the figure as tables, as a JSON object, and draw it. */
void figure_print(const struct figure_runs *r, const struct paper_points *points);
void figure_json(const struct figure_runs *r, const struct paper_points *points, bool text_only,
                 struct out_json *j); /* text_only: only points of which the text prints a number */
int figure_draw(const struct figure_runs *r, const struct paper_points *points);

/* Rows for what the text says: its numbers and the measured ones, and its statements without a number. */
struct out_table *figure_numbers_table(void);
struct out_table *figure_claims_table(void);
void figure_numbers(const struct figure_runs *r, const struct paper_points *points, struct out_table *t);
void figure_claims(const struct figure_runs *r, const struct paper_points *points, struct out_table *t);

#ifdef __cplusplus
}
#endif
#endif
