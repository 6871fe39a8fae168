/* SPDX-License-Identifier: Apache-2.0 */
/* A sweep on a cluster: a job array whose tasks each run a part into a database on the node, and copy it to
 * the folder DB.NAME.slurm next to the result database:
 *
 *   job      the number of the array that was submitted last
 *   tasks    a line for each task: the numbers of its runs
 *   task.sh  what a task executes
 *   log/     output of the tasks
 *   parts/   databases of tasks that have ended. They stay until the array has ended: a task that Slurm
 *            starts again, although it had ended on a node that was lost, finds its own and ends.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/out.h"
#include "cli/plugin/plugin.h"
#include "cli/spawn.h"
#include "cli/sweep/sweep.h"
#include "cli/table_file.h"
#include "cli/trace/cache.h"

#define MOST_TASKS 1000u /* Slurm's default MaxArraySize is 1001 */

struct slurm {
    struct sweep_jobs *jobs;
    char folder[PATH_MAX - 64]; /* absolute, as all paths here */
    char program[PATH_MAX], file[PATH_MAX], cache[CACHE_FOLDER];
    char job[32]; /* its number, or "" */
    unsigned tasks, at_once;
    unsigned nmerged; /* parts that this process has merged */
    char **merged;
};

/* ---- files ---- */

static int path_of(char *path, size_t size, const struct slurm *s, const char *name)
{
    return snprintf(path, size, "%s/%s", s->folder, name);
}

static int make_folder(const char *path)
{
    if (mkdir(path, 0777) && errno != EEXIST)
        return cli_fail(CLI_USAGE, "%s: %s; the database must be in a writable folder", path,
                        strerror(errno));
    return CLI_DONE;
}

