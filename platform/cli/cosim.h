/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RTL beside its reference model. A block is one file cosim_<block>.c here, which knows its modes and its
 * stimuli, and a line of the table in cmd_cosim.c. The RTL itself, Verilated, with its model and the
 * comparison, is in the shared library libmempath-cosim.so beside the program (built from tb/rtl), so that
 * only who needs it builds it.
 */
#ifndef MP_CLI_COSIM_H
#define MP_CLI_COSIM_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/cli.h"
#include "cli/rtl_line.h"
#include "engine/error.h"
#include "rtl_run.h"

#ifdef __cplusplus
extern "C" {
#endif

#define COSIM_POINT_NAME     64u
#define COSIM_STIMULUS_BYTES 64u

/* What was chosen. */
struct cosim_setup {
    unsigned mode; /* number in the block's list */
    unsigned stride;
    uint64_t latency; /* of what a stimulus asks for, cycles */
    bool lines;       /* the RTL counts the lines it takes, at half the speed */
    struct mp_rtl_waves waves;
    unsigned rules; /* 0: those of the mode; else others, drawn from this number */
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
    const char *interface;                          /* MP_RTL_INTERFACE */
    const char *tools;                              /* "verilator 5.006" */
    void *(*open)(const struct cosim_setup *setup); /* NULL: out of memory */
    void (*close)(void *cosim);
    bool (*step)(void *cosim, const void *stimulus); /* false: they differ */
    bool (*finish)(void *cosim); /* after the last stimulus; NULL: nothing is under way then */
    /* Random transactions from the seed, until so many were made, they differ (false), or *stop is set. */
    bool (*random)(void *cosim, uint64_t seed, uint64_t transactions, const volatile sig_atomic_t *stop);
    uint64_t (*transactions)(const void *cosim);
    uint64_t (*clocks)(const void *cosim);
    const char *(*difference)(const void *cosim); /* the first, in a line; NULL: none */
    void (*report)(const void *cosim, FILE *out); /* and both states field by field */
    /* Coverage by number, from 0; false behind the last. */
    bool (*point)(const void *cosim, unsigned number, char name[COSIM_POINT_NAME], uint64_t *taken);
    /* The lines of the RTL by file and number, when it counts them. False: out of memory. */
    bool (*lines)(const void *cosim, rtl_each_line *each, void *to);
    /* Of a library with mutants: the folder of what made them (tb/rtl/mutate.cmake), and of which design. */
    const char *mutants;
    unsigned design;
    const struct cosim_blind *blind; /* ends with a NULL line */
    /* The RTL becomes its mutant of this number, from 1; RTL and model are as after a reset. */
    void (*mutate)(void *cosim, unsigned mutant);
};

struct cosim_mode {
    const char *name, *title;
    bool strides;    /* --stride is for it */
    unsigned design; /* MODE of star, TENANTS of dws */
    unsigned rules;  /* a mutant is tried under so many other rules, too (cosim_setup.rules) */
};

struct cosim_block {
    const char *name, *summary, *symbol;
    const char *formats;            /* of stimuli, for --help */
    const struct cosim_mode *modes; /* ends with a NULL name */
    unsigned usual;                 /* mode, when none is given */
    bool latencies;                 /* --latency is for its stimuli */
    /* Parses a line into *stimulus, of at most COSIM_STIMULUS_BYTES: 1; 0: nothing in it; -1 with err. What
     * is there beforehand is the last stimulus, at first zeroes. */
    int (*parse)(const char *line, size_t length, void *stimulus, struct mp_error *err);
};

extern const struct cosim_block cosim_star, cosim_dws;

/* Which RTL. */
struct cosim_library {
    const char *block; /* "star" or "dws" */
    unsigned design;   /* as struct cosim_mode has it */
    bool mutants;      /* which it carries */
    bool waves;        /* it can write them */
    const char *top;   /* NULL, or a file with somebody else's block, with the ports of ours */
};

/* A structure of the library by its symbol, NULL with err. What can write waves, or is not ours, is built
 * first unless it has been. The library stays. */
const void *cosim_load(const char *symbol, const struct cosim_library *which, struct mp_error *err);

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

void cosim_lines_take(struct cosim_lines *lines, const struct cosim_rtl *rtl, const void *cosim);
void cosim_lines_free(struct cosim_lines *lines);
/* Of each file how many there are and were taken, then those that were not. */
void cosim_lines_print(const struct cosim_lines *lines);
void cosim_lines_json(const struct cosim_lines *lines, struct out_json *json);
/* ---- mutants ---- */

struct cosim_mutation {
    unsigned mode;    /* whose RTL; every mode of it is tried */
    uint64_t mutants; /* at equal distances among those of the library */
    uint64_t transactions, seed;
};

/* Counts the mutants that the comparison finds, proves of the others that they are no faults, and keeps it.
 * Returns a cli_exit; the error was said. */
int cosim_mutants(const struct cli *cli, const struct cosim_block *block, const struct cosim_rtl *rtl,
                  const struct cosim_mutation *what);

/* ---- star ---- */

enum cosim_star_mode { COSIM_SUBENTRY, COSIM_STAR, COSIM_STAR_SEQUENTIAL, COSIM_STAR_STRIDE, COSIM_STAR4 };

/* Widths of the RTL that was Verilated. A stimulus is a struct replay_tlb_stimulus within them. */
#define COSIM_STAR_ASID_BITS 8u
#define COSIM_STAR_VPN_BITS  33u

/* ---- dws ---- */

enum cosim_dws_mode { COSIM_DWS, COSIM_DWSPP, COSIM_DWSPP_CONSERVATIVE, COSIM_DWSPP_AGGRESSIVE };

/* Sizes of the RTL that was Verilated. A stimulus is the arrival of a struct replay_walk. */
#define COSIM_DWS_WALKERS 16u
#define COSIM_DWS_QUEUE   192u
#define COSIM_DWS_TENANTS 2u

#ifdef __cplusplus
}
#endif
#endif
