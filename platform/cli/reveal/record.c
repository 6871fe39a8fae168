/* SPDX-License-Identifier: Apache-2.0 */
/* Stores what was found as a row of the database. */
#include <stdlib.h>

#include "cli/reveal/reveal.h"
#include "cli/revision.h"
#include "map/gf2.h"

int64_t reveal_record_begin(const struct cli *cli, const struct mp_config *config, struct mp_db **db,
                            struct mp_error *err)
{
    unsigned nsettings = 0;
    char *text = cli_have(mp_config_text(config));
    struct mp_setting *setting = cli_have(mp_config_settings(config, &nsettings));
    const struct mp_db_run_info info = {.experiment = config->name,
                                        .command_line = cli->command_line,
                                        .config_text = text,
                                        .changes = config->changes,
                                        .nsettings = nsettings,
                                        .setting = setting,
                                        .revision = MEMPATH_REVISION,
                                        .build_type = MEMPATH_BUILD_TYPE,
                                        .compiler = MEMPATH_COMPILER,
                                        .seed = config->seed};
    int64_t row = -1;
    if (!mp_db_open(db, cli->db, MP_DB_WRITE, err)) {
        row = mp_db_run_begin(*db, &info, err);
        if (row < 0)
            mp_db_close(*db);
    }
    free(text);
    free(setting);
    return row;
}

static int record(struct mp_db *db, const struct reveal_values *v, const struct reveal_result *r,
                  const struct assembled *a, struct mp_error *err)
{
    static char bits[REVEAL_SPANS * REVERSE_MOST][REVEAL_BITS];
    struct mp_db_function function[REVEAL_SPANS * REVERSE_MOST];
    unsigned n = 0;
    for (unsigned k = 0; k < REVEAL_SPANS; k++)
        for (uint32_t i = 0; i < r->span[k]->n; i++, n++) {
            reveal_bits(r->span[k]->function[i], bits[n]);
            function[n] = (struct mp_db_function){reveal_spans[k], i, bits[n], r->equal[k]};
        }
    const struct mp_db_reveal reveal = {.machine = v->machine->name,
                                        .hidden = v->hidden,
                                        .seed = v->seed,
                                        .jitter = (uint32_t)v->jitter,
                                        .neighbours = (uint32_t)v->neighbours,
                                        .gap = v->gap ? (uint32_t)v->gap : REVEAL_GAP,
                                        .line_bytes = r->found.line_bytes,
                                        .row_bytes = r->found.row_bytes,
                                        .ways = r->found.ways,
                                        .pair_limit = r->found.pair_limit,
                                        .hit_limit = r->found.hit_limit,
                                        .readings = r->found.readings,
                                        .nfunctions = n,
                                        .function = function,
                                        .npairs = ASSEMBLED_PAIR_CYCLES,
                                        .pairs = a->pairs};
    return mp_db_reveal(db, &reveal, err);
}

int reveal_record_end(struct mp_db *db, const struct reveal_values *v, const struct reveal_result *r,
                      const struct assembled *a, const char *why, struct mp_error *err)
{
    struct mp_db_totals totals = {.error = why};
    int failed = 0;
    if (!why) {
        const struct mp_sm_stats *sm = a->probe.prober.sm->stats;
        failed = record(db, v, r, a, err);
        totals = (struct mp_db_totals){.cycles = r->cycles,
                                       .instructions = sm->issued,
                                       .accesses = sm->accesses,
                                       .translations = sm->pages,
                                       .seconds = r->seconds,
                                       .events = a->probe.wheel.executed};
    }
    failed = mp_db_run_end(db, why ? MP_DB_FAILED : MP_DB_DONE, &totals, failed ? NULL : err) || failed;
    mp_db_close(db);
    return failed ? -1 : 0;
}
