/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/evidence/nightly.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/csv.h"
#include "cli/table_file.h"
#include "engine/number.h"

#define HEAD   "check,program,revision,machine,done,goal,unit,seconds,verdict"
#define FIELDS 9u

const struct nightly_rule nightly_rules[NIGHTLY_KINDS] = {
    [NIGHTLY_LOCKSTEP] = {"lockstep", "transactions", 1000000000, 1000000, false,
                          "RTL compared with its model, random transactions"},
    [NIGHTLY_TEST] = {"test", "runs", 1, 1, true, "a test that takes minutes: mutants, proofs, figures"},
    [NIGHTLY_FUZZ] = {"fuzz", "s", 7200, 20, false, "random inputs of a parser, with the sanitizers"},
    [NIGHTLY_PAPER] = {"paper", "runs", 1, 1, true, "all figures of a paper, compared with db/evidence"},
};

/* ---- the checks ---- */

void nightly_add(struct nightly *n, enum nightly_kind kind, const char *subject, const char *program,
                 unsigned slower)
{
    struct nightly_check c = {
        .kind = kind, .goal = nightly_rules[kind].goal / slower, .part = nightly_rules[kind].part / slower};
    const char *rule = nightly_rules[kind].name;
    size_t length = strlen(rule);
    bool named = !strncmp(subject, rule, length) && subject[length] == '_'; /* fuzz_elf */
    snprintf(c.subject, sizeof c.subject, "%s", subject);
    snprintf(c.program, sizeof c.program, "%s", program ? program : n->revision);
    snprintf(c.name, sizeof c.name, "%s-%s", rule, named ? c.subject + length + 1 : c.subject);
    for (unsigned i = 0; i < n->n; i++)
        if (!strcmp(n->check[i].name, c.name))
            return;
    n->check = cli_have(realloc(n->check, (n->n + 1) * sizeof *n->check));
    n->check[n->n++] = c;
}

void nightly_add_tests(struct nightly *n, enum nightly_kind kind, const char *listing,
                       nightly_identify *identify)
{
    char test[64], path[PATH_MAX], program[NIGHTLY_PROGRAM] = "";
    unsigned number;
    _Static_assert(PATH_MAX == 4096, "the width below");
    for (const char *line = listing; line; line = strchr(line, '\n')) {
        line += strspn(line, " \n");
        if (identify && sscanf(line, "%u: Test command: %4095s", &number, path) == 2)
            identify(path, program);
        if (sscanf(line, "Test #%u: %63s", &number, test) == 2)
            nightly_add(n, kind, test, identify ? program : NULL, 1);
    }
}

bool nightly_is_done(const struct nightly_check *check)
{
    return check->failed || check->done >= check->goal;
}

const char *nightly_verdict(const struct nightly_check *check)
{
    return check->failed ? "failed" : nightly_is_done(check) ? "passed" : "partly";
}

static double fraction(const struct nightly_check *check)
{
    return (double)check->done / (double)check->goal;
}

struct nightly_check *nightly_next(const struct nightly *n)
{
    struct nightly_check *next = NULL;
    bool runs = false, alone = false;
    for (unsigned i = 0; i < n->n; i++) {
        struct nightly_check *c = &n->check[i];
        runs |= c->runs;
        alone |= c->runs && nightly_rules[c->kind].alone;
        if (!nightly_is_done(c) && !c->rests && !c->runs && (!next || fraction(c) < fraction(next)))
            next = c;
    }
    return alone || (next && runs && nightly_rules[next->kind].alone) ? NULL : next;
}

double nightly_share(const struct nightly *n, const struct nightly_check *check, double left)
{
    unsigned papers = 0;
    for (unsigned i = 0; i < n->n; i++)
        papers += n->check[i].kind == NIGHTLY_PAPER && !nightly_is_done(&n->check[i]) && !n->check[i].rests;
    return check->kind == NIGHTLY_PAPER ? left / papers : left;
}

bool nightly_matches(const struct nightly_check *check, const char *name)
{
    return !strcmp(name, check->name) || !strcmp(name, nightly_rules[check->kind].name);
}

/* ---- the table ---- */

static struct nightly_row *add_row(struct nightly *n)
{
    n->row = cli_have(realloc(n->row, (n->nrows + 1) * sizeof *n->row));
    n->row[n->nrows] = (struct nightly_row){0};
    return &n->row[n->nrows++];
}

