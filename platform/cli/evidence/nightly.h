/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that take hours in all: what they are, how far each is, and which one comes next. */
#ifndef MP_CLI_NIGHTLY_H
#define MP_CLI_NIGHTLY_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum nightly_kind { NIGHTLY_LOCKSTEP, NIGHTLY_TEST, NIGHTLY_FUZZ, NIGHTLY_PAPER, NIGHTLY_KINDS };

/* The rule for all checks of a kind. A check is done in parts, so that a run can end between them. */
struct nightly_rule {
    const char *name; /* "fuzz" */
    const char *unit; /* "s" */
    uint64_t goal, part;
    bool alone; /* a part uses all processors, so it runs while no other does */
    const char *title;
};
extern const struct nightly_rule nightly_rules[NIGHTLY_KINDS];

#define NIGHTLY_PROGRAM 80u /* characters; a revision fits, too */

struct nightly_check {
    enum nightly_kind kind;
    char subject[64];              /* the block, the test or the paper */
    char name[80];                 /* KIND-SUBJECT, or the test's own name where that begins with the kind */
    char program[NIGHTLY_PROGRAM]; /* identifies what it runs; what another program has done does not count */
    uint64_t goal, part;           /* the rule's, or fewer of what takes longer */
    uint64_t done;                 /* by this program */
    double seconds;                /* by the clock, that it took */
    bool failed;
    bool rests; /* not in this run any more */
    bool runs;  /* a part is in flight; there is one of a check at a time, so seeds do not repeat */
};

/* A row of the table of results; rows of other programs are kept as they are. Revision and machine are those
 * of the last part. */
struct nightly_row {
    char check[80], program[NIGHTLY_PROGRAM], revision[80], machine[128], unit[32], verdict[16];
    uint64_t done, goal;
    double seconds;
};

struct nightly {
    struct nightly_check *check;
    unsigned n;
    char path[PATH_MAX];
    struct nightly_row *row;
    unsigned nrows;
    const char *revision, *machine;
};

/* Writes what identifies a program, from the path of its file. */
typedef void nightly_identify(const char *path, char program[NIGHTLY_PROGRAM]);

/* Adds a check, unless there is one of this name. program: what it runs, or NULL if that is everything: then
 * the revision identifies it. slower: how many times a unit of it takes as long as one of other checks of its
 * kind, at least 1; goal and part are divided by it. */
void nightly_add(struct nightly *n, enum nightly_kind kind, const char *subject, const char *program,
                 unsigned slower);
/* Adds a check for each test in what `ctest -N -V` printed. identify is for the test's program; NULL: it runs
 * everything. */
void nightly_add_tests(struct nightly *n, enum nightly_kind kind, const char *listing,
                       nightly_identify *identify);

/* Reads the table, if there is one, and sets what the checks have done already. */
int nightly_load(struct nightly *n, const char *path, struct mp_error *err);
/* Takes over what a check has done, and writes the table. */
int nightly_save(struct nightly *n, const struct nightly_check *check, struct mp_error *err);
void nightly_free(struct nightly *n);

bool nightly_is_done(const struct nightly_check *check);
/* "passed", "failed" or "partly" */
const char *nightly_verdict(const struct nightly_check *check);

/* The check that is furthest from its goal, of those that have neither ended nor rest nor run; earlier ones
 * come first if they are equally far. NULL if there is none, or if it has to wait because it or what runs
 * needs all processors. */
struct nightly_check *nightly_next(const struct nightly *n);

/* Seconds that the check's next part may take, of those that are left. Papers share what is left, because
 * each takes as much as it gets. */
double nightly_share(const struct nightly *n, const struct nightly_check *check, double left);

/* Does a name from the command line mean this check? A kind means all of it. */
bool nightly_matches(const struct nightly_check *check, const char *name);

#ifdef __cplusplus
}
#endif
#endif
