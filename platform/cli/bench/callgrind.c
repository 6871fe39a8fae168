/* SPDX-License-Identifier: Apache-2.0 */
/* A run under valgrind's callgrind, which counts what the simulation loop executes, and simulates caches for
 * it. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"
#include "cli/spawn.h"

#define LOOP  "mp_groups_run" /* all blocks' work is done in it, and nothing else */
#define COUNT "--toggle-collect=mp_groups_run"
#define I1    "--I1=32768,8,64"
#define D1    "--D1=49152,12,64"
#define LL    "--LL=1048576,16,64"

const char counts_caches[] = "48 KiB L1 data, 1 MiB L2";

/* Starts a tool and returns what it prints, malloc'ed; NULL with errno if it cannot be started. */
static char *output_of(char *const argv[], const char *folder, int *code)
{
    int reader, pid = spawn_tool(argv, folder, &reader);
    FILE *f = pid > 0 ? fdopen(reader, "r") : NULL;
    if (!f)
        return NULL;
    char *text = NULL;
    size_t room = 0;
    if (getdelim(&text, &room, EOF, f) < 0)
        text = cli_have(strdup(""));
    fclose(f);
    *code = spawn_wait(pid);
    return text;
}

int counts_tool(char version[64], struct mp_error *err)
{
    char *argv[] = {"valgrind", "--version", NULL};
    int code = 1;
    char *text = output_of(argv, NULL, &code);
    if (!text || code) {
        free(text);
        return mp_fail(err, "bench --counts: no valgrind; the Debian package valgrind, "
                            "which platform/mempath bench --counts installs");
    }
    snprintf(version, 64, "%.*s", (int)strcspn(text, "\n"), text);
    free(text);
    return 0;
}

/* Adds what one file counted: the line "summary:" has the numbers for the names of the line "events:". */
static void add_file(const char *path, struct counts *counts)
{
    static const struct {
        const char *event;
        enum counts_figure figure;
    } kinds[] = {{"Ir", COUNTS_INSTRUCTIONS},
                 {"D1mr", COUNTS_L1_MISSES},
                 {"D1mw", COUNTS_L1_MISSES},
                 {"DLmr", COUNTS_L2_MISSES},
                 {"DLmw", COUNTS_L2_MISSES}};
    char *line = NULL, *events = NULL, *name_rest, *number_rest;
    size_t room = 0;
    FILE *f = fopen(path, "re");
    while (f && getline(&line, &room, f) > 0) {
        line[strcspn(line, "\n")] = 0;
        if (!events && !strncmp(line, "events: ", 8))
            events = cli_have(strdup(line + 8));
        if (!events || strncmp(line, "summary: ", 9) != 0)
            continue;
        char *name = strtok_r(events, " ", &name_rest), *number = strtok_r(line + 9, " ", &number_rest);
        for (; name && number;
             name = strtok_r(NULL, " ", &name_rest), number = strtok_r(NULL, " ", &number_rest))
            for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
                if (!strcmp(kinds[k].event, name))
                    counts->value[kinds[k].figure] += strtoull(number, NULL, 10);
        break;
    }
    free(line);
    free(events);
    if (f)
        fclose(f);
}

/* mempath forks, so there is a file for each of its processes. */
static int add_files(const char *folder, struct counts *counts, struct mp_error *err)
{
    char path[PATH_MAX];
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (strncmp(e->d_name, "counts.", 7) != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        add_file(path, counts);
    }
    if (d)
        closedir(d);
    if (!counts->value[COUNTS_INSTRUCTIONS])
        return mp_fail(err, "bench --counts: nothing was counted in %s; a build in which it is a function",
                       LOOP);
    return 0;
}

int counts_measure(const struct bench_command *run, const char *folder, struct counts *counts,
                   struct mp_error *err)
{
    static char *const tool[] = {"valgrind",
                                 "-q",
                                 "--tool=callgrind",
                                 "--cache-sim=yes",
                                 I1,
                                 D1,
                                 LL,
                                 COUNT,
                                 "--callgrind-out-file=counts.%p",
                                 "--log-file=valgrind.%p.log"};
    char *argv[sizeof tool / sizeof *tool + sizeof run->argv / sizeof *run->argv];
    memcpy(argv, tool, sizeof tool);
    memcpy(argv + sizeof tool / sizeof *tool, run->argv, sizeof run->argv);
    *counts = (struct counts){.translations = 0};
    int code = 1;
    char *text = output_of(argv, folder, &code);
    const char *digest = text ? strstr(text, "\"digest\": \"") : NULL;
    const char *translations = text ? strstr(text, "\"translations\": ") : NULL;
    int failed = 0;
    if (!text)
        failed = mp_fail(err, "valgrind: %s", strerror(errno));
    else if (code || !digest || !translations ||
             sscanf(digest + 11, "%16" SCNx64 "%16" SCNx64, &counts->digest[1], &counts->digest[0]) != 2)
        failed = mp_fail(err, "%s under valgrind: exit code %d: %.200s", run->argv[2], code, text);
    else
        failed = add_files(folder, counts, err);
    if (!failed && translations)
        counts->translations = strtoull(translations + 16, NULL, 10);
    free(text);
    return failed;
}
