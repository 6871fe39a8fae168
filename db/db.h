/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The result database: runs with their inputs and results (REFERENCE.md describes the schema). It knows no
 * model: the caller names components, metrics and parameters.
 *
 * Recording appends to memory, which takes about 10 ns a row. A full buffer and mp_db_flush write one short
 * transaction, so that several processes can record into one file at once. Use a handle in one thread, and
 * not across fork: each child opens its own.
 *
 * Functions return 0, unless they say otherwise, or -1 with one line in err, "FILE: WHAT; WHAT IS ALLOWED". A
 * failed write leaves the file as it was.
 */
#ifndef MP_DB_H
#define MP_DB_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/error.h"
#include "engine/setting.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_db;

enum mp_db_mode {
    MP_DB_READ, /* an existing file, in which only migrations and 'killed' marks are written, if possible */
    MP_DB_WRITE /* creates a missing file */
};

/* Opens path and brings its schema up to date. Refuses files that are not databases of mempath, that a newer
 * mempath wrote, or, with MP_DB_WRITE, that cannot be written. Marks runs as 'killed' that are 'running' but
 * whose process on this host is gone; in a file that cannot be written, queries see them so. The state of
 * runs on other hosts and of runs in a copy of the file is unknown: they stay 'running'. */
int mp_db_open(struct mp_db **db, const char *path, enum mp_db_mode mode, struct mp_error *err);

/* Drops what is in memory: mp_db_run_end writes it. NULL is allowed. */
void mp_db_close(struct mp_db *db);

/* Closes the file, so that another process may go on with a copy of this process's memory; no other call may
 * follow but mp_db_resume, which opens it again, or, if path is not NULL, another file, in which no run is
 * open then. */
void mp_db_pause(struct mp_db *db);
int mp_db_resume(struct mp_db *db, const char *path, struct mp_error *err);

/* ---- a run ---- */

struct mp_db_tenant {
    const char *app, *size; /* NULL if the trace is not of an application */
    uint64_t slices;
    const char *trace_path;
    uint64_t trace_hash[2]; /* XXH3-128 of the file: low, high 64 bits */
    uint64_t trace_bytes;
};

struct mp_db_plugin { /* a shared object with designs of the user's */
    const char *name, *path;
    uint64_t hash[2]; /* XXH3-128 of the file: low, high 64 bits */
};

/* What a run is for: it was asked for, or a comparison needs a tenant alone. */
enum mp_db_role { MP_DB_REQUESTED, MP_DB_ALONE };

struct mp_db_at { /* a point of a study */
    int64_t study;
    unsigned number; /* from 1 */
};

struct mp_db_run_info {
    const char *experiment, *command_line;
    const char *config_text;  /* whole effective configuration; stored with its XXH3-128 hash */
    const char *machine_text; /* the same without name, description and tenants: runs on equal machines are
                                 compared (slowdown against running alone); NULL: config_text */
    const char *changes; /* relative to the shipped configuration, as "path=value path=value"; NULL if none */
    unsigned nplugins;   /* whose hashes are part of those of the configuration and of the machine */
    const struct mp_db_plugin *plugin;
    unsigned nsettings; /* the same configuration as rows; numbers from 2^63 on are stored as negative ones */
    const struct mp_setting *setting;
    const char *revision, *build_type, *compiler;
    uint64_t seed;
    unsigned ntenants;
    const struct mp_db_tenant *tenant;
    int64_t number; /* the run's id, if no other run has it; 0: the next one */
    enum mp_db_role role;
    bool goes_on;       /* from a checkpoint of the run that was open: its parent, if the database has it */
    struct mp_db_at at; /* the point whose run it is; study 0: none */
    bool claims;        /* begin no run that another process is at, or has done (mp_db_run_claimed) */
};

/* A run that was cut at a cycle on demand is MP_DB_INTERRUPTED, with totals. */
enum mp_db_status { MP_DB_DONE, MP_DB_FAILED, MP_DB_INTERRUPTED };

/* Of the first complete run of a tenant. */
struct mp_db_tenant_result {
    uint64_t cycles, instructions, thread_instructions, accesses, translations, completions;
    uint64_t recorded_instructions; /* before gaps were scaled; 0: they are as recorded */
};

