/* SPDX-License-Identifier: Apache-2.0 */
/* Stores a run of firmware as a row of the database. */
#include <stdlib.h>
#include <string.h>

#include "cli/firmware/inject.h"
#include "cli/hash.h"
#include "cli/plugin/plugin.h"
#include "cli/revision.h"

static int hash_inputs(const struct mp_soc_run *run, const struct mp_tenant_config *program,
                       struct mp_db_workload *workload, struct mp_db_firmware *f, struct mp_error *err)
{
    if (hash_file(run->image, "an ELF executable is needed", &f->image, err))
        return -1;
    f->workload = workload;
    for (unsigned n = 0; n < MP_SOC_WORKLOADS; n++) {
        struct mp_db_workload *w = &workload[f->nworkloads];
        if (!run->workload[n])
            continue;
        if (hash_file(run->workload[n], "a trace written by mempath record or import", &w->trace, err))
            return -1;
        w->number = n;
        w->app = program[n].app;
        w->size = program[n].size;
        f->nworkloads++;
    }
    return 0;
}

/* The row of the run in the database, which is open. */
static int64_t insert(struct mp_db *db, const struct mp_db_run_info *info,
                      const struct mp_db_firmware *firmware, struct mp_error *err)
{
    int64_t row = mp_db_run_begin(db, info, err);
    return row >= 0 && mp_db_firmware_begin(db, firmware, err) ? -1 : row;
}

int64_t firmware_record_begin(const struct cli *cli, struct mp_soc_run *run,
                              const struct mp_tenant_config *program, bool goes_on, struct mp_error *err)
{
    const struct mp_db_tenant nobody[MP_SOC_SPACES] = {{0}};
    struct mp_db_workload workload[MP_SOC_WORKLOADS] = {{0}};
    struct mp_db_firmware firmware = {.nworkloads = 0};
    const char *slash = strrchr(run->image, '/');
    if (hash_inputs(run, program, workload, &firmware, err))
        return -1;
    char *config = cli_have(mp_config_text(run->machine));
    unsigned nsettings = 0;
    struct mp_setting *setting = cli_have(mp_config_settings(run->machine, &nsettings));
    unsigned nplugins;
    const struct mp_db_plugin *plugin = plugin_list(&nplugins);
    const struct mp_db_run_info info = {.experiment = slash ? slash + 1 : run->image,
                                        .command_line = cli->command_line,
                                        .config_text = config,
                                        .nplugins = nplugins,
                                        .plugin = plugin,
                                        .nsettings = nsettings,
                                        .setting = setting,
                                        .revision = MEMPATH_REVISION,
                                        .build_type = MEMPATH_BUILD_TYPE,
                                        .compiler = MEMPATH_COMPILER,
                                        .seed = run->machine->seed,
                                        .goes_on = goes_on,
                                        .ntenants = MP_SOC_SPACES,
                                        .tenant = nobody};
    int64_t row = -1;
    if (goes_on || !mp_db_open(&run->db, cli->db, MP_DB_WRITE, err))
        row = insert(run->db, &info, &firmware, err);
    if (row < 0 && !goes_on)
        mp_db_close(run->db);
    free(config);
    free(setting);
    return row;
}

static struct mp_db_firmware_end end_of(const struct mp_soc_result *r)
{
    static const enum mp_db_outcome outcomes[] = {[MP_SOC_FINISHED] = MP_DB_FIRMWARE_FINISHED,
                                                  [MP_SOC_LIMIT] = MP_DB_FIRMWARE_LIMIT,
                                                  [MP_SOC_STUCK] = MP_DB_FIRMWARE_STUCK,
                                                  [MP_SOC_INTERRUPTED] = MP_DB_FIRMWARE_INTERRUPTED};
    struct mp_db_firmware_end e = {.outcome = outcomes[r->end],
                                   .exit_code = r->exit_code,
                                   .instructions = r->counts.instructions,
                                   .nanoseconds = r->picoseconds / 1000,
                                   .console = r->console};
    for (unsigned i = 0; i < MP_TRAPS; i++) {
        e.exceptions += r->counts.exceptions[i];
        e.interrupts += r->counts.interrupts[i];
    }
    return e;
}

int firmware_record_end(struct mp_db *db, const struct mp_soc_result *r, const char *why,
                        const struct firmware_injection *in, struct mp_error *err)
{
    struct mp_db_tenant_result space[MP_SOC_SPACES] = {{0}};
    struct mp_db_totals totals = {.error = why};
    enum mp_db_status status = why ? MP_DB_FAILED : MP_DB_DONE;
    int failed = 0;
    if (r) {
        const struct mp_db_firmware_end end = end_of(r);
        failed = mp_db_firmware_end(db, &end, err) ||
                 (in && in->outcome && firmware_record_injection(db, in, err));
        for (unsigned a = 0; a < MP_SOC_SPACES; a++)
            space[a] = (struct mp_db_tenant_result){.cycles = r->space[a].cycles,
                                                    .instructions = r->space[a].instructions,
                                                    .accesses = r->space[a].accesses,
                                                    .translations = r->space[a].translations,
                                                    .completions = r->space[a].completions};
        totals = (struct mp_db_totals){.cycles = r->cycles,
                                       .instructions = r->instructions,
                                       .accesses = r->accesses,
                                       .translations = r->translations,
                                       .seconds = r->seconds,
                                       .digest = {r->digest[0], r->digest[1]},
                                       .error = why,
                                       .tenant = space};
        status = r->end == MP_SOC_INTERRUPTED ? MP_DB_INTERRUPTED : status;
    }
    failed = mp_db_run_end(db, status, &totals, failed ? &(struct mp_error){0} : err) || failed;
    mp_db_close(db);
    return failed ? -1 : 0;
}
