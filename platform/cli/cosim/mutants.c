/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the small faults in the RTL that the comparison with the model finds. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cosim/cosim.h"
#include "cli/out.h"
#include "cli/progress.h"
#include "cli/revision.h"
#include "cli/spawn.h"
#include "db/db.h"

/* Transactions of the design before it becomes a mutant, so that a reset has an effect. */
#define BEFORE 100u

struct mutants {
    unsigned n, there; /* mutants that are tried, mutants that exist */
    struct mp_db_mutant *mutant;
    const char **reason; /* why it was not found; NULL: unknown */
    char **line;         /* the line that contains a mutant's texts */
    unsigned killed, equivalent, explained;
    double seconds;
};

/* ---- the list ---- */

/* The word after the last (or first) " -key " in a command, not terminated; NULL if there is none. */
static char *word(char *line, const char *key, bool last)
{
    char *found = NULL;
    size_t length = strlen(key);
    for (char *at = line; (at = strstr(at, key)); at += length)
        if (!found || last)
            found = at + length;
    return found;
}

static void end(char *text, const char *at)
{
    if (text)
        text[strcspn(text, at)] = 0;
}

/* "mutate -ctrl mutant 16 3 -mode inv -module M -cell $add$rtl/a.sv:116$363 -port Y -portbit 4 -src a -src b"
 */
static struct mp_db_mutant parse(char *line, unsigned number)
{
    char *fault = word(line, " -mode ", false), *cell = word(line, " -cell ", false);
    char *port = word(line, " -port ", false), *bit = word(line, " -portbit ", false);
    char *source = word(line, " -src ", true);
    struct mp_db_mutant m = {.number = number, .bit = bit ? (unsigned)strtoul(bit, NULL, 10) : 0};
    cell += cell && *cell == '$';
    end(fault, " ");
    end(cell, "$ ");
    end(port, " ");
    if (source) { /* without columns */
        source += strncmp(source, "rtl/", 4) ? 0 : 4;
        end(source, " \n");
        end(strchr(source, ':') ? strchr(source, ':') : source, ".");
    }
    m.fault = fault ? fault : "";
    m.cell = cell ? cell : "";
    m.port = port ? port : "";
    m.source = source ? source : "";
    return m;
}

/* Selects n of all mutants, at equal distances. */
static int read_list(struct mutants *all, const char *folder, uint64_t n, struct mp_error *err)
{
    char path[4096];
    size_t size = 0;
    snprintf(path, sizeof path, "%s/mutants", folder);
    FILE *f = fopen(path, "r");
    if (!f)
        return mp_fail(err, "%s: cannot be read; platform/mempath cosim --mutants builds it", path);
    unsigned room = 0;
    for (char *line = NULL; getline(&line, &size, f) > 0; line = NULL, size = 0) {
        if (all->there == room) {
            room = room ? 2 * room : 256;
            all->line = cli_have(realloc(all->line, room * sizeof *all->line));
        }
        all->line[all->there++] = line;
    }
    fclose(f);
    if (n > all->there)
        return mp_fail(err, "--mutants: %" PRIu64 " are too many; 1 to %u", n, all->there);
    all->n = (unsigned)n;
    all->mutant = cli_alloc(all->n, sizeof *all->mutant);
    all->reason = cli_alloc(all->n, sizeof *all->reason);
    for (unsigned i = 0; i < all->n; i++) {
        unsigned at = (unsigned)((uint64_t)i * all->there / n);
        all->mutant[i] = parse(all->line[at], at + 1);
    }
    return 0;
}

static void free_list(struct mutants *all)
{
    for (unsigned i = 0; i < all->there; i++)
        free(all->line[i]);
    free(all->line);
    free(all->mutant);
    free(all->reason);
}

/* ---- each of them ---- */

/* Runs one session until RTL and model differ or enough transactions were run. -1: the design itself differs.
 */
static int try_session(const struct cosim_rtl *rtl, const struct cosim_setup *setup, uint64_t transactions,
                       struct mp_db_mutant *m)
{
    void *cosim = cli_have(rtl->open(setup));
    bool equal = rtl->random(cosim, setup->seed, BEFORE, &cli_stop);
    if (equal) {
        rtl->mutate(cosim, m->number);
        if (!rtl->random(cosim, setup->seed, transactions, &cli_stop)) {
            m->outcome = MP_DB_KILLED;
            m->transactions += rtl->view.transactions(cosim);
            snprintf(m->difference, sizeof m->difference, "%s", rtl->view.difference(cosim));
        } else {
            m->transactions += transactions;
        }
    }
    rtl->view.close(cosim);
    return equal ? 0 : -1;
}

