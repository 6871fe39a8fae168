/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run/checkpoint.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "cli/hash.h"
#include "cli/revision.h"
#include "gpu/machine.h"
#include "image/image.h"

#define OUT_OF_THE_WAY 200 /* the first descriptor that no simulation uses */

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

int checkpoint_check(const struct checkpoint_wish *w, struct mp_error *err)
{
    const char *given = w->at ? "--checkpoint-at" : "--from";
    struct stat st;
    if (w->at && w->from)
        return mp_fail(err, "--checkpoint-at: the run goes on from a checkpoint; omit it or --from");
    if (w->at && !w->output)
        return mp_fail(err, "--checkpoint-at: no file to write to; add -o FILE");
    if (w->at && w->until && w->until < w->at)
        return mp_fail(err, "--checkpoint-at %" PRIu64 ": --until %" PRIu64 " is before it; an earlier one",
                       w->at, w->until);
    if (w->at && !lstat(w->output, &st) && !S_ISREG(st.st_mode))
        return mp_fail(err, "%s: it would be replaced; a regular file, or a new one", w->output);
    if (w->experiments > 1)
        return mp_fail(err, "%s: a checkpoint is of one run; name one experiment", given);
    if (w->unfit)
        return mp_fail(err, "%s: a checkpoint is of one simulation and what it reads; omit %s", given,
                       w->unfit);
    return image_supported(err);
}

/* Ties a head to its image. */
static uint64_t label_of(const struct checkpoint_head *h)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = cli_have(open_memstream(&text, &size));
    checkpoint_write_head(h, f);
    fclose(f);
    uint64_t label = XXH64(cli_have(text), size, 0);
    free(text);
    return label;
}

static int hash_program(uint64_t hash[2], struct mp_error *err)
{
    struct mp_db_file program;
    if (hash_file("/proc/self/exe", "the program", &program, err))
        return -1;
    memcpy(hash, program.hash, sizeof program.hash);
    return 0;
}

/* --- taking --- */

static bool is_trace(const struct run_job *job, const struct stat *st)
{
    struct stat trace;
    for (unsigned t = 0; t < job->config.ntenants; t++)
        if (!stat(job->trace[t], &trace) && trace.st_dev == st->st_dev && trace.st_ino == st->st_ino)
            return true;
    return false;
}

/* Adds a descriptor if it is of a trace. Others are the parent's, or of who started it. */
static int add_input(struct checkpoint_head *h, const struct run_job *job, int fd, struct mp_error *err)
{
    char link[64], path[PATH_MAX];
    struct stat st;
    struct mp_db_file file;
    if (fstat(fd, &st) || !is_trace(job, &st))
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    off_t offset = lseek(fd, 0, SEEK_CUR);
    if (n <= 0 || offset < 0)
        return mp_fail(err, "%s: %s", link, strerror(errno));
    path[n] = 0;
    if (h->ninputs == CHECKPOINT_FILES)
        return mp_fail(err, "traces are open more than %u times", CHECKPOINT_FILES);
    if (hash_file(path, "a trace", &file, err))
        return -1;
    h->input[h->ninputs++] =
        (struct checkpoint_input){fd, (uint64_t)offset, {file.hash[0], file.hash[1]}, cli_have(strdup(path))};
    return 0;
}

static int find_inputs(struct checkpoint_head *h, const struct run_job *job, struct mp_error *err)
{
    DIR *d = opendir("/proc/self/fd");
    int bad = 0;
    if (!d)
        return mp_fail(err, "/proc/self/fd: %s", strerror(errno));
    for (struct dirent *e; !bad && (e = readdir(d));)
        if (e->d_name[0] != '.' && atoi(e->d_name) != dirfd(d))
            bad = add_input(h, job, atoi(e->d_name), err);
    closedir(d);
    return bad;
}

static void note_plugins(struct checkpoint_head *h)
{
    const struct mp_db_plugin *p = plugin_list(&h->nplugins);
    for (unsigned i = 0; i < h->nplugins; i++) {
        snprintf(h->plugin[i].name, sizeof h->plugin[i].name, "%s", p[i].name);
        memcpy(h->plugin[i].hash, p[i].hash, sizeof p[i].hash);
    }
}