struct mp_db_totals {
    uint64_t cycles,
        instructions;  /* simulated in all, restarts included, likewise below; warp instructions */
    uint64_t accesses; /* warp memory instructions */
    uint64_t translations;
    double seconds;                           /* of simulation */
    uint64_t digest[2];                       /* XXH3-128 over the results: low, high 64 bits */
    const char *error;                        /* why it failed, or NULL */
    const struct mp_db_tenant_result *tenant; /* one per tenant of the run, or NULL */
    uint64_t events;                          /* of the engine; 0: unknown */
    bool cut;                                 /* ended at `cycles` because the user asked for it */
    bool checkpointed;                        /* it wrote a checkpoint; cut as well, it was a warm-up */
    unsigned threads;                         /* of the simulation; 0: one */
};

/* Commits the run's row as 'running', with its parameters, and makes it the open run, into which the
 * functions below record. Adds host, process, time and uuid. Returns the run's id (above 0), 0 if there is
 * such a run and info->claims, or -1. */
int64_t mp_db_run_begin(struct mp_db *db, const struct mp_db_run_info *info, struct mp_error *err);

/* Returns the id of a running run with this configuration, plugins, seed and revision whose process is alive,
 * or, if it is on another host, has said so in the last five minutes; 0 if there is none, or -1. */
int64_t mp_db_run_claimed(struct mp_db *db, const struct mp_db_run_info *info, struct mp_error *err);

/* Says that the process of a run is alive. */
int mp_db_run_beat(struct mp_db *db, int64_t run, struct mp_error *err);

/* ---- studies ---- */

struct mp_db_axis {
    unsigned position; /* paths with equal positions vary together */
    const char *path;
    bool varies;
};

struct mp_db_study {
    const char *name, *description; /* description may be NULL */
    unsigned naxes, npoints;
    const struct mp_db_axis *axis;
    const char *const *label; /* of each point: the values that vary */
    const char *const *value; /* of point p on axis a: value[p * naxes + a] */
};

/* Finds the study by its axes and values, or adds it. Returns its id (above 0) or -1. */
int64_t mp_db_study(struct mp_db *db, const struct mp_db_study *study, struct mp_error *err);

/* Makes the run one of the point's. */
int mp_db_point_run(struct mp_db *db, const struct mp_db_at *at, int64_t run, struct mp_error *err);

struct mp_db_found { /* a run that was there, and what it is for now */
    int64_t run;
    enum mp_db_role role;
    struct mp_db_at at; /* study 0: none */
};
/* An alone run that was asked for is a requested one from now on. */
int mp_db_found(struct mp_db *db, const struct mp_db_found *found, unsigned n, struct mp_error *err);

/* From now on, a tenant of a run is compared with an alone run, whose parent the run is unless it has one.
 * settings: "path=value ..." that the alone run's machine has and the run's does not; "" if they are equal.
 */
struct mp_db_reference {
    int64_t run, alone;
    unsigned tenant;
    const char *settings;
};
int mp_db_references(struct mp_db *db, const struct mp_db_reference *reference, unsigned n,
                     struct mp_error *err);

/* Returns the id of the next run, above 0, if no other process begins one, or -1. */
int64_t mp_db_next_run(struct mp_db *db, struct mp_error *err);

/* Flushes and closes the run. totals may be NULL unless status is MP_DB_DONE. If the recorded values cannot
 * be written, the row stays 'running' and the call fails. */
int mp_db_run_end(struct mp_db *db, enum mp_db_status status, const struct mp_db_totals *totals,
                  struct mp_error *err);

/* Ends the run of a process on this host that has crashed as MP_DB_FAILED, with this error. Does nothing if
 * the process had begun none. */
int mp_db_run_crashed(struct mp_db *db, int64_t pid, const char *error, struct mp_error *err);

/* Returns the id of the latest finished run with this configuration, plugins, seed, revision and inputs
 * (ntenants 0: any inputs); 0 if there is none, or -1. */
int64_t mp_db_run_find(struct mp_db *db, const struct mp_db_run_info *info, struct mp_error *err);

/* Returns the seconds that the latest finished run with this configuration took, in any revision; without
 * one, the mean of the latest runs with the same inputs; without those, the time of the inputs' accesses at
 * the speed of the latest runs; 0 if an input is unknown. */
double mp_db_run_seconds(struct mp_db *db, const struct mp_db_run_info *info);

/* Reads the results of up to max tenants of a run. Returns the number of its tenants, or -1. */
int mp_db_tenant_results(struct mp_db *db, int64_t run, unsigned max, struct mp_db_tenant_result *result,
                         struct mp_error *err);

/* ---- bringing databases together ---- */

