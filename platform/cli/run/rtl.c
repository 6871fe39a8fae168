/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run/rtl.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/cosim/cosim.h"
#include "gpu/machine.h"

#define CYCLES_BEFORE 1000u /* a difference */

static const char *option_of(bool shadow)
{
    return shadow ? "--rtl-shadow" : "--rtl";
}

int run_rtl_option(struct run_rtl *r, int key, const char *arg, struct mp_error *err)
{
    switch (key) {
    case RUN_RTL:
    case RUN_RTL_SHADOW:
        if (r->n == MP_RTL_PARTS)
            return mp_fail(err, "%s: more than %u blocks; at most %u", option_of(key == RUN_RTL_SHADOW),
                           MP_RTL_PARTS, MP_RTL_PARTS);
        r->block[r->n].name = arg;
        r->block[r->n++].shadow = key == RUN_RTL_SHADOW;
        return 1;
    case RUN_RTL_TOP:
        r->top = arg;
        return 1;
    case RUN_RTL_WAVES:
        r->waves.file = arg;
        return 1;
    case RUN_RTL_WINDOW:
        return cli_window("--waves-window", arg, "cycles", &r->waves.first, &r->waves.last, err) ? -1 : 1;
    default:
        return 0;
    }
}

int run_rtl_check(const struct run_rtl *r, unsigned runs, struct mp_error *err)
{
    const char *own = r->waves.file ? "--waves" : r->top ? "--rtl-top" : NULL;
    if (r->waves.last && !r->waves.file)
        return mp_fail(err, "--waves-window: no waves are written; add --waves FILE");
    if (own && r->n != 1)
        return mp_fail(err, "%s: %u blocks of RTL; choose one, by --rtl or --rtl-shadow", own, r->n);
    if (r->waves.file && runs != 1)
        return mp_fail(
            err, "--waves: %u runs would write the same file; name one experiment, without --compare", runs);
    return r->waves.file ? cosim_waves_begin(r->waves.file, err) : 0;
}

/* ---- which block a name means ---- */

/* A block in a run, and the level that it is at. */
struct found {
    const struct cosim_block *block;
    const char *level;
    const char *path; /* of the only places; or NULL */
};

static bool fits(const struct cosim_block *b, const struct mp_config *config, const char *level)
{
    struct mp_tlb_params tlb;
    if (!mp_config_has_level(config, level))
        return false;
    mp_config_level(config, level, &tlb);
    return b->place->fits(&tlb);
}

static bool is_at(const struct cosim_block *b, const char *level)
{
    return b->place->level && !strcmp(b->place->level, level);
}

/* The array for the TLBs of a level: that which fits; otherwise one that says what it lacks, which is the
 * one of the level, or the first. */
static const struct cosim_block *array_at(const struct mp_config *config, const char *level)
{
    const struct cosim_block *usual = NULL;
    for (const struct cosim_block *const *b = cosim_blocks; *b; b++) {
        if (!(*b)->place || !(*b)->place->fits)
            continue;
        if (fits(*b, config, level))
            return *b;
        if (!usual || is_at(*b, level))
            usual = *b;
    }
    return usual;
}

/* The level at which a block is. */
static const char *level_of(const struct cosim_block *b, const struct mp_config *config)
{
    const char *level[MP_TLB_LEVELS];
    if (b->place->level || !b->place->fits)
        return b->place->level;
    for (unsigned n = mp_config_tlbs(config, level); n-- > 0;)
        if (fits(b, config, level[n]))
            return level[n];
    return mp_machine_last_tlb()->name;
}

static struct found find(const struct mp_config *config, const char *name)
{
    const char *level[MP_TLB_LEVELS];
    const int at = mp_config_tlb(config, name);
    mp_config_tlbs(config, level);
    if (at >= 0)
        return (struct found){array_at(config, level[at]), level[at], NULL};
    for (const struct cosim_block *const *b = cosim_blocks; *b; b++) {
        const struct cosim_place *p = (*b)->place;
        if (p && (!strcmp((*b)->name, name) || (p->name && !strcmp(p->name, name))))
            return (struct found){*b, level_of(*b, config), NULL};
    }
    return (struct found){NULL, NULL, NULL};
}

/* NAME[:PATH]. Returns -1 if there is no such block. */
static int find_named(const struct mp_config *config, const char *name, struct found *f)
{
    char only[40];
    const size_t length = strcspn(name, ":");
    snprintf(only, sizeof only, "%.*s", (int)length, name);
    *f = length < sizeof only ? find(config, only) : (struct found){NULL, NULL, NULL};
    f->path = name[length] ? name + length + 1 : NULL;
    return f->block ? 0 : -1;
}

