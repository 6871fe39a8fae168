/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the buffer in one transaction. */
#include "db/sql.h"

static const char *const kind_names[] = {"counter", "gauge", "histogram_linear", "histogram_log2",
                                         "histogram_log_linear"};

/* Also of a parent, where -1 means none, too. */
static void bind_tenant(sqlite3_stmt *s, int at, int tenant)
{
    mp_db_bind_optional(s, at, tenant != MP_DB_NO_TENANT, tenant);
}

/* A declared kind replaces what the file has; one without a declaration is its own kind, unless the file
 * knows better.
 */
static int write_kinds(struct mp_db *db, struct mp_error *err)
{
    struct mp_db_buffer *b = &db->buffer;
    sqlite3_stmt *s;
    if (mp_db_prepare(
            db, &s,
            "INSERT INTO component_kind (name, kind, level) VALUES (?1, ifnull(?2, ?1), ?3)"
            " ON CONFLICT DO UPDATE SET kind = excluded.kind, level = excluded.level WHERE ?2 IS NOT NULL",
            err))
        return -1;
    int result = 0;
    for (size_t i = 0; !result && i < b->nkinds; i++) {
        struct mp_db_kind *k = &b->kind[i];
        if (k->written)
            continue;
        mp_db_bind_text(s, 1, k->name);
        mp_db_bind_text(s, 2, k->kind);
        mp_db_bind_optional(s, 3, k->level > 0, k->level);
        result = mp_db_step(db, s, err);
        k->written = true;
    }
    sqlite3_finalize(s);
    return result;
}

static int write_components(struct mp_db *db, struct mp_error *err)
{
    if (db->buffer.components_written == db->buffer.ncomponents)
        return 0;
    sqlite3_stmt *s;
    int result = mp_db_prepare(
        db, &s, "INSERT INTO component (run, id, parent, path, kind) VALUES (?, ?, ?, ?, ?)", err);
    for (size_t i = db->buffer.components_written; !result && i < db->buffer.ncomponents; i++) {
        const struct mp_db_component *c = &db->buffer.component[i];
        sqlite3_bind_int64(s, 1, db->run);
        sqlite3_bind_int64(s, 2, (int64_t)i);
        bind_tenant(s, 3, c->parent);
        mp_db_bind_text(s, 4, c->path);
        mp_db_bind_text(s, 5, c->kind);
        result = mp_db_step(db, s, err);
    }
    sqlite3_finalize(s);
    return result;
}

static void bind_metric(sqlite3_stmt *s, const struct mp_db_metric *m)
{
    mp_db_bind_text(s, 1, m->component_kind);
    mp_db_bind_text(s, 2, m->name);
    mp_db_bind_text(s, 3, m->unit);
    mp_db_bind_text(s, 4, kind_names[m->kind]);
    mp_db_bind_text(s, 5, m->description);
}

/* Finds or adds the entries of the dictionary whose ids are not known yet. */
static int write_metrics(struct mp_db *db, struct mp_error *err)
{
    sqlite3_stmt *s = NULL;
    int result = 0;
    for (size_t i = 0; !result && i < db->buffer.nmetrics; i++) {
        struct mp_db_metric *m = &db->buffer.metric[i];
        if (m->id)
            continue;
        if (!s && mp_db_prepare(
                      db, &s,
                      "INSERT INTO metric (component_kind, name, unit, kind, description)"
                      " VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET description = excluded.description"
                      " RETURNING id",
                      err))
            return -1;
        bind_metric(s, m);
        if (sqlite3_step(s) == SQLITE_ROW)
            m->id = sqlite3_column_int64(s, 0);
        else
            result = mp_db_fail_sqlite(db, err);
        sqlite3_reset(s);
    }
    sqlite3_finalize(s);
    return result;
}

static int write_values(struct mp_db *db, struct mp_error *err)
{
    if (!db->insert_value &&
        mp_db_prepare(
            db, &db->insert_value,
            "INSERT OR REPLACE INTO value (run, metric, component, tenant, value) VALUES (?, ?, ?, ?, ?)",
            err))
        return -1;
    for (size_t i = 0; i < db->buffer.values.count; i++) {
        const struct mp_db_row *r = &db->buffer.values.row[i];
        sqlite3_stmt *s = db->insert_value;
        sqlite3_bind_int64(s, 1, db->run);
        sqlite3_bind_int64(s, 2, db->buffer.metric[r->metric].id);
        sqlite3_bind_int64(s, 3, r->component);
        bind_tenant(s, 4, r->tenant);
        sqlite3_bind_int64(s, 5, r->value);
        if (mp_db_step(db, s, err))
            return -1;
    }
    return 0;
}

/* Later values of a run replace earlier ones, so the sums are taken of all its values. In halves of 32 bits,
 * because SQLite reports an error if a sum exceeds 63 bits; such a sum is the largest number. */
static int write_totals(struct mp_db *db, struct mp_error *err)
{
    sqlite3_stmt *s;
    if (!db->buffer.values.count)
        return 0;
    if (mp_db_prepare(db, &s,
                      "INSERT OR REPLACE INTO total (metric, run, tenant, components, value)"
                      " SELECT metric, run, tenant, components,"
                      " iif(high + (low >> 32) >> 31, 9223372036854775807, (high << 32) + low)"
                      " FROM (SELECT metric, run, ifnull(tenant, -1) AS tenant, count(*) AS components,"
                      " sum(value >> 32) AS high, sum(value & 4294967295) AS low"
                      " FROM value WHERE run = ? GROUP BY metric, ifnull(tenant, -1))",
                      err))
        return -1;
    sqlite3_bind_int64(s, 1, db->run);
    int result = mp_db_step(db, s, err);
    sqlite3_finalize(s);
    return result;
}

