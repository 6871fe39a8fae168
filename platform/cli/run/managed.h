/* SPDX-License-Identifier: Apache-2.0 */
/* A window of what a run's servers of page faults did, from the database. */
#ifndef MP_CLI_MANAGED_H
#define MP_CLI_MANAGED_H

#include "cli/out.h"
#include "cli/run/runs.h"

/* In the order of the names in managed_kinds. */
enum managed_kind {
    MANAGED_BATCH,
    MANAGED_VICTIM,
    MANAGED_INVALIDATION,
    MANAGED_COPY_OUT,
    MANAGED_COPY_IN,
    MANAGED_ZEROING,
    MANAGED_LANES, /* until here, a server does one at a time */
    MANAGED_SERVICE = MANAGED_LANES,
    MANAGED_FAULT,
    MANAGED_REPLAY,
    MANAGED_KINDS
};
extern const char *const managed_kinds[MANAGED_KINDS];

struct managed_action {
    enum managed_kind kind;
    unsigned tenant;
    uint64_t began, ended;
    uint64_t page, pages; /* page: virtual address, 0: none */
};

struct managed_change { /* pages of a block that are resident from a cycle on */
    unsigned tenant;
    uint64_t block, cycle, pages;
};

struct managed_server {
    char path[64];
    uint64_t first, last; /* cycles of the window, first to last - 1 */
    uint64_t page_bytes;
    size_t nactions, nchanges;
    struct managed_action *action; /* in the order of their begins */
    struct managed_change *change; /* in the order of cycles */
};

struct managed {
    int64_t run;
    struct mp_config config;
    unsigned n;
    struct managed_server *server;
    char name[MP_TENANTS][64]; /* of tenants: "0: MT small" */
};

/* Reads the windows of a run, 0: the latest finished one; n is 0 if it has none. -1 with err; call
 * managed_free() either way. */
int managed_load(struct mp_db *db, int64_t run, struct managed *m, struct mp_error *err);
void managed_free(struct managed *m);

/* Writes the actions into an array of trace events. process: number of the first server's. */
void managed_write_events(const struct managed *m, unsigned process, struct out_json *j);

#endif
