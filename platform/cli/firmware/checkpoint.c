/* SPDX-License-Identifier: Apache-2.0 */
/* Checkpoints of `mempath firmware run` (cli/run/checkpoint_file.h). A process that goes on has the memory of
 * the one that has written the file, and from its own command line the console, the traces, GDB's port and
 * the limit of instructions. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "cli/firmware/firmware.h"
#include "cli/hash.h"
#include "cli/run/checkpoint_file.h"
#include "image/image.h"

/* The note from the process that enters the image. Descriptors are those that it has opened. */
struct world {
    char db[PATH_MAX], image[PATH_MAX], output[PATH_MAX], command_line[IMAGE_NOTE_BYTES / 2];
    char again[sizeof((struct firmware_values *)0)->again];
    int console_out, trace; /* -1: none */
    bool json, trace_bus;
    uint64_t max_instructions, trace_first, trace_last;
    int gdb;
};
_Static_assert(sizeof(struct world) <= IMAGE_NOTE_BYTES, "it is a note");

/* --- the command line --- */

/* A checkpoint contains the memory of one process. It cannot restore what another process or the host has
 * changed, nor output that is written before the end. Returns the first such option given, or NULL. */
static const char *unfit(const struct firmware_values *v)
{
    const struct {
        bool given;
        const char *option;
    } options[] = {{v->rtl.n, "--rtl"},
                   {v->observe, "--observe"},
                   {v->coverage, "--coverage"},
                   {v->files, "the folder of --semihosting"},
                   {v->uart && !strcmp(v->uart, "pty"), "--uart pty"},
                   {v->input && !strcmp(v->input, "-"), "--input -"},
                   {v->host_socket, "--host-socket"},
                   {v->inject, "--inject"},
                   {v->checkpoint_at && v->gdb, "--gdb"},
                   {v->checkpoint_at && (v->trace_bus || v->trace_first), "traces"}};
    for (unsigned i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].given)
            return options[i].option;
    return NULL;
}

int firmware_checkpoint_check(const struct firmware_values *v, struct mp_error *err)
{
    const struct checkpoint_wish wish = {
        v->checkpoint_at, v->max_instructions, "--max-instructions", v->output, v->from, 1, unfit(v)};
    return v->checkpoint_at || v->from ? checkpoint_check(&wish, err) : 0;
}

/* --- what both processes must have in common --- */

static void add_value(struct checkpoint_head *h, const char *name, uint64_t value)
{
    struct checkpoint_same *s = &h->same[h->nsame++];
    XXH128_hash_t hash = XXH3_128bits(&value, sizeof value);
    snprintf(s->name, sizeof s->name, "%s", name);
    s->hash[0] = hash.low64;
    s->hash[1] = hash.high64;
}

/* path: NULL for no file, whose hash is 0. */
static int add_file(struct checkpoint_head *h, const char *name, const char *path, struct mp_error *err)
{
    struct mp_db_file file = {.path = NULL};
    struct checkpoint_same *s = &h->same[h->nsame++];
    if (path && hash_file(path, "the file of the checkpoint", &file, err))
        return -1;
    snprintf(s->name, sizeof s->name, "%s", name);
    memcpy(s->hash, file.hash, sizeof s->hash);
    return 0;
}

static int add_same(struct checkpoint_head *h, const struct firmware_values *v, const struct mp_soc_run *run,
                    struct mp_error *err)
{
    if (add_file(h, "the image", run->image, err) || add_file(h, "--input", v->input, err) ||
        add_file(h, "--script", v->script, err) || add_file(h, "--host", v->host, err))
        return -1;
    add_value(h, "--check", v->check);
    add_value(h, "--semihosting", v->semihosting);
    add_value(h, "--stall-limit", v->stall_limit);
    add_value(h, "--replay-limit", v->replay_limit);
    for (unsigned n = 0; n < MP_SOC_WORKLOADS; n++) {
        char name[CHECKPOINT_WORD];
        snprintf(name, sizeof name, "--workload %u", n);
        if (add_file(h, name, run->workload[n], err))
            return -1;
    }
    return 0;
}

/* What the simulation may read. */
struct files {
    const char *path[MP_SOC_WORKLOADS + 1];
    struct checkpoint_files list;
};

static const struct checkpoint_files *files_of(struct files *f, const struct mp_soc_run *run)
{
    memcpy(f->path, run->workload, sizeof run->workload);
    f->path[MP_SOC_WORKLOADS] = run->image; /* whose symbols are read when they are asked for */
    f->list = (struct checkpoint_files){f->path, MP_SOC_WORKLOADS + 1};
    return &f->list;
}

/* --- taking --- */

static int save(const struct firmware_checkpoint *c, uint64_t instructions, struct mp_error *err)
{
    struct checkpoint_head h = {.kind = CHECKPOINT_FIRMWARE, .point = instructions};
    struct files files;
    int bad = checkpoint_describe(&h, c->run->machine, files_of(&files, c->run), err) ||
              add_same(&h, c->v, c->run, err);
    if (bad)
        image_drop();
    else
        bad = checkpoint_write(c->v->output, &h, err);
    checkpoint_head_free(&h);
    if (!bad)
        fprintf(stderr, "mempath: %s: a checkpoint after %" PRIu64 " instructions\n", c->v->output,
                instructions);
    return bad ? -1 : 0;
}