static int read_row(void *nightly, const char *line, struct mp_error *err)
{
    struct nightly *n = nightly;
    if (*line == '#' || !*line || !strcmp(line, HEAD))
        return 0;
    char *text = cli_have(strdup(line));
    struct csv csv = {.name = "row", .text = text};
    int failed = csv_row(&csv, err) < 0 ? -1
                 : csv.nfields != FIELDS
                     ? mp_fail(err, "%u fields; %u are needed: " HEAD, csv.nfields, FIELDS)
                     : 0;
    if (!failed) {
        struct nightly_row *r = add_row(n);
        char **f = csv.field;
        snprintf(r->check, sizeof r->check, "%s", f[0]);
        snprintf(r->program, sizeof r->program, "%s", f[1]);
        snprintf(r->revision, sizeof r->revision, "%s", f[2]);
        snprintf(r->machine, sizeof r->machine, "%s", f[3]);
        snprintf(r->unit, sizeof r->unit, "%s", f[6]);
        snprintf(r->verdict, sizeof r->verdict, "%s", f[8]);
        failed = mp_number(f[4], strlen(f[4]), 0, UINT64_MAX, &r->done) ||
                         mp_number(f[5], strlen(f[5]), 1, UINT64_MAX, &r->goal) ||
                         csv_number(&csv, 7, &r->seconds, err)
                     ? mp_fail(err, "done, goal or seconds is not a number; as 5000000,1000000000,...,31.5")
                     : 0;
    }
    free(text);
    return failed;
}

static struct nightly_row *row_of(const struct nightly *n, const struct nightly_check *check)
{
    for (unsigned i = 0; i < n->nrows; i++) {
        struct nightly_row *r = &n->row[i];
        if (!strcmp(r->check, check->name) && !strcmp(r->program, check->program))
            return r;
    }
    return NULL;
}

int nightly_load(struct nightly *n, const char *path, struct mp_error *err)
{
    snprintf(n->path, sizeof n->path, "%s", path);
    if (!access(path, F_OK) && table_read(path, "a readable file", read_row, n, err))
        return -1;
    for (unsigned i = 0; i < n->n; i++) {
        const struct nightly_row *r = row_of(n, &n->check[i]);
        if (!r)
            continue;
        n->check[i].done = r->done;
        n->check[i].seconds = r->seconds;
        n->check[i].failed = !strcmp(r->verdict, "failed");
    }
    return 0;
}

static void write_rows(const void *nightly, FILE *f)
{
    const struct nightly *n = nightly;
    fputs("# SPDX-License-Identifier: Apache-2.0\n"
          "# What took long: how far each check is, by which program. Written by: mempath evidence\n" HEAD
          "\n",
          f);
    for (unsigned i = 0; i < n->nrows; i++) {
        const struct nightly_row *r = &n->row[i];
        csv_write(f, r->check, ',');
        csv_write(f, r->program, ',');
        csv_write(f, r->revision, ',');
        csv_write(f, r->machine, ',');
        fprintf(f, "%llu,%llu,", (unsigned long long)r->done, (unsigned long long)r->goal);
        csv_write(f, r->unit, ',');
        fprintf(f, "%.1f,", r->seconds);
        csv_write(f, r->verdict, '\n');
    }
}

int nightly_save(struct nightly *n, const struct nightly_check *check, struct mp_error *err)
{
    const struct nightly_rule *rule = &nightly_rules[check->kind];
    struct nightly_row *r = row_of(n, check);
    if (!r)
        r = add_row(n);
    *r = (struct nightly_row){.done = check->done, .goal = check->goal, .seconds = check->seconds};
    snprintf(r->check, sizeof r->check, "%s", check->name);
    snprintf(r->program, sizeof r->program, "%s", check->program);
    snprintf(r->revision, sizeof r->revision, "%s", n->revision);
    snprintf(r->machine, sizeof r->machine, "%s", n->machine);
    snprintf(r->unit, sizeof r->unit, "%s", rule->unit);
    snprintf(r->verdict, sizeof r->verdict, "%s", nightly_verdict(check));
    return table_write(n->path, write_rows, n, err);
}

void nightly_free(struct nightly *n)
{
    free(n->check);
    free(n->row);
    *n = (struct nightly){0};
}
