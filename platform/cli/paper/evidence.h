/* SPDX-License-Identifier: Apache-2.0 */
/* Measured points of a paper's figures, with their revision: db/evidence/<paper>.csv. */
#ifndef MP_CLI_EVIDENCE_H
#define MP_CLI_EVIDENCE_H

#include "cli/paper/paper.h"

#ifdef __cplusplus
extern "C" {
#endif

struct evidence_row {
    char figure[48];        /* "fig10@small" */
    const char *series, *x; /* "W2", "mean" */
    double value;
    const char *revision, *note;
    bool drawn; /* false: the note has the word "derived", for a point that follows from others */
};

struct evidence {
    char path[400];
    char *text; /* of the file; rows point into it */
    struct evidence_row *row;
    unsigned n, room;
};

/* Reads folder/<paper>.csv; a missing file has no rows. -1 with err; call evidence_free() either way. */
int evidence_load(struct evidence *e, const char *folder, const char *paper, struct mp_error *err);
/* The same from a malloc'ed text, which it takes. */
int evidence_parse(struct evidence *e, const char *path, char *text, struct mp_error *err);
void evidence_free(struct evidence *e);

bool evidence_has(const struct evidence *e, const char *figure);

/* Replaces a figure's rows with these points, which the rows point into. */
void evidence_replace(struct evidence *e, const char *figure, const struct paper_points *points,
                      const char *revision);

/* Writes the file whole or not at all. -1 with err. */
int evidence_save(const struct evidence *e, struct mp_error *err);

/* Compares a figure's points with its rows: each value, whether it is derived, and the verdict on each of the
 * paper's claims about `name` from these values alone. Prints a line on stderr for each difference. Returns
 * the number of differences. */
unsigned evidence_check(const struct evidence *e, const char *figure, const char *name,
                        const struct paper_claim *claims, const struct paper_points *points);

/* Results are deterministic, so a difference is a change of the models; smaller ones change no conclusion. */
#define EVIDENCE_TOLERANCE 0.02   /* of the value */
#define EVIDENCE_ROUNDED   0.0005 /* or absolute: some rows have three decimals */

#ifdef __cplusplus
}
#endif
#endif
