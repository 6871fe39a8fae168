/* SPDX-License-Identifier: Apache-2.0 */
/* What a run records, kept in memory until flush.c writes it. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "db/internal.h"

/* Rows in memory before they are written: 2.5 MB, and a transaction of under 0.1 s that others wait for. */
#define FLUSH_ROWS 65536u

void mp_db_forget(struct mp_db *db)
{
    for (size_t i = 0; i < db->ncomponents; i++) {
        free(db->component[i].path);
        free(db->component[i].kind);
    }
    for (size_t i = 0; i < db->nhists; i++)
        free(db->hist[i].bins);
    if (db->component_hash_size)
        memset(db->component_hash, 0, db->component_hash_size * sizeof *db->component_hash);
    db->ncomponents = db->components_written = db->nhists = db->values.count = db->epochs.count = 0;
    db->run = 0;
    db->ntenants = 0;
}

/* ---- components: found by a hash of the path ---- */

/* FNV-1a: short keys, and no order of the results depends on it. */
static size_t slot_of(const struct mp_db *db, const char *path, size_t length)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)path[i]) * 0x100000001b3u;
    size_t mask = db->component_hash_size - 1, slot = (size_t)(h ^ h >> 32) & mask;
    while (db->component_hash[slot]) {
        const char *there = db->component[db->component_hash[slot] - 1].path;
        if (strlen(there) == length && !memcmp(there, path, length))
            break;
        slot = (slot + 1) & mask;
    }
    return slot;
}

/* The table is at most half full. */
static int grow_hash(struct mp_db *db, struct mp_error *err)
{
    if (2 * (db->ncomponents + 1) <= db->component_hash_size)
        return 0;
    size_t size = db->component_hash_size ? 2 * db->component_hash_size : 256;
    size_t *table = calloc(size, sizeof *table);
    if (!table)
        return mp_db_out_of_memory(err);
    free(db->component_hash);
    db->component_hash = table;
    db->component_hash_size = size;
    for (size_t i = 0; i < db->ncomponents; i++)
        table[slot_of(db, db->component[i].path, strlen(db->component[i].path))] = i + 1;
    return 0;
}

/* "gpc" of "gpu.gpc0". */
static char *kind_of_name(const char *path, size_t length)
{
    size_t from = length;
    while (from && path[from - 1] != '.')
        from--;
    size_t to = length;
    while (to > from + 1 && path[to - 1] >= '0' && path[to - 1] <= '9')
        to--;
    return strndup(path + from, to - from);
}

/* kind NULL: a parent that was not declared. */
static int component(struct mp_db *db, const char *path, size_t length, const char *kind,
                     struct mp_error *err)
{
    if (grow_hash(db, err))
        return -1;
    size_t there = db->component_hash[slot_of(db, path, length)];
    if (there)
        return (int)there - 1;
    size_t dot = length;
    while (dot && path[dot - 1] != '.')
        dot--;
    int parent = dot ? component(db, path, dot - 1, NULL, err) : -1;
    if ((dot && parent < 0) || grow_hash(db, err) ||
        mp_db_grow((void **)&db->component, db->ncomponents, &db->components_room, sizeof *db->component,
                   err))
        return -1;
    struct mp_db_component new = {strndup(path, length), kind ? strdup(kind) : kind_of_name(path, length),
                                  parent};
    if (!new.path || !new.kind) {
        free(new.path);
        free(new.kind);
        return mp_db_out_of_memory(err);
    }
    db->component_hash[slot_of(db, path, length)] = db->ncomponents + 1;
    db->component[db->ncomponents] = new;
    return (int)db->ncomponents++;
}

int mp_db_component(struct mp_db *db, const char *path, const char *kind, struct mp_error *err)
{
    if (!db->run)
        return mp_fail(err, "%s: no run is open; mp_db_run_begin comes first", db->path);
    size_t length = strlen(path);
    if (!length || path[0] == '.' || path[length - 1] == '.' || strstr(path, ".."))
        return mp_fail(err, "component \"%s\": bad path; names joined by single dots", path);
    return component(db, path, length, kind, err);
}

/* ---- metrics ---- */

