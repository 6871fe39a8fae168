/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/trace/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/spawn.h"
#include "cli/task.h"

struct recording {
    const struct cli *cli;
    const struct mp_tenant_config *tenant;
    uint64_t seed, lanes;
    char label[64], path[PATH_MAX];
};

/* mkdir -p; false with errno. */
static bool make_folders(const char *path)
{
    char part[PATH_MAX];
    snprintf(part, sizeof part, "%s", path);
    for (char *slash = strchr(part + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash)
            *slash = 0;
        if (mkdir(part, 0777) && errno != EEXIST)
            return false;
        if (!slash)
            return true;
        *slash = '/';
    }
}

int cache_folder(char folder[CACHE_FOLDER], const char *name, struct mp_error *err)
{
    const char *own = getenv("MEMPATH_CACHE"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int used = own && *own     ? snprintf(folder, CACHE_FOLDER, "%s/%s", own, name)
               : xdg && *xdg   ? snprintf(folder, CACHE_FOLDER, "%s/mempath/%s", xdg, name)
               : home && *home ? snprintf(folder, CACHE_FOLDER, "%s/.cache/mempath/%s", home, name)
                               : -1;
    if (used < 0)
        return mp_fail(err, "MEMPATH_CACHE: not set, and neither is HOME; set it to a folder for the cache");
    if (used >= (int)CACHE_FOLDER)
        return mp_fail(err, "MEMPATH_CACHE: the name is too long; at most %u characters", CACHE_FOLDER - 32);
    if (!make_folders(folder))
        return mp_fail(err, "%s: the cache cannot be created: %s; MEMPATH_CACHE names another folder", folder,
                       strerror(errno));
    return 0;
}

struct numbers {
    char seed[24], lanes[24];
};

/* Appends the recorder's arguments that select the trace. */
static void recorder_arguments(const struct recording *r, struct numbers *text, char *argv[], unsigned *n)
{
    argv[(*n)++] = r->tenant->app;
    argv[(*n)++] = "--size";
    argv[(*n)++] = r->tenant->size ? r->tenant->size : "paper";
    snprintf(text->seed, sizeof text->seed, "%" PRIu64, r->seed);
    argv[(*n)++] = "--seed";
    argv[(*n)++] = text->seed;
    snprintf(text->lanes, sizeof text->lanes, "%" PRIu64, r->lanes);
    argv[(*n)++] = "--lanes";
    argv[(*n)++] = text->lanes;
    if (r->tenant->input) {
        argv[(*n)++] = "--input";
        argv[(*n)++] = r->tenant->input;
    }
    argv[*n] = NULL;
}

/* Asks the recorder for the trace's key. The recorder reports errors on stderr; its exit code is ours. */
static int find_path(struct recording *r, const char *recorder, const char *folder)
{
    char *argv[16] = {(char *)(uintptr_t)recorder, "--key"}, *key = NULL;
    struct numbers text;
    unsigned n = 2;
    recorder_arguments(r, &text, argv, &n);
    int reader, pid = spawn_start(argv, STDOUT_FILENO, &reader), code = -1;
    if (pid > 0) {
        FILE *f = fdopen(reader, "r");
        size_t room = 0;
        if (f && getline(&key, &room, f) > 0)
            key[strcspn(key, "\n")] = 0;
        if (f)
            fclose(f);
        code = spawn_wait(pid);
    }
    if (pid < 0)
        cli_fail(CLI_FAILED, "%s: cannot be run: %s; it is built next to mempath", recorder, strerror(errno));
    else if (code == 0 && (!key || !*key))
        code = cli_fail(CLI_FAILED, "%s: returned no key for %s", recorder, r->label);
    else if (code == 0)
        snprintf(r->path, sizeof r->path, "%s/%s.gwt.zst", folder, key);
    free(key);
    return code == 0 ? CLI_DONE : code == CLI_USAGE ? CLI_USAGE : CLI_FAILED;
}

/* Passes the recorder's progress to the parent, and everything else to stderr. */
static int record_showing(char *const argv[], int channel)
{
    char *line = NULL;
    size_t room = 0;
    int reader, pid = spawn_start(argv, STDERR_FILENO, &reader);
    FILE *f = pid > 0 ? fdopen(reader, "r") : NULL;
    if (!f)
        return cli_fail(CLI_FAILED, "%s: cannot be run: %s; it is built next to mempath", argv[0],
                        strerror(errno));
    for (;;) {
        if (getline(&line, &room, f) <= 0) {
            if (errno != EINTR || !ferror(f))
                break;
            clearerr(f);
            if (cli_stop)
                kill(pid, SIGTERM);
            continue;
        }
        const char *done = strstr(line, "\"done\":"), *total = strstr(line, "\"total\":");
        if (line[0] == '{' && done && total)
            task_progress(channel, strtoull(done + 7, NULL, 10), strtoull(total + 8, NULL, 10));
        else if (!cli_stop)
            fputs(line, stderr);
    }
    free(line);
    fclose(f);
    return spawn_wait(pid);
}

/* Runs in a child process. Records under a lock, so that two runs that need the same trace record it once. */
static int record(struct task *task, int channel)
{
    struct recording *r = task->context;
    char lock[PATH_MAX + 8], part[PATH_MAX + 16];
    struct numbers text;
    snprintf(lock, sizeof lock, "%s.lock", r->path);
    snprintf(part, sizeof part, "%.*s.part.gwt.zst", (int)(strlen(r->path) - strlen(".gwt.zst")), r->path);
    int fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0 || flock(fd, LOCK_EX))
        return cli_fail(CLI_USAGE, "%s: %s; a writable folder is needed (MEMPATH_CACHE)", lock,
                        strerror(errno));
    if (access(r->path, R_OK) == 0) /* the previous holder of the lock recorded it */
        return CLI_DONE;
    char *recorder = spawn_beside("mempath-record"), *argv[16] = {recorder};
    unsigned n = 1;
    recorder_arguments(r, &text, argv, &n);
    argv[n++] = "-o";
    argv[n++] = part;
    argv[n++] = "--progress";
    argv[n++] = "json";
    argv[n] = NULL;
    int code = record_showing(argv, channel);
    free(recorder);
    if (code == 0 && rename(part, r->path))
        code = cli_fail(CLI_FAILED, "%s: %s", r->path, strerror(errno));
    if (code)
        unlink(part);
    return code;
}

