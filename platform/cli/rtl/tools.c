/* SPDX-License-Identifier: Apache-2.0 */
/* The tools that measure the RTL: scripts of rtl/synth, one after the other, each in the design's folder. A
 * script prints its figures in lines "RESULT name value". Exit codes are not enough: sta's is always 0. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/rtl/rtl.h"
#include "cli/spawn.h"
#include "cli/task.h"

#define LIBERTY "/usr/share/qflow/tech/osu018/osu018_stdcells.lib"
#define MOST    8u /* arguments of a tool */
/* A user's library has this name in the design's folder: abc does not read a path with spaces. */
#define OWN_LIBERTY "cells.lib"

const struct rtl_library rtl_library_usual = {
    .file = LIBERTY, .driver = "BUFX4", .nand2 = "NAND2X1", .load = 0.05};

/* ---- what has to be there ---- */

struct tool {
    const char *program, *package,
        *version[3]; /* arguments that print its version; NULL: same package as the one before */
    bool full;
};

static const struct tool tools[] = {
    {"yosys", "yosys", {"-V"}, false},
    {"yosys-abc", "yosys", {NULL}, false},
    {"sta", "opensta", {"-version"}, false},
    {LIBERTY, "qflow-tech-osu018", {NULL}, false},
    {"nextpnr-ice40", "nextpnr-ice40", {"--version"}, true},
    {"icepack", "fpga-icestorm", {NULL}, true},
    {"iverilog", "iverilog", {"-V"}, true},
    {"qflow", "qflow", {"--version"}, true},
};

static bool is_there(const char *program)
{
    char path[4096];
    const char *folders = getenv("PATH");
    if (strchr(program, '/'))
        return access(program, R_OK) == 0;
    while (folders && *folders) {
        size_t length = strcspn(folders, ":");
        snprintf(path, sizeof path, "%.*s/%s", (int)length, folders, program);
        if (access(path, X_OK) == 0)
            return true;
        folders += length + (folders[length] != 0);
    }
    return false;
}

int rtl_tools_check(bool full, bool own_library, struct mp_error *err)
{
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        if ((full || !tools[i].full) && !(own_library && !strcmp(tools[i].program, LIBERTY)) &&
            !is_there(tools[i].program))
            return mp_fail(
                err,
                "rtl: %s is missing; it is in the Debian package %s, which platform/mempath rtl%s installs",
                tools[i].program, tools[i].package, tools[i].full ? " --full" : "");
    return 0;
}

/* Finds the first word that begins with a digit: in "Yosys 0.23 (git sha1 7ce50)", in "... (Version 0.4-1)".
 */
static void print_version(FILE *f, const char *line)
{
    static const char ends[] = " ()\n";
    while (*line && !isdigit((unsigned char)*line)) {
        line += strcspn(line, ends);
        line += strspn(line, ends);
    }
    fprintf(f, "%.*s", *line ? (int)strcspn(line, ends) : 1, *line ? line : "?");
}

char *rtl_tools_versions(bool full)
{
    char *text = NULL, *line = NULL;
    size_t size = 0, room = 0;
    FILE *all = cli_have(open_memstream(&text, &size));
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        if (!tools[i].version[0] || (tools[i].full && !full))
            continue;
        char *argv[] = {(char *)(uintptr_t)tools[i].program, (char *)(uintptr_t)tools[i].version[0], NULL};
        int reader, pid = spawn_tool(argv, NULL, &reader);
        FILE *f = pid > 0 ? fdopen(reader, "r") : NULL;
        bool got = f && getline(&line, &room, f) > 0;
        while (f && fgetc(f) != EOF)
            ;
        if (f)
            fclose(f);
        if (pid > 0)
            spawn_wait(pid);
        fprintf(all, "%s%s ", ftello(all) ? ", " : "", tools[i].program);
        print_version(all, got ? line : "");
    }
    free(line);
    fclose(all);
    return text;
}

/* ---- steps ---- */

struct step {
    const char *name;       /* and of its log */
    const char *argv[MOST]; /* @FILE: of rtl/synth */
    const char *says;       /* a line that the output must contain, in addition to the results */
    const char *wrong[3];   /* part of a line that reports a failure */
    enum rtl_figure needs[4];
    unsigned nneeds;
    bool full; /* with --full, of designs that have it */
};

