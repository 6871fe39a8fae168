/* SPDX-License-Identifier: Apache-2.0 */
/* Runs that several figures share: each configuration stands there once. */
#ifndef MP_CLI_POOL_H
#define MP_CLI_POOL_H

#include "cli/run/runs.h"

#ifdef __cplusplus
extern "C" {
#endif

struct pool {
    struct run_job *job;
    char **key; /* configuration as text */
    unsigned n, room;
};

/* The place in the pool of the run of this configuration, which the pool takes (config is empty after). */
unsigned pool_add(struct pool *p, struct mp_config *config, const char *label);

/* The same of tenant t of the job at a place, alone. */
unsigned pool_add_alone(struct pool *p, unsigned place, unsigned t);

void pool_free(struct pool *p);

#ifdef __cplusplus
}
#endif
#endif
