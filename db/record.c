/* SPDX-License-Identifier: Apache-2.0 */
/* The records of a run go to the buffer, which is written when it is full. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "db/sql.h"

/* Rows in the buffer before it is written: 2.5 MB, and a transaction of less than 0.1 s for which others
 * wait. */
#define FLUSH_ROWS 65536u

/* ---- components ---- */

/* Length of the path of the parent; 0 if there is none. */
static size_t parent_length(const char *path, size_t length)
{
    while (length && path[length - 1] != '.')
        length--;
    return length ? length - 1 : 0;
}

/* Finds a parent, or adds it and its own parents with the kind of their names: "gpu.gpc0" is a "gpc". */
static int find_or_add_parent(struct mp_db_buffer *b, const char *path, size_t length, struct mp_error *err)
{
    int there = mp_db_buffer_find(b, path, length), parent = -1;
    if (there >= 0)
        return there;
    size_t above = parent_length(path, length), from = above ? above + 1 : 0, to = length;
    if (above && (parent = find_or_add_parent(b, path, above, err)) < 0)
        return -1;
    while (to > from + 1 && path[to - 1] >= '0' && path[to - 1] <= '9')
        to--;
    return mp_db_buffer_component(b, path, length, path + from, to - from, parent, err);
}

int mp_db_component(struct mp_db *db, const char *path, const char *kind, struct mp_error *err)
{
    if (!db->run)
        return mp_db_fail_no_run(db, err);
    size_t length = strlen(path);
    if (!length || path[0] == '.' || path[length - 1] == '.' || strstr(path, ".."))
        return mp_fail(err, "component \"%s\": bad path; names joined by single dots", path);
    int there = mp_db_buffer_find(&db->buffer, path, length), parent = -1;
    if (there >= 0)
        return there;
    size_t above = parent_length(path, length);
    if (above && (parent = find_or_add_parent(&db->buffer, path, above, err)) < 0)
        return -1;
    return mp_db_buffer_component(&db->buffer, path, length, kind, strlen(kind), parent, err);
}

int mp_db_component_kind(struct mp_db *db, const char *name, const char *kind, unsigned level,
                         struct mp_error *err)
{
    struct mp_db_kind *k = mp_db_buffer_kind(&db->buffer, name, strlen(name), err);
    if (!k)
        return -1;
    if (k->kind && !strcmp(k->kind, kind) && k->level == level)
        return 0;
    char *copy = strdup(kind);
    if (!copy)
        return mp_db_out_of_memory(err);
    free(k->kind);
    *k = (struct mp_db_kind){.name = k->name, .kind = copy, .level = level};
    return 0;
}

/* ---- metrics ---- */

int mp_db_metric(struct mp_db *db, const char *component_kind, const char *name, const char *unit,
                 const char *description, enum mp_db_metric_kind kind, struct mp_error *err)
{
    for (size_t i = 0; i < db->buffer.nmetrics; i++) {
        const struct mp_db_metric *m = &db->buffer.metric[i];
        if (m->kind == kind && !strcmp(m->name, name) && !strcmp(m->component_kind, component_kind) &&
            !strcmp(m->unit, unit))
            return (int)i;
    }
    if (!mp_db_buffer_kind(&db->buffer, component_kind, strlen(component_kind), err) ||
        mp_db_grow((void **)&db->buffer.metric, db->buffer.nmetrics, &db->buffer.metrics_room,
                   sizeof *db->buffer.metric, err))
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
    db->buffer.metric[db->buffer.nmetrics] = new;
    return (int)db->buffer.nmetrics++;
}

/* ---- rows ---- */

static int check_key(const struct mp_db *db, int component_id, int tenant, int metric, struct mp_error *err)
{
    if (!db->run)
        return mp_db_fail_no_run(db, err);
    if (component_id < 0 || (size_t)component_id >= db->buffer.ncomponents)
        return mp_fail(err, "component %d: unknown; 0 to %zu in this run", component_id,
                       db->buffer.ncomponents - 1);
    if (metric < 0 || (size_t)metric >= db->buffer.nmetrics)
        return mp_fail(err, "metric %d: unknown; 0 to %zu", metric, db->buffer.nmetrics - 1);
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
                       (unsigned long long)value, (unsigned long long)cycle,
                       db->buffer.component[component_id].path, db->buffer.metric[metric].name);
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
    return append(db, &db->buffer.values, 0, component_id, tenant, metric, value, err);
}

int mp_db_epoch(struct mp_db *db, uint64_t cycle, int component_id, int tenant, int metric, uint64_t value,
                struct mp_error *err)
{
    return append(db, &db->buffer.epochs, cycle, component_id, tenant, metric, value, err);
}

int mp_db_histogram(struct mp_db *db, int component_id, int tenant, int metric, unsigned nbins,
                    const uint64_t *words, struct mp_error *err)
{
    /* The last bin of the most must not end above 2^63. */
    static const unsigned most[] = {
        [MP_DB_HISTOGRAM_LINEAR] = 65536, [MP_DB_HISTOGRAM_LOG2] = 64, [MP_DB_HISTOGRAM_LOG_LINEAR] = 1888};
    if (check_key(db, component_id, tenant, metric, err))
        return -1;
    enum mp_db_metric_kind kind = db->buffer.metric[metric].kind;
    if (kind == MP_DB_COUNTER || kind == MP_DB_GAUGE)
        return mp_fail(err, "%s: not a histogram; only metrics that are declared as histograms have bins",
                       db->buffer.metric[metric].name);
    if (!nbins || nbins > most[kind])
        return mp_fail(err, "%s: %u bins; 1 to %u", db->buffer.metric[metric].name, nbins, most[kind]);
    if (mp_db_grow((void **)&db->buffer.hist, db->buffer.nhists, &db->buffer.hists_room,
                   sizeof *db->buffer.hist, err))
        return -1;
    uint64_t *copy = malloc(nbins * sizeof *copy);
    if (!copy)
        return mp_db_out_of_memory(err);
    uint64_t maximum = kind == MP_DB_HISTOGRAM_LOG_LINEAR ? *words++ : 0;
    memcpy(copy, words, nbins * sizeof *copy);
    db->buffer.hist[db->buffer.nhists++] =
        (struct mp_db_hist){component_id, tenant, metric, nbins, maximum, copy};
    return 0;
}