static const struct step steps[] = {
    {"synth",
     {"yosys", "-q", "-c", "@synth.tcl"},
     NULL,
     {"ERROR:"},
     {RTL_FLOPS, RTL_CELLS, RTL_AREA},
     3,
     false},
    {"sta",
     {"sta", "-no_splash", "-no_init", "-exit", "@sta.tcl"},
     "RESULT setup_checked 1",
     {"Error:", "Warning:"},
     {RTL_PERIOD},
     1,
     false},
    {"logic", {"yosys", "-q", "-c", "@logic.tcl"}, "RESULT gates_exchanged 8", {"ERROR:"}, {0}, 0, false},
    {"equivalence",
     {"yosys-abc", "-c", "cec -C 1000000 -T 600 rtl.blif net.blif"},
     "Networks are equivalent",
     {"NOT EQUIVALENT", "UNDECIDED", "failed"},
     {0},
     0,
     false},
    {"fault",
     {"yosys-abc", "-c", "cec -C 1000000 -T 600 rtl.blif fault.blif"},
     "Networks are NOT EQUIVALENT",
     {"Networks are equivalent", "UNDECIDED"},
     {0},
     0,
     false},
    {"gates", {"sh", "@gates.sh"}, NULL, {"error", "differs"}, {RTL_CLOCKS}, 1, true},
    {"ice40", {"sh", "@ice40.sh"}, NULL, {"ERROR:"}, {RTL_LCS, RTL_LC_PERIOD}, 2, true},
    {"wires", {"sh", "@wires.sh"}, NULL, {"ERROR"}, {RTL_SMALL, RTL_WIRED}, 2, true},
};
#define STEPS (sizeof steps / sizeof *steps)

/* A child's answer to its parent. */
struct answer {
    struct rtl_values values;
    struct mp_error error;
};

static void take_result(const char *line, struct answer *a)
{
    char name[32];
    double value;
    if (sscanf(line, "RESULT %31s %lf", name, &value) != 2)
        return;
    for (unsigned f = 0; f < RTL_FIGURES; f++)
        if (!strcmp(name, rtl_figures[f].name)) {
            a->values.has[f] = true;
            a->values.value[f] = value;
        }
}

/* Reads a tool's output, and copies it to the log. why: the first line that reports a failure, or the last
 * line. */
static bool listen_to(FILE *tool, FILE *log, const struct step *s, struct answer *a, char why[200])
{
    char *line = NULL;
    size_t room = 0;
    bool said = !s->says, wrong = false;
    while (getline(&line, &room, tool) > 0) {
        fputs(line, log);
        line[strcspn(line, "\n")] = 0;
        take_result(line, a);
        said |= s->says && strstr(line, s->says) == line;
        bool tells = false;
        for (unsigned i = 0; i < 3 && s->wrong[i]; i++)
            tells |= strstr(line, s->wrong[i]) != NULL;
        if (!wrong && (tells || line[strspn(line, " \t")]))
            snprintf(why, 200, "%s", line);
        wrong |= tells;
    }
    free(line);
    return said && !wrong;
}

static int run_step(const struct step *s, const struct rtl_job *job, struct answer *a)
{
    char path[4096], why[200] = "nothing said", *argv[MOST] = {NULL};
    const char *name = job->design->name;
    for (unsigned i = 0; i < MOST && s->argv[i]; i++) {
        argv[i] = (char *)(uintptr_t)s->argv[i];
        if (argv[i][0] == '@') {
            snprintf(path, sizeof path, "%s/synth/%s", job->rtl, argv[i] + 1);
            argv[i] = path;
        }
    }
    char log_name[4096];
    snprintf(log_name, sizeof log_name, "%s/%s.log", job->folder, s->name);
    FILE *log = fopen(log_name, "w");
    if (!log)
        return mp_fail(&a->error, "%s: %s; a writable folder is needed", log_name, strerror(errno));
    int reader, pid = spawn_tool(argv, job->folder, &reader);
    FILE *tool = pid > 0 ? fdopen(reader, "r") : NULL;
    if (!tool) {
        fclose(log);
        return mp_fail(&a->error, "rtl %s: %s cannot be run: %s; see mempath rtl --help", name, argv[0],
                       strerror(errno));
    }
    bool good = listen_to(tool, log, s, a, why);
    fclose(tool);
    fclose(log);
    int code = spawn_wait(pid);
    if (cli_stop)
        return mp_fail(&a->error, "rtl %s: interrupted", name);
    for (unsigned i = 0; good && i < s->nneeds; i++)
        if (!a->values.has[s->needs[i]])
            return mp_fail(&a->error, "rtl %s: %s: no RESULT %s: %s", name, s->name,
                           rtl_figures[s->needs[i]].name, why);
    return good && !code ? 0 : mp_fail(&a->error, "rtl %s: %s: %s", name, s->name, why);
}

