/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `mempath run` about RTL: which blocks, and from which files. */
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
        const char *name; /* "l3_tlb", "walk_arbiter" */
        bool beside;
    } block[2];
    unsigned n;
    const char *top;           /* --rtl-top, or NULL */
    struct mp_rtl_waves waves; /* window 0:0: the cycles before a difference */
};

/* Adds a block of --rtl, or of --rtl-shadow (beside), by its name there or by that of its RTL in `mempath
 * cosim`. */
int run_rtl_add(struct run_rtl *r, const char *block, bool beside, struct mp_error *err);

/* Checks the options together and creates the file of waves. runs: the number of runs that would write it. */
int run_rtl_check(const struct run_rtl *r, unsigned runs, struct mp_error *err);

/* Loads the libraries for a run of this configuration; builds them first if necessary. */
int run_rtl_load(const struct run_rtl *r, const struct mp_config *config, struct mp_rtl *rtl,
                 struct mp_error *err);

/* Completes the file of waves, and prints a line about it unless quiet. */
void run_rtl_finish(const struct run_rtl *r, bool quiet);

/* Reports on stderr the blocks whose decisions were not checked. */
void run_rtl_unchecked(const struct run_rtl *r);

/* Adds the member "rtl": what the RTL in each of the n places has done. */
void run_rtl_json(struct out_json *j, const struct mp_rtl_count *counts, unsigned n);

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
