/* SPDX-License-Identifier: Apache-2.0 */
/* Another revision of the sources, checked out and built in the user's cache. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "cli/bench/bench.h"
#include "cli/folder.h"
#include "cli/spawn.h"
#include "cli/trace/cache.h"

/* Runs a tool and appends its output to the log. first: NULL, or where its first line goes, without the
 * line's end. Returns its exit code, or -1 if it cannot be started. */
static int step(const char *const argv[], const char *folder, FILE *log, char first[128])
{
    char *line = NULL;
    size_t room = 0;
    int reader, pid = spawn_tool((char *const *)(uintptr_t)argv, folder, &reader);
    FILE *f = pid > 0 ? fdopen(reader, "r") : NULL;
    for (const char *const *word = argv; log && *word; word++)
        fprintf(log, "%s%s", word == argv ? "$ " : " ", *word);
    if (log)
        putc('\n', log);
    if (!f) {
        if (log)
            fprintf(log, "%s: %s\n", argv[0], strerror(errno));
        return -1;
    }
    while (getline(&line, &room, f) > 0) {
        if (first) {
            snprintf(first, 128, "%.*s", (int)strcspn(line, "\n"), line);
            first = NULL;
        }
        if (log)
            fputs(line, log);
    }
    free(line);
    fclose(f);
    return spawn_wait(pid);
}

static int find_revision(const struct bench_options *o, char name[48])
{
    char text[128] = "", commit[256];
    const char *const where[] = {"git", "-C", o->checkout, "rev-parse", "--show-prefix", NULL};
    const char *const what[] = {"git", "-C", o->checkout, "rev-parse", "--verify", "--quiet", commit, NULL};
    int code = step(where, NULL, NULL, text);
    if (code < 0)
        return cli_fail(CLI_USAGE, "bench --against: no git; the Debian package git");
    if (code || *text)
        return cli_fail(CLI_USAGE,
                        "bench --against: %s is no git checkout; --checkout names one of mempath's sources",
                        o->checkout);
    *text = 0;
    int used = snprintf(commit, sizeof commit, "%s^{commit}", o->against);
    if (o->against[0] == '-' || used >= (int)sizeof commit || step(what, NULL, NULL, text) ||
        strlen(text) < 40)
        return cli_fail(CLI_USAGE, "--against: no revision '%.60s' in %s; a commit, branch or tag",
                        o->against, o->checkout);
    snprintf(name, 48, "%.12s", text);
    return CLI_DONE;
}

/* A separate clone, which shares the objects of the checkout and changes nothing in it. */
static bool check_out(const struct bench_options *o, const char *folder, const char *name, FILE *log)
{
    char part[PATH_MAX + 8];
    snprintf(part, sizeof part, "%s.part", folder);
    const char *const clone[] = {"git",           "clone",     "--quiet", "--shared",
                                 "--no-checkout", o->checkout, part,      NULL};
    const char *const checkout[] = {"git", "checkout", "--quiet", "--detach", name, NULL};
    folder_remove(part);
    return !step(clone, NULL, log, NULL) && !step(checkout, part, log, NULL) && !rename(part, folder);
}

static bool build(const struct bench_options *o, const char *folder, const char *name, FILE *log)
{
    static const char *const configure[] = {"cmake", "--preset", "release", NULL};
    static const char *const make[] = {"ninja", "-C", "build", "mempath", NULL};
    char ninja[PATH_MAX + 32];
    snprintf(ninja, sizeof ninja, "%s/build/build.ninja", folder);
    return (access(folder, F_OK) == 0 || check_out(o, folder, name, log)) &&
           (access(ninja, F_OK) == 0 || step(configure, folder, log, NULL) == 0) &&
           step(make, folder, log, NULL) == 0;
}

/* Two commands that want the same revision build it one after the other. */
int against_build(const struct cli *cli, const struct bench_options *o, char program[PATH_MAX], char name[48])
{
    char cache[CACHE_FOLDER], folder[PATH_MAX], log_path[PATH_MAX + 8];
    struct mp_error err;
    int code = find_revision(o, name);
    if (code)
        return code;
    if (cache_folder(cache, "revisions", &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    snprintf(folder, sizeof folder, "%s/%s", cache, name);
    snprintf(log_path, sizeof log_path, "%s.log", folder);
    FILE *log = fopen(log_path, "ae");
    if (!log || flock(fileno(log), LOCK_EX) || ftruncate(fileno(log), 0))
        return cli_fail(CLI_USAGE, "%s: %s; a folder that can be written (MEMPATH_CACHE)", log_path,
                        strerror(errno));
    if (cli->progress == CLI_PROGRESS_TERMINAL)
        fprintf(stderr, "mempath: building %s in %s, some minutes the first time\n", name, folder);
    bool good = build(o, folder, name, log);
    fclose(log);
    if (cli_stop)
        return cli_fail(CLI_FAILED, "bench --against: interrupted");
    if (!good)
        return cli_fail(CLI_FAILED, "bench --against: %s cannot be built; its log is %s", name, log_path);
    snprintf(program, PATH_MAX, "%.*s/build/platform/cli/mempath", PATH_MAX - 64, folder);
    return CLI_DONE;
}
