/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/evidence/parts.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/spawn.h"

enum { ARGUMENTS = 24 };

/* In flight. */
struct part {
    struct nightly_check *check;
    char log_path[PATH_MAX];
    FILE *log;
    int pid, reader;
    double start;
    unsigned line; /* of the progress */
};

struct parts {
    struct nightly *nightly;
    const struct places *at;
    struct progress progress;
    double begin;
    uint64_t budget;
    unsigned jobs;
    struct part part[PROGRESS_LINES];
    unsigned n;
    bool ends; /* the parts in flight have been asked to end, and do not count */
};

/* Fills argv with the command of the check's next part; texts are for what is not constant. */
static void command_of(const struct nightly_check *c, const struct places *at, unsigned jobs,
                       char *argv[ARGUMENTS], char text[5][PATH_MAX])
{
    const uint64_t part = c->part;
    char **a = argv;
    snprintf(text[0], PATH_MAX, "^%s$", c->subject);
    snprintf(text[1], PATH_MAX, "%llu", (unsigned long long)part);
    snprintf(text[2], PATH_MAX, "%llu", 1 + (unsigned long long)c->done / part); /* seeds differ */
    snprintf(text[3], PATH_MAX, "%s/evidence.db", at->state);
    snprintf(text[4], PATH_MAX, "%u", jobs);
    switch (c->kind) {
    case NIGHTLY_LOCKSTEP:
        *a++ = at->self, *a++ = "cosim", *a++ = (char *)c->subject;
        *a++ = "--transactions", *a++ = text[1], *a++ = "--seed", *a++ = text[2];
        *a++ = "--db", *a++ = text[3], *a++ = "--quiet";
        break;
    case NIGHTLY_PAPER:
        *a++ = at->self, *a++ = "reproduce", *a++ = (char *)c->subject, *a++ = "--check";
        *a++ = "--jobs", *a++ = text[4], *a++ = "--output", *a++ = at->state, *a++ = "--db", *a++ = text[3],
        *a++ = "--quiet";
        break;
    default:
        *a++ = "ctest", *a++ = "--test-dir", *a++ = c->kind == NIGHTLY_FUZZ ? at->fuzz : at->build;
        *a++ = "-R", *a++ = text[0], *a++ = "--output-on-failure";
        break;
    }
    *a = NULL;
}

/* Starts the check's next part, which may take `seconds`. */
static int begin_part(struct parts *all, struct nightly_check *c, double seconds)
{
    struct part *p = &all->part[all->n];
    char text[5][PATH_MAX], limit[32];
    char *argv[ARGUMENTS + 3] = {"timeout", "--signal=INT", limit};
    *p = (struct part){.check = c, .start = progress_now()};
    snprintf(limit, sizeof limit, "%.0f", seconds < 1 ? 1 : seconds);
    snprintf(p->log_path, sizeof p->log_path, "%s/%s.log", all->at->state, c->name);
    command_of(c, all->at, all->jobs, argv + 3, text);
    p->log = fopen(p->log_path, "we");
    if (!p->log)
        return cli_fail(CLI_FAILED, "%s: %s; a writable folder is needed", p->log_path, strerror(errno));
    p->pid = spawn_tool(argv, NULL, &p->reader);
    if (p->pid < 0) {
        fclose(p->log);
        return cli_fail(CLI_FAILED, "%s: %s; the Debian package coreutils is needed", *argv, strerror(errno));
    }
    p->line = progress_start(&all->progress, c->name, 0);
    c->runs = true;
    all->n++;
    return CLI_DONE;
}

/* Takes a part that has ended from the list, counts what it did and saves the table. */
static int end_part(struct parts *all, unsigned i)
{
    struct part p = all->part[i];
    struct nightly_check *c = p.check;
    struct mp_error err;
    close(p.reader);
    fclose(p.log);
    int code = spawn_wait(p.pid);
    progress_finish(&all->progress, p.line);
    all->part[i] = all->part[--all->n];
    c->runs = false;
    if (cli_stop || all->ends)
        return CLI_FAILED;
    c->seconds += progress_now() - p.start;
    c->rests = code == 124; /* the time was over */
    if (code == 0)
        c->done += c->part;
    else if (!c->rests)
        c->failed = true;
    if (c->failed)
        fprintf(stderr, "mempath: %s failed with exit code %d; its output is in %s\n", c->name, code,
                p.log_path);
    return nightly_save(all->nightly, c, &err) ? cli_fail(CLI_FAILED, "%s", err.text) : CLI_DONE;
}

/* Copies what a part has printed. False if it has ended. */
static bool copy_output(struct part *p)
{
    char text[4096];
    ssize_t n = read(p->reader, text, sizeof text);
    if (n > 0)
        fwrite(text, 1, (size_t)n, p->log);
    return n > 0 || (n < 0 && errno == EINTR);
}

/* Waits until a part prints or ends, or for a short time. */
static int attend(struct parts *all)
{
    struct pollfd output[PROGRESS_LINES];
    int code = CLI_DONE;
    for (unsigned i = 0; i < all->n; i++)
        output[i] = (struct pollfd){.fd = all->part[i].reader, .events = POLLIN};
    int ready = poll(output, all->n, 200);
    for (unsigned i = all->n; i-- > 0;) { /* downwards: the last one takes the place of one that ends */
        progress_update(&all->progress, all->part[i].line, (uint64_t)(progress_now() - all->begin),
                        all->budget);
        if (ready > 0 && output[i].revents && !copy_output(&all->part[i]) && end_part(all, i))
            code = CLI_FAILED;
    }
    return code;
}

static void ask_to_end(struct parts *all)
{
    all->ends = true;
    for (unsigned i = 0; i < all->n; i++)
        kill(all->part[i].pid, SIGTERM);
}

int parts_run(struct cli *cli, struct nightly *n, const struct places *at, uint64_t budget, unsigned jobs)
{
    struct parts all = {.nightly = n, .at = at, .begin = progress_now(), .budget = budget, .jobs = jobs};
    struct nightly_check *c;
    int code = CLI_DONE;
    progress_begin(&all.progress, cli, "s", 1, (double)budget);
    for (;;) {
        double left = (double)budget - (progress_now() - all.begin);
        bool stops = code || cli_stop || left < 1;
        while (!stops && all.n < jobs && (c = nightly_next(n)))
            stops = (code = begin_part(&all, c, nightly_share(n, c, left)));
        if (!all.n)
            break;
        if ((code || cli_stop) && !all.ends)
            ask_to_end(&all);
        if (attend(&all))
            code = CLI_FAILED;
    }
    progress_end(&all.progress);
    return cli_stop ? CLI_FAILED : code;
}
