/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RTL in lockstep with its reference model. A block is one file <block>.c here, which knows its modes,
 * the configurations that a run draws, and its stimuli, and a line of the table in cmd_cosim.c. The RTL
 * itself, Verilated, with its model and the comparison, is in the shared library libmempath-cosim.so in the
 * folder of the program (built from tb/rtl), so that it is only built for those who need it.
 */
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

#ifdef __cplusplus
extern "C" {
#endif

#define COSIM_STIMULUS_BYTES 64u
#define COSIM_DESCRIPTION    160u

/* What one session of a co-simulation runs with. */
struct cosim_setup {
    unsigned mode;              /* number in the block's list */
    unsigned stride;            /* star */
    unsigned tenants;           /* dws */
    struct mp_walk_rules rules; /* dws: owners, epoch and thresholds */
    uint64_t latency;           /* dws: of every walk in a FILE, cycles */
    uint64_t seed;  /* of what the RTL holds before its reset, and of how stimuli of a FILE are driven */
    uint64_t first; /* transactions before this session */
    bool lines;     /* the RTL counts the lines it takes, at half the speed */
    struct mp_rtl_waves waves; /* transactions from 1, those of sessions before included */
    volatile uint64_t *pulse;  /* the transaction at work, for others to see; or NULL */
};

/* Faults that are none but are not proven to be, or that no stimulus can show: what a mutant has in common
 * with others of them, as `mempath cosim --mutants` lists it. */
struct cosim_blind {
    const char *line; /* part of the line of the RTL */
    const char *port;
    unsigned first, last; /* bits */
    const char *reason;
};

/* What the library has of a block, as its symbol mempath_cosim_<block>. */
struct cosim_rtl {
    const char *interface; /* MP_RTL_INTERFACE */
    const char *tools;     /* "verilator 5.006" */
    struct mp_rtl_view view;
    void *(*open)(const struct cosim_setup *setup);  /* NULL: out of memory */
    bool (*step)(void *cosim, const void *stimulus); /* false: they differ */
    bool (*finish)(void *cosim); /* after the last stimulus; NULL: nothing is in flight then */
    /* Random transactions from the seed, until there were this many, they differ (false), or *stop is set. */
    bool (*random)(void *cosim, uint64_t seed, uint64_t transactions, const volatile sig_atomic_t *stop);
    /* Of a library with mutants: the folder of what made them (tb/rtl/mutate.cmake), and of which design. */
    const char *mutants;
    unsigned design;
    const struct cosim_blind *blind; /* ends with a NULL line */
    /* The RTL becomes its mutant of this number, from 1; RTL and model are as after a reset. */
    void (*mutate)(void *cosim, unsigned mutant);
};

struct cosim_mode {
    const char *name, *title;
    bool strides; /* --stride is for it */
};

/* What an option has fixed; a run draws the rest. */
enum cosim_choice {
    COSIM_MODE = 1,
    COSIM_STRIDE = 2,
    COSIM_TENANTS = 4,
    COSIM_OWNERS = 8,
    COSIM_EPOCH = 16,
    COSIM_THRESHOLDS = 32,
    COSIM_QUEUE_THRESHOLD = 64
};

/* A configuration that every run of random transactions comes by in turn, unless an option excludes it. */
struct cosim_corner {
    const char *name;
    unsigned mode;
    unsigned stride, tenants; /* 0: drawn, or not of this block */
    bool thresholds;          /* drawn; else the mode's */
};

/* A range of a drawn value that counts as a point of coverage. */
struct cosim_range {
    const char *name;
    bool (*met)(const struct cosim_setup *setup, unsigned low, unsigned high);
    unsigned low, high;
};

struct cosim_block {
    const char *name, *summary, *symbol;
    const char *formats;                /* of stimuli, for --help */
    const struct cosim_mode *modes;     /* ends with a NULL name */
    unsigned usual;                     /* mode of a FILE, when none is given, and of mutants */
    unsigned choices;                   /* options that are for it: enum cosim_choice */
    unsigned designs;                   /* the one of them that chooses among designs */
    bool latencies;                     /* --latency is for its stimuli */
    const struct cosim_corner *corners; /* end with a NULL name */
    const struct cosim_range *ranges;   /* end with a NULL name; NULL: none */
    uint64_t session;                   /* transactions of the shortest session */
    /* What the corner leaves open and is not fixed, from random numbers. NULL: nothing. */
    void (*draw)(struct cosim_setup *setup, const struct cosim_corner *corner, unsigned fixed,
                 uint64_t random);
    unsigned (*design)(const struct cosim_setup *setup); /* MODE of star, TENANTS of dws */
    /* The setup as options that choose it. */
    void (*describe)(const struct cosim_setup *setup, char text[COSIM_DESCRIPTION]);
    /* Parses a line into *stimulus, of at most COSIM_STIMULUS_BYTES: 1; 0: nothing in it; -1 with err. What
     * is there beforehand is the last stimulus, at first zeroes. */
    int (*parse)(const struct cosim_setup *setup, const char *line, size_t length, void *stimulus,
                 struct mp_error *err);
};

extern const struct cosim_block cosim_star, cosim_star_set, cosim_dws;

/* ---- libraries ---- */

/* Which RTL. */
struct cosim_library {
    const char *block; /* a block's name */
    unsigned design;   /* cosim_block.design */
    bool mutants;      /* which it carries */
    bool waves;        /* it can write them */
    bool chosen; /* the design is the user's choice; a block without a parameter for it is used only then */
    const char *top; /* NULL, or a file with a block of somebody else, with the ports of ours */
};

/* A structure of the library by its symbol, NULL with err. What can write waves, or is not ours, is built
 * first unless it has been. The library stays. */
const void *cosim_load(const char *symbol, const struct cosim_library *which, struct mp_error *err);

/* A process before this one has shown what Verilator says about the block. */
void cosim_load_warned(void);

/* The file of --waves is made before anything is run, and is gone afterwards when there were none: false. */
int cosim_waves_begin(const char *file, struct mp_error *err);
bool cosim_waves_end(const char *file);

/* ---- lines of the RTL, for the database and the terminal ---- */

struct out_json;
struct mp_db_cosim_line;

struct cosim_lines {
    struct mp_db_cosim_line *line;
    unsigned count, room;
    unsigned taken, explained; /* explained: not taken, for a reason */
};

/* Adds what one session has taken. */
void cosim_lines_take(struct cosim_lines *lines, const struct cosim_rtl *rtl, const void *cosim);
void cosim_lines_free(struct cosim_lines *lines);
/* Of each file how many there are and were taken, then those that were not. */
void cosim_lines_print(const struct cosim_lines *lines);
void cosim_lines_json(const struct cosim_lines *lines, struct out_json *json);

/* ---- a run: sessions of drawn configurations, or a file in one ---- */

/* What was asked for. */
struct cosim_job {
    const struct cosim_block *block;
    const char *file; /* NULL: random */
    const char *top;  /* RTL of somebody else, or NULL */
    struct cosim_setup setup;
    unsigned fixed; /* enum cosim_choice */
    uint64_t transactions, seed;
    bool window_given, latency_given, coverage, full;
    unsigned patience; /* seconds for a transaction */
};

struct cosim_named {
    char name[MP_RTL_POINT_NAME + 24]; /* "star4: hit: alone, base 0" */
    uint64_t taken;
};

struct cosim_points {
    struct cosim_named *point;
    unsigned count, room;
};

/* What came of it. */
struct cosim_outcome {
    enum cosim_end {
        COSIM_EQUAL,
        COSIM_DIFFERENT, /* RTL and model */
        COSIM_BROKEN,    /* a rule of the ports, or the RTL ended or failed an assertion */
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
    bool waves; /* were written */
};

/* The session of this number, from 0, of a run from the seed: its setup, how many transactions, and which
 * corner it is. All sessions of a run are different; none depends on how long the run is. */
const struct cosim_corner *cosim_session(const struct cosim_job *job, uint64_t number,
                                         struct cosim_setup *setup, uint64_t *transactions);

/* 0 and *o; -1 with err when a library or a file cannot be used. */
int cosim_run(const struct cosim_job *job, struct cosim_outcome *o, struct mp_error *err);
void cosim_outcome_free(struct cosim_outcome *o);

/* The options that were given for it, as on the command line. */
void cosim_chosen(const struct cosim_job *job, char *text, size_t size);

/* The command that does it again up to a transaction, malloc'ed. */
char *cosim_replay(const struct cosim_job *job, uint64_t transactions);

/* Corners that a run did not come by, separated by "; ", malloc'ed; "": none. */
char *cosim_not_run(const struct cosim_outcome *o);

/* Keeps it and prints it. Returns a cli_exit; the error was said. */
int cosim_finish(const struct cli *cli, const struct cosim_job *job, const struct cosim_outcome *o);

/* Verilated RTL may crash or never return: run() is called in a child process, whose output and exit code are
 * the command's. When the child crashes, or a transaction takes longer than job->patience, that is kept and
 * printed as the outcome. */
int cosim_guarded(const struct cli *cli, struct cosim_job *job,
                  int (*run)(const struct cli *cli, const struct cosim_job *job));

/* ---- mutants ---- */

struct cosim_mutation {
    uint64_t mutants; /* at equal distances among those of the library */
    uint64_t transactions;
};

/* Counts the mutants that the comparison finds, proves of the others that they are no faults, and keeps it.
 * Returns a cli_exit; the error was said. */
int cosim_mutants(const struct cli *cli, const struct cosim_job *job, const struct cosim_mutation *what);

/* ---- star ---- */

enum cosim_star_mode { COSIM_SUBENTRY, COSIM_STAR, COSIM_STAR_SEQUENTIAL, COSIM_STAR_STRIDE, COSIM_STAR4 };

/* Widths of the RTL that was Verilated. A stimulus is a struct replay_tlb_stimulus within them. */
#define COSIM_STAR_ASID_BITS    8u
#define COSIM_STAR_VPN_BITS     33u
#define COSIM_STAR_SET_VPN_BITS 26u

/* ---- dws ---- */

enum cosim_dws_mode { COSIM_DWS, COSIM_DWSPP, COSIM_DWSPP_CONSERVATIVE, COSIM_DWSPP_AGGRESSIVE };

/* Sizes of the RTL that was Verilated. A stimulus is the arrival of a struct replay_walk. */
#define COSIM_DWS_WALKERS 16u
#define COSIM_DWS_QUEUE   192u
#define COSIM_DWS_TENANTS 4u /* at most; or 2 */

#ifdef __cplusplus
}
#endif
#endif