/* Tries a mutant in those sessions of a run that use its design. */
static int try_mutant(const struct cosim_job *job, const struct cosim_rtl *rtl,
                      const struct cosim_mutation *what, struct mp_db_mutant *m, struct mp_error *err)
{
    const struct cosim_block *block = job->block;
    struct cosim_setup setup;
    uint64_t transactions;
    char text[COSIM_DESCRIPTION];
    for (uint64_t number = 0; m->transactions < what->transactions && m->outcome != MP_DB_KILLED && !cli_stop;
         number++) {
        cosim_session(job, number, NULL, &setup, &transactions);
        setup.design = cosim_design(block, &setup);
        if (setup.design != rtl->design)
            continue;
        if (try_session(rtl, &setup, transactions, m)) {
            cosim_describe(block, &setup, text);
            return mp_fail(err, "cosim: the design without a fault differs; mempath cosim %s %s", block->name,
                           text);
        }
        m->mode = block->modes[setup.mode].name;
        m->stride = setup.stride;
    }
    if (m->outcome == MP_DB_KILLED)
        return 0;
    m->transactions = 0;
    m->mode = NULL;
    return 0;
}

/* Whether a proof shows that the mutant equals the design (rtl/lockstep/equal.sh). */
static bool proven(const char *folder, unsigned number)
{
    char script[4096], text[16];
    char *argv[] = {"/bin/sh", script, text, NULL};
    int reader;
    char said[256];
    snprintf(script, sizeof script, "%s/equal.sh", folder);
    snprintf(text, sizeof text, "%u", number);
    int pid = spawn_start(argv, STDOUT_FILENO, &reader);
    if (pid < 0)
        return false;
    FILE *f = fdopen(reader, "r");
    while (f && fgets(said, sizeof said, f))
        ;
    if (f)
        fclose(f);
    return spawn_wait(pid) == 0;
}

/* Writes the line of the RTL that a mutant is in, "file:number", to line[size]; "": none. */
static void read_source(const char *folder, const char *source, char *line, size_t size)
{
    char path[4096];
    const char *colon = strchr(source, ':');
    unsigned long number = colon ? strtoul(colon + 1, NULL, 10) : 0;
    *line = 0;
    if (!number)
        return;
    snprintf(path, sizeof path, "%s/rtl/%.*s", folder, (int)(colon - source), source);
    FILE *f = fopen(path, "r");
    while (f && number && fgets(line, (int)size, f))
        number -= strchr(line, '\n') != NULL;
    if (f)
        fclose(f);
}

static const char *explanation(const struct cosim_blind *blind, const char *folder,
                               const struct mp_db_mutant *m)
{
    char line[1024];
    read_source(folder, m->source, line, sizeof line);
    for (; blind->line; blind++)
        if (strstr(line, blind->line) && !strcmp(m->port, blind->port) && m->bit >= blind->first &&
            m->bit <= blind->last)
            return blind->reason;
    return NULL;
}

static int run(const struct cli *cli, const struct cosim_job *job, const struct cosim_rtl *rtl,
               const struct cosim_mutation *what, struct mutants *all, struct mp_error *err)
{
    struct progress p;
    double start = progress_now();
    progress_begin(&p, cli, "mutants", 1, 0);
    unsigned line = progress_start(&p, job->block->name, 0);
    int failed = 0;
    for (unsigned i = 0; i < all->n && !cli_stop && !failed; i++) {
        struct mp_db_mutant *m = &all->mutant[i];
        failed = try_mutant(job, rtl, what, m, err);
        if (!failed && !cli_stop && m->outcome != MP_DB_KILLED && proven(rtl->mutants, m->number))
            m->outcome = MP_DB_EQUIVALENT;
        if (m->outcome == MP_DB_SURVIVED)
            all->reason[i] = explanation(rtl->blind, rtl->mutants, m);
        all->explained += all->reason[i] != NULL;
        all->killed += m->outcome == MP_DB_KILLED;
        all->equivalent += m->outcome == MP_DB_EQUIVALENT;
        progress_update(&p, line, i + 1, all->n);
        progress_draw(&p);
    }
    progress_finish(&p, line);
    progress_end(&p);
    all->seconds = progress_now() - start;
    return failed;
}

/* ---- results ---- */

static const char *const outcomes[] = {
    [MP_DB_SURVIVED] = "survived", [MP_DB_KILLED] = "killed", [MP_DB_EQUIVALENT] = "equivalent, proven"};

static double score(const struct mutants *all)
{
    unsigned faults = all->n - all->equivalent;
    return faults ? 100.0 * all->killed / faults : 100;
}

static int64_t store(const struct cli *cli, const struct cosim_job *job, const struct cosim_rtl *rtl,
                     const struct cosim_mutation *what, const struct mutants *all, struct mp_error *err)
{
    struct mp_db *db;
    const struct mp_db_mutation row = {.block = job->block->name,
                                       .mode = job->block->modes[job->setup.mode].name,
                                       .seed = job->seed,
                                       .transactions = what->transactions,
                                       .seconds = all->seconds,
                                       .tools = rtl->tools,
                                       .revision = MEMPATH_REVISION,
                                       .n = all->n,
                                       .mutant = all->mutant};
    if (mp_db_open(&db, cli->db, MP_DB_WRITE, err))
        return -1;
    int64_t id = mp_db_mutation(db, &row, err);
    mp_db_close(db);
    return id;
}

