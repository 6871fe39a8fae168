/* SPDX-License-Identifier: Apache-2.0 */
/* What the papers claim, and what was measured for it: db/papers/headlines.csv, judged by the committed
 * evidence. */
#ifndef MP_CLI_HEADLINES_H
#define MP_CLI_HEADLINES_H

#include "cli/out.h"
#include "cli/paper/evidence.h"

#ifdef __cplusplus
extern "C" {
#endif

enum headline_verdict {
    HEADLINE_AGREES,        /* within HEADLINE_CLOSE of the paper's number */
    HEADLINE_ORDER,         /* the compared things are in the paper's order */
    HEADLINE_CAUSE,         /* neither, and a command shows why */
    HEADLINE_CONTRADICTION, /* neither, and the paper contradicts itself there */
    HEADLINE_OPEN,          /* neither */
    HEADLINE_MISSING        /* nothing was measured */
};

#define HEADLINE_CLOSE 0.1

struct headline {
    const char *paper, *figure, *what; /* "star", "fig10" */
    bool gain;                         /* numbers are per cent above 1 */
    double printed, measured;          /* as they are compared */
    enum headline_verdict verdict;
    const char *why; /* the command, what contradicts, or what was tried; "" if it agrees */
};

struct headlines {
    struct headline *row;
    unsigned n;
    char *text;
    struct evidence *evidence; /* by paper; rows point into it */
};

/* Judges all headlines by the evidence in the folder. -1 with err; call headlines_free() either way. */
int headlines_read(struct headlines *h, const char *folder, struct mp_error *err);
/* The same of a text like headlines.csv, which it changes and keeps. */
int headlines_parse(struct headlines *h, char *text, const char *folder, struct mp_error *err);
void headlines_free(struct headlines *h);

void headlines_print(const struct headlines *h, FILE *f);           /* as a table */
void headlines_markdown(const struct headlines *h, FILE *f);        /* as a table of a README */
void headlines_json(const struct headlines *h, struct out_json *j); /* as an array */

#ifdef __cplusplus
}
#endif
#endif
