/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of `mempath bench`: the management core, counts of host instructions and cache misses, and the
 * comparison with another revision. */
#ifndef MP_CLI_BENCH_H
#define MP_CLI_BENCH_H

#include <limits.h>

#include "cli/cli.h"
#include "cli/out.h"
#include "cli/run/runs.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BENCH_CORE_RATES 5u

/* Runs each program `repeat` times and stores the best rates, in the programs' units. Returns a cli_exit. */
int bench_core(const struct cli *cli, unsigned repeat, double rates[BENCH_CORE_RATES]);
void bench_core_print(const double rates[BENCH_CORE_RATES]);
void bench_core_json(struct out_json *j, const double rates[BENCH_CORE_RATES]);

/* ---- workloads that are measured over the same work again and again ---- */

#define BENCH_CASES     5u
#define BENCH_SIZES     4u /* more cases: one application on machines of several sizes */
#define BENCH_CASES_ARE "w10, w2, dws, mesc-base, mesc"
#define BENCH_MAX_PAIRS 25u
#define BENCH_SETS      20u /* --set options of a case, at most */

const char *bench_case_name(unsigned of);
const char *bench_case_experiment(unsigned of);
uint64_t bench_case_until(unsigned of);                /* cycles that take a second or two to simulate */
int bench_case_named(const char *name, size_t length); /* -1: there is none */
/* list: "w2,dws" */
int bench_cases_choose(const char *list, bool chosen[BENCH_CASES], struct mp_error *err);
/* The changes to the experiment as --set takes them, with all inputs of one size. Returns their number. */
unsigned bench_case_sets(unsigned of, const char *size, char set[BENCH_SETS][48]);
int bench_case_load(struct run_job *job, unsigned of, const char *size);

/* A command line that runs a case with medium inputs until a cycle, or with small inputs to the end, and
 * prints JSON. */
struct bench_command {
    char set[BENCH_SETS][48], until[24];
    char *argv[2 * BENCH_SETS + 12];
};
void bench_case_command(struct bench_command *c, const char *program, unsigned of, uint64_t until,
                        const char *db);

/* ---- counts: what the simulation loop takes of a host with given caches, the same at every run ---- */

struct bench_options {
    bool chosen[BENCH_CASES];
    bool brief, update;   /* of counts */
    const char *bounds;   /* file; lines "case,until,instructions,l1_misses,l2_misses" */
    const char *against;  /* revision */
    const char *checkout; /* of mempath's sources, with their history */
    unsigned pairs;
    bool sizes; /* with `against`: counts, and pairs on machines of several sizes */
};

/* Per translation. */
enum counts_figure { COUNTS_INSTRUCTIONS, COUNTS_L1_MISSES, COUNTS_L2_MISSES, COUNTS_FIGURES };

struct counts_bound {
    unsigned of;    /* case */
    uint64_t until; /* cycle at which the run is cut */
    double value[COUNTS_FIGURES];
};

#define COUNTS_MAX_BOUNDS 16u
struct counts_bounds {
    unsigned n;
    struct counts_bound bound[COUNTS_MAX_BOUNDS];
};

/* Parses one line. Returns 1; 0 for a comment or an empty line; -1 with err (without the place). */
int counts_bounds_line(const char *line, struct counts_bounds *bounds, struct mp_error *err);
int counts_bounds_read(const char *path, struct counts_bounds *bounds, struct mp_error *err);
int counts_bounds_write(const char *path, const struct counts_bounds *bounds, struct mp_error *err);

extern const char *const counts_figure_names[COUNTS_FIGURES];
extern const double
    counts_tolerance[COUNTS_FIGURES]; /* by which a figure may be above its bound: 0.01 is 1 % */

/* Runs a command line of a case under valgrind in a folder. Returns -1 with err on failure. */
struct counts {
    uint64_t value[COUNTS_FIGURES];
    uint64_t translations, digest[2];
};
int counts_tool(char version[64], struct mp_error *err);
int counts_measure(const struct bench_command *run, const char *folder, struct counts *counts,
                   struct mp_error *err);
extern const char counts_caches[];

int bench_counts(const struct cli *cli, const struct bench_options *options);

/* ---- threads: how the work divides ---- */

int bench_threads(const struct cli *cli, const struct bench_options *options);

/* ---- against: two builds over the same work, alternating ---- */

/* Builds a revision of the checkout in the user's cache. Prints a line and returns a cli_exit on failure;
 * otherwise sets the program's path and the revision's whole name. */
int against_build(const struct cli *cli, const struct bench_options *options, char program[PATH_MAX],
                  char name[48]);
int bench_against(const struct cli *cli, const struct bench_options *options);

#ifdef __cplusplus
}
#endif
#endif
