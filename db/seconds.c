/* SPDX-License-Identifier: Apache-2.0 */
/* How long a run will take, from the times of earlier ones. */
#include <stdlib.h>

#include "db/sql.h"
#include "db/text.h"

/* The SELECT's only number; 0 if it has none. second may be NULL. */
static double ask(struct mp_db *db, const char *sql, const char *first, const char *second)
{
    struct mp_error err;
    sqlite3_stmt *s;
    double number = 0;
    if (mp_db_prepare(db, &s, sql, &err))
        return 0;
    if (first)
        mp_db_bind_text(s, 1, first);
    if (second)
        mp_db_bind_text(s, 2, second);
    if (sqlite3_step(s) == SQLITE_ROW)
        number = sqlite3_column_double(s, 0);
    sqlite3_finalize(s);
    return number;
}

/* The mean of the latest runs with the same inputs. The number of runs that are looked at is bounded, because
 * a sweep asks for each of its runs. */
static double of_inputs(struct mp_db *db, const struct mp_db_run_info *info)
{
    char hash[33], *inputs = NULL;
    size_t size = 0;
    double seconds = 0;
    FILE *all = open_memstream(&inputs, &size);
    if (!all)
        return 0;
    for (unsigned t = 0; t < info->ntenants; t++) {
        if (!info->tenant[t].trace_path)
            continue;
        mp_db_hash_text(info->tenant[t].trace_hash, hash);
        fprintf(all, "%s,", hash);
    }
    mp_db_hash_text(info->tenant[0].trace_hash, hash);
    if (!fclose(all))
        seconds = ask(db,
                      "SELECT avg(r.seconds) FROM (SELECT run FROM run_input WHERE hash = ? AND tenant = 0"
                      " ORDER BY run DESC LIMIT 50) first JOIN run r ON r.id = first.run"
                      " WHERE r.status = 'done' AND ? = (SELECT group_concat(hash || ',', '')"
                      " FROM (SELECT hash FROM run_input i WHERE i.run = r.id ORDER BY i.tenant))",
                      hash, inputs);
    free(inputs);
    return seconds;
}

/* The accesses of each input in the latest run that had it, at the speed of the latest runs. */
static double of_speed(struct mp_db *db, const struct mp_db_run_info *info)
{
    double accesses = 0;
    char hash[33];
    for (unsigned t = 0; t < info->ntenants; t++) {
        mp_db_hash_text(info->tenant[t].trace_hash, hash);
        double of_tenant = info->tenant[t].trace_path
                               ? ask(db,
                                     "SELECT t.accesses FROM run_input i"
                                     " JOIN tenant t ON t.run = i.run AND t.tenant = i.tenant"
                                     " WHERE i.hash = ? AND t.accesses > 0 ORDER BY i.run DESC LIMIT 1",
                                     hash, NULL)
                               : 0;
        if (of_tenant <= 0)
            return 0;
        accesses += of_tenant;
    }
    double speed = ask(db,
                       "SELECT sum(accesses) / sum(seconds) FROM (SELECT accesses, seconds FROM run"
                       " WHERE status = 'done' AND seconds > 0 ORDER BY id DESC LIMIT 50)",
                       NULL, NULL);
    return speed > 0 ? accesses / speed : 0;
}

double mp_db_run_seconds(struct mp_db *db, const struct mp_db_run_info *info)
{
    char config[33];
    mp_db_hash_of(info->config_text, info, config);
    double seconds = ask(db,
                         "SELECT seconds FROM run WHERE config_hash = ? AND status = 'done' AND seconds > 0"
                         " ORDER BY id DESC LIMIT 1",
                         config, NULL);
    if (seconds <= 0 && info->ntenants)
        seconds = of_inputs(db, info);
    return seconds > 0 ? seconds : of_speed(db, info);
}
