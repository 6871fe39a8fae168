/* SPDX-License-Identifier: Apache-2.0 */
/* Copies the runs of several databases into one. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "db/sql.h"

#define BATCH 10u /* SQLite attaches no more files at a time, and detaches none in a transaction */

struct merge {
    struct mp_db *db;
    const char *from; /* the file that is being copied */
    char in[8];       /* the name by which it is attached */
    struct mp_error *err;
};

__attribute__((format(printf, 2, 3))) static int execute(const struct merge *m, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *sql = sqlite3_vmprintf(format, args);
    va_end(args);
    int failed = sql ? mp_db_exec(m->db, sql, NULL) : -1;
    if (failed)
        mp_fail(m->err, "%s: it cannot be copied into %s (%s); an intact database, and room on the disk",
                m->from, m->db->path, sql ? sqlite3_errmsg(m->db->sqlite) : "out of memory");
    sqlite3_free(sql);
    return failed;
}

/* Reads a number about the attached file, whose name the format contains. */
__attribute__((format(printf, 3, 4))) static int number(const struct merge *m, int64_t *value,
                                                        const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *sql = sqlite3_vmprintf(format, args);
    va_end(args);
    int failed = sql ? mp_db_number(m->db, sql, 0, value, m->err) : mp_db_out_of_memory(m->err);
    sqlite3_free(sql);
    return failed;
}

/* Copies the rows of a table, "FROM table t JOIN", for which the join gives a run of merge_run r. Columns
 * that refer to a run or a metric get the new numbers, and the columns listed in `own` are increased by
 * offset. Migrations add columns, so their names come from the file. */
static int copy_table(const struct merge *m, const char *table, const char *join, const char *own,
                      int64_t offset)
{
    sqlite3_stmt *s;
    int result = -1;
    if (mp_db_prepare(m->db, &s,
                      "SELECT group_concat('\"' || name || '\"', ', '), group_concat(CASE"
                      " WHEN ?1 = 'run' AND name = 'id' OR name = 'run' THEN 'r.new'"
                      " WHEN ?1 = 'run' AND name = 'parent'"
                      " THEN '(SELECT new FROM temp.merge_run WHERE old = t.parent)'"
                      " WHEN name = 'metric' THEN '(SELECT new FROM temp.merge_metric WHERE old = t.metric)'"
                      " WHEN instr(' ' || ?2 || ' ', ' ' || name || ' ') THEN 't.' || name || ' + ' || ?3"
                      " ELSE 't.\"' || name || '\"' END, ', ') FROM pragma_table_info(?1)",
                      m->err))
        return -1;
    mp_db_bind_text(s, 1, table);
    mp_db_bind_text(s, 2, own);
    sqlite3_bind_int64(s, 3, offset);
    if (sqlite3_step(s) == SQLITE_ROW)
        result = execute(m, "INSERT INTO main.%s (%s) SELECT %s FROM %s.%s t CROSS JOIN %s", table,
                         sqlite3_column_text(s, 0), sqlite3_column_text(s, 1), m->in, table, join);
    else
        mp_db_fail_sqlite(m->db, m->err);
    sqlite3_finalize(s);
    return result;
}

/* The tables whose rows belong to a run and have no number that must change. */
static int copy_plain_tables(const struct merge *m)
{
    sqlite3_stmt *s;
    int result = 0;
    if (mp_db_prepare(
            m->db, &s,
            "SELECT name FROM main.sqlite_schema x WHERE type = 'table'"
            " AND name NOT IN ('histogram', 'epoch_batch', 'measured_run', 'point_run', 'reference')"
            " AND EXISTS (SELECT 1 FROM pragma_table_info(x.name) WHERE name = 'run')",
            m->err))
        return -1;
    while (!result && sqlite3_step(s) == SQLITE_ROW)
        result = copy_table(m, (const char *)sqlite3_column_text(s, 0), "temp.merge_run r ON r.old = t.run",
                            "", 0);
    sqlite3_finalize(s);
    return result;
}

