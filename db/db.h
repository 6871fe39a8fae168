/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The result database: who ran what, with which inputs, and every number that came out (README.md shows the
 * schema). Knows no model: it is told the names of components and metrics.
 *
 * Recording appends to memory and costs tens of nanoseconds a row; full buffers and mp_db_flush write one
 * short transaction, so that several processes can record into one file at once. A handle is used by one
 * thread, and never across fork: each child opens its own.
 *
 * Functions return 0 (or what they say), or -1 with one line in err, "FILE: WHAT; WHAT IS ALLOWED". A failed
 * write leaves the file as the last successful one left it.
 */
#ifndef MP_DB_H
#define MP_DB_H

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
    MP_DB_READ, /* an existing file; nothing but schema migrations and 'killed' marks is written, if writable
                 */
    MP_DB_WRITE /* created when missing */
};

/* Opens path and brings its schema up to date. Refuses files that are no mempath database, that a newer
 * mempath wrote, and (to write) those that cannot be written. Runs still 'running' whose process on this host
 * is gone are marked 'killed'; in a file that cannot be written, queries see them so. Of runs on other hosts
 * and of those in a copy of the file nothing can be known, they stay 'running'. */
int mp_db_open(struct mp_db **db, const char *path, enum mp_db_mode mode, struct mp_error *err);

/* What is still in memory is dropped (a run that matters was ended before). NULL is allowed. */
void mp_db_close(struct mp_db *db);

/* ---- a run ---- */

struct mp_db_tenant {
    const char *app, *size; /* NULL for a trace that is nobody's application */
    uint64_t slices;
    const char *trace_path;
    uint64_t trace_hash[2]; /* XXH3-128 of the file: low, high 64 bits */
    uint64_t trace_bytes;
};

struct mp_db_run_info {
    const char *experiment, *command_line;
    const char *config_text;  /* whole effective configuration; stored with its XXH3-128 hash */
    const char *machine_text; /* the same without name, description and tenants: runs on equal machines are
                                 compared (slowdown against running alone); NULL: config_text */
    const char *changes;      /* of the shipped configuration, as "path=value path=value"; NULL: none */
    unsigned nsettings;       /* of the configuration; whole numbers above 2^63 are stored as negative ones */
    const struct mp_setting *setting;
    const char *revision, *build_type, *compiler;
    uint64_t seed;
    unsigned ntenants;
    const struct mp_db_tenant *tenant;
};

enum mp_db_status { MP_DB_DONE, MP_DB_FAILED, MP_DB_INTERRUPTED };

/* Of the first complete run of a tenant. */
struct mp_db_tenant_result {
    uint64_t cycles, instructions, thread_instructions, accesses, translations, completions;
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
};

/* Writes the run's row, 'running', at once, and makes it the run that the recording functions below record
 * into. Returns its id (above 0) or -1. Host, process, times and uuid are found out here. */
int64_t mp_db_run_begin(struct mp_db *db, const struct mp_db_run_info *info, struct mp_error *err);

/* Flushes and closes the run. totals may be NULL unless status is MP_DB_DONE. If the recorded values cannot
 * be written, the row stays 'running' and the call fails. */
int mp_db_run_end(struct mp_db *db, enum mp_db_status status, const struct mp_db_totals *totals,
                  struct mp_error *err);

/* The latest finished run with this configuration, revision and inputs (ntenants 0: whatever the inputs);
 * id, 0 if there is none, or -1. */
int64_t mp_db_run_find(struct mp_db *db, const struct mp_db_run_info *info, struct mp_error *err);

/* Results of up to max tenants of a run; returns how many tenants it has, or -1. */
int mp_db_tenant_results(struct mp_db *db, int64_t run, unsigned max, struct mp_db_tenant_result *result,
                         struct mp_error *err);

/* ---- a run of firmware ---- */

struct mp_db_file {
    const char *path;
    uint64_t hash[2]; /* XXH3-128: low, high 64 bits */
    uint64_t bytes;
};

struct mp_db_workload {
    unsigned number;
    const char *app, *size; /* NULL for a trace that is nobody's application */
    struct mp_db_file trace;
};

