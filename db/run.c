/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a run and of its tenants: begun, ended, found again. */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>

#include "db/host.h"
#include "db/sql.h"
#include "db/text.h"

static const char *const status_names[] = {"done", "failed", "interrupted"};
static const char *const role_names[] = {[MP_DB_REQUESTED] = "requested", [MP_DB_ALONE] = "alone"};

static int new_uuid(char text[37], struct mp_error *err)
{
    unsigned char b[16];
    if (getrandom(b, sizeof b, 0) != (ssize_t)sizeof b)
        return mp_fail(err, "getrandom: no random numbers; a kernel with getrandom is needed");
    b[6] = (unsigned char)((b[6] & 0x0f) | 0x40); /* RFC 4122, version 4 */
    b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
    for (unsigned i = 0, at = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            text[at++] = '-';
        snprintf(text + at, 3, "%02x", b[i]);
        at += 2;
    }
    return 0;
}

static void bind_text(sqlite3_stmt *s, int *at, const char *text)
{
    sqlite3_bind_text(s, ++*at, text, -1, SQLITE_TRANSIENT); /* NULL is NULL */
}

static void bind_number(sqlite3_stmt *s, int *at, uint64_t number)
{
    sqlite3_bind_int64(s, ++*at, (int64_t)number);
}

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

/* What mp_db_alive() reads. */
static void boot_text(struct mp_db *db, const struct mp_db_host *host, char *text, size_t size)
{
    snprintf(text, size, "%s" MP_DB_FILE_MARK "%llu", host->boot, (unsigned long long)mp_db_file_inode(db));
}

static int insert_run(struct mp_db *db, const struct mp_db_run_info *info, struct mp_error *err)
{
    struct mp_db_host host;
    char parent[37] = "", config[33], machine[33], now[25], boot[sizeof host.boot + 32];
    sqlite3_stmt *s;
    int at = 0;
    if (info->goes_on)
        memcpy(parent, db->uuid, sizeof parent);
    if (new_uuid(db->uuid, err))
        return -1;
    mp_db_host(&host);
    mp_db_now(now);
    boot_text(db, &host, boot, sizeof boot);
    mp_db_hash_of(info->config_text, info, config);
    mp_db_hash_of(info->machine_text ? info->machine_text : info->config_text, info, machine);
    if (mp_db_prepare(
            db, &s,
            "INSERT INTO run (id, status, uuid, experiment, command_line, revision, build_type, compiler,"
            " seed, config_hash, machine_hash, host, cpu, cores, started, boot, pid, pid_started,"
            " config, changes, role, parent, beat) VALUES"
            " ((SELECT nullif(?1, 0) WHERE NOT EXISTS (SELECT 1 FROM run WHERE id = ?1)), 'running',"
            " ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
            " (SELECT id FROM run WHERE uuid = ?), ?)",
            err))
        return -1;
    sqlite3_bind_int64(s, ++at, info->number);
    bind_text(s, &at, db->uuid);
    bind_text(s, &at, or_empty(info->experiment));
    bind_text(s, &at, or_empty(info->command_line));
    bind_text(s, &at, or_empty(info->revision));
    bind_text(s, &at, or_empty(info->build_type));
    bind_text(s, &at, or_empty(info->compiler));
    bind_number(s, &at, info->seed);
    bind_text(s, &at, config);
    bind_text(s, &at, machine);
    bind_text(s, &at, host.name);
    bind_text(s, &at, host.cpu);
    bind_number(s, &at, (uint64_t)host.cores);
    bind_text(s, &at, now);
    bind_text(s, &at, boot);
    bind_number(s, &at, (uint64_t)host.pid);
    bind_number(s, &at, (uint64_t)host.started);
    bind_text(s, &at, or_empty(info->config_text));
    bind_text(s, &at, or_empty(info->changes));
    bind_text(s, &at, role_names[info->role]);
    bind_text(s, &at, parent);
    bind_text(s, &at, now);
    int result = mp_db_step(db, s, err);
    sqlite3_finalize(s);
    return result;
}