static int set_up(struct slurm *s)
{
    const char *db = s->jobs->cli->db, *slash = strrchr(s->jobs->file, '/');
    const char *name = slash ? slash + 1 : s->jobs->file;
    char cwd[PATH_MAX] = "", path[PATH_MAX];
    struct mp_error err;
    ssize_t n = readlink("/proc/self/exe", s->program, sizeof s->program - 1);
    if (db[0] != '/' && !getcwd(cwd, sizeof cwd))
        return cli_fail(CLI_FAILED, "the current folder: %s", strerror(errno));
    if (n <= 0 || !realpath(s->jobs->file, s->file))
        return cli_fail(CLI_FAILED, "%s: %s", s->jobs->file, strerror(errno));
    s->program[n] = 0;
    if (snprintf(s->folder, sizeof s->folder, "%s%s%s.%.*s.slurm", cwd, *cwd ? "/" : "", db,
                 (int)strcspn(name, "."), name) >= (int)sizeof s->folder)
        return cli_fail(CLI_USAGE, "%s: the name is too long; a shorter one for --slurm", db);
    if (cache_folder(s->cache, "traces", &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    *strrchr(s->cache, '/') = 0;
    char *absolute = realpath(s->cache, NULL);
    snprintf(s->cache, sizeof s->cache, "%s", absolute ? absolute : s->cache);
    free(absolute);
    int code = make_folder(s->folder);
    path_of(path, sizeof path, s, "parts");
    if (!code)
        code = make_folder(path);
    path_of(path, sizeof path, s, "log");
    return code ? code : make_folder(path);
}

/* Writes a text in single quotes, for a shell. */
static void quote(FILE *f, const char *text)
{
    putc('\'', f);
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\'", f);
        putc(*text, f);
    }
    putc('\'', f);
}

/* An old task may still run on a node that Slurm takes for dead, so the database appears by link(2), which
 * replaces nothing: one of the two is kept. */
static void write_script(const void *self, FILE *f)
{
    const struct slurm *s = self;
    unsigned n;
    const struct mp_db_plugin *plugin = plugin_list(&n);
    fputs("#!/bin/sh\n# Written by mempath sweep --slurm.\nset -eu\nfolder=", f);
    quote(f, s->folder);
    fputs("\nMEMPATH_CACHE=", f);
    quote(f, s->cache);
    fputs("\nexport MEMPATH_CACHE\n"
          "part=$folder/parts/${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID.db\n"
          "[ ! -e \"$part\" ] || exit 0\n"
          "runs=$(sed -n \"${SLURM_ARRAY_TASK_ID}p\" \"$folder/tasks\")\n"
          "own=$(mktemp -d \"${TMPDIR:-/tmp}/mempath.XXXXXX\")\n"
          "copy=$part.$(uname -n).$$\n"
          "trap 'rm -rf \"$own\" \"$copy\"' EXIT\n"
          "code=0\n",
          f);
    quote(f, s->program);
    fputs(" --db \"$own/part.db\" sweep ", f);
    quote(f, s->file);
    for (unsigned i = 0; i < n; i++) {
        fputs(" --plugin ", f);
        quote(f, plugin[i].path);
    }
    fputs(" --only \"$runs\" --jobs \"${SLURM_CPUS_PER_TASK:-1}\" --quiet || code=$?\n"
          "cp \"$own/part.db\" \"$copy\"\n"
          "[ ! -e \"$folder/parts/$SLURM_ARRAY_JOB_ID.closed\" ] || exit 0\n"
          "ln \"$copy\" \"$part\" 2>/dev/null || [ -e \"$part\" ]\n"
          "exit \"$code\"\n",
          f);
}

/* The runs that are missing, dealt out to the tasks: a task has the first, the next one the second, ... */
static void write_tasks(const void *self, FILE *f)
{
    const struct slurm *s = self;
    for (unsigned t = 0; t < s->tasks; t++) {
        unsigned n = 0, mine = 0;
        for (unsigned i = 0; i < s->jobs->n; i++)
            if (s->jobs->job[i].outcome != RUN_FOUND && n++ % s->tasks == t)
                fprintf(f, "%s%u", mine++ ? "," : "", s->jobs->number[i]);
        putc('\n', f);
    }
}

static void write_job(const void *self, FILE *f)
{
    fprintf(f, "%s\n", ((const struct slurm *)self)->job);
}

static void read_job(struct slurm *s)
{
    char path[PATH_MAX];
    path_of(path, sizeof path, s, "job");
    FILE *f = fopen(path, "re");
    if (f && fgets(s->job, sizeof s->job, f))
        s->job[strspn(s->job, "0123456789")] = 0;
    if (f)
        fclose(f);
}

/* ---- Slurm's commands ---- */

/* Runs a command; returns all it printed, malloc'ed, and its exit code, or -1 if it could not be started. */
static char *tool(char *const argv[], int *code)
{
    char *text = NULL;
    size_t size = 0;
    int reader, pid = spawn_tool(argv, NULL, &reader);
    FILE *out = cli_have(open_memstream(&text, &size)), *f = pid > 0 ? fdopen(reader, "r") : NULL;
    for (int c; f && (c = getc(f)) != EOF;)
        putc(c, out);
    if (f)
        fclose(f);
    *code = pid > 0 ? spawn_wait(pid) : -1;
    fclose(out);
    return cli_have(text);
}

static int fail_tool(const char *name, int code, const char *text)
{
    if (code < 0)
        return cli_fail(CLI_USAGE, "--slurm: no %s in PATH; a machine that submits to Slurm, or --jobs N",
                        name);
    return cli_fail(CLI_FAILED, "%s: exit code %d (%.*s); a running Slurm", name, code,
                    (int)strcspn(text, "\n"), text);
}

struct queue {
    unsigned running, waiting;
};

/* Counts the tasks of the job that have not ended. */
static int look(const struct slurm *s, struct queue *q)
{
    char squeue[] = "squeue", head[] = "-h", rows[] = "-r", job[] = "-j", number[sizeof s->job],
         format[] = "-o", state[] = "%T";
    char *argv[] = {squeue, head, rows, job, number, format, state, NULL};
    int code;
    *q = (struct queue){0};
    if (!*s->job)
        return CLI_DONE;
    snprintf(number, sizeof number, "%s", s->job);
    char *text = tool(argv, &code), *rest = NULL;
    if (code && code > 0 && strstr(text, "Invalid job id")) /* Slurm has forgotten it */
        code = CLI_DONE;
    else if (code)
        code = fail_tool(squeue, code, text);
    else
        for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
            *(!strcmp(line, "RUNNING") || !strcmp(line, "COMPLETING") ? &q->running : &q->waiting) += 1;
    free(text);
    return code;
}

static int submit(struct slurm *s)
{
    char sbatch[] = "sbatch", parsable[] = "--parsable", requeue[] = "--requeue",
         append[] = "--open-mode=append", name[] = "--job-name=mempath-sweep", array[64],
         output[PATH_MAX + 32], script[PATH_MAX], path[PATH_MAX];
    char *argv[] = {sbatch, parsable, requeue, append, name, array, output, script, NULL};
    struct mp_error err;
    int code;
    path_of(script, sizeof script, s, "task.sh");
    path_of(path, sizeof path, s, "tasks");
    if (table_write(script, write_script, s, &err) || table_write(path, write_tasks, s, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    int used = snprintf(array, sizeof array, "--array=1-%u", s->tasks);
    if (s->at_once)
        snprintf(array + used, sizeof array - (size_t)used, "%%%u", s->at_once);
    snprintf(output, sizeof output, "--output=%s/log/%%A_%%a.txt", s->folder);
    char *text = tool(argv, &code);
    size_t digits = strspn(text, "0123456789");
    if (code || !digits) {
        code = fail_tool(sbatch, code, text);
    } else {
        snprintf(s->job, sizeof s->job, "%.*s", (int)digits, text);
        path_of(path, sizeof path, s, "job");
        if (table_write(path, write_job, s, &err))
            code = cli_fail(CLI_FAILED, "%s", err.text);
    }
    free(text);
    return code;
}

/* ---- what has ended ---- */

static int is_part(const struct dirent *entry)
{
    const char *suffix = strrchr(entry->d_name, '.');
    return suffix && !strcmp(suffix, ".db");
}

static bool is_merged(const struct slurm *s, const char *path)
{
    for (unsigned i = 0; i < s->nmerged; i++)
        if (!strcmp(s->merged[i], path))
            return true;
    return false;
}

/* Merges the parts that are there into the database, if this process has not merged them yet. */
static int collect(struct slurm *s)
{
    struct dirent **entry = NULL;
    struct mp_db_merged merged;
    struct mp_error err;
    char folder[PATH_MAX];
    path_of(folder, sizeof folder, s, "parts");
    int n = scandir(folder, &entry, is_part, versionsort);
    unsigned all = s->nmerged;
    s->merged = cli_have(realloc(s->merged, (all + (n > 0 ? (size_t)n : 0) + 1) * sizeof *s->merged));
    for (int i = 0; i < n; i++) {
        char *path;
        cli_have(asprintf(&path, "%s/%s", folder, entry[i]->d_name) < 0 ? NULL : path);
        if (is_merged(s, path))
            free(path);
        else
            s->merged[all++] = path;
        free(entry[i]);
    }
    free(entry);
    const char *const *added = (const char *const *)s->merged + s->nmerged;
    int failed =
        all > s->nmerged && mp_db_merge(s->jobs->cli->db, all - s->nmerged, added, NULL, &merged, &err);
    for (unsigned i = s->nmerged; failed && i < all; i++)
        free(s->merged[i]);
    if (!failed)
        s->nmerged = all;
    return failed ? cli_fail(CLI_FAILED, "%s", err.text) : CLI_DONE;
}

/* The array has ended: a task that still runs on a node that was lost must not add a part. */
static int close_job(struct slurm *s)
{
    char path[PATH_MAX];
    if (!*s->job)
        return CLI_DONE;
    snprintf(path, sizeof path, "%s/parts/%s.closed", s->folder, s->job);
    FILE *f = fopen(path, "we");
    if (!f || fclose(f))
        return cli_fail(CLI_FAILED, "%s: %s; a writable folder is needed", path, strerror(errno));
    int code = collect(s);
    for (unsigned i = 0; !code && i < s->nmerged; i++)
        unlink(s->merged[i]);
    return code;
}

/* Collects, then finds which runs are there. Sets *found to their number. q: as it was before. */
static int find(struct slurm *s, const struct queue *q, unsigned *found)
{
    struct sweep_jobs *j = s->jobs;
    double *seconds = cli_alloc(j->n, sizeof *seconds);
    int code = q->running + q->waiting ? collect(s) : close_job(s);
    for (unsigned i = 0; i < j->n; i++)
        for (unsigned t = 0; t < MP_TENANTS; t++) {
            free(j->job[i].trace[t]);
            j->job[i].trace[t] = NULL;
        }
    if (!code)
        code = runs_plan(j->cli, j->job, j->n, j->parallel, seconds);
    *found = 0;
    for (unsigned i = 0; i < j->n; i++)
        *found += j->job[i].outcome == RUN_FOUND;
    free(seconds);
    return code;
}

static void show_queue(const struct slurm *s, const struct queue *q)
{
    if (s->jobs->cli->progress == CLI_PROGRESS_JSON)
        fprintf(stderr, "{\"job\": \"%s\", \"tasks\": %u, \"running\": %u, \"waiting\": %u}\n", s->job,
                s->tasks, q->running, q->waiting);
    else if (s->jobs->cli->progress == CLI_PROGRESS_TERMINAL && isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K  job %s: %u tasks running, %u waiting", s->job, q->running, q->waiting);
}

static int wait_for_job(struct slurm *s, struct queue *q)
{
    int code = CLI_DONE;
    while (!code && !cli_stop && q->running + q->waiting) {
        show_queue(s, q);
        poll(NULL, 0, 1000);
        code = collect(s);
        if (!code)
            code = look(s, q);
    }
    if (s->jobs->cli->progress == CLI_PROGRESS_TERMINAL && isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    return code;
}

static int report(struct slurm *s, const struct queue *q, unsigned found)
{
    struct sweep_jobs *j = s->jobs;
    for (unsigned i = 0; i < j->n; i++)
        if (j->job[i].outcome == RUN_FOUND)
            sweep_table_row(j, &j->job[i]);
    if (j->cli->json)
        sweep_print_json(j);
    else
        sweep_table_end(j);
    if (q->running + q->waiting) {
        if (!j->cli->json)
            printf("job %s: %u tasks running, %u waiting; the same command collects them\n", s->job,
                   q->running, q->waiting);
        return cli_stop ? CLI_FAILED : CLI_DONE;
    }
    return found == j->n
               ? CLI_DONE
               : cli_fail(CLI_FAILED, "%u runs are missing; %s/log has the reasons", j->n - found, s->folder);
}

static int submit_missing(struct slurm *s, unsigned found, struct queue *q)
{
    unsigned missing = s->jobs->n - found;
    s->tasks = missing < MOST_TASKS ? missing : MOST_TASKS;
    int code = submit(s);
    *q = (struct queue){.waiting = s->tasks};
    return code;
}

int sweep_slurm(struct sweep_jobs *j, unsigned at_once, bool wait)
{
    struct slurm s = {.jobs = j, .at_once = at_once};
    struct queue q;
    unsigned found = 0;
    cli_catch_signals();
    int code = set_up(&s);
    if (!code) {
        read_job(&s);
        code = look(&s, &q); /* before the parts are collected: a task may end in between */
    }
    if (!code)
        code = find(&s, &q, &found);
    if (!code && !(q.running + q.waiting) && found < j->n)
        code = submit_missing(&s, found, &q);
    if (!code && wait && q.running + q.waiting) {
        code = wait_for_job(&s, &q);
        if (!code)
            code = find(&s, &q, &found);
    }
    if (!code)
        code = report(&s, &q, found);
    for (unsigned i = 0; i < s.nmerged; i++)
        free(s.merged[i]);
    free(s.merged);
    return code;
}
