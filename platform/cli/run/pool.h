/* SPDX-License-Identifier: Apache-2.0 */
/* Runs that several figures share: each configuration is stored once. */
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

/* Adds the run of this configuration, unless it is there, and returns its index. The pool takes the
 * configuration; config is empty afterwards. */
unsigned pool_add(struct pool *p, struct mp_config *config, const char *label);

void pool_free(struct pool *p);

#ifdef __cplusplus
}
#endif
#endif