struct mp_db_firmware {
    struct mp_db_file image;
    unsigned nworkloads;
    const struct mp_db_workload *workload;
};

/* Says that the run that was just begun is one of firmware; its tenants are address spaces of the GPU. */
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

/* Before mp_db_run_end. */
int mp_db_firmware_end(struct mp_db *db, const struct mp_db_firmware_end *end, struct mp_error *err);

/* ---- what a run records ---- */

#define MP_DB_NO_TENANT (-1)

enum mp_db_metric_kind { MP_DB_COUNTER, MP_DB_GAUGE, MP_DB_HISTOGRAM_LINEAR, MP_DB_HISTOGRAM_LOG2 };

/* Declares what components of the kind `name` are: "l2_tlb" is of the kind "tlb" and of level 2 (0: no
 * level). Views group components by these. Without a declaration, name is the kind and there is no level. */
int mp_db_component_kind(struct mp_db *db, const char *name, const char *kind, unsigned level,
                         struct mp_error *err);

/* Component of the machine, by its full path "gpu.gpc0.l2_tlb" and kind "l2_tlb". Parents that were not
 * declared appear with the kind their name says ("gpc0" is a "gpc"). The same path gives the same id; ids
 * count from 0 in each run. */
int mp_db_component(struct mp_db *db, const char *path, const char *kind, struct mp_error *err);

/* Entry of the metric dictionary: what `name` of a component of this kind counts, and in which unit. Ids hold
 * as long as db is open, across runs. */
int mp_db_metric(struct mp_db *db, const char *component_kind, const char *name, const char *unit,
                 const char *description, enum mp_db_metric_kind kind, struct mp_error *err);

/* A final value. A second one of the same component, tenant and metric replaces the first. */
int mp_db_value(struct mp_db *db, int component, int tenant, int metric, uint64_t value,
                struct mp_error *err);

/* A snapshot at `cycle`, the start of an epoch, of a counter's value since the start of the run. */
int mp_db_epoch(struct mp_db *db, uint64_t cycle, int component, int tenant, int metric, uint64_t value,
                struct mp_error *err);

/* Bin k of a linear histogram counts the value k; of a log2 histogram, bin 0 counts 0 and bin k the values
 * 2^(k-1) to 2^k - 1. The last bin also holds all above. */
int mp_db_histogram(struct mp_db *db, int component, int tenant, int metric, unsigned nbins,
                    const uint64_t *bins, struct mp_error *err);

/* A walk, in cycles of the run. */
#define MP_DB_NOT_ENDED UINT64_MAX
struct mp_db_walk {
    uint64_t page, arrived, started, ended; /* page: virtual address; ended: or MP_DB_NOT_ENDED */
    uint32_t walker, levels;                /* page table entries read */
    unsigned tenant, asid;
    int owner; /* tenant that had the walker, or MP_DB_NO_TENANT */
};

/* From a cycle on: so many walks of a tenant wait; a walker is a tenant's. */
struct mp_db_walk_change {
    uint64_t cycle;
    uint32_t of, is;
};

/* What the walkers of a component did in the cycles first to last - 1. */
struct mp_db_walk_window {
    int component;
    uint64_t first, last;
    uint32_t walkers;
    size_t nwalks, nwaiting, nowners;
    const struct mp_db_walk *walk;
    const struct mp_db_walk_change *waiting; /* of a tenant is so many walks */
    const struct mp_db_walk_change *owner;   /* of a walker is a tenant */
};

/* Writes a window at once, one per component and run. */
int mp_db_walk_window(struct mp_db *db, const struct mp_db_walk_window *window, struct mp_error *err);

/* Writes what is in memory in one transaction. */
int mp_db_flush(struct mp_db *db, struct mp_error *err);

/* ---- paper beside measured ---- */

struct mp_db_point {
    const char *paper, *figure, *series, *x; /* "star", "fig3", "W1", "ATAX" */
    double value;
    bool has_value; /* false: the paper draws it, prints no number */
    const char *unit, *note;
};

/* What the paper says; replaces what was there. */
int mp_db_paper_point(struct mp_db *db, const struct mp_db_point *point, struct mp_error *err);

