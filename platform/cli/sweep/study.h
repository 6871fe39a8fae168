/* SPDX-License-Identifier: Apache-2.0 */
/* A sweep as a study in the database, and what its points are compared with. */
#ifndef MP_CLI_SWEEP_STUDY_H
#define MP_CLI_SWEEP_STUDY_H

#include "cli/sweep/sweep.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds the study, or finds it, and makes the jobs runs of its points. Returns a cli_exit. */
int study_begin(struct sweep_jobs *j);

/* The runs alone of the tenants of all points, each configuration once. */
struct study_alone {
    unsigned n, nreferences, nsettings;
    struct run_job *job;
    struct run_reference *reference; /* of each tenant of each job, in the order of the jobs */
    const struct run_job *jobs;      /* of the points */
    unsigned *first;                 /* by point: its first reference; one more than there are points */
    void *known;                     /* configurations of `job` (tsearch) */
    char *settings, *words;          /* "path=value path=value" */
    const char **setting;
};
/* settings: "path=value,path=value", which the reference's machine has in place of the point's; "": none. */
int study_alone_load(struct study_alone *a, const struct sweep_jobs *j, const char *settings);
void study_alone_free(struct study_alone *a); /* also of a structure that is all zero */
/* As the view workload_performance has them; NAN without the runs alone of all tenants. */
struct study_speed {
    double weighted, harmonic, slowdown, fairness; /* slowdown: the largest */
};
extern const struct study_speed study_no_speed;
struct study_speed study_speed(const struct study_alone *a, const struct run_job *job);

#ifdef __cplusplus
}
#endif
#endif
