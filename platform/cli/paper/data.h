/* SPDX-License-Identifier: Apache-2.0 */
/* A paper's printed values, claims and workloads, from db/papers/<paper>.csv, <paper>_claims.csv and
 * <paper>_workloads.csv. The files are part of the program. */
#ifndef MP_CLI_PAPER_DATA_H
#define MP_CLI_PAPER_DATA_H

#include "db/db.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A statement of the text without a number: a point (or each point of a series where x is "*", and of all
 * series where that is "*", too) is less or more than another point, or than a constant. The other point is
 * of the same series where than_series is "*". "Mostly" is for more than half of the points, without the
 * averages in series "all". */
struct paper_claim {
    const char *figure, *series, *x;
    enum { CLAIM_LESS, CLAIM_MORE, CLAIM_MOSTLY_LESS, CLAIM_MOSTLY_MORE } relation;
    const char *than_series, *than_x; /* NULL: than the constant */
    double than;
    const char *text; /* with the paper's section */
};

/* Applications that share a machine: an experiment in a file, or applications on the paper's machine. */
#define PAPER_TENANTS 4u
struct paper_workload {
    const char *name, *category;    /* "W1", "HHH"; "GUPS.MM", "HL" */
    const char *experiment;         /* "star/w1"; NULL: the applications below */
    const char *app[PAPER_TENANTS]; /* as the recorder names them; NULL where there are fewer */
    const char *set[2];             /* overrides of this workload; NULL where there are fewer */
};

struct paper_data {
    struct mp_db_point
        *point; /* ends with a NULL paper; points that are drawn without a number are not here */
    struct paper_claim *claim; /* ends with a NULL figure */
    unsigned nworkloads;
    struct paper_workload *workload;
};

/* The data of "star" or "dws", read once. Ends the program if an embedded file is malformed, which a test
 * excludes. */
const struct paper_data *paper_data(const char *paper);

/* The text of db/papers/<paper><suffix>.csv, malloc'ed. Ends the program if there is no such file. */
char *paper_text(const char *paper, const char *suffix);

/* Parses three texts, which it modifies and the result points into. -1 with err; call paper_data_free()
 * either way. */
int paper_data_read(struct paper_data *data, const char *paper, char *points, char *claims, char *workloads,
                    struct mp_error *err);
void paper_data_free(struct paper_data *data);

const struct mp_db_point *paper_find(const struct mp_db_point *points, const char *figure, const char *series,
                                     const char *x);

#ifdef __cplusplus
}
#endif
#endif
