/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a run's row. */
#include "db/db.h"
#include "platform.h"

static int record_failure(struct mp_db *db, const struct mp_result *r, const char *error,
                          struct mp_error *err)
{
    const struct mp_db_totals totals = {.error = error, .cycles = r->stuck ? r->cycles : 0};
    return mp_db_run_end(db, MP_DB_FAILED, &totals, err);
}

int mp_result_record(struct mp_db *db, const struct mp_result *r, const struct mp_config *config,
                     unsigned threads, const char *error, struct mp_error *err)
{
    struct mp_db_tenant_result tenant[MP_TENANTS] = {{0}};
    const struct mp_db_totals totals = {.cycles = r->cycles,
                                        .instructions = r->instructions,
                                        .accesses = r->accesses,
                                        .translations = r->translations,
                                        .events = r->events,
                                        .threads = threads,
                                        .cut = r->cut,
                                        .checkpointed = r->checkpointed,
                                        .seconds = r->seconds,
                                        .digest = {r->digest[0], r->digest[1]},
                                        .tenant = tenant};
    if (error)
        return record_failure(db, r, error, err);
    for (unsigned t = 0; t < config->ntenants; t++) {
        const struct mp_tenant_result *of = &r->tenant[t];
        tenant[t] = (struct mp_db_tenant_result){.cycles = of->cycles,
                                                 .instructions = of->instructions,
                                                 .thread_instructions = of->thread_instructions,
                                                 .accesses = of->accesses,
                                                 .translations = of->translations,
                                                 .completions = of->completions,
                                                 .recorded_instructions = of->recorded_instructions};
    }
    return mp_db_run_end(db, r->interrupted || r->cut ? MP_DB_INTERRUPTED : MP_DB_DONE, &totals, err);
}