static int copy_runs(const struct merge *m)
{
    int64_t histograms, epochs;
    char bins[160], rows[160];
    snprintf(bins, sizeof bins,
             "%s.histogram h ON h.id = t.histogram CROSS JOIN temp.merge_run r ON r.old = h.run", m->in);
    snprintf(
        rows, sizeof rows,
        "temp.merge_run r ON r.old = (SELECT run FROM %s.epoch_batch WHERE first <= t.id ORDER BY first DESC"
        " LIMIT 1)",
        m->in);
    return number(m, &histograms, "SELECT max(id) FROM main.histogram") ||
                   number(m, &epochs, "SELECT max(id) FROM main.epoch") ||
                   copy_table(m, "run", "temp.merge_run r ON r.old = t.id", "", 0) || copy_plain_tables(m) ||
                   copy_table(m, "histogram", "temp.merge_run r ON r.old = t.run", "id", histograms) ||
                   copy_table(m, "histogram_bin", bins, "histogram", histograms) ||
                   copy_table(m, "epoch_batch", "temp.merge_run r ON r.old = t.run", "first last", epochs) ||
                   copy_table(m, "epoch", rows, "id", epochs)
               ? -1
               : 0;
}

/* The dictionaries: what the file has already stays as it is. */
static int copy_dictionaries(const struct merge *m)
{
    return execute(m,
                   "INSERT OR IGNORE INTO main.component_kind (name, kind, level)"
                   " SELECT name, kind, level FROM %s.component_kind;"
                   "INSERT OR IGNORE INTO main.metric (component_kind, name, unit, kind, description)"
                   " SELECT component_kind, name, unit, kind, description FROM %s.metric ORDER BY id;"
                   "INSERT INTO temp.merge_metric (old, new) SELECT i.id, m.id FROM %s.metric i"
                   " JOIN main.metric m USING (component_kind, name, unit, kind)",
                   m->in, m->in, m->in);
}

/* Studies are known by their hashes, and their runs by uuid, also those that the file had already. */
static int copy_studies(const struct merge *m)
{
    return execute(m,
                   "CREATE TEMP TABLE merge_study AS SELECT i.id AS old, i.hash AS hash FROM %s.study i;"
                   "INSERT OR IGNORE INTO main.study (hash, name, description, started)"
                   " SELECT hash, name, description, started FROM %s.study;"
                   "CREATE TEMP VIEW merge_as AS SELECT o.old AS old, s.id AS new FROM temp.merge_study o"
                   " JOIN main.study s USING (hash);"
                   "INSERT OR IGNORE INTO main.axis (study, position, path, varies)"
                   " SELECT new, position, path, varies FROM %s.axis JOIN merge_as ON old = study;"
                   "INSERT OR IGNORE INTO main.point (study, number, label)"
                   " SELECT new, number, label FROM %s.point JOIN merge_as ON old = study;"
                   "INSERT OR IGNORE INTO main.point_value (study, number, path, value)"
                   " SELECT new, number, path, value FROM %s.point_value JOIN merge_as ON old = study;",
                   m->in, m->in, m->in, m->in, m->in) ||
                   execute(m,
                           "INSERT OR IGNORE INTO main.point_run (study, number, run)"
                           " SELECT new, number, n.id FROM %s.point_run p JOIN merge_as ON old = p.study"
                           " JOIN %s.run o ON o.id = p.run JOIN main.run n ON n.uuid = o.uuid;"
                           "INSERT OR IGNORE INTO main.reference (run, tenant, alone, settings)"
                           " SELECT n.id, p.tenant, a.id, p.settings FROM %s.reference p"
                           " JOIN %s.run o ON o.id = p.run JOIN main.run n ON n.uuid = o.uuid"
                           " JOIN %s.run b ON b.id = p.alone JOIN main.run a ON a.uuid = b.uuid;"
                           "DROP VIEW temp.merge_as; DROP TABLE temp.merge_study",
                           m->in, m->in, m->in, m->in, m->in)
               ? -1
               : 0;
}

