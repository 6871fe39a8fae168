/* SPDX-License-Identifier: Apache-2.0 */
/* RTL in lockstep with its reference model. A block is a folder of rtl/: its cosim.c has its modes, the
 * configurations that a run draws, and its stimuli. The Verilated RTL, its model and the comparison are in
 * the shared library COSIM_LIBRARY next to the program, so that only `mempath cosim` and `run --rtl` build
 * them. */
#ifndef MP_CLI_COSIM_H
#define MP_CLI_COSIM_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/cli.h"
#include "engine/error.h"
#include "rtl_run.h"
#include "walk/scheduler/scheduler.h"

#define COSIM_LIBRARY "libmempath-cosim.so"

#ifdef __cplusplus
extern "C" {
#endif

#define COSIM_STIMULUS_BYTES 80u
#define COSIM_DESCRIPTION    160u
#define COSIM_GROUP          24u

/* The configuration of one session of a co-simulation. */
struct cosim_setup {
    unsigned mode;              /* index into the block's modes */
    unsigned design;            /* cosim_design(), when a session is opened */
    unsigned stride;            /* star */
    unsigned walkers, depth;    /* dws */
    unsigned tenants;           /* dws */
    struct mp_walk_rules rules; /* dws: owners, epoch and thresholds */
    bool varies;                /* dws: epoch and thresholds change; they are those of the begin */
    uint64_t latency;           /* dws: cycles of every walk in a FILE */
    uint64_t seed;  /* for what the RTL holds before its reset, and for how stimuli of a FILE are driven */
    uint64_t first; /* transactions before this session */
    bool lines;     /* the RTL counts the lines that it executes, at half the speed */
    struct mp_rtl_waves waves; /* transactions from 1, including those of earlier sessions */
    volatile uint64_t *pulse;  /* the number of the transaction in flight, for another process; or NULL */
};

/* A class of mutants that are equal to the design without a proof, or that no stimulus can show. The fields
 * say what the mutants of the class have in common, as `mempath cosim --mutants` lists it. */
struct cosim_blind {
    const char *line; /* a part of the RTL's line */
    const char *port;
    unsigned first, last; /* bits */
    const char *reason;
};

/* A block in the library: the symbol mempath_cosim_<block>. */
struct cosim_rtl {
    const char *interface; /* MP_RTL_INTERFACE */
    const char *tools;     /* "verilator 5.006" */
    struct mp_rtl_view view;
    void *(*open)(const struct cosim_setup *setup);  /* returns NULL if memory runs out */
    bool (*step)(void *cosim, const void *stimulus); /* returns false if they differ */
    bool (*finish)(void *cosim); /* after the last stimulus; NULL if nothing is in flight then */
    /* Runs random transactions from the seed, up to this number, until RTL and model differ (false), or until
     * *stop is set. */
    bool (*random)(void *cosim, uint64_t seed, uint64_t transactions, const volatile sig_atomic_t *stop);
    /* Random transactions aim at points that are neither met here, by number (view.point), nor in the
     * session. `met` stays the caller's. */
    void (*steer)(void *cosim, const bool *met);
    /* In a library with mutants: the folder with their list (rtl/lockstep/mutate.cmake), and the design that
     * they are of. */
    const char *mutants;
    unsigned design;
    const struct cosim_blind *blind; /* ends with a NULL line */
    /* Turns the RTL into its mutant of this number, from 1, and resets RTL and model. */
    void (*mutate)(void *cosim, unsigned mutant);
};

struct cosim_mode {
    const char *name, *title;
    bool strides; /* accepts --stride */
};

/* Parameters that an option has fixed; a run draws the others. */
enum cosim_choice {
    COSIM_MODE = 1,
    COSIM_STRIDE = 2,
    COSIM_TENANTS = 4,
    COSIM_OWNERS = 8,
    COSIM_EPOCH = 16,
    COSIM_THRESHOLDS = 32,
    COSIM_QUEUE_THRESHOLD = 64,
    COSIM_SIZE = 128
};

/* A configuration that every random run includes in turn, unless an option excludes it. */
struct cosim_corner {
    const char *name;
    unsigned mode;
    unsigned stride;                  /* 0: drawn, or not a parameter of this block */
    bool thresholds;                  /* drawn, and changing; otherwise the mode's */
    unsigned slower;                  /* times that its sessions are shorter than others; 0: as long */
    unsigned walkers, depth, tenants; /* of a block with sizes; 0: the size that the option gives */
};

/* A range of a drawn value that counts as a point of coverage. */
struct cosim_range {
    const char *name;
    bool (*met)(const struct cosim_setup *setup, unsigned low, unsigned high);
    unsigned low, high;
};

struct mp_config;
struct mp_tlb_params;

/* What a block is in place of in a run (run --rtl). */
struct cosim_place {
    const char *symbol; /* of its struct mp_rtl_block */
    const char *name;   /* in --rtl, instead of the block's; NULL: none. Levels of TLBs name arrays, too */
    /* Of arrays of TLBs: whether it is for such a TLB. Others: NULL. */
    bool (*fits)(const struct mp_tlb_params *tlb);
    /* The level at which the block is if its own name is given. NULL: it is not of a level, or it is where
     * it fits, nearest to memory. */
    const char *level;
    /* 0, or -1 with err if the machine has nothing that it is in place of. NULL: it has. */
    int (*check)(const struct mp_config *config, struct mp_error *err);
    /* What --observe with the block's name writes. NULL: what `observe` does, or LEVEL_array. */
    const struct mp_rtl_writer *writer;
    const char *observe;
    /* The design that the run would use; the RTL refuses what it is not. */
    unsigned (*design)(const struct mp_config *config, const char *level);
};

struct cosim_block {
    const char *name, *summary, *symbol;
    const struct cosim_place *place;    /* in a run; NULL: none */
    const char *formats;                /* of stimuli, for --help */
    const struct cosim_mode *modes;     /* ends with a NULL name */
    unsigned usual;                     /* mode for a FILE, if none is given, and for mutants */
    unsigned choices;                   /* options that the block accepts: enum cosim_choice */
    unsigned designs;                   /* the option that selects the design */
    bool latencies;                     /* its stimuli need --latency */
    bool mutants;                       /* its RTL has them (--mutants) */
    const struct cosim_corner *corners; /* end with a NULL name */
    const struct cosim_range *ranges;   /* end with a NULL name; NULL if none */
    uint64_t session;                   /* transactions in the shortest session */
    unsigned slower; /* times that a transaction takes longer than of other blocks; 0: once */
    /* Draws the parameters that neither the corner nor an option fixes. NULL if there are none. */
    void (*draw)(struct cosim_setup *setup, const struct cosim_corner *corner, unsigned fixed,
                 uint64_t random);
    unsigned (*design)(const struct cosim_setup *setup); /* MODE of star, COSIM_DWS_DESIGN; NULL: the mode */
    /* Whether the library has this design; NULL: always. Others are built on demand. */
    bool (*built)(const struct cosim_setup *setup);
    /* Writes the name under which points of this setup count; NULL: the mode's. */
    void (*group)(const struct cosim_setup *setup, char text[COSIM_GROUP]);
    /* Writes the options that select this setup; NULL: the mode is all. */
    void (*describe)(const struct cosim_setup *setup, char text[COSIM_DESCRIPTION]);
    /* Parses a line into *stimulus, of at most COSIM_STIMULUS_BYTES. Returns 1; 0 for an empty line; -1 with
     * err. On entry *stimulus holds the previous stimulus, at first zeroes. */
    int (*parse)(const struct cosim_setup *setup, const char *line, size_t length, void *stimulus,
                 struct mp_error *err);
};

/* All of them, in the order of rtl/CMakeLists.txt; ends with NULL. */
extern const struct cosim_block *const cosim_blocks[];

unsigned cosim_design(const struct cosim_block *block, const struct cosim_setup *setup);
void cosim_describe(const struct cosim_block *block, const struct cosim_setup *setup,
                    char text[COSIM_DESCRIPTION]);

/* The name of block i of all, "star"; NULL after the last. */
const char *cosim_block_name(unsigned i);
/* How many times a transaction of this block takes as long as one of others, at least 1. */
unsigned cosim_block_slower(unsigned i);

/* ---- libraries ---- */

/* Selects a library with RTL. */
struct cosim_library {
    const char *block; /* a block's name */
    unsigned design;   /* cosim_block.design */
    bool mutants;      /* it contains mutants */
    bool waves;        /* it can write them */
    bool unusual;      /* COSIM_LIBRARY does not contain the design */
    bool chosen;     /* the user chose the design; a foreign block without a parameter for it is accepted only
                        then */
    const char *top; /* NULL, or a file with a foreign block that has the ports of ours */
};

/* Returns a structure of the library by its symbol, or NULL with err. A library that writes waves or contains
 * a foreign block is built first, unless it exists. The library stays loaded. */
const void *cosim_load(const char *symbol, const struct cosim_library *which, struct mp_error *err);

/* Call if an earlier process has already shown Verilator's warnings about the block. */
void cosim_load_warned(void);

/* Creates the file of --waves before anything runs. cosim_waves_end() removes it if no waves were written,
 * and returns false. */
int cosim_waves_begin(const char *file, struct mp_error *err);
bool cosim_waves_end(const char *file);

/* ---- lines of the RTL, for the database and the terminal ---- */

struct out_json;
struct mp_db_cosim_line;

struct cosim_lines {
    struct mp_db_cosim_line *line;
    unsigned count, room;
    unsigned taken, explained; /* explained: not executed, for a known reason */
};

/* Adds the lines that one session executed. */
void cosim_lines_take(struct cosim_lines *lines, const struct cosim_rtl *rtl, const void *cosim);
void cosim_lines_free(struct cosim_lines *lines);
/* Prints for each file how many lines exist and were executed, then those that were not. */
void cosim_lines_print(const struct cosim_lines *lines);
void cosim_lines_json(const struct cosim_lines *lines, struct out_json *json);

/* ---- a run: sessions of drawn configurations, or a file in one ---- */

/* The arguments of a co-simulation. */
struct cosim_job {
    const struct cosim_block *block;
    const char *file; /* NULL: random */
    const char *top;  /* a file with a foreign block, or NULL */
    struct cosim_setup setup;
    unsigned fixed; /* enum cosim_choice */
    uint64_t transactions, seed;
    bool window_given, latency_given, coverage, full;
    unsigned patience; /* seconds that a transaction may take */
};

struct cosim_named {
    char name[MP_RTL_POINT_NAME + COSIM_GROUP + 2]; /* "star4: hit: alone, base 0" */
    struct mp_rtl_point point;                      /* `first` counts from the first session on */
};

struct cosim_points {
    struct cosim_named *point;
    unsigned count, room;
    unsigned *place; /* of a point by its name: from 1, in a table of 2 * room, or 0 */
};

/* The outcome of a co-simulation. */
struct cosim_outcome {
    enum cosim_end {
        COSIM_EQUAL,
        COSIM_DIFFERENT, /* RTL and model differ */
        COSIM_BROKEN,    /* the RTL broke a rule of its ports, ended, or failed an assertion */
        COSIM_HUNG,
        COSIM_CRASHED,
        COSIM_INTERRUPTED
    } end;
    double seconds;
    uint64_t transactions, clocks, resets;
    const char *tools;
    char difference[320];                  /* "": none */
    char configuration[COSIM_DESCRIPTION]; /* of the session that ended it */
    char *report, *replay;
    struct cosim_points points;
    struct cosim_lines lines;
    bool waves; /* waves were written */
};

/* Computes session `number`, from 0, of a run from the seed: its setup, its number of transactions, and its
 * corner. All sessions of a run differ; none depends on the length of the run. From the third round on, every
 * second session has a mode in which earlier ones have not reached every point; points: of these sessions, or
 * NULL. */
const struct cosim_corner *cosim_session(const struct cosim_job *job, uint64_t number,
                                         const struct cosim_points *points, struct cosim_setup *setup,
                                         uint64_t *transactions);

/* Returns 0 and fills *o; -1 with err if a library or a file cannot be used. */
int cosim_run(const struct cosim_job *job, struct cosim_outcome *o, struct mp_error *err);
void cosim_outcome_free(struct cosim_outcome *o);

/* Writes the options that were given, as on the command line. */
void cosim_chosen(const struct cosim_job *job, char *text, size_t size);

/* The command that repeats the run up to a transaction, malloc'ed. */
char *cosim_replay(const struct cosim_job *job, uint64_t transactions);

/* The configurations that a run did not include, or the other points that it did not reach, separated by ";
 * ", malloc'ed; "": none. */
char *cosim_not_run(const struct cosim_outcome *o);
char *cosim_not_reached(const struct cosim_outcome *o);

/* Stores the outcome in the database and prints it. Returns a cli_exit; errors were printed. */
int cosim_finish(const struct cli *cli, const struct cosim_job *job, const struct cosim_outcome *o);

/* Calls run() in a child process, because Verilated RTL may crash or never return. The child's output and
 * exit code are the command's. If the child crashes, or a transaction takes longer than job->patience, that
 * is stored and printed as the outcome. */
int cosim_guarded(const struct cli *cli, struct cosim_job *job,
                  int (*run)(const struct cli *cli, const struct cosim_job *job));

/* ---- mutants ---- */

struct cosim_mutation {
    uint64_t mutants; /* how many, at equal distances among those of the library */
    uint64_t transactions;
};

/* Counts the mutants that the comparison finds, tries to prove that the others equal the design, and stores
 * the result. Returns a cli_exit; errors were printed. */
int cosim_mutants(const struct cli *cli, const struct cosim_job *job, const struct cosim_mutation *what);

#ifdef __cplusplus
}
#endif
#endif
