/* SPDX-License-Identifier: Apache-2.0 */
/* A sweep: experiments, workloads and values of parameters, and the runs that follow from them. */
#ifndef MP_CLI_SWEEP_PLAN_H
#define MP_CLI_SWEEP_PLAN_H

#include "config/config.h"
#include "config/source.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SWEEP_MOST_DIMENSIONS 32u
#define SWEEP_MOST_VALUES     4096u   /* of a dimension */
#define SWEEP_MOST_RUNS       100000u /* before exclusions */

/* A dimension, which varies independently of the others: the path "experiment" or "workload", a parameter, or
 * several that change together. */
struct sweep_dimension {
    unsigned line, npaths, nvalues;
    char **path;
    char **value; /* path p has value[p * nvalues + i] at position i */
};

/* Tenants of a machine, as overrides "tenants.0.app=MT". */
struct sweep_workload {
    unsigned noverrides;
    char **override;
};

/* Runs in which every term matches are left out. */
struct sweep_term {
    unsigned dimension, path, nvalues;
    char **value;
};

struct sweep_exclusion {
    unsigned nterms;
    struct sweep_term *term;
};

struct sweep {
    char *where, *folder; /* the file's name in errors, and the folder in which its paths begin */
    char *description;    /* or NULL */
    unsigned ndimensions, nworkloads, nexclusions;
    struct sweep_dimension dimension[SWEEP_MOST_DIMENSIONS]; /* the first varies most slowly */
    struct sweep_workload *workload;                         /* by the position of its name */
    struct sweep_exclusion *exclusion;
    unsigned nruns;
    uint32_t *point; /* a run's positions in all dimensions, as one number */
};

/* Loads a file. -1 with one line in err; the sweep is empty then. */
int sweep_load(struct sweep *s, const char *path, struct mp_error *err);
int sweep_load_text(struct sweep *s, const char *name, const char *text, size_t size, struct mp_error *err);
void sweep_free(struct sweep *s);

/* The value of a path of a dimension in a run, as the file has it. */
const char *sweep_value(const struct sweep *s, unsigned run, unsigned dimension, unsigned path);

/* The configuration of a run, counted from 0. -1 if the machine cannot be built. */
int sweep_config(const struct sweep *s, unsigned run, struct mp_config *config, struct mp_error *err);
/* The same with n settings "path=value" more, which replace those of the run. */
int sweep_config_with(const struct sweep *s, unsigned run, unsigned n, const char *const *setting,
                      struct mp_config *config, struct mp_error *err);

/* "1,5-7" to a malloc'ed flag for each run, the first of which has the number 1. */
int sweep_select(const struct sweep *s, const char *list, bool **selected, struct mp_error *err);

/* For plan.c and file.c: counts the runs and leaves out the excluded ones. */
int sweep_enumerate(struct sweep *s, struct mp_error *err);

#ifdef __cplusplus
}
#endif
#endif