/* The rows of one transaction get consecutive ids, since no other process can write meanwhile. */
static int write_epochs(struct mp_db *db, struct mp_error *err)
{
    if (!db->buffer.epochs.count)
        return 0;
    if (!db->insert_epoch &&
        mp_db_prepare(db, &db->insert_epoch,
                      "INSERT INTO epoch (cycle, component, tenant, metric, value) VALUES (?, ?, ?, ?, ?)",
                      err))
        return -1;
    for (size_t i = 0; i < db->buffer.epochs.count; i++) {
        const struct mp_db_row *r = &db->buffer.epochs.row[i];
        sqlite3_stmt *s = db->insert_epoch;
        sqlite3_bind_int64(s, 1, (int64_t)r->cycle);
        sqlite3_bind_int64(s, 2, r->component);
        bind_tenant(s, 3, r->tenant);
        sqlite3_bind_int64(s, 4, db->buffer.metric[r->metric].id);
        sqlite3_bind_int64(s, 5, r->value);
        if (mp_db_step(db, s, err))
            return -1;
    }
    int64_t last = sqlite3_last_insert_rowid(db->sqlite);
    sqlite3_stmt *s;
    if (mp_db_prepare(db, &s, "INSERT INTO epoch_batch (first, last, run) VALUES (?, ?, ?)", err))
        return -1;
    sqlite3_bind_int64(s, 1, last - (int64_t)db->buffer.epochs.count + 1);
    sqlite3_bind_int64(s, 2, last);
    sqlite3_bind_int64(s, 3, db->run);
    int result = mp_db_step(db, s, err);
    sqlite3_finalize(s);
    return result;
}

/* The smallest value that a bin counts, or one more than the largest of the bin before. */
static uint64_t bin_low(enum mp_db_metric_kind kind, unsigned bin)
{
    unsigned shift = bin < 64 ? 0 : bin / 32 - 1;
    switch (kind) {
    case MP_DB_HISTOGRAM_LOG2:
        return bin ? UINT64_C(1) << (bin - 1) : 0;
    case MP_DB_HISTOGRAM_LOG_LINEAR:
        return (uint64_t)(bin - 32 * shift) << shift;
    default:
        return bin;
    }
}

static int write_bins(struct mp_db *db, const struct mp_db_hist *h, sqlite3_stmt *s, int64_t id,
                      struct mp_error *err)
{
    enum mp_db_metric_kind kind = db->buffer.metric[h->metric].kind;
    for (unsigned b = 0; b < h->nbins; b++) {
        if (!h->bins[b])
            continue;
        sqlite3_bind_int64(s, 1, id);
        sqlite3_bind_int64(s, 2, b);
        sqlite3_bind_int64(s, 3, (int64_t)bin_low(kind, b));
        sqlite3_bind_int64(s, 4, (int64_t)(bin_low(kind, b + 1) - 1));
        sqlite3_bind_int64(s, 5, (int64_t)h->bins[b]);
        if (mp_db_step(db, s, err))
            return -1;
    }
    return 0;
}

static int write_one_histogram(struct mp_db *db, const struct mp_db_hist *h, sqlite3_stmt *head,
                               sqlite3_stmt *bins, struct mp_error *err)
{
    uint64_t total = 0;
    for (unsigned b = 0; b < h->nbins; b++)
        total += h->bins[b];
    sqlite3_bind_int64(head, 1, db->run);
    sqlite3_bind_int64(head, 2, db->buffer.metric[h->metric].id);
    sqlite3_bind_int64(head, 3, h->component);
    bind_tenant(head, 4, h->tenant);
    sqlite3_bind_int64(head, 5, h->nbins);
    sqlite3_bind_int64(head, 6, (int64_t)total);
    mp_db_bind_optional(head, 7, db->buffer.metric[h->metric].kind == MP_DB_HISTOGRAM_LOG_LINEAR && total,
                        (int64_t)h->maximum);
    if (mp_db_step(db, head, err))
        return -1;
    return write_bins(db, h, bins, sqlite3_last_insert_rowid(db->sqlite), err);
}

static int write_histograms(struct mp_db *db, struct mp_error *err)
{
    if (!db->buffer.nhists)
        return 0;
    sqlite3_stmt *head = NULL, *bins = NULL;
    int result =
        mp_db_prepare(
            db, &head,
            "INSERT OR REPLACE INTO histogram (run, metric, component, tenant, bins, total, maximum)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            err) ||
        mp_db_prepare(db, &bins,
                      "INSERT INTO histogram_bin (histogram, bin, low, high, count) VALUES (?, ?, ?, ?, ?)",
                      err);
    for (size_t i = 0; !result && i < db->buffer.nhists; i++)
        result = write_one_histogram(db, &db->buffer.hist[i], head, bins, err);
    sqlite3_finalize(head);
    sqlite3_finalize(bins);
    return result ? -1 : 0;
}

static int write_all(struct mp_db *db, struct mp_error *err)
{
    return write_kinds(db, err) || write_components(db, err) || write_metrics(db, err) ||
                   write_values(db, err) || write_totals(db, err) || write_epochs(db, err) ||
                   write_histograms(db, err)
               ? -1
               : 0;
}

int mp_db_flush(struct mp_db *db, struct mp_error *err)
{
    if (!db->run)
        return mp_db_fail_no_run(db, err);
    if (!mp_db_buffer_pending(&db->buffer))
        return 0;
    if (mp_db_begin(db, err))
        return -1;
    if (mp_db_finish(db, write_all(db, err), err)) {
        mp_db_buffer_rolled_back(&db->buffer);
        return -1;
    }
    mp_db_buffer_written(&db->buffer);
    return 0;
}
