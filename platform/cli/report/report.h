/* SPDX-License-Identifier: Apache-2.0 */
/* The data of the report page: members of one JSON object, each a table of columns.h, separated by ",\n". */
#ifndef MP_CLI_REPORT_H
#define MP_CLI_REPORT_H

#include "cli/cli.h"
#include "db/db.h"

/* Files of db/report and db/evidence that are part of the program; embed.cmake writes the table. */
struct report_file {
    const char *name, *text; /* "runs.sql" */
};
extern const struct report_file report_files[]; /* ends with a NULL name */
const char *report_file(const char *name);

/* The page up to its data, and after them. */
extern const char report_head[], report_tail[];

struct report_data {
    struct mp_db *db;
    uint64_t first, last; /* runs */
    FILE *f;
    size_t limit;  /* bytes that the data may take */
    unsigned runs; /* on the page */
};

/* The bytes that are left. */
size_t report_room(const struct report_data *d);

/* Runs, parameters, metrics, firmware, RTL, speed, walks. -1 with err. */
int report_sections(struct report_data *d, struct mp_error *err);

/* Numbers and statements of papers, from the database and the committed evidence, with the causes; checks
 * that take hours. */
int report_papers(struct report_data *d, struct mp_error *err);

/* Every counter. Call it last: the counters take the room that the other sections leave. */
int report_counters(struct report_data *d, struct mp_error *err);

/* For `serve`: the data as JSON of the latest runs, malloc'ed, NULL with err; the page with them; a file or
 * address in the browser, a cli_exit. path names the database on the page; live: the page asks its server for
 * more. */
char *report_data(const char *path, struct mp_db *db, bool live, struct mp_error *err);
void report_page(const char *data, bool live, FILE *f);
int report_open(const char *address);

#endif