static int describe(const struct run_checkpoint *c, struct checkpoint_head *h, struct mp_error *err)
{
    *h = (struct checkpoint_head){
        .cycle = c->job->checkpoint_at, .force_tlm = c->job->force_tlm, .channel = c->watch->channel};
    snprintf(h->revision, sizeof h->revision, "%s %s", MEMPATH_REVISION, MEMPATH_BUILD_TYPE);
    note_plugins(h);
    h->config = cli_have(mp_config_text(&c->job->config));
    h->config_bytes = strlen(h->config);
    return hash_program(h->program, err) || image_layout(&h->layout, err) || find_inputs(h, c->job, err);
}

static int write_file(const struct run_checkpoint *c, const struct checkpoint_head *h, struct mp_error *err)
{
    char part[PATH_MAX];
    snprintf(part, sizeof part, "%s.part", c->job->checkpoint);
    FILE *f = fopen(part, "wb");
    if (!f) {
        image_drop();
        return mp_fail(err, "%s: %s; a writable file is needed", part, strerror(errno));
    }
    checkpoint_write_head(h, f);
    int bad = image_save(f, label_of(h), err);
    if ((fclose(f) && !bad) || (!bad && rename(part, c->job->checkpoint)))
        bad = mp_fail(err, "%s: %s; a writable file is needed", c->job->checkpoint, strerror(errno));
    if (bad)
        unlink(part);
    return bad ? -1 : 0;
}

static int save(const struct run_checkpoint *c, struct mp_error *err)
{
    struct checkpoint_head h;
    int bad = describe(c, &h, err);
    if (bad)
        image_drop();
    else
        bad = write_file(c, &h, err);
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

/* "l3_tlb.entries is 512 there and 1024 here" */
static int same_settings(const char *file, uint64_t cycle, const struct mp_config *there,
                         const struct mp_config *here, struct mp_error *err)
{
    unsigned n = 0, m = 0;
    struct mp_setting *a = cli_have(mp_config_settings(there, &n)),
                      *b = cli_have(mp_config_settings(here, &m));
    int bad = 0;
    if (there->ntenants != here->ntenants)
        bad = mp_fail(err, "--from %s: %u tenants there and %u here; the same configuration", file,
                      there->ntenants, here->ntenants);
    for (unsigned i = 0; !bad && i < n && i < m; i++) {
        char x[32], y[32];
        snprintf(x, sizeof x, "%" PRIu64, a[i].number);
        snprintf(y, sizeof y, "%" PRIu64, b[i].number);
        const char *s = a[i].text ? a[i].text : x, *t = b[i].text ? b[i].text : y;
        bool free_to_choose = cycle <= there->stats.warmup && !strcmp(a[i].path, policy().text);
        if (strcmp(a[i].path, b[i].path) != 0 || (strcmp(s, t) != 0 && !free_to_choose))
            bad = mp_fail(err, "--from %s: %s is %s there and %s here; the same configuration", file,
                          a[i].path, s, t);
    }
    if (!bad && n != m)
        bad = mp_fail(err, "--from %s: %u settings there and %u here; the same configuration", file, n, m);
    free(a);
    free(b);
    return bad;
}

static int same_config(const char *file, const struct checkpoint_head *h, const struct run_job *job,
                       struct mp_error *err)
{
    struct mp_config there;
    if (mp_config_load_text(&there, file, h->config, h->config_bytes, 0, NULL, err))
        return -1;
    int bad = same_settings(file, h->cycle, &there, &job->config, err);
    mp_config_free(&there);
    return bad;
}

/* The memory has addresses of the plugins' designs. */
static int same_plugins(const char *file, const struct checkpoint_head *h, struct mp_error *err)
{
    unsigned n;
    const struct mp_db_plugin *p = plugin_list(&n);
    for (unsigned i = 0; i < h->nplugins; i++) {
        const struct checkpoint_plugin *there = &h->plugin[i];
        if (i >= n || strcmp(p[i].name, there->name) != 0)
            return mp_fail(err, "--from %s: it was taken with the plugin %s; the same --plugin options", file,
                           there->name);
        if (memcmp(p[i].hash, there->hash, sizeof there->hash) != 0)
            return mp_fail(err, "--from %s: the plugin %s was another file there; the same file", file,
                           there->name);
    }
    return n == h->nplugins
               ? 0
               : mp_fail(err, "--from %s: it was taken without the plugin %s; the same --plugin options",
                         file, p[h->nplugins].name);
}

static int same_program(const char *file, const struct checkpoint_head *h, struct mp_error *err)
{
    uint64_t program[2], layout;
    if (strcmp(h->revision, MEMPATH_REVISION " " MEMPATH_BUILD_TYPE) != 0)
        return mp_fail(err, "--from %s: it is of revision %s, and this is %s; the same revision", file,
                       h->revision, MEMPATH_REVISION " " MEMPATH_BUILD_TYPE);
    if (hash_program(program, err) || image_layout(&layout, err))
        return -1;
    if (memcmp(program, h->program, sizeof program) != 0)
        return mp_fail(err, "--from %s: another build of revision %s wrote it; the same program", file,
                       h->revision);
    if (same_plugins(file, h, err))
        return -1;
    if (layout != h->layout)
        return mp_fail(
            err, "--from %s: it is of another system; the same shared libraries and kind of processor", file);
    return 0;
}

int checkpoint_fits(const char *file, const struct run_job *job, struct mp_error *err)
{
    struct checkpoint_head h;
    if (checkpoint_read(file, &h, err))
        return -1;
    int bad = same_program(file, &h, err) || same_config(file, &h, job, err);
    if (!bad && h.force_tlm != job->force_tlm)
        bad = mp_fail(err, "--from %s: it was taken with%s --force-tlm; the same links", file,
                      h.force_tlm ? "" : "out");
    if (!bad && job->until && job->until <= h.cycle)
        bad = mp_fail(err, "--until %" PRIu64 ": %s is of cycle %" PRIu64 "; a later one", job->until, file,
                      h.cycle);
    checkpoint_head_free(&h);
    return bad;
}

/* The file with this hash: a trace of the job, or the one at the same path. */
static int open_input(const struct checkpoint_input *in, const struct run_job *job, struct mp_error *err)
{
    const char *path = in->path;
    struct mp_db_file file;
    for (unsigned t = 0; t < job->config.ntenants; t++)
        if (!hash_file(job->trace[t], "a trace", &file, err) && !memcmp(file.hash, in->hash, sizeof in->hash))
            path = job->trace[t];
    if (hash_file(path, "the trace of the checkpoint", &file, err))
        return -1;
    if (memcmp(file.hash, in->hash, sizeof in->hash) != 0)
        return mp_fail(err, "--from %s: %s has changed since; the same inputs", job->from, path);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, OUT_OF_THE_WAY);
    if (high < 0 || lseek(high, (off_t)in->offset, SEEK_SET) < 0)
        return mp_fail(err, "%s: %s; a readable file", path, strerror(errno));
    close(fd);
    return high;
}