static int insert_tenant(struct mp_db *db, int64_t run, unsigned index, const struct mp_db_tenant *tenant,
                         struct mp_error *err)
{
    sqlite3_stmt *s;
    char hash[33];
    int at = 0;
    if (mp_db_prepare(db, &s, "INSERT INTO tenant (run, tenant, app, size, slices) VALUES (?, ?, ?, ?, ?)",
                      err))
        return -1;
    bind_number(s, &at, (uint64_t)run);
    bind_number(s, &at, index);
    bind_text(s, &at, tenant->app);
    bind_text(s, &at, tenant->size);
    bind_number(s, &at, tenant->slices);
    int result = mp_db_step(db, s, err);
    sqlite3_finalize(s);
    if (result || !tenant->trace_path)
        return result;
    if (mp_db_prepare(db, &s,
                      "INSERT INTO run_input (run, tenant, trace, hash, bytes) VALUES (?, ?, ?, ?, ?)", err))
        return -1;
    mp_db_hash_text(tenant->trace_hash, hash);
    at = 0;
    bind_number(s, &at, (uint64_t)run);
    bind_number(s, &at, index);
    bind_text(s, &at, tenant->trace_path);
    bind_text(s, &at, hash);
    bind_number(s, &at, tenant->trace_bytes);
    result = mp_db_step(db, s, err);
    sqlite3_finalize(s);
    return result;
}

static int insert_settings(struct mp_db *db, int64_t run, const struct mp_db_run_info *info,
                           struct mp_error *err)
{
    sqlite3_stmt *s;
    int result = 0;
    if (mp_db_prepare(db, &s, "INSERT INTO parameter (run, path, value, unit) VALUES (?, ?, ?, ?)", err))
        return -1;
    for (unsigned i = 0; !result && i < info->nsettings; i++) {
        const struct mp_setting *p = &info->setting[i];
        sqlite3_bind_int64(s, 1, run);
        mp_db_bind_text(s, 2, p->path);
        if (p->text)
            mp_db_bind_text(s, 3, p->text);
        else
            sqlite3_bind_int64(s, 3, (int64_t)p->number);
        mp_db_bind_text(s, 4, p->unit);
        result = mp_db_step(db, s, err);
    }
    sqlite3_finalize(s);
    return result;
}

static int insert_plugin(struct mp_db *db, int64_t run, const struct mp_db_plugin *plugin,
                         struct mp_error *err)
{
    sqlite3_stmt *s;
    char hash[33];
    int at = 0;
    if (mp_db_prepare(db, &s, "INSERT INTO run_plugin (run, name, path, hash) VALUES (?, ?, ?, ?)", err))
        return -1;
    mp_db_hash_text(plugin->hash, hash);
    bind_number(s, &at, (uint64_t)run);
    bind_text(s, &at, plugin->name);
    bind_text(s, &at, plugin->path);
    bind_text(s, &at, hash);
    int result = mp_db_step(db, s, err);
    sqlite3_finalize(s);
    return result;
}

static int64_t insert_all(struct mp_db *db, const struct mp_db_run_info *info, struct mp_error *err)
{
    if (insert_run(db, info, err))
        return -1;
    int64_t run = sqlite3_last_insert_rowid(db->sqlite);
    for (unsigned t = 0; t < info->ntenants; t++) {
        if (insert_tenant(db, run, t, &info->tenant[t], err))
            return -1;
    }
    for (unsigned i = 0; i < info->nplugins; i++) {
        if (insert_plugin(db, run, &info->plugin[i], err))
            return -1;
    }
    if (insert_settings(db, run, info, err) || (info->at.study && mp_db_point_run(db, &info->at, run, err)))
        return -1;
    return run;
}

static void forget(struct mp_db *db)
{
    mp_db_buffer_empty(&db->buffer);
    db->run = 0;
    db->ntenants = 0;
}

int64_t mp_db_next_run(struct mp_db *db, struct mp_error *err)
{
    int64_t last;
    return mp_db_number(db, "SELECT max(id) FROM run", 0, &last, err) ? -1 : last + 1;
}

