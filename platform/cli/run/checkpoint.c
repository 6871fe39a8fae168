/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu/machine.h"
#include "image/image.h"

/* Values that the process that goes on takes from its command line, not from the image. */
struct world {
    char db[PATH_MAX], xray[PATH_MAX], command_line[IMAGE_NOTE_BYTES / 2];
    char changes[16384]; /* of the configuration */
    uint32_t policy;     /* of the last TLB */
    uint64_t until;
    uint64_t watchdog; /* as run_job's; 0 and no seconds: as in the image */
    double watchdog_seconds;
};
_Static_assert(sizeof(struct world) <= IMAGE_NOTE_BYTES, "it is a note");

/* The choice that a run with a warm-up makes at its end. */
static struct mp_path policy(void)
{
    return mp_path(mp_machine_last_tlb()->name, "policy");
}

/* --- taking --- */

static struct checkpoint_files traces(const struct run_job *job)
{
    return (struct checkpoint_files){(const char *const *)job->trace, job->config.ntenants};
}

static int save(const struct run_checkpoint *c, struct mp_error *err)
{
    struct checkpoint_head h = {.kind = CHECKPOINT_RUN,
                                .point = c->job->checkpoint_at,
                                .force_tlm = c->job->force_tlm,
                                .channel = c->watch->channel};
    const struct checkpoint_files read = traces(c->job);
    int bad = checkpoint_describe(&h, &c->job->config, &read, err);
    if (bad)
        image_drop();
    else
        bad = checkpoint_write(c->job->checkpoint, &h, err);
    checkpoint_head_free(&h);
    return bad;
}

/* The policy of the last TLB is not used before the end of the warm-up, and may be another one. */
static void take_policy(struct run_checkpoint *c, struct world *w)
{
    static struct run_texts texts; /* kept as long as the process */
    if (mp_config_value(&c->job->config, policy().text) == w->policy)
        return;
    mp_config_put(&c->job->config, policy().text, w->policy);
    c->job->config.changes = *w->changes ? w->changes : NULL;
    runs_describe(&c->job->config, c->info, &texts);
}

/* This process has entered the image: all that belongs to the process that took it is replaced. */
static int go_on(struct run_checkpoint *c, struct mp_error *err)
{
    static struct world w;
    static struct cli cli;
    memcpy(&w, image_note(), sizeof w);
    image_drop();
    cli = *c->watch->cli;
    cli.db = w.db;
    cli.command_line = w.command_line;
    c->watch->cli = &cli;
    c->job->until = c->run->until = w.until;
    if (w.watchdog || w.watchdog_seconds > 0) {
        c->run->watchdog = run_watch_cycles(w.watchdog);
        c->run->watchdog_seconds = w.watchdog_seconds;
    }
    take_policy(c, &w);
    c->job->xray = *w.xray ? w.xray : NULL;
    c->info->command_line = w.command_line;
    c->info->goes_on = true;
    if (mp_db_resume(c->db, w.db, err))
        return -1;
    *c->run_id = c->run->run_id = c->watch->run_id = mp_db_run_begin(c->db, c->info, err);
    return *c->run_id > 0 ? 1 : -1;
}

int run_checkpoint_take(void *context, struct mp_error *err)
{
    struct run_checkpoint *c = context;
    c->taken = true;
    mp_db_pause(c->db);
    int taken = image_take(err);
    if (taken > 0)
        return go_on(c, err);
    struct mp_error ignored;
    int bad = taken || save(c, err);
    return mp_db_resume(c->db, NULL, bad ? &ignored : err) || bad ? -1 : 0;
}

bool run_checkpoint_was_taken(const struct run_checkpoint *c, const struct mp_result *result,
                              struct mp_error *err)
{
    if (!c->job->checkpoint || c->taken || result->interrupted)
        return true;
    mp_fail(err, "--checkpoint-at %" PRIu64 ": the run ended at cycle %" PRIu64 "; an earlier one",
            c->job->checkpoint_at, result->cycles);
    return false;
}

/* --- continuing --- */

int checkpoint_fits(const char *file, const struct run_job *job, struct mp_error *err)
{
    struct checkpoint_head h;
    if (checkpoint_read(file, CHECKPOINT_RUN, &h, err))
        return -1;
    int bad = checkpoint_same_program(file, &h, err) ||
              checkpoint_same_config(file, &h, &job->config, policy().text, err);
    if (!bad && h.force_tlm != job->force_tlm)
        bad = mp_fail(err, "--from %s: it was taken with%s --force-tlm; the same links", file,
                      h.force_tlm ? "" : "out");
    if (!bad && job->until && job->until <= h.point)
        bad = mp_fail(err, "--until %" PRIu64 ": %s is of cycle %" PRIu64 "; a later one", job->until, file,
                      h.point);
    checkpoint_head_free(&h);
    return bad ? -1 : 0;
}

void run_checkpoint_enter(const struct cli *cli, const struct run_job *job, int channel, struct mp_error *err)
{
    struct checkpoint_head h;
    const struct checkpoint_files read = traces(job);
    if (checkpoint_read(job->from, CHECKPOINT_RUN, &h, err))
        return;
    int to_parent = fcntl(channel, F_DUPFD_CLOEXEC, CHECKPOINT_DESCRIPTOR);
    if (to_parent < 0) {
        mp_fail(err, "no channel to the parent: %s", strerror(errno));
        return;
    }
    if (checkpoint_load(job->from, &h, &read, err))
        return;
    dup3(to_parent, h.channel, O_CLOEXEC);
    struct world *w = image_note();
    snprintf(w->db, sizeof w->db, "%s", cli->db);
    snprintf(w->xray, sizeof w->xray, "%s", job->xray ? job->xray : "");
    snprintf(w->command_line, sizeof w->command_line, "%s", cli->command_line);
    snprintf(w->changes, sizeof w->changes, "%s", job->config.changes ? job->config.changes : "");
    w->policy = (uint32_t)mp_config_value(&job->config, policy().text);
    w->until = job->until;
    w->watchdog = job->watchdog;
    w->watchdog_seconds = job->watchdog_seconds;
    image_enter();
}