static int refuse(const char *option, const char *name, struct mp_error *err)
{
    char names[200];
    size_t n = 0;
    *names = 0;
    for (const struct cosim_block *const *b = cosim_blocks; *b && n < sizeof names; b++)
        if ((*b)->place)
            n += (size_t)snprintf(names + n, sizeof names - n, ", %s%s%s",
                                  (*b)->place->name ? (*b)->place->name : "", (*b)->place->name ? ", " : "",
                                  (*b)->name);
    return mp_fail(err, "%s: no block '%s'; a level of TLBs such as %s%s", option, name,
                   mp_machine_last_tlb()->name, names);
}

/* ---- what a run gets ---- */

/* As it is printed and stored. */
static const char *name_of(const struct found *f)
{
    const struct cosim_place *p = f->block->place;
    return p->fits ? f->level : p->name ? p->name : f->block->name;
}

static int check(const struct found *f, const struct mp_config *config, const char *option,
                 const struct mp_rtl *rtl, struct mp_error *err)
{
    struct mp_error why;
    const char *name = name_of(f);
    for (unsigned i = 0; i < rtl->parts; i++)
        if (!strcmp(rtl->part[i].name, name) && !rtl->part[i].path == !f->path)
            return mp_fail(err, "%s: %s is given twice; give it once, by --rtl or --rtl-shadow", option,
                           name);
    if (f->level && mp_config_need_level(config, f->level, option, name, err))
        return -1;
    if (f->block->place->check && f->block->place->check(config, &why))
        return mp_fail(err, "%s %s: %s", option, name, why.text);
    return 0;
}

static int load(const struct run_rtl *r, unsigned i, const struct mp_config *config, struct mp_rtl *rtl,
                struct mp_error *err)
{
    struct mp_error why;
    const char *option = option_of(r->block[i].shadow);
    struct found f;
    if (find_named(config, r->block[i].name, &f))
        return refuse(option, r->block[i].name, err);
    if (check(&f, config, option, rtl, err))
        return -1;
    const struct cosim_library which = {.block = f.block->name,
                                        .design = f.block->place->design(config, f.level),
                                        .chosen = true,
                                        .top = r->top,
                                        .waves = r->waves.file};
    const void *block = cosim_load(f.block->place->symbol, &which, &why);
    if (!block)
        return mp_fail(err, "%s: %s", option, why.text);
    rtl->part[rtl->parts++] = (struct mp_rtl_part){.block = block,
                                                   .name = name_of(&f),
                                                   .cosim = f.block->name,
                                                   .level = f.level,
                                                   .path = f.path,
                                                   .shadow = r->block[i].shadow};
    return 0;
}

int run_rtl_load(const struct run_rtl *r, const struct mp_config *config, struct mp_rtl *rtl,
                 struct mp_error *err)
{
    *rtl = (struct mp_rtl){.waves = r->waves};
    for (unsigned i = 0; i < r->n; i++)
        if (load(r, i, config, rtl, err))
            return -1;
    return 0;
}

int run_rtl_observed(const struct mp_config *config, const char *observe, struct run_observed *o,
                     struct mp_error *err)
{
    struct mp_error why;
    struct found f;
    *o = (struct run_observed){NULL, ""};
    if (find_named(config, observe, &f) || (f.level && !strncmp(observe, f.level, strlen(f.level))))
        return 0; /* the traffic of links */
    const struct cosim_place *place = f.block->place;
    o->writer = place->writer;
    if (f.level && mp_config_need_level(config, f.level, "--observe", observe, err))
        return -1;
    if (place->check && place->check(config, &why))
        return mp_fail(err, "--observe %s: %s", observe, why.text);
    if (!place->writer)
        snprintf(o->path, sizeof o->path, place->observe ? "%s" : "%s_array",
                 place->observe ? place->observe : f.level);
    else if (f.path)
        snprintf(o->path, sizeof o->path, "%s", f.path);
    else
        snprintf(o->path, sizeof o->path, "gpu*%s%s", f.level ? "." : "", f.level ? f.level : "");
    return 0;
}

void run_rtl_finish(const struct run_rtl *r, FILE *out)
{
    if (!r->waves.file)
        return;
    bool written = cosim_waves_end(r->waves.file);
    if (out)
        fprintf(out, "waves: %s\n",
                written         ? r->waves.file
                : r->waves.last ? "none, for nothing happened in the window"
                                : "none, for nothing differs");
}

/* The command that reaches the points which a run did not reach. */
static const char *others_by(const struct mp_rtl_count *c, char command[64])
{
    snprintf(command, 64, "mempath cosim %s", c->cosim);
    return command;
}

