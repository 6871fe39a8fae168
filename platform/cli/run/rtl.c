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
#include "rtl/dws/cosim.h"
#include "rtl/star/cosim.h"

#define CYCLES_BEFORE 1000u /* a difference */

static const char *option_of(const struct run_rtl *r, unsigned i)
{
    return r->block[i].shadow ? "--rtl-shadow" : "--rtl";
}

static const char walks[] = "walk_arbiter";

static bool is_walks(const char *block)
{
    return !strcmp(block, walks);
}

/* A block by its name here, or by that of its RTL in `mempath cosim`. */
static int add(struct run_rtl *r, const char *block, bool shadow, struct mp_error *err)
{
    const char *option = shadow ? "--rtl-shadow" : "--rtl";
    if (!strcmp(block, cosim_star.name))
        block = mp_machine_last_tlb()->name;
    else if (!strcmp(block, cosim_dws.name))
        block = walks;
    for (unsigned i = 0; i < r->n; i++) {
        if (!strcmp(r->block[i].name, block))
            return mp_fail(err, "%s: %s is given twice; give it once, by --rtl or --rtl-shadow", option,
                           block);
        if (is_walks(r->block[i].name) == is_walks(block))
            return mp_fail(err, "%s: %s after %s; the TLBs of one level", option, block, r->block[i].name);
    }
    r->block[r->n].name = block;
    r->block[r->n++].shadow = shadow;
    return 0;
}

int run_rtl_option(struct run_rtl *r, int key, const char *arg, struct mp_error *err)
{
    switch (key) {
    case RUN_RTL:
    case RUN_RTL_SHADOW:
        return add(r, arg, key == RUN_RTL_SHADOW, err) ? -1 : 1;
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

/* MODE of the RTL for this policy. The RTL itself refuses others. */
static unsigned tlb_design(const struct mp_config *config, const char *level)
{
    struct mp_tlb_params tlb;
    mp_config_level(config, level, &tlb);
    struct cosim_setup setup = {.mode = cosim_star.usual};
    for (unsigned i = 0; cosim_star.modes[i].name; i++)
        if (!strcmp(cosim_star.modes[i].name, tlb.policy->design.name))
            setup.mode = i;
    return cosim_star.design(&setup);
}

/* Firmware's machine has none yet; an instance of it serves eight address spaces. */
static unsigned walks_design(const struct mp_config *config)
{
    unsigned tenants = !config->ntenants ? 8 : config->ntenants > 2 ? 4 : 2;
    return COSIM_DWS_DESIGN(COSIM_DWS_WALKERS, COSIM_DWS_DEPTH, tenants);
}

int run_rtl_load(const struct run_rtl *r, const struct mp_config *config, struct mp_rtl *rtl,
                 struct mp_error *err)
{
    *rtl = (struct mp_rtl){.waves = r->waves};
    for (unsigned i = 0; i < r->n; i++) {
        struct mp_error why;
        const char *name = r->block[i].name;
        const bool tlb = !is_walks(name);
        if (tlb && mp_config_tlb(config, name) < 0)
            return mp_fail(err, "%s: no block '%s'; %s or %s", option_of(r, i), name,
                           mp_machine_last_tlb()->name, walks);
        if (tlb && mp_config_need_level(config, name, option_of(r, i), name, err))
            return -1;
        const struct cosim_library which = {.block = tlb ? cosim_star.name : cosim_dws.name,
                                            .design = tlb ? tlb_design(config, name) : walks_design(config),
                                            .chosen = true,
                                            .top = r->top,
                                            .waves = r->waves.file};
        const void *found = cosim_load(tlb ? "mempath_rtl_tlb" : "mempath_rtl_walk_arbiter", &which, &why);
        if (!found)
            return mp_fail(err, "%s: %s", option_of(r, i), why.text);
        if (tlb) {
            rtl->tlb = found;
            rtl->tlb_level = name;
            rtl->tlb_shadow = r->block[i].shadow;
        } else {
            rtl->walk_arbiter = found;
            rtl->walk_arbiter_shadow = r->block[i].shadow;
        }
    }
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

void run_rtl_print_points(FILE *out, const struct mp_rtl_count *c)
{
    if (c->shadow && c->points)
        fprintf(out, "; %u of %u points of coverage were reached, mempath cosim %s reaches the others",
                c->reached, c->points, is_walks(c->block) ? cosim_dws.name : cosim_star.name);
}

void run_rtl_print(FILE *out, const struct mp_rtl_count *rtl, unsigned n)
{
    for (const struct mp_rtl_count *c = rtl; c < rtl + n; c++) {
        fprintf(out, "%s: RTL %s, %" PRIu64 " transactions in %" PRIu64 " clocks", c->component,
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
    json_array(j, "rtl");
    for (unsigned i = 0; i < n; i++) {
        json_object(j, NULL);
        json_text(j, "component", counts[i].component);
        json_flag(j, "shadow", counts[i].shadow);
        json_count(j, "transactions", counts[i].transactions);
        json_count(j, "clocks", counts[i].clocks);
        if (counts[i].shadow) {
            json_count(j, "points", counts[i].points);
            json_count(j, "points_reached", counts[i].reached);
        }
        if (shares)
            json_share(j, &shares[i]);
        json_end_object(j);
    }
    json_end_array(j);
}