static void print_json(const struct cosim_job *job, const struct cosim_mutation *what,
                       const struct mutants *all, int64_t id)
{
    struct out_json j = {.f = stdout};
    json_object(&j, NULL);
    json_count(&j, "id", (uint64_t)id);
    json_text(&j, "block", job->block->name);
    json_text(&j, "mode", job->block->modes[job->setup.mode].name);
    json_count(&j, "seed", job->seed);
    json_count(&j, "transactions", what->transactions);
    json_count(&j, "mutants", all->n);
    json_count(&j, "killed", all->killed);
    json_count(&j, "equivalent", all->equivalent);
    json_count(&j, "survived", all->n - all->killed - all->equivalent);
    json_count(&j, "explained", all->explained);
    json_real(&j, "score", score(all));
    json_real(&j, "seconds", all->seconds);
    json_array(&j, "list");
    for (unsigned i = 0; i < all->n; i++) {
        const struct mp_db_mutant *m = &all->mutant[i];
        json_object(&j, NULL);
        json_count(&j, "number", m->number);
        json_text(&j, "outcome", outcomes[m->outcome]);
        json_text(&j, "fault", m->fault);
        json_text(&j, "cell", m->cell);
        json_text(&j, "port", m->port);
        json_count(&j, "bit", m->bit);
        json_text(&j, "source", m->source);
        json_text(&j, "mode", m->mode);
        json_count(&j, "transactions", m->transactions);
        json_text(&j, "difference", m->mode ? m->difference : NULL);
        json_text(&j, "reason", all->reason[i]);
        json_end_object(&j);
    }
    json_end_array(&j);
    json_end_object(&j);
}

/* Prints the mutants that were not killed, a line each. */
static void print_text(const struct cosim_job *job, const struct mutants *all, int64_t id)
{
    static const char *const heads[] = {"mutant", "outcome", "fault", "cell", "port", "bit", "source", "why"};
    if (all->killed < all->n) {
        struct out_table *t = out_table_new(sizeof heads / sizeof *heads, heads);
        for (unsigned i = 0; i < all->n; i++) {
            const struct mp_db_mutant *m = &all->mutant[i];
            if (m->outcome == MP_DB_KILLED)
                continue;
            out_cell(t, "%u", m->number);
            out_cell(t, "%s", outcomes[m->outcome]);
            out_cell(t, "%s", m->fault);
            out_cell(t, "%s", m->cell);
            out_cell(t, "%s", m->port);
            out_cell(t, "%u", m->bit);
            out_cell(t, "%s", m->source);
            out_cell(t, "%s", all->reason[i] ? all->reason[i] : "");
        }
        out_table_print(t, stdout);
    }
    printf("%s %s, mutation %" PRId64
           ": of %u mutants %u killed, %u equivalent, %u survived, %u of them explained: score %.1f %%\n",
           job->block->name, job->block->modes[job->setup.mode].name, id, all->n, all->killed,
           all->equivalent, all->n - all->killed - all->equivalent, all->explained, score(all));
}

static int finish(const struct cli *cli, const struct cosim_job *job, const struct cosim_rtl *rtl,
                  const struct cosim_mutation *what, const struct mutants *all)
{
    struct mp_error err;
    int64_t id = store(cli, job, rtl, what, all, &err);
    if (id < 0)
        return cli_fail(CLI_USAGE, "%s", err.text);
    if (cli->json)
        print_json(job, what, all, id);
    else
        print_text(job, all, id);
    return CLI_DONE;
}

int cosim_mutants(const struct cli *cli, const struct cosim_job *job, const struct cosim_mutation *what)
{
    const struct cosim_library which = {.block = job->block->name, .mutants = true};
    struct mutants all = {0};
    struct mp_error err;
    int code;
    const struct cosim_rtl *rtl = cosim_load(job->block->symbol, &which, &err);
    if (!rtl)
        return cli_fail(CLI_USAGE, "cosim: %s", err.text);
    cli_catch_signals();
    if (read_list(&all, rtl->mutants, what->mutants, &err))
        code = cli_fail(CLI_USAGE, "%s", err.text);
    else if (run(cli, job, rtl, what, &all, &err))
        code = cli_fail(CLI_FAILED, "%s", err.text);
    else if (cli_stop)
        code = cli_fail(CLI_FAILED, "cosim %s: interrupted; nothing is kept", job->block->name);
    else
        code = finish(cli, job, rtl, what, &all);
    free_list(&all);
    return code;
}
