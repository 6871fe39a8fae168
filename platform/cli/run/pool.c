/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run/pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void grow(struct pool *p)
{
    unsigned room = p->room ? 2 * p->room : 64;
    p->job = cli_have(realloc(p->job, room * sizeof *p->job));
    p->key = cli_have(realloc(p->key, room * sizeof *p->key));
    p->room = room;
}

unsigned pool_add(struct pool *p, struct mp_config *config, const char *label)
{
    char *key = cli_have(mp_config_text(config));
    for (unsigned i = 0; i < p->n; i++) {
        if (!strcmp(p->key[i], key)) {
            free(key);
            mp_config_free(config);
            return i;
        }
    }
    if (p->n == p->room)
        grow(p);
    struct run_job *job = &p->job[p->n];
    *job = (struct run_job){.config = *config};
    *config = (struct mp_config){0};
    snprintf(job->label, sizeof job->label, "%s", label);
    p->key[p->n] = key;
    return p->n++;
}

void pool_free(struct pool *p)
{
    runs_free(p->job, p->n);
    for (unsigned i = 0; i < p->n; i++)
        free(p->key[i]);
    free(p->key);
    *p = (struct pool){0};
}