/* This process has entered the image: all that belongs to the process that took it is replaced. */
static int go_on(struct firmware_checkpoint *c, struct mp_error *err)
{
    static struct world w;
    memcpy(&w, image_note(), sizeof w);
    image_drop();
    c->cli->db = w.db;
    c->cli->command_line = w.command_line;
    c->cli->json = w.json;
    memcpy(c->v->again, w.again, sizeof w.again);
    c->v->output = *w.output ? w.output : NULL;
    c->run->image = w.image;
    c->run->console_out = w.console_out;
    c->run->max_instructions = w.max_instructions;
    c->run->gdb = w.gdb;
    c->run->trace_bus = w.trace_bus;
    c->run->trace_first = w.trace_first;
    c->run->trace_last = w.trace_last;
    c->run->trace = w.trace < 0 ? NULL : w.trace == STDERR_FILENO ? stderr : fdopen(w.trace, "w");
    if (w.trace >= 0 && !c->run->trace)
        return mp_fail(err, "-o %s: %s", w.output, strerror(errno));
    if (mp_db_resume(c->run->db, w.db, err))
        return -1;
    *c->row = firmware_record_begin(c->cli, c->run, c->program, true, err);
    return *c->row < 0 ? -1 : 1;
}

int firmware_checkpoint_take(void *context, uint64_t instructions, struct mp_error *err)
{
    struct firmware_checkpoint *c = context;
    c->taken = true;
    fflush(stdout);
    mp_db_pause(c->run->db);
    int taken = image_take(err);
    if (taken > 0)
        return go_on(c, err);
    struct mp_error ignored;
    int bad = taken || save(c, instructions, err);
    return mp_db_resume(c->run->db, NULL, bad ? &ignored : err) || bad ? -1 : 0;
}

bool firmware_checkpoint_missed(const struct mp_soc_run *run, const struct mp_soc_result *result,
                                struct mp_error *err)
{
    const struct firmware_checkpoint *c = run->checkpoint_context;
    if (!run->checkpoint_at || c->taken || result->end == MP_SOC_INTERRUPTED)
        return false;
    mp_fail(err, "--checkpoint-at %" PRIu64 ": the run ended after %" PRIu64 " instructions; an earlier one",
            run->checkpoint_at, result->counts.instructions);
    return true;
}

/* --- continuing --- */

static int fits(const struct firmware_checkpoint *c, const struct checkpoint_head *h, struct mp_error *err)
{
    const char *file = c->v->from;
    struct checkpoint_head here = {.nsame = 0};
    if (checkpoint_same_program(file, h, err) ||
        checkpoint_same_config(file, h, c->run->machine, NULL, err) || add_same(&here, c->v, c->run, err) ||
        checkpoint_same_values(file, h, &here, err))
        return -1;
    if (c->run->max_instructions && c->run->max_instructions <= h->point)
        return mp_fail(err, "--max-instructions %" PRIu64 ": %s is of instruction %" PRIu64 "; a later one",
                       c->run->max_instructions, file, h->point);
    return 0;
}

/* The image has descriptors with small numbers. */
static int out_of_the_way(int fd)
{
    return fd <= STDERR_FILENO ? fd : fcntl(fd, F_DUPFD_CLOEXEC, CHECKPOINT_DESCRIPTOR);
}

static void write_note(const struct firmware_checkpoint *c, struct world *w)
{
    const struct mp_soc_run *run = c->run;
    *w = (struct world){.console_out = out_of_the_way(run->console_out),
                        .trace = run->trace ? out_of_the_way(fileno(run->trace)) : -1,
                        .json = c->cli->json,
                        .trace_bus = run->trace_bus,
                        .max_instructions = run->max_instructions,
                        .trace_first = run->trace_first,
                        .trace_last = run->trace_last,
                        .gdb = run->gdb};
    snprintf(w->db, sizeof w->db, "%s", c->cli->db);
    snprintf(w->image, sizeof w->image, "%s", run->image);
    snprintf(w->output, sizeof w->output, "%s", c->v->output ? c->v->output : "");
    snprintf(w->command_line, sizeof w->command_line, "%s", c->cli->command_line);
    memcpy(w->again, c->v->again, sizeof w->again);
}

void firmware_checkpoint_enter(const struct firmware_checkpoint *c, struct mp_error *err)
{
    struct checkpoint_head h;
    struct files files;
    if (checkpoint_read(c->v->from, CHECKPOINT_FIRMWARE, &h, err))
        return;
    if (!fits(c, &h, err) && !checkpoint_load(c->v->from, &h, files_of(&files, c->run), err)) {
        write_note(c, image_note());
        image_enter();
    }
    checkpoint_head_free(&h);
}
