/* SPDX-License-Identifier: Apache-2.0 */
/* Which blocks of a run are RTL, and whose: the options of `mempath run` about it. */
#ifndef MP_CLI_RUN_RTL_H
#define MP_CLI_RUN_RTL_H

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
    struct mp_rtl_waves waves; /* window 0:0: of what leads to a difference */
};

/* --rtl, or beside the model --rtl-shadow. */
int run_rtl_add(struct run_rtl *r, const char *block, bool beside, struct mp_error *err);

/* The options together, and the file of waves begins. runs: that would have them. */
int run_rtl_check(const struct run_rtl *r, unsigned runs, struct mp_error *err);

/* The libraries for a run of this configuration, which are built first where they have to be. */
int run_rtl_load(const struct run_rtl *r, const struct mp_config *config, struct mp_rtl *rtl,
                 struct mp_error *err);

/* The end of the file of waves, and a line about it unless quiet. */
void run_rtl_finish(const struct run_rtl *r, bool quiet);

/* Says on stderr of which blocks the decisions were not checked. */
void run_rtl_unchecked(const struct run_rtl *r);

/* ---- waves of what leads to a difference: the same run again ---- */

struct run_again;

/* A process that waits, to be called before SystemC begins, for that begins once in a process. */
struct run_again *run_again_prepare(const struct mp_run *run);
/* Runs it with waves of the last 1000 cycles up to and with this one. False: no such waves. */
bool run_again_until(struct run_again *again, uint64_t cycle);
void run_again_free(struct run_again *again);

#ifdef __cplusplus
}
#endif
#endif