static int copy_file(const struct merge *m, struct mp_db_merged *merged)
{
    int64_t runs, there, running;
    if (execute(m, "DELETE FROM temp.merge_run; DELETE FROM temp.merge_metric") ||
        number(m, &there, "SELECT count(*) FROM %s.run WHERE uuid IN (SELECT uuid FROM main.run)", m->in) ||
        number(m, &running,
               "SELECT count(*) FROM %s.run WHERE status = 'running'"
               " AND uuid NOT IN (SELECT uuid FROM main.run)",
               m->in) ||
        execute(m,
                "INSERT INTO temp.merge_run (old, new) SELECT id, (SELECT ifnull(max(id), 0) FROM main.run)"
                " + row_number() OVER (ORDER BY id) FROM %s.run"
                " WHERE status <> 'running' AND uuid NOT IN (SELECT uuid FROM main.run)",
                m->in) ||
        number(m, &runs, "SELECT count(*) FROM temp.merge_run"))
        return -1;
    if ((runs && (copy_dictionaries(m) || copy_runs(m))) || copy_studies(m))
        return -1;
    merged->files++;
    merged->runs += (uint64_t)runs;
    merged->there += (uint64_t)there;
    merged->running += (uint64_t)running;
    return 0;
}

static int attach(struct merge *m, const char *from, unsigned i)
{
    sqlite3_stmt *s;
    char sql[32];
    m->from = from;
    snprintf(m->in, sizeof m->in, "in%u", i % BATCH);
    snprintf(sql, sizeof sql, "ATTACH ? AS %s", m->in);
    if (mp_db_prepare(m->db, &s, sql, m->err))
        return -1;
    mp_db_bind_text(s, 1, from);
    int failed = mp_db_step(m->db, s, NULL);
    sqlite3_finalize(s);
    return failed ? mp_fail(m->err, "%s: %s; a readable file in a writable folder", from,
                            sqlite3_errmsg(m->db->sqlite))
                  : 0;
}

/* Copies up to BATCH files in one transaction. */
static int copy_batch(struct mp_db *db, unsigned n, const char *const *from,
                      const volatile sig_atomic_t *stop, struct mp_db_merged *merged, struct mp_error *err)
{
    struct merge m = {.db = db, .err = err};
    struct mp_db_merged before = *merged;
    unsigned attached = 0;
    int result = 0;
    for (; !result && attached < n; attached += !result)
        result = attach(&m, from[attached], attached);
    if (!result)
        result = mp_db_begin(db, err);
    if (!result) {
        for (unsigned i = 0; !result && i < n; i++) {
            m.from = from[i];
            snprintf(m.in, sizeof m.in, "in%u", i);
            result = stop && *stop ? mp_fail(err, "merge: interrupted; the same command goes on")
                                   : copy_file(&m, merged);
        }
        result = mp_db_finish(db, result, err);
    }
    for (unsigned i = 0; i < attached; i++) {
        char sql[32];
        snprintf(sql, sizeof sql, "DETACH in%u", i);
        mp_db_exec(db, sql, NULL);
    }
    if (result)
        *merged = before;
    return result;
}

static int copy_all(struct mp_db *db, unsigned n, const char *const *from, const volatile sig_atomic_t *stop,
                    struct mp_db_merged *merged, struct mp_error *err)
{
    /* Rows refer to each other by numbers that change together, so references need no check. */
    int result = mp_db_exec(db,
                            "PRAGMA foreign_keys = OFF;"
                            "CREATE TEMP TABLE merge_run (old INTEGER PRIMARY KEY, new INTEGER NOT NULL);"
                            "CREATE TEMP TABLE merge_metric (old INTEGER PRIMARY KEY, new INTEGER NOT NULL);",
                            err);
    for (unsigned i = 0; !result && i < n; i += BATCH)
        result = copy_batch(db, n - i < BATCH ? n - i : BATCH, from + i, stop, merged, err);
    return result;
}