int64_t mp_db_run_begin(struct mp_db *db, const struct mp_db_run_info *info, struct mp_error *err)
{
    forget(db);
    if (mp_db_begin(db, err))
        return -1;
    int64_t claimed = info->claims ? mp_db_run_find(db, info, err) : 0;
    if (info->claims && !claimed)
        claimed = mp_db_run_claimed(db, info, err);
    int64_t run = claimed ? claimed < 0 ? -1 : 0 : insert_all(db, info, err);
    if (mp_db_finish(db, run < 0 ? -1 : 0, err))
        return -1;
    db->run = run;
    db->ntenants = info->ntenants;
    return run;
}

static int update_run(struct mp_db *db, enum mp_db_status status, const struct mp_db_totals *totals,
                      struct mp_error *err)
{
    char now[25], digest[33];
    struct rusage usage;
    sqlite3_stmt *s;
    int at = 0;
    if (mp_db_prepare(
            db, &s,
            "UPDATE run SET status = ?, ended = ?, peak_memory = ?, error = ?, cycles = ?,"
            " instructions = ?, accesses = ?, translations = ?, digest = ?, seconds = ?,"
            " events = nullif(?, 0), cut_at = ?, threads = nullif(?, 0),"
            " role = CASE WHEN ?12 IS NULL THEN role WHEN ?15 THEN 'warm-up' ELSE 'cut' END WHERE id = ?14",
            err))
        return -1;
    mp_db_now(now);
    getrusage(RUSAGE_SELF, &usage);
    bind_text(s, &at, status_names[status]);
    bind_text(s, &at, now);
    bind_number(s, &at, (uint64_t)usage.ru_maxrss * 1024u);
    if (totals) {
        bind_text(s, &at, totals->error);
        bind_number(s, &at, totals->cycles);
        bind_number(s, &at, totals->instructions);
        bind_number(s, &at, totals->accesses);
        bind_number(s, &at, totals->translations);
        mp_db_hash_text(totals->digest, digest);
        bind_text(s, &at, digest);
        sqlite3_bind_double(s, ++at, totals->seconds);
        bind_number(s, &at, totals->events);
        if (totals->cut)
            sqlite3_bind_int64(s, at + 1, (sqlite3_int64)totals->cycles);
        sqlite3_bind_int64(s, at + 2, totals->threads);
        sqlite3_bind_int(s, 15, totals->checkpointed);
    }
    sqlite3_bind_int64(s, 14, db->run);
    int result = mp_db_step(db, s, err);
    sqlite3_finalize(s);
    return result;
}

static int update_tenant(struct mp_db *db, unsigned index, const struct mp_db_tenant_result *r,
                         struct mp_error *err)
{
    sqlite3_stmt *s;
    int at = 0;
    if (mp_db_prepare(db, &s,
                      "UPDATE tenant SET cycles = ?, instructions = ?, thread_instructions = ?, accesses = ?,"
                      " translations = ?, completions = ?, recorded_instructions = nullif(?, 0)"
                      " WHERE run = ? AND tenant = ?",
                      err))
        return -1;
    bind_number(s, &at, r->cycles);
    bind_number(s, &at, r->instructions);
    bind_number(s, &at, r->thread_instructions);
    bind_number(s, &at, r->accesses);
    bind_number(s, &at, r->translations);
    bind_number(s, &at, r->completions);
    bind_number(s, &at, r->recorded_instructions);
    bind_number(s, &at, (uint64_t)db->run);
    bind_number(s, &at, index);
    int result = mp_db_step(db, s, err);
    sqlite3_finalize(s);
    return result;
}

static int update_all(struct mp_db *db, enum mp_db_status status, const struct mp_db_totals *totals,
                      struct mp_error *err)
{
    if (update_run(db, status, totals, err))
        return -1;
    for (unsigned t = 0; totals && totals->tenant && t < db->ntenants; t++) {
        if (update_tenant(db, t, &totals->tenant[t], err))
            return -1;
    }
    return 0;
}

