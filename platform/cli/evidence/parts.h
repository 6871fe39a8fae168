/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of checks as other programs, several at once. */
#ifndef MP_CLI_EVIDENCE_PARTS_H
#define MP_CLI_EVIDENCE_PARTS_H

#include <stdint.h>

#include "cli/evidence/nightly.h"

struct cli;

struct places {
    char *self;  /* this program */
    char *build; /* the folder that it was built in, and that of the fuzzers */
    char *fuzz;
    char *state; /* for the checks' output and results */
    char *table; /* the committed one */
};

/* Does parts of the checks until `budget` seconds are over, at most `jobs` at once, with progress, and saves
 * the table after each. Prints a line on stderr for each check that fails. Returns CLI_DONE, or CLI_FAILED
 * if it was interrupted or cannot go on. */
int parts_run(struct cli *cli, struct nightly *n, const struct places *at, uint64_t budget, unsigned jobs);

#endif