struct mp_db_merged {
    uint64_t files, runs; /* runs: copied */
    uint64_t there;       /* runs that the file had already, by uuid */
    uint64_t running;     /* runs that have not ended, and were left out */
};

/* Copies the runs of n files, with everything that belongs to them, into the database `path`, which is made
 * if it does not exist. Runs are identified by their uuid, so a repetition adds nothing. A new file is
 * written whole or not at all; into an existing one, ten files are copied in a transaction. Co-simulations,
 * measurements of the RTL and points of papers are no runs and are not copied. -1 also if *stop is set by a
 * signal; stop may be NULL. */
int mp_db_merge(const char *path, unsigned n, const char *const *from, const volatile sig_atomic_t *stop,
                struct mp_db_merged *merged, struct mp_error *err);

/* ---- a run of firmware ---- */

struct mp_db_file {
    const char *path;
    uint64_t hash[2]; /* XXH3-128: low, high 64 bits */
    uint64_t bytes;
};

struct mp_db_workload {
    unsigned number;
    const char *app, *size; /* NULL if the trace is not of an application */
    struct mp_db_file trace;
};

struct mp_db_firmware {
    struct mp_db_file image;
    unsigned nworkloads;
    const struct mp_db_workload *workload;
};

/* Makes the open run a run of firmware, whose tenants are address spaces of the GPU. Call it after
 * mp_db_run_begin. */
int mp_db_firmware_begin(struct mp_db *db, const struct mp_db_firmware *firmware, struct mp_error *err);

struct mp_db_firmware_end {
    enum mp_db_outcome {
        MP_DB_FIRMWARE_FINISHED,
        MP_DB_FIRMWARE_LIMIT,
        MP_DB_FIRMWARE_STUCK,
        MP_DB_FIRMWARE_INTERRUPTED
    } outcome;
    int exit_code; /* of FINISHED */
    uint64_t instructions, exceptions, interrupts, nanoseconds;
    const char *console; /* ASCII */
};

/* Call it before mp_db_run_end. */
int mp_db_firmware_end(struct mp_db *db, const struct mp_db_firmware_end *end, struct mp_error *err);

/* A fault on purpose. */
struct mp_db_injection {
    const char *fault, *place, *planned, *outcome; /* as the table `injection` has them */
    bool drawn, happened;
    uint64_t seed, cycle; /* if it was drawn; if it happened */
};

/* Records the faults of the open run, in the order of their plan. */
int mp_db_injections(struct mp_db *db, const struct mp_db_injection *fault, unsigned n, struct mp_error *err);

/* ---- kernels ---- */

struct mp_db_launch {
    int tenant;
    unsigned number; /* from 1 */
    const char *kernel;
    uint64_t began, ended; /* cycles */
    unsigned ncounts;
    const int *metric;     /* as mp_db_metric() returns them */
    const uint64_t *value; /* since the launch before */
};

/* Records launches of the open run. */
int mp_db_launches(struct mp_db *db, const struct mp_db_launch *launch, unsigned n, struct mp_error *err);

/* ---- what a run records ---- */

#define MP_DB_NO_TENANT (-1)

enum mp_db_metric_kind {
    MP_DB_COUNTER,
    MP_DB_GAUGE,
    MP_DB_HISTOGRAM_LINEAR,
    MP_DB_HISTOGRAM_LOG2,
    MP_DB_HISTOGRAM_LOG_LINEAR
};

/* Declares what components of the kind `name` are: "l2_tlb" is of the kind "tlb" and of level 2 (0: no
 * level). Views group components by these. Without a declaration, name is the kind and there is no level. */
int mp_db_component_kind(struct mp_db *db, const char *name, const char *kind, unsigned level,
                         struct mp_error *err);

/* Declares a component of the machine by its path "gpu.gpc0.l2_tlb" and its kind "l2_tlb". Parents that are
 * not declared are added with the kind of their names ("gpc0" is a "gpc"). Returns its id, the same for the
 * same path; ids start at 0 in each run. */
int mp_db_component(struct mp_db *db, const char *path, const char *kind, struct mp_error *err);

/* Declares a metric: what `name` of components of this kind counts, and its unit. Returns its id, which is
 * valid while db is open, across runs. */
int mp_db_metric(struct mp_db *db, const char *component_kind, const char *name, const char *unit,
                 const char *description, enum mp_db_metric_kind kind, struct mp_error *err);