int mp_db_run_end(struct mp_db *db, enum mp_db_status status, const struct mp_db_totals *totals,
                  struct mp_error *err)
{
    if (!db->run)
        return mp_db_fail_no_run(db, err);
    if (status == MP_DB_DONE && !totals)
        return mp_fail(err, "%s: no totals; only a finished run has them", db->path);
    /* A finished run outlives a power failure: this commit waits for the disk. The earlier ones do not. */
    if (mp_db_flush(db, err) || mp_db_exec(db, "PRAGMA synchronous = FULL", err) || mp_db_begin(db, err) ||
        mp_db_finish(db, update_all(db, status, totals, err), err) ||
        mp_db_exec(db, "PRAGMA synchronous = NORMAL", err))
        return -1;
    forget(db);
    return 0;
}

/* Opening the file may have marked the run as killed. */
int mp_db_run_crashed(struct mp_db *db, int64_t pid, const char *error, struct mp_error *err)
{
    struct mp_db_host host;
    char now[25], boot[sizeof host.boot + 32];
    sqlite3_stmt *s;
    int at = 0;
    mp_db_host(&host);
    mp_db_now(now);
    boot_text(db, &host, boot, sizeof boot);
    if (mp_db_prepare(
            db, &s,
            "UPDATE run SET status = 'failed', error = ?, ended = ? WHERE status IN ('running', 'killed')"
            " AND id = (SELECT max(id) FROM run WHERE pid = ? AND boot = ?)",
            err))
        return -1;
    bind_text(s, &at, error);
    bind_text(s, &at, now);
    bind_number(s, &at, (uint64_t)pid);
    bind_text(s, &at, boot);
    int result = mp_db_step(db, s, err);
    sqlite3_finalize(s);
    return result;
}

int64_t mp_db_run_find(struct mp_db *db, const struct mp_db_run_info *info, struct mp_error *err)
{
    char config[33], hash[33];
    sqlite3_stmt *s, *input;
    mp_db_hash_of(info->config_text, info, config);
    if (mp_db_prepare(
            db, &s,
            "SELECT id FROM run WHERE config_hash = ? AND revision = ? AND seed = ? AND status = 'done'"
            " ORDER BY id DESC",
            err))
        return -1;
    if (mp_db_prepare(db, &input, "SELECT 1 FROM run_input WHERE run = ? AND tenant = ? AND hash = ?", err)) {
        sqlite3_finalize(s);
        return -1;
    }
    int at = 0, code;
    int64_t found = 0;
    bind_text(s, &at, config);
    bind_text(s, &at, or_empty(info->revision));
    bind_number(s, &at, info->seed);
    while (!found && (code = sqlite3_step(s)) == SQLITE_ROW) {
        found = sqlite3_column_int64(s, 0);
        for (unsigned t = 0; found && t < info->ntenants; t++) {
            mp_db_hash_text(info->tenant[t].trace_hash, hash);
            sqlite3_bind_int64(input, 1, found);
            sqlite3_bind_int64(input, 2, t);
            sqlite3_bind_text(input, 3, hash, -1, SQLITE_STATIC);
            code = sqlite3_step(input);
            if (code != SQLITE_ROW)
                found = 0;
            sqlite3_reset(input);
        }
    }
    if (!found && code != SQLITE_DONE)
        found = mp_db_fail_sqlite(db, err);
    sqlite3_finalize(input);
    sqlite3_finalize(s);
    return found;
}

int mp_db_tenant_results(struct mp_db *db, int64_t run, unsigned max, struct mp_db_tenant_result *result,
                         struct mp_error *err)
{
    sqlite3_stmt *s;
    unsigned n = 0;
    int code;
    if (mp_db_prepare(db, &s,
                      "SELECT cycles, instructions, thread_instructions, accesses, translations, completions,"
                      " recorded_instructions FROM tenant WHERE run = ? ORDER BY tenant",
                      err))
        return -1;
    sqlite3_bind_int64(s, 1, run);
    while ((code = sqlite3_step(s)) == SQLITE_ROW) {
        if (n < max) {
            uint64_t column[7];
            for (int c = 0; c < 7; c++)
                column[c] = (uint64_t)sqlite3_column_int64(s, c);
            result[n] = (struct mp_db_tenant_result){column[0], column[1], column[2], column[3],
                                                     column[4], column[5], column[6]};
        }
        n++;
    }
    int failed = code == SQLITE_DONE ? 0 : mp_db_fail_sqlite(db, err);
    sqlite3_finalize(s);
    return failed ? -1 : (int)n;
}