/* ---- a new file ---- */

/* Takes the indexes out of a new file; returns the statements that make them again, malloc'ed by SQLite. */
static char *drop_indexes(struct mp_db *db, struct mp_error *err)
{
    char *drop = NULL, *create = NULL;
    sqlite3_stmt *s;
    if (mp_db_prepare(db, &s,
                      "SELECT group_concat('DROP INDEX ' || name, ';'), group_concat(sql, ';')"
                      " FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL",
                      err))
        return NULL;
    if (sqlite3_step(s) == SQLITE_ROW) {
        drop = sqlite3_mprintf("%s", sqlite3_column_text(s, 0));
        create = sqlite3_mprintf("%s", sqlite3_column_text(s, 1));
    }
    sqlite3_finalize(s);
    if (!drop || !create || mp_db_exec(db, drop, err)) {
        sqlite3_free(create);
        create = NULL;
    }
    sqlite3_free(drop);
    return create;
}

static int fill_new(const char *part, unsigned n, const char *const *from, const volatile sig_atomic_t *stop,
                    struct mp_db_merged *merged, struct mp_error *err)
{
    struct mp_db *db;
    if (mp_db_open(&db, part, MP_DB_WRITE, err))
        return -1;
    /* If this process dies, the file is thrown away. */
    int result = mp_db_exec(db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", err);
    char *indexes = result ? NULL : drop_indexes(db, err);
    result = indexes ? copy_all(db, n, from, stop, merged, err) : -1;
    if (!result)
        result = mp_db_exec(db, indexes, err);
    sqlite3_free(indexes);
    mp_db_close(db);
    return result;
}

static int merge_into_new(const char *path, unsigned n, const char *const *from,
                          const volatile sig_atomic_t *stop, struct mp_db_merged *merged,
                          struct mp_error *err)
{
    char part[PATH_MAX];
    if (snprintf(part, sizeof part, "%s.%d.part", path, (int)getpid()) >= (int)sizeof part)
        return mp_fail(err, "%s: the name is too long; at most %d characters", path, PATH_MAX - 20);
    unlink(part);
    int result = fill_new(part, n, from, stop, merged, err);
    int fd = result ? -1 : open(part, O_RDONLY | O_CLOEXEC);
    if (!result && (fd < 0 || fsync(fd) || link(part, path))) /* unlike rename, link replaces nothing */
        result = mp_fail(err, "%s: %s; a new file, or a database", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    unlink(part);
    return result;
}

/* ---- all ---- */

/* Brings each file's schema up to date, and refuses what is no database or newer. */
static int check_inputs(const char *path, unsigned n, const char *const *from, struct mp_error *err)
{
    struct stat out, in;
    bool exists = stat(path, &out) == 0;
    for (unsigned i = 0; i < n; i++) {
        struct mp_db *db;
        if (exists && stat(from[i], &in) == 0 && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
            return mp_fail(err, "%s: it is the database to merge into; other files", from[i]);
        if (mp_db_open(&db, from[i], MP_DB_READ, err))
            return -1;
        mp_db_close(db);
    }
    return 0;
}

int mp_db_merge(const char *path, unsigned n, const char *const *from, const volatile sig_atomic_t *stop,
                struct mp_db_merged *merged, struct mp_error *err)
{
    struct mp_db *db;
    *merged = (struct mp_db_merged){0};
    if (check_inputs(path, n, from, err))
        return -1;
    if (access(path, F_OK))
        return merge_into_new(path, n, from, stop, merged, err);
    if (mp_db_open(&db, path, MP_DB_WRITE, err))
        return -1;
    int result = copy_all(db, n, from, stop, merged, err);
    mp_db_close(db);
    return result;
}
