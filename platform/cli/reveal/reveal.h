/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of `mempath reveal`. */
#ifndef MP_CLI_REVEAL_REVEAL_H
#define MP_CLI_REVEAL_REVEAL_H

#include "cli/cli.h"
#include "cli/reveal/assembled.h"
#include "db/db.h"

#define REVEAL_GAP 100000u /* cycles */

struct reveal_values { /* of the command line */
    const struct mp_gf2 *machine;
    bool hidden;
    uint64_t seed, jitter;
    uint64_t page_bytes;      /* 0: the preset's */
    uint64_t neighbours, gap; /* gap: 0 is REVEAL_GAP */
};

enum { REVEAL_BANK, REVEAL_SET, REVEAL_MODULE, REVEAL_SPANS };

struct reveal_result {
    struct reverse_found found;
    const struct reverse_span *span[REVEAL_SPANS];
    bool equal[REVEAL_SPANS]; /* to the machine's, which is asked afterwards */
    uint64_t cycles;          /* simulated */
    double seconds;
};

extern const char *const reveal_spans[REVEAL_SPANS]; /* "bank", "set", "module" */

/* Runs on the machine and records it as *row; r points into itself. Returns a cli_exit, after an error
 * message. */
int reveal_run(const struct cli *cli, const struct reveal_values *v, struct reveal_result *r, int64_t *row);
/* The machine's configuration as reveal_run has it. */
int reveal_config(const struct reveal_values *v, struct mp_config *config, struct mp_error *err);

void reveal_print(const struct reveal_values *v, const struct reveal_result *r);
void reveal_print_json(int64_t row, const struct reveal_values *v, const struct reveal_result *r);

/* Opens the database and inserts the run's row; returns its number, or -1 with err. */
int64_t reveal_record_begin(const struct cli *cli, const struct mp_config *config, struct mp_db **db,
                            struct mp_error *err);
/* Completes the row and closes the database. why: the error, or NULL; then r and a are not read. */
int reveal_record_end(struct mp_db *db, const struct reveal_values *v, const struct reveal_result *r,
                      const struct assembled *a, const char *why, struct mp_error *err);

/* The bits of a function, ascending, with a blank between them. text has room for 64 bits. */
#define REVEAL_BITS 192u
void reveal_bits(uint64_t function, char text[REVEAL_BITS]);

#endif
