/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `mempath run` and `mempath firmware run` about RTL: which blocks, and from which files. */
#ifndef MP_CLI_RUN_RTL_H
#define MP_CLI_RUN_RTL_H

#include "cli/out.h"
#include "config/config.h"
#include "engine/error.h"
#include "platform.h"

#ifdef __cplusplus
extern "C" {
#endif

struct run_rtl {
    struct {
        const char *name; /* as it was given: a level of TLBs, or a block */
        bool shadow;
    } block[MP_RTL_PARTS];
    unsigned n;
    const char *top;           /* --rtl-top, or NULL */
    struct mp_rtl_waves waves; /* window 0:0: the cycles before a difference */
};

enum { RUN_RTL = 0x400, RUN_RTL_SHADOW, RUN_RTL_TOP, RUN_RTL_WAVES, RUN_RTL_WINDOW };

/* The options as rows of a command's list. */
/* clang-format off */
#define RUN_RTL_OPTIONS                                                                                      \
    {"rtl", RUN_RTL, "BLOCK", 0,                                                                             \
     "let the Verilated RTL decide instead of the model, unchecked: l3_tlb (the arrays of the TLBs of a "    \
     "level) or star, l1-tlb, mesc-tlb; walk_arbiter or dws; neidty; mesc-scan; uvm-tree; of many "            \
     "NAME:PATH; slower, with the same results", 0},                                                                    \
    {"rtl-shadow", RUN_RTL_SHADOW, "BLOCK", 0,                                                               \
     "run RTL and model, and compare each decision and state; "                                              \
     "the first difference ends the run with exit code 1", 0},                                               \
    {"rtl-top", RUN_RTL_TOP, "FILE.sv", 0,                                                                   \
     "with one --rtl or --rtl-shadow: your block, a module with its file's name and the same ports", 0},     \
    {"waves", RUN_RTL_WAVES, "FILE", 0,                                                                      \
     "with one --rtl or --rtl-shadow: write its waves (FST): of the window or, "                             \
     "in `mempath run` without one, of the last 1000 cycles before a difference", 0},                        \
    {"waves-window", RUN_RTL_WINDOW, "FIRST:LAST", 0, "of the cycles from FIRST to before LAST", 0}
/* clang-format on */

/* Takes the value of one of these options: 1. 0: key is of another option. -1 with err. */
int run_rtl_option(struct run_rtl *r, int key, const char *arg, struct mp_error *err);

/* Checks the options together and creates the file of waves. runs: the number of runs that would write it. */
int run_rtl_check(const struct run_rtl *r, unsigned runs, struct mp_error *err);

/* Loads the libraries for a run of this configuration; builds them first if necessary. A block's name is a
 * level of TLBs, for the array that fits their policy, or a name of struct cosim_place, or that of
 * `mempath cosim`; with ":PATH", of the blocks whose paths match. */
int run_rtl_load(const struct run_rtl *r, const struct mp_config *config, struct mp_rtl *rtl,
                 struct mp_error *err);

/* What --observe BLOCK[:PATH] selects. */
struct run_observed {
    const struct mp_rtl_writer *writer; /* mp_run.writer */
    char path[80];                      /* mp_run.observe */
};

/* Fills *o; an empty path if the option names no block of RTL. -1 with err if the machine has no such block.
 */
int run_rtl_observed(const struct mp_config *config, const char *observe, struct run_observed *o,
                     struct mp_error *err);

/* Completes the file of waves, and prints a line about it unless `out` is NULL. */
void run_rtl_finish(const struct run_rtl *r, FILE *out);

/* Prints a line for each block: what it did and, where it was compared, how much of its behaviour that
 * showed. */
void run_rtl_print(FILE *out, const struct mp_rtl_count *rtl, unsigned n);
/* The component, a part of such a line. */
void run_rtl_print_component(FILE *out, const struct mp_rtl_count *c);
/* Of a block that was compared: "; N of M points ...", a part of such a line. */
void run_rtl_print_points(FILE *out, const struct mp_rtl_count *c);

/* Reports on stderr the blocks whose decisions were not checked. */
void run_rtl_unchecked(const struct run_rtl *r);

/* Adds the member "rtl": what the RTL in each of the n places has done. shares: of firmware, or NULL. */
void run_rtl_json(struct out_json *j, const struct mp_rtl_count *counts, const struct mp_rtl_share *shares,
                  unsigned n);

/* ---- waves of what leads to a difference: the same run again ---- */

struct run_again;

/* Starts a process that waits. Call it before SystemC starts, because SystemC starts once in a process. */
struct run_again *run_again_prepare(const struct mp_run *run);
/* Makes the process run with waves of the last 1000 cycles up to and including this one. Returns false if
 * there are no waves. */
bool run_again_until(struct run_again *again, uint64_t cycle);
void run_again_free(struct run_again *again);

#ifdef __cplusplus
}
#endif
#endif
