/* SPDX-License-Identifier: Apache-2.0 */
/* A window of a run's page walks in the database, and its trace events. */
#ifndef MP_CLI_WALKS_H
#define MP_CLI_WALKS_H

#include <stdio.h>

#include "cli/run/managed.h"
#include "cli/run/runs.h"

struct walks_system { /* a page-walk system */
    char path[64];
    uint64_t first, last; /* cycles of the window, first to last - 1 */
    unsigned walkers;
    size_t nwalks, nwaiting, nowners;
    struct mp_db_walk *walk; /* in the order of walkers and starts */
    struct mp_db_walk_change *waiting, *owner;
};

struct walks {
    int64_t run;
    struct mp_config config;
    unsigned n;
    struct walks_system *system;
    char name[MP_TENANTS][64]; /* of tenants: "0: MT small" */
};

/* Reads the walks of a run, 0: the latest finished one. -1 with err; call walks_free() either way. */
int walks_load(struct mp_db *db, int64_t run, struct walks *w, struct mp_error *err);
void walks_free(struct walks *w);

/* The part of a walk inside its system's window, [from, to). */
struct walks_part {
    uint64_t from, to;
    bool stolen, cut_begin, cut_end;
};
struct walks_part walks_part(const struct walks_system *s, const struct mp_db_walk *walk);

/* Writes the walks, and what servers of page faults did, in the trace-event format of Perfetto and
 * chrome://tracing; a cycle is a microsecond. */
void walks_write_events(const struct walks *w, const struct managed *m, FILE *f);

#endif
