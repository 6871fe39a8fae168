/* SPDX-License-Identifier: Apache-2.0 */
/* A copy of the register map of the management core. */
#include "db/sql.h"

static int insert_registers(struct mp_db *db, unsigned n, const struct mp_db_register *r,
                            struct mp_error *err)
{
    sqlite3_stmt *s;
    int result = 0;
    if (mp_db_prepare(
            db, &s,
            "INSERT INTO register (block, name, address, count, stride, bytes, access, reset, reserved,"
            " effects, description) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            err))
        return -1;
    for (; !result && n; n--, r++) {
        mp_db_bind_text(s, 1, r->block);
        mp_db_bind_text(s, 2, r->name);
        sqlite3_bind_int64(s, 3, (int64_t)r->address);
        sqlite3_bind_int64(s, 4, r->count);
        sqlite3_bind_int64(s, 5, r->stride);
        sqlite3_bind_int64(s, 6, r->bytes);
        mp_db_bind_text(s, 7, r->access);
        sqlite3_bind_int64(s, 8, (int64_t)r->reset);
        sqlite3_bind_int64(s, 9, (int64_t)r->reserved);
        mp_db_bind_text(s, 10, r->effects);
        mp_db_bind_text(s, 11, r->description);
        result = mp_db_step(db, s, err);
    }
    sqlite3_finalize(s);
    return result;
}

static int insert_fields(struct mp_db *db, unsigned n, const struct mp_db_register_field *f,
                         struct mp_error *err)
{
    sqlite3_stmt *s;
    int result = 0;
    if (mp_db_prepare(db, &s,
                      "INSERT INTO register_field (block, register, name, low, bits, description)"
                      " VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                      err))
        return -1;
    for (; !result && n; n--, f++) {
        mp_db_bind_text(s, 1, f->block);
        mp_db_bind_text(s, 2, f->reg);
        mp_db_bind_text(s, 3, f->name);
        sqlite3_bind_int64(s, 4, f->low);
        sqlite3_bind_int64(s, 5, f->bits);
        mp_db_bind_text(s, 6, f->description);
        result = mp_db_step(db, s, err);
    }
    sqlite3_finalize(s);
    return result;
}

int mp_db_registers(struct mp_db *db, unsigned nregisters, const struct mp_db_register *registers,
                    unsigned nfields, const struct mp_db_register_field *fields, struct mp_error *err)
{
    if (mp_db_begin(db, err))
        return -1;
    int result = mp_db_exec(db, "DELETE FROM register_field; DELETE FROM register", err) ||
                         insert_registers(db, nregisters, registers, err) ||
                         insert_fields(db, nfields, fields, err)
                     ? -1
                     : 0;
    return mp_db_finish(db, result, err) ? -1 : 0;
}