/* Gives the files and the channel the numbers that they had. */
static int open_inputs(const struct checkpoint_head *h, const struct run_job *job, int channel,
                       struct mp_error *err)
{
    int high[CHECKPOINT_FILES];
    int to_parent = fcntl(channel, F_DUPFD_CLOEXEC, OUT_OF_THE_WAY);
    if (to_parent < 0)
        return mp_fail(err, "no channel to the parent: %s", strerror(errno));
    for (unsigned i = 0; i < h->ninputs; i++)
        if ((high[i] = open_input(&h->input[i], job, err)) < 0)
            return -1;
    for (unsigned i = 0; i < h->ninputs; i++)
        dup3(high[i], h->input[i].fd, O_CLOEXEC);
    dup3(to_parent, h->channel, O_CLOEXEC);
    return 0;
}

static int load(const char *file, size_t skip, uint64_t label, struct mp_error *err)
{
    struct mp_error why;
    FILE *f = fopen(file, "rb");
    if (!f || fseek(f, (long)skip, SEEK_SET)) {
        mp_fail(err, "%s: %s; a readable file", file, strerror(errno));
        if (f)
            fclose(f);
        return -1;
    }
    int bad = image_load(f, label, &why);
    fclose(f);
    return bad ? mp_fail(err, "%s: %s; a whole file of --checkpoint-at", file, why.text) : 0;
}

void run_checkpoint_enter(const struct cli *cli, const struct run_job *job, int channel, struct mp_error *err)
{
    struct checkpoint_head h;
    if (checkpoint_read(job->from, &h, err))
        return;
    if (load(job->from, h.image, label_of(&h), err) || open_inputs(&h, job, channel, err))
        return;
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
