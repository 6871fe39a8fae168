/* SPDX-License-Identifier: Apache-2.0 */
/* Faults injected into the RTL: one row for each set, and one for each fault. */
#include "db/host.h"
#include "db/sql.h"
#include "db/text.h"

static const char *const outcomes[] = {
    [MP_DB_SURVIVED] = "survived", [MP_DB_KILLED] = "killed", [MP_DB_EQUIVALENT] = "equivalent"};

static int insert_mutants(struct mp_db *db, int64_t id, const struct mp_db_mutation *m, struct mp_error *err)
{
    sqlite3_stmt *s;
    int result = 0;
    if (mp_db_prepare(db, &s,
                      "INSERT INTO mutant (mutation, number, outcome, fault, cell, port, bit, source, mode,"
                      " stride, transactions, difference) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                      err))
        return -1;
    for (unsigned i = 0; !result && i < m->n; i++) {
        const struct mp_db_mutant *x = &m->mutant[i];
        sqlite3_bind_int64(s, 1, id);
        sqlite3_bind_int64(s, 2, x->number);
        mp_db_bind_text(s, 3, outcomes[x->outcome]);
        mp_db_bind_text(s, 4, x->fault);
        mp_db_bind_text(s, 5, x->cell);
        mp_db_bind_text(s, 6, x->port);
        sqlite3_bind_int64(s, 7, x->bit);
        mp_db_bind_text(s, 8, x->source);
        if (x->outcome == MP_DB_KILLED) {
            mp_db_bind_text(s, 9, x->mode);
            sqlite3_bind_int64(s, 10, x->stride);
            sqlite3_bind_int64(s, 11, (int64_t)x->transactions);
            mp_db_bind_text(s, 12, x->difference);
        } else {
            for (int at = 9; at <= 12; at++)
                sqlite3_bind_null(s, at);
        }
        result = mp_db_step(db, s, err);
    }
    sqlite3_finalize(s);
    return result;
}

static int insert_mutation(struct mp_db *db, const struct mp_db_mutation *m, int64_t *id,
                           struct mp_error *err)
{
    struct mp_db_host host;
    sqlite3_stmt *s;
    char now[25];
    unsigned count[sizeof outcomes / sizeof *outcomes] = {0};
    if (mp_db_prepare(db, &s,
                      "INSERT INTO mutation (block, mode, seed, transactions, mutants, killed, equivalent,"
                      " seconds, tools, revision, host, started)"
                      " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
                      err))
        return -1;
    for (unsigned i = 0; i < m->n; i++)
        count[m->mutant[i].outcome]++;
    mp_db_host(&host);
    mp_db_now(now);
    mp_db_bind_text(s, 1, m->block);
    mp_db_bind_text(s, 2, m->mode);
    sqlite3_bind_int64(s, 3, (int64_t)m->seed);
    sqlite3_bind_int64(s, 4, (int64_t)m->transactions);
    sqlite3_bind_int64(s, 5, m->n);
    sqlite3_bind_int64(s, 6, count[MP_DB_KILLED]);
    sqlite3_bind_int64(s, 7, count[MP_DB_EQUIVALENT]);
    sqlite3_bind_double(s, 8, m->seconds);
    mp_db_bind_text(s, 9, m->tools);
    mp_db_bind_text(s, 10, m->revision);
    mp_db_bind_text(s, 11, host.name);
    mp_db_bind_text(s, 12, now);
    int result = mp_db_step(db, s, err);
    sqlite3_finalize(s);
    *id = sqlite3_last_insert_rowid(db->sqlite);
    return result ? -1 : insert_mutants(db, *id, m, err);
}

int64_t mp_db_mutation(struct mp_db *db, const struct mp_db_mutation *m, struct mp_error *err)
{
    int64_t id = -1;
    if (mp_db_begin(db, err))
        return -1;
    return mp_db_finish(db, insert_mutation(db, m, &id, err), err) ? -1 : id;
}