/* Records a final value. A second value of the same component, tenant and metric replaces the first. */
int mp_db_value(struct mp_db *db, int component, int tenant, int metric, uint64_t value,
                struct mp_error *err);

/* Records a counter's value since the start of the run, at `cycle`, the start of an epoch. */
int mp_db_epoch(struct mp_db *db, uint64_t cycle, int component, int tenant, int metric, uint64_t value,
                struct mp_error *err);

/* Records a histogram, whose bins are words[0 .. nbins - 1]; the last bin counts all higher values, too. Bin
 * k of a linear one counts the value k; bin k of a log2 one counts the values 2^(k-1) to 2^k - 1, and bin 0
 * counts 0. A log-linear one has 32 bins for each power of two and one for each value below 64; its words are
 * the largest value and then the bins, as in struct mp_latencies (models/engine/metric.h). */
int mp_db_histogram(struct mp_db *db, int component, int tenant, int metric, unsigned nbins,
                    const uint64_t *words, struct mp_error *err);

/* A walk, in cycles of the run. */
#define MP_DB_NOT_ENDED UINT64_MAX
struct mp_db_walk {
    uint64_t page, arrived, started, ended; /* page: virtual address; ended: or MP_DB_NOT_ENDED */
    uint32_t walker, levels;                /* page table entries read */
    unsigned tenant, asid;
    int owner; /* tenant that owned the walker, or MP_DB_NO_TENANT */
};

/* Number of waiting walks of a tenant, or the owner of a walker, from a cycle on. */
struct mp_db_walk_change {
    uint64_t cycle;
    uint32_t of, is;
};

/* The walks of a component in the cycles first to last - 1. */
struct mp_db_walk_window {
    int component;
    uint64_t first, last;
    uint32_t walkers;
    size_t nwalks, nwaiting, nowners;
    const struct mp_db_walk *walk;
    const struct mp_db_walk_change *waiting; /* of: the tenant; is: the number of walks */
    const struct mp_db_walk_change *owner;   /* of: the walker; is: the tenant */
};

/* Commits a window; one per component and run. */
int mp_db_walk_window(struct mp_db *db, const struct mp_db_walk_window *window, struct mp_error *err);

/* What a server of page faults does, in cycles of the run; kind: as in migrations/0034_managed.sql. */
struct mp_db_managed_action {
    const char *kind;
    unsigned tenant;
    uint64_t began, ended;
    uint64_t page; /* virtual address; 0: it has none */
    uint32_t pages;
};

/* The pages of an aligned 2 MB that are resident from a cycle on. */
struct mp_db_managed_resident {
    unsigned tenant;
    uint64_t block, cycle; /* block: virtual address */
    uint32_t pages;
};

/* Of the component in the cycles first to last - 1. Of changes of a block in one cycle the last counts. */
struct mp_db_managed_window {
    int component;
    uint64_t first, last;
    uint32_t page_bytes;
    size_t nactions, nresident;
    const struct mp_db_managed_action *action;
    const struct mp_db_managed_resident *resident;
};

/* Commits a window; one per component and run. */
int mp_db_managed_window(struct mp_db *db, const struct mp_db_managed_window *window, struct mp_error *err);

/* Writes the buffer in one transaction. */
int mp_db_flush(struct mp_db *db, struct mp_error *err);

/* ---- what a run takes of the host ---- */

/* Counted while the run's simulation loop executed again under `tool`, with simulated `caches`. */
struct mp_db_host_count {
    int64_t run;
    uint64_t instructions, l1_misses, l2_misses;
    const char *caches, *tool; /* "48 KiB L1 data, 1 MiB L2", "valgrind-3.19.0" */
};

/* Adds the counts of a run, one per run. */
int mp_db_host_count(struct mp_db *db, const struct mp_db_host_count *count, struct mp_error *err);

/* What one revision took for a case. */
struct mp_db_host_side {
    const char *revision;
    double seconds;                            /* of processors, in user mode: a median */
    double event_ns;                           /* NAN: not measured, as for the following */
    double instructions, l1_misses, l2_misses; /* per translation */
};

/* Pairs of runs of this revision (side 0) and another one. */
struct mp_db_host_pair {
    const char *what, *experiment; /* "w2", "star/w2" */
    uint64_t cut_at;               /* cycle; 0: a whole run */
    unsigned pairs;
    double ratio, lowest, highest; /* of seconds of side 1 by those of side 0 */
    struct mp_db_host_side side[2];
    bool same_results;
};

int mp_db_host_pair(struct mp_db *db, const struct mp_db_host_pair *pair, struct mp_error *err);

