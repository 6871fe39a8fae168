/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run/watch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/progress.h"
#include "cli/run/xray.h"
#include "cli/task.h"

#define ROWS 12u /* of each table of an X-ray on the terminal */

_Static_assert(MP_TENANTS <= PROGRESS_PARTS, "each tenant is a part");

#define BEAT 60 /* seconds; db/study.c says after how many a process on another host is taken for dead */

static void say_alive(struct run_watch *w)
{
    struct timespec now;
    struct mp_error err; /* the next one may succeed, and a run that ends says so itself */
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!w->beat)
        w->beat = now.tv_sec;
    if (now.tv_sec - w->beat < BEAT)
        return;
    w->beat = now.tv_sec;
    (void)mp_db_run_beat(w->db, w->run_id, &err);
}

void run_watch_progress(void *watch, const struct mp_progress *p)
{
    struct run_watch *w = watch;
    say_alive(w);
    uint64_t until = w->job->until;
    struct progress_state state = {
        .all = {until ? p->cycles : p->accesses_done, until ? until : p->accesses_total},
        .cycles = p->cycles,
        .parts = p->tenants};
    for (unsigned t = 0; t < p->tenants; t++)
        state.part[t] = (struct progress_count){p->tenant[t].done, p->tenant[t].total};
    task_state(w->channel, &state);
}

/* A command that made several runs is repeated for this one by its stored configuration. */
static void write_again(const struct run_watch *w, uint64_t cycle, FILE *f)
{
    bool other = strcmp(w->cli->db, "mempath.db") != 0;
    cycle = cycle ? cycle : 1;
    if (w->only) {
        fprintf(f, "%s --until %" PRIu64, w->cli->command_line, cycle);
        return;
    }
    fprintf(f, "mempath query config run=%" PRId64 "%s%s | mempath run - --until %" PRIu64 "%s", w->run_id,
            other ? " --db " : "", other ? w->cli->db : "", cycle, w->job->force_tlm ? " --force-tlm" : "");
}

void run_watch_xray(void *watch, const struct mp_xray_report *report, enum mp_xray_cause cause,
                    const char *why)
{
    struct run_watch *w = watch;
    char *again = NULL, *text = NULL;
    size_t again_size = 0, size = 0;
    if (cause == MP_XRAY_CUT && !w->job->xray)
        return;
    FILE *f = cli_have(open_memstream(&again, &again_size));
    write_again(w, report->cycle, f);
    fclose(f);
    const struct xray_about about = {.name = w->job->config.name,
                                     .why = cause == MP_XRAY_STUCK ? why : NULL,
                                     .run = w->run_id,
                                     .again = cli_have(again)};
    if (cause != MP_XRAY_CUT) {
        f = cli_have(open_memstream(&text, &size));
        xray_text(report, &about, ROWS, f);
        fclose(f);
        task_print(w->channel, cli_have(text));
        free(text);
    }
    if (w->job->xray)
        w->unwritten |= xray_write(report, &about, w->job->xray) != CLI_DONE;
    free(again);
}

uint64_t run_watch_cycles(uint64_t watchdog)
{
    return watchdog == RUNS_NO_WATCHDOG ? 0 : watchdog ? watchdog : RUNS_WATCHDOG;
}

int run_watch_limit(const char *arg, uint64_t *cycles, double *seconds, struct mp_error *err)
{
    size_t length = strlen(arg);
    char number[32];
    uint64_t whole;
    if (!strcmp(arg, "off")) {
        *cycles = RUNS_NO_WATCHDOG;
        *seconds = 0;
        return 0;
    }
    if (!length || arg[length - 1] != 's' || length > sizeof number)
        return cli_number("--watchdog", arg, 1, UINT64_MAX / 4, cycles, err);
    snprintf(number, sizeof number, "%.*s", (int)(length - 1), arg);
    if (cli_number("--watchdog", number, 1, 1000000, &whole, err))
        return -1;
    *seconds = (double)whole;
    return 0;
}