int mp_db_metric(struct mp_db *db, const char *component_kind, const char *name, const char *unit,
                 const char *description, enum mp_db_metric_kind kind, struct mp_error *err)
{
    for (size_t i = 0; i < db->nmetrics; i++) {
        const struct mp_db_metric *m = &db->metric[i];
        if (m->kind == kind && !strcmp(m->name, name) && !strcmp(m->component_kind, component_kind) &&
            !strcmp(m->unit, unit))
            return (int)i;
    }
    if (mp_db_grow((void **)&db->metric, db->nmetrics, &db->metrics_room, sizeof *db->metric, err))
        return -1;
    struct mp_db_metric new = {strdup(component_kind), strdup(name), strdup(unit),
                               strdup(description),    kind,         0};
    if (!new.component_kind || !new.name || !new.unit || !new.description) {
        free(new.component_kind);
        free(new.name);
        free(new.unit);
        free(new.description);
        return mp_db_out_of_memory(err);
    }
    db->metric[db->nmetrics] = new;
    return (int)db->nmetrics++;
}

/* ---- rows ---- */

static int check_key(const struct mp_db *db, int component_id, int tenant, int metric, struct mp_error *err)
{
    if (!db->run)
        return mp_fail(err, "%s: no run is open; mp_db_run_begin comes first", db->path);
    if (component_id < 0 || (size_t)component_id >= db->ncomponents)
        return mp_fail(err, "component %d: unknown; 0 to %zu in this run", component_id, db->ncomponents - 1);
    if (metric < 0 || (size_t)metric >= db->nmetrics)
        return mp_fail(err, "metric %d: unknown; 0 to %zu", metric, db->nmetrics - 1);
    if (tenant < MP_DB_NO_TENANT || (tenant >= 0 && (unsigned)tenant >= db->ntenants))
        return mp_fail(err, "tenant %d: unknown; 0 to %u in this run, or none", tenant, db->ntenants - 1);
    return 0;
}

static int append(struct mp_db *db, struct mp_db_rows *rows, uint64_t cycle, int component_id, int tenant,
                  int metric, uint64_t value, struct mp_error *err)
{
    if (check_key(db, component_id, tenant, metric, err))
        return -1;
    if (value > INT64_MAX || cycle > INT64_MAX)
        return mp_fail(err, "value %llu at cycle %llu of %s.%s: too large; up to 2^63 - 1",
                       (unsigned long long)value, (unsigned long long)cycle, db->component[component_id].path,
                       db->metric[metric].name);
    if (rows->count >= FLUSH_ROWS && mp_db_flush(db, err))
        return -1;
    if (mp_db_grow((void **)&rows->row, rows->count, &rows->room, sizeof *rows->row, err))
        return -1;
    rows->row[rows->count++] = (struct mp_db_row){cycle, component_id, tenant, metric, (int64_t)value};
    return 0;
}

int mp_db_value(struct mp_db *db, int component_id, int tenant, int metric, uint64_t value,
                struct mp_error *err)
{
    return append(db, &db->values, 0, component_id, tenant, metric, value, err);
}

int mp_db_epoch(struct mp_db *db, uint64_t cycle, int component_id, int tenant, int metric, uint64_t value,
                struct mp_error *err)
{
    return append(db, &db->epochs, cycle, component_id, tenant, metric, value, err);
}

int mp_db_histogram(struct mp_db *db, int component_id, int tenant, int metric, unsigned nbins,
                    const uint64_t *bins, struct mp_error *err)
{
    if (check_key(db, component_id, tenant, metric, err))
        return -1;
    enum mp_db_metric_kind kind = db->metric[metric].kind;
    unsigned most = kind == MP_DB_HISTOGRAM_LOG2 ? 64 : 65536; /* bin 64 would end above 2^63 */
    if (kind != MP_DB_HISTOGRAM_LINEAR && kind != MP_DB_HISTOGRAM_LOG2)
        return mp_fail(err, "%s: it is no histogram; metrics declared as one", db->metric[metric].name);
    if (!nbins || nbins > most)
        return mp_fail(err, "%s: %u bins; 1 to %u", db->metric[metric].name, nbins, most);
    if (mp_db_grow((void **)&db->hist, db->nhists, &db->hists_room, sizeof *db->hist, err))
        return -1;
    uint64_t *copy = malloc(nbins * sizeof *copy);
    if (!copy)
        return mp_db_out_of_memory(err);
    memcpy(copy, bins, nbins * sizeof *copy);
    db->hist[db->nhists++] = (struct mp_db_hist){component_id, tenant, metric, nbins, copy};
    return 0;
}