static bool applies(const struct step *s, const struct rtl_job *job)
{
    return !s->full || (job->full && job->design->full);
}

static int link_library(const struct rtl_job *job, struct mp_error *err)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/" OWN_LIBERTY, job->folder);
    if ((unlink(path) && errno != ENOENT) || symlink(job->library->file, path))
        return mp_fail(err, "%s: %s; a writable folder is needed", path, strerror(errno));
    return 0;
}

static int measure(struct task *task, int channel)
{
    const struct rtl_job *job = task->context;
    struct answer a = {0};
    uint64_t done = 0, total = 0;
    int failed = 0;
    setenv("HOME", job->folder, 1); /* yosys writes its history there */
    setenv("RTL_FOLDER", job->rtl, 1);
    setenv("RTL_LIST", job->design->list, 1);
    setenv("RTL_TOP", job->design->top, 1);
    setenv("RTL_PARAMETERS", job->design->parameters, 1);
    char load[32];
    snprintf(load, sizeof load, "%g", job->library->load);
    setenv("RTL_LIBERTY", job->library->own ? OWN_LIBERTY : job->library->file, 1);
    setenv("RTL_FLOPS", job->library->flops, 1);
    setenv("RTL_DRIVER", job->library->driver, 1);
    setenv("RTL_LOAD", load, 1);
    setenv("RTL_SMALL", job->design->small ? job->design->small : "", 1);
    for (unsigned i = 0; i < STEPS; i++)
        total += applies(&steps[i], job);
    if (mkdir(job->folder, 0777) && errno != EEXIST)
        failed = mp_fail(&a.error, "%s: %s; a writable folder is needed", job->folder, strerror(errno));
    if (!failed && job->library->own)
        failed = link_library(job, &a.error);
    for (unsigned i = 0; !failed && i < STEPS; i++) {
        if (!applies(&steps[i], job))
            continue;
        task_progress(channel, done++, total);
        failed = run_step(&steps[i], job, &a);
    }
    if (!job->design->baseline) /* not a TLB: entry_o is something else */
        a.values.has[RTL_ENTRY_BITS] = false;
    task_answer(channel, &a, sizeof a);
    return failed ? CLI_FAILED : CLI_DONE;
}

bool rtl_measure(const struct cli *cli, struct rtl_job *jobs, unsigned count)
{
    struct task *tasks = cli_alloc(count, sizeof *tasks);
    bool good = true;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    for (unsigned i = 0; i < count; i++) { /* the last first: the design with most bases takes longest */
        struct rtl_job *job = &jobs[count - 1 - i];
        tasks[i] = (struct task){.label = job->design->name, .child = measure, .context = job};
    }
    tasks_run(cli, "steps", tasks, count, processors > 0 ? (unsigned)processors : 1);
    for (unsigned i = 0; i < count; i++) {
        struct rtl_job *job = tasks[i].context;
        struct answer a = {0};
        _Static_assert(sizeof a <= TASK_ANSWER_BYTES, "a child's answer fits into a message");
        if (tasks[i].answered)
            memcpy(&a, tasks[i].answer, sizeof a);
        else
            mp_fail(&a.error, "rtl %s: %s", job->design->name, tasks[i].started ? "died" : "interrupted");
        job->values = a.values;
        job->failed = tasks[i].exit_code != 0 || !tasks[i].answered;
        job->error = a.error;
        good &= !job->failed;
    }
    free(tasks);
    return good;
}