/* ---- papers and measurements ---- */

struct mp_db_point {
    const char *paper, *figure, *series, *x; /* "star", "fig3", "W1", "ATAX" */
    double value;
    bool has_value; /* false: the paper prints no number */
    const char *unit, *note;
    bool derived; /* measured: follows from other points of the figure, and is none of "each" */
};

/* Stores a paper's number; replaces an earlier one. */
int mp_db_paper_point(struct mp_db *db, const struct mp_db_point *point, struct mp_error *err);

/* Adds a measurement of a point and the runs behind it; views show the latest. Reads paper, figure, series,
 * x, value and derived; the paper's point must exist. */
int mp_db_measured_point(struct mp_db *db, const struct mp_db_point *point, const char *revision,
                         unsigned nruns, const int64_t *runs, struct mp_error *err);

/* ---- the management core's registers ---- */

struct mp_db_register {
    const char *block, *name;
    uint64_t address;
    unsigned count, stride, bytes;
    const char *access; /* RO, RW, WO or W1C */
    uint64_t reset, reserved;
    const char *effects, *description;
};

struct mp_db_register_field {
    const char *block, *reg, *name;
    unsigned low, bits;
    const char *description;
};

/* Replaces all registers. */
int mp_db_registers(struct mp_db *db, unsigned nregisters, const struct mp_db_register *registers,
                    unsigned nfields, const struct mp_db_register_field *fields, struct mp_error *err);

/* ---- RTL compared with its model ---- */

struct mp_db_cosim_point {
    const char *name; /* an arrow of a state machine, or a boundary */
    uint64_t taken;
};

struct mp_db_cosim_line {
    const char *file; /* of the RTL */
    unsigned line;
    uint64_t taken;
    const char *text, *reason; /* reason: why this mode does not take it, or NULL */
};

struct mp_db_cosim {
    const char *block, *mode, *options;
    uint64_t seed;
    bool seeded;         /* seed drives random stimuli and the ports */
    const char *stimuli; /* a file; NULL: random */
    enum mp_db_cosim_status {
        MP_DB_EQUAL,
        MP_DB_DIFFERENT,
        MP_DB_COSIM_BROKEN, /* the RTL broke a port rule, failed an assertion or ended the simulation */
        MP_DB_COSIM_HUNG,
        MP_DB_COSIM_CRASHED,
        MP_DB_COSIM_INTERRUPTED
    } status;
    uint64_t transactions, clocks, resets;
    double seconds;
    const char *difference, *report; /* NULL if equal or interrupted; a crash has no report */
    const char *replay, *tools, *revision;
    unsigned npoints;
    const struct mp_db_cosim_point *point;
    unsigned nlines; /* 0 if they were not counted */
    const struct mp_db_cosim_line *line;
};

/* Adds a co-simulation. Returns its id (above 0) or -1. */
int64_t mp_db_cosim(struct mp_db *db, const struct mp_db_cosim *c, struct mp_error *err);

/* ---- the cost of the RTL ---- */

struct mp_db_rtl_figure {
    const char *design, *name, *unit; /* "star4", "area", "um2" */
    double value;
    double bound; /* the committed value, unless the verdict is MP_DB_UNBOUNDED */
    enum mp_db_rtl_verdict {
        MP_DB_UNBOUNDED,
        MP_DB_IN_BOUNDS,
        MP_DB_GREW,
        MP_DB_SHRANK,
        MP_DB_CHANGED
    } verdict;
    bool has_paper; /* the paper prints this figure */
    double paper;
};

struct mp_db_rtl {
    enum mp_db_rtl_status { MP_DB_RTL_HELD, MP_DB_RTL_OUTSIDE, MP_DB_RTL_UPDATED, MP_DB_RTL_FAILED } status;
    const char *technology, *tools, *revision;
    double seconds;
    const char *error; /* NULL unless failed */
    unsigned nfigures;
    const struct mp_db_rtl_figure *figure;
};

/* Names by enum; NULL for MP_DB_UNBOUNDED. */
extern const char *const mp_db_rtl_verdict_names[], *const mp_db_rtl_status_names[];

/* Adds a measurement with its figures. Returns its id (above 0) or -1. */
int64_t mp_db_rtl(struct mp_db *db, const struct mp_db_rtl *r, struct mp_error *err);