void run_rtl_print_component(FILE *out, const struct mp_rtl_count *c)
{
    fputs(c->component, out);
    if (c->places > 1)
        fprintf(out, " (%u blocks)", c->places);
}

void run_rtl_print_points(FILE *out, const struct mp_rtl_count *c)
{
    char command[64];
    if (c->shadow && c->points)
        fprintf(out, "; %u of %u points of coverage were reached, %s reaches the others", c->reached,
                c->points, others_by(c, command));
}

void run_rtl_print(FILE *out, const struct mp_rtl_count *rtl, unsigned n)
{
    for (const struct mp_rtl_count *c = rtl; c < rtl + n; c++) {
        run_rtl_print_component(out, c);
        fprintf(out, ": RTL %s, %" PRIu64 " transactions in %" PRIu64 " clocks",
                c->shadow ? "compared with the model, equal" : "in the model's place", c->transactions,
                c->clocks);
        run_rtl_print_points(out, c);
        fputc('\n', out);
    }
}

void run_rtl_unchecked(const struct run_rtl *r)
{
    for (unsigned i = 0; i < r->n; i++)
        if (!r->block[i].shadow)
            fprintf(
                stderr,
                "mempath: --rtl %s: the RTL decides and is compared with nothing, so equal results do not "
                "prove it right; --rtl-shadow %s compares it with the model\n",
                r->block[i].name, r->block[i].name);
}

/* ---- again ---- */

struct run_again {
    pid_t pid;
    int channel;
};

static int run_with_waves(const struct mp_run *run, int channel)
{
    uint64_t cycle;
    struct mp_result result;
    struct mp_error err;
    if (read(channel, &cycle, sizeof cycle) != sizeof cycle)
        return 0; /* nothing differs */
    struct mp_run again = *run;
    again.db = NULL;
    again.progress = NULL;
    again.observe = again.observe_file = NULL;
    again.writer = NULL;
    again.window = (struct mp_window){0};
    again.rtl.over = NULL;
    again.rtl.waves.first = cycle > CYCLES_BEFORE ? cycle - CYCLES_BEFORE : 0;
    again.rtl.waves.last = cycle + 1;
    return mp_platform_run(&again, &result, &err) && result.different ? 0 : 1;
}

struct run_again *run_again_prepare(const struct mp_run *run)
{
    struct run_again *again = cli_alloc(1, sizeof *again);
    int pair[2];
    if (pipe2(pair, O_CLOEXEC))
        exit(cli_fail(CLI_FAILED, "--waves: cannot create a pipe; fewer open files are needed"));
    fflush(NULL);
    again->pid = fork();
    if (again->pid < 0)
        exit(cli_fail(CLI_FAILED, "--waves: cannot start a process; fewer processes are needed"));
    if (!again->pid) {
        close(pair[1]);
        _exit(run_with_waves(run, pair[0]));
    }
    close(pair[0]);
    again->channel = pair[1];
    return again;
}

/* Ends the waiting process and returns its exit code. */
static int wait_for(struct run_again *again)
{
    int status = 0;
    close(again->channel);
    again->channel = -1;
    while (waitpid(again->pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

bool run_again_until(struct run_again *again, uint64_t cycle)
{
    bool told = write(again->channel, &cycle, sizeof cycle) == sizeof cycle;
    return !wait_for(again) && told;
}

void run_again_free(struct run_again *again)
{
    if (again && again->channel >= 0)
        wait_for(again);
    free(again);
}

static void json_share(struct out_json *j, const struct mp_rtl_share *s)
{
    json_text(j, "unit", s->unit);
    json_count(j, "requests", s->requests);
    json_count(j, "decided", s->decided);
    json_text(j, "why", *s->why ? s->why : NULL);
}

void run_rtl_json(struct out_json *j, const struct mp_rtl_count *counts, const struct mp_rtl_share *shares,
                  unsigned n)
{
    char command[64];
    json_array(j, "rtl");
    for (unsigned i = 0; i < n; i++) {
        json_object(j, NULL);
        json_text(j, "component", counts[i].component);
        json_count(j, "places", counts[i].places);
        json_text(j, "block", counts[i].cosim);
        json_flag(j, "shadow", counts[i].shadow);
        json_count(j, "transactions", counts[i].transactions);
        json_count(j, "clocks", counts[i].clocks);
        if (counts[i].shadow) {
            json_count(j, "points", counts[i].points);
            json_count(j, "points_reached", counts[i].reached);
            json_text(j, "others_by", others_by(&counts[i], command));
        }
        if (shares)
            json_share(j, &shares[i]);
        json_end_object(j);
    }
    json_end_array(j);
}