static int record_missing(const struct cli *cli, struct recording *recordings, unsigned count,
                          unsigned parallel)
{
    struct task *tasks = cli_alloc(count, sizeof *tasks);
    unsigned n = 0;
    int code = CLI_DONE;
    for (unsigned i = 0; i < count; i++)
        if (access(recordings[i].path, R_OK))
            tasks[n++] =
                (struct task){.label = recordings[i].label, .child = record, .context = &recordings[i]};
    if (n && cli->progress == CLI_PROGRESS_TERMINAL)
        fprintf(stderr, "mempath: recording %u application%s; kept for the next time\n", n, n > 1 ? "s" : "");
    if (n && tasks_run(cli, "work-groups", tasks, n, parallel) < n)
        code = CLI_FAILED;
    for (unsigned i = 0; i < n; i++)
        code = tasks[i].exit_code == CLI_USAGE ? CLI_USAGE : code;
    if (code && cli_stop)
        cli_fail(CLI_FAILED, "recording: interrupted");
    free(tasks);
    return code;
}

/* Adds tenant t's trace to the list unless it is there; returns its index. */
static unsigned want(struct recording *list, unsigned *n, const struct mp_config *c,
                     const struct mp_tenant_config *t)
{
    for (unsigned i = 0; i < *n; i++) {
        const struct mp_tenant_config *o = list[i].tenant;
        const char *oi = o->input ? o->input : "", *ti = t->input ? t->input : "";
        if (!strcmp(o->app, t->app) && !strcmp(o->size, t->size) && !strcmp(oi, ti) &&
            list[i].seed == c->seed && list[i].lanes == mp_config_value(c, "sm.lanes"))
            return i;
    }
    struct recording *r = &list[*n];
    *r = (struct recording){.tenant = t, .seed = c->seed, .lanes = mp_config_value(c, "sm.lanes")};
    snprintf(r->label, sizeof r->label, "recording %s %s", t->app, t->size);
    return (*n)++;
}

static int refuse_external(const struct mp_config *c)
{
    for (unsigned t = 0; t < c->ntenants; t++)
        if (mp_config_is_external(&c->tenant[t]))
            return cli_fail(CLI_USAGE,
                            "%s: tenants.%u.app = external: only a program with libmempath sends its "
                            "requests; app and size, or trace",
                            c->name, t);
    return CLI_DONE;
}

/* parallel 0: nothing is recorded. */
static int find_or_record(const struct cli *cli, unsigned configs, const struct mp_config *const *config,
                          unsigned parallel, char **trace)
{
    char folder[CACHE_FOLDER], *recorder = spawn_beside("mempath-record");
    struct recording *list = cli_alloc((size_t)configs * MP_TENANTS, sizeof *list);
    unsigned *place = cli_alloc((size_t)configs * MP_TENANTS, sizeof *place), n = 0;
    struct mp_error err;
    int code = CLI_DONE;
    for (unsigned c = 0; !code && c < configs; c++)
        code = refuse_external(config[c]);
    for (unsigned c = 0; !code && c < configs; c++)
        for (unsigned t = 0; t < config[c]->ntenants; t++)
            if (!config[c]->tenant[t].trace)
                place[c * MP_TENANTS + t] = want(list, &n, config[c], &config[c]->tenant[t]);
    if (!code && n)
        code = cache_folder(folder, "traces", &err) ? cli_fail(CLI_USAGE, "%s", err.text) : CLI_DONE;
    for (unsigned i = 0; !code && i < n; i++)
        code = find_path(&list[i], recorder, folder);
    if (!code && parallel)
        code = record_missing(cli, list, n, parallel);
    for (unsigned c = 0; !code && c < configs; c++) {
        for (unsigned t = 0; t < config[c]->ntenants; t++) {
            const char *own = config[c]->tenant[t].trace;
            const char *path = own ? own : list[place[c * MP_TENANTS + t]].path;
            if (parallel || access(path, R_OK) == 0)
                trace[c * MP_TENANTS + t] = cli_have(strdup(path));
        }
    }
    free(list);
    free(place);
    free(recorder);
    return code;
}

int cache_traces(const struct cli *cli, unsigned configs, const struct mp_config *const *config,
                 unsigned parallel, char **trace)
{
    return find_or_record(cli, configs, config, parallel, trace);
}

int cache_find(const struct cli *cli, unsigned configs, const struct mp_config *const *config, char **trace)
{
    return find_or_record(cli, configs, config, 0, trace);
}