/* A fault injected into the RTL, and whether the comparison with the model found it. */
struct mp_db_mutant {
    unsigned number; /* within its set */
    enum mp_db_mutant_outcome { MP_DB_SURVIVED, MP_DB_KILLED, MP_DB_EQUIVALENT } outcome;
    const char *fault, *cell, *port, *source; /* "inv", "add", "Y", "mp_star_tlb_set.sv:620" */
    unsigned bit;                             /* of the port */
    /* if it was killed: the mode, the number of transactions until then, and the difference */
    const char *mode;
    unsigned stride;
    uint64_t transactions;
    char difference[64];
};

struct mp_db_mutation {
    const char *block, *mode;
    uint64_t seed, transactions; /* in each mode, at most */
    double seconds;
    const char *tools, *revision;
    unsigned n;
    const struct mp_db_mutant *mutant;
};

/* Adds a set of faults. Returns its id (above 0) or -1. */
int64_t mp_db_mutation(struct mp_db *db, const struct mp_db_mutation *m, struct mp_error *err);

/* The findings of reverse engineering by time alone. */
struct mp_db_reveal {
    const char *machine; /* "gtx1080" */
    bool hidden;         /* its functions follow from the seed */
    uint64_t seed;
    uint32_t neighbours, gap; /* gap: only with neighbours */
    uint32_t jitter, line_bytes, row_bytes, ways, pair_limit, hit_limit;
    uint64_t readings;
    unsigned nfunctions;
    const struct mp_db_function {
        const char *resource; /* "bank", "set", "module" */
        unsigned number;
        const char *bits; /* "10 12 16" */
        bool equal;       /* the resource's functions span what the machine's do */
    } * function;
    unsigned npairs; /* pairs[c] readings of pairs took c cycles */
    const uint64_t *pairs;
};

/* Records it with the open run. */
int mp_db_reveal(struct mp_db *db, const struct mp_db_reveal *reveal, struct mp_error *err);

/* Points of pointer chases on a machine. */
struct mp_db_chase_point {
    uint64_t stride, page_bytes, footprint; /* bytes */
    uint32_t sm;
    double cycles, measured; /* measured: on a GPU, or NAN */
};

/* Records them with the open run; no two have equal stride, pages, SM and footprint. */
int mp_db_chase(struct mp_db *db, const struct mp_db_chase_point *point, unsigned n, struct mp_error *err);

/* ---- queries ---- */

enum mp_db_format { MP_DB_TABLE, MP_DB_JSON, MP_DB_CSV };

/* A named query of queries/. parameters: its ":names", separated by spaces; "" if it has none. */
struct mp_db_query {
    const char *name, *description, *parameters, *sql;
};
extern const struct mp_db_query mp_db_queries[];
extern const unsigned mp_db_nqueries;

struct mp_db_parameter {
    const char *name, *value; /* name: without the colon; value: a number or a text */
};

/* Runs one SELECT, or a named query, and writes its rows. A missing parameter is NULL, except that a missing
 * :run is the latest finished run; with a list "3,7", a named query of one run is run for each of them.
 * Refuses statements that would change the file. Rows are written as they come, so a query that fails in the
 * middle may have written some. */
int mp_db_query(struct mp_db *db, const char *name_or_sql, unsigned nparameters,
                const struct mp_db_parameter *parameter, enum mp_db_format format, FILE *out,
                struct mp_error *err);

struct mp_db_cell {
    const char *name; /* of the column */
    int type;         /* SQLITE_NULL, SQLITE_INTEGER, ... */
    int64_t integer;
    double real;
    const char *text; /* NULL for NULL; valid until row() returns */
};
typedef void mp_db_row(void *self, unsigned ncells, const struct mp_db_cell *cell);

/* The same query, with a call of row() for each row. If run is not NULL, it runs once for each of these
 * values of :run, which is much faster than a list of runs, since views pass only one run on to the indexes.
 */
int mp_db_rows(struct mp_db *db, const char *name_or_sql, unsigned nparameters,
               const struct mp_db_parameter *parameter, unsigned nruns, const int64_t *run, mp_db_row *row,
               void *self, struct mp_error *err);

/* From now on a query fails that has not ended after this time, or makes a text of more than 64 KiB, and
 * mp_db_query() writes this many rows as JSON or CSV at most. */
void mp_db_guard(struct mp_db *db, unsigned milliseconds, uint64_t rows);

/* Writes a JSON string. Bytes that are not UTF-8 become U+FFFD. */
void mp_db_json_text(const char *text, FILE *out);

#ifdef __cplusplus
}
#endif
#endif
