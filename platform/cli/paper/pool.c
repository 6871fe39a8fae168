/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/paper/pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void grow(struct pool *p)
{
    unsigned room = p->room ? 2 * p->room : 64;
    struct run_job *job = realloc(p->job, room * sizeof *job);
    p->job = job ? job : p->job;
    char **key = job ? realloc(p->key, room * sizeof *key) : NULL;
    if (!key)
        exit(cli_fail(CLI_FAILED, "out of memory"));
    p->key = key;
    p->room = room;
}

unsigned pool_add(struct pool *p, struct mp_config *config, const char *label)
{
    char *key = mp_config_text(config);
    if (!key)
        exit(cli_fail(CLI_FAILED, "out of memory"));
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

unsigned pool_add_alone(struct pool *p, unsigned place, unsigned t)
{
    struct run_job alone;
    if (runs_alone(&alone, &p->job[place].config, t))
        exit(CLI_FAILED);
    return pool_add(p, &alone.config, alone.label);
}

void pool_free(struct pool *p)
{
    runs_free(p->job, p->n);
    for (unsigned i = 0; i < p->n; i++)
        free(p->key[i]);
    free(p->key);
    *p = (struct pool){0};
}
