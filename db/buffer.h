/* SPDX-License-Identifier: Apache-2.0 */
/* Records of a run that flush.c has not written yet: plain memory, no SQLite. */
#ifndef MP_DB_BUFFER_H
#define MP_DB_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

#include "db/db.h"

/* A component kind, "l2_tlb": of the kind "tlb" and of level 2. */
struct mp_db_kind {
    char *name, *kind; /* kind NULL if not declared; the kind is the name then */
    unsigned level;    /* 0 if none */
    bool written;
};

struct mp_db_component {
    char *path, *kind;
    int parent; /* -1 if none */
};

struct mp_db_metric {
    char *component_kind, *name, *unit, *description;
    enum mp_db_metric_kind kind;
    int64_t id; /* in the file; 0: not known yet */
};

struct mp_db_row {
    uint64_t cycle; /* of epochs */
    int component, tenant, metric;
    int64_t value;
};

struct mp_db_rows {
    struct mp_db_row *row;
    size_t count, room;
};

struct mp_db_hist {
    int component, tenant, metric;
    unsigned nbins;
    uint64_t maximum; /* of a log-linear one */
    uint64_t *bins;
};

struct mp_db_buffer {
    struct mp_db_component *component; /* all of the run; the first `components_written` are in the file */
    size_t ncomponents, components_room, components_written;
    size_t *component_hash; /* open addressing, index + 1 */
    size_t component_hash_size;
    struct mp_db_kind *kind; /* the dictionaries of kinds and metrics stay when a run ends */
    size_t nkinds, kinds_room;
    struct mp_db_metric *metric;
    size_t nmetrics, metrics_room;
    struct mp_db_rows values, epochs;
    struct mp_db_hist *hist;
    size_t nhists, hists_room;
};

/* Index of the component with this path (not terminated, `length` bytes), or -1. */
int mp_db_buffer_find(const struct mp_db_buffer *b, const char *path, size_t length);

/* Adds a component whose path is new; takes copies. Returns its index, or -1 out of memory. */
int mp_db_buffer_component(struct mp_db_buffer *b, const char *path, size_t length, const char *kind,
                           size_t kind_length, int parent, struct mp_error *err);

/* Finds or adds a component kind by its name (`length` bytes); NULL out of memory. */
struct mp_db_kind *mp_db_buffer_kind(struct mp_db_buffer *b, const char *name, size_t length,
                                     struct mp_error *err);

/* Makes room for one more element of `size` bytes; 0, or -1 out of memory. */
int mp_db_grow(void **array, size_t count, size_t *room, size_t size, struct mp_error *err);

/* Whether flush.c has anything to write. */
bool mp_db_buffer_pending(const struct mp_db_buffer *b);

/* Marks everything as written. */
void mp_db_buffer_written(struct mp_db_buffer *b);

/* The dictionaries' entries are not in the file, since the transaction that wrote them failed. */
void mp_db_buffer_rolled_back(struct mp_db_buffer *b);

/* Forgets the run; the dictionaries stay. */
void mp_db_buffer_empty(struct mp_db_buffer *b);

void mp_db_buffer_free(struct mp_db_buffer *b);

/* Reports that memory ran out; returns -1. */
int mp_db_out_of_memory(struct mp_error *err);

#endif