/* What the runs gave; added beside earlier measurements of the same point, views show the latest. Only paper,
 * figure, series, x and value are read; the paper's point must be there. */
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

/* Replaces those that were there. */
int mp_db_registers(struct mp_db *db, unsigned nregisters, const struct mp_db_register *registers,
                    unsigned nfields, const struct mp_db_register_field *fields, struct mp_error *err);

/* ---- RTL beside its model ---- */

struct mp_db_cosim_point {
    const char *name; /* an arrow of a state machine, a boundary */
    uint64_t taken;
};

struct mp_db_cosim_line {
    const char *file; /* of the RTL */
    unsigned line;
    uint64_t taken;
    const char *text, *reason; /* reason: why it need not be taken; NULL */
};

struct mp_db_cosim {
    const char *block, *mode, *options;
    uint64_t seed;
    bool seeded;         /* seed is one: of random stimuli, and of how the ports are driven */
    const char *stimuli; /* a file; NULL: random */
    enum mp_db_cosim_status {
        MP_DB_EQUAL,
        MP_DB_DIFFERENT,
        MP_DB_COSIM_BROKEN, /* the RTL broke a rule of its ports, failed an assertion, or ended the simulation
                             */
        MP_DB_COSIM_HUNG,
        MP_DB_COSIM_CRASHED,
        MP_DB_COSIM_INTERRUPTED
    } status;
    uint64_t transactions, clocks, resets;
    double seconds;
    const char *difference, *report; /* NULL when equal or interrupted; a crash has no report */
    const char *replay, *tools, *revision;
    unsigned npoints;
    const struct mp_db_cosim_point *point;
    unsigned nlines; /* 0 when they were not counted */
    const struct mp_db_cosim_line *line;
};

/* A row for a co-simulation that is over. Returns its id (above 0) or -1. */
int64_t mp_db_cosim(struct mp_db *db, const struct mp_db_cosim *c, struct mp_error *err);

/* ---- what the RTL costs ---- */

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
    bool has_paper; /* the paper has a number for the same */
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

/* By their enums; of MP_DB_UNBOUNDED NULL. */
extern const char *const mp_db_rtl_verdict_names[], *const mp_db_rtl_status_names[];

/* A row with its figures. Returns its id (above 0) or -1. */
int64_t mp_db_rtl(struct mp_db *db, const struct mp_db_rtl *r, struct mp_error *err);

/* Small faults in the RTL, and which of them that comparison finds. */
struct mp_db_mutant {
    unsigned number; /* among those that were made */
    enum mp_db_mutant_outcome { MP_DB_SURVIVED, MP_DB_KILLED, MP_DB_EQUIVALENT } outcome;
    const char *fault, *cell, *port, *source; /* "inv", "add", "Y", "star_tlb_set.sv:620" */
    unsigned bit;                             /* of the port */
    /* when it was killed: in which mode, after how many transactions, by what */
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

/* A row for it, and one for each mutant. Returns its id (above 0) or -1. */
int64_t mp_db_mutation(struct mp_db *db, const struct mp_db_mutation *m, struct mp_error *err);

/* ---- asking ---- */

enum mp_db_format { MP_DB_TABLE, MP_DB_JSON, MP_DB_CSV };

/* A named query of queries/; parameters is the list of its ":names", space-separated, "" if it has none. */
struct mp_db_query {
    const char *name, *description, *parameters, *sql;
};
extern const struct mp_db_query mp_db_queries[];
extern const unsigned mp_db_nqueries;

struct mp_db_parameter {
    const char *name, *value; /* without the colon; numbers are recognized */
};

/* Runs one SELECT, or the named query, and writes its rows. Parameters not given are NULL, except that :run
 * is then the latest finished run. Nothing can be changed this way. Rows go out as they come, so on a failure
 * in mid-query some may have been written. */
int mp_db_query(struct mp_db *db, const char *name_or_sql, unsigned nparameters,
                const struct mp_db_parameter *parameter, enum mp_db_format format, FILE *out,
                struct mp_error *err);

#ifdef __cplusplus
}
#endif
#endif
