/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A planner for two tenants of a GPU whose memory they share: how many SMs each gets, whether their pages
 * have colours (Fractional GPUs, Section IV-E), and their size. It predicts each way of sharing from runs of
 * the applications alone, the paper's persistent dispatch included.
 */
#ifndef MP_CLI_PLAN_H
#define MP_CLI_PLAN_H

#include "cli/run/pool.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PLAN_TENANTS = 2, PLAN_MOST = 32 };

enum plan_scheme {
    PLAN_CP,    /* SMs are divided, memory is shared; pages of 2 MB */
    PLAN_CP_4K, /* the same with pages of 4 KB */
    PLAN_CMP    /* pages of 4 KB and of the tenant's colours */
};

/* A way to share the GPU, and what it gives each tenant: speed relative to the whole GPU's alone. */
struct plan_candidate {
    enum plan_scheme scheme;
    unsigned sms[PLAN_TENANTS], colours[PLAN_TENANTS]; /* colours: 0 unless PLAN_CMP */
    /* Runs of the pool: each alone, next to the hog (unless PLAN_CMP), and both. */
    unsigned alone[PLAN_TENANTS], hogged[PLAN_TENANTS], pair;
    double predicted[PLAN_TENANTS], measured[PLAN_TENANTS];
};

struct plan {
    const char *machine;                         /* preset or file */
    const char *app[PLAN_TENANTS];               /* "VA" */
    const char *size[PLAN_TENANTS];              /* "small" */
    bool worst;                                  /* the goal: the slower tenant's speed, not the sum */
    bool check;                                  /* every candidate is simulated with both tenants */
    unsigned colours;                            /* that pages of 4 KB can have; 1: none */
    unsigned whole[PLAN_TENANTS], hog;           /* runs of the pool: on the whole GPU, the hog's too */
    double lines[PLAN_TENANTS][PLAN_MOST], most; /* of DRAM per 1000 cycles: alone, and the hog's */
    unsigned n, best;                            /* best: the candidate that is planned */
    struct plan_candidate candidate[PLAN_MOST];
    struct pool pool;
};

/* Lists the candidates and adds the runs to the pool that predictions need. -1 with a message. */
int plan_prepare(struct plan *p, struct mp_error *err);
/* Adds the runs of all candidates with both tenants. -1 with a message. */
int plan_add_pairs(struct plan *p, struct mp_error *err);
/* After these runs: predicts and chooses. lines and most must be set. */
void plan_choose(struct plan *p);
/* After the runs of pairs. */
void plan_measure(struct plan *p);

/* The value of two speeds by the goal: their sum, or the lower one if p->worst. */
double plan_value(const struct plan *p, const double speed[PLAN_TENANTS]);
/* The candidate with the best measured value. */
unsigned plan_best_measured(const struct plan *p);
/* Prints the candidates, the best prediction first, and the plan. */
void plan_print(const struct plan *p);
void plan_print_json(const struct plan *p);

extern const char *const plan_schemes[]; /* names of the schemes */

#ifdef __cplusplus
}
#endif
#endif
