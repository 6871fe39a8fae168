/* SPDX-License-Identifier: Apache-2.0 */
/* The files of db/papers as text; embed.cmake writes the table. */
#ifndef MP_CLI_PAPER_EMBEDDED_H
#define MP_CLI_PAPER_EMBEDDED_H

struct paper_file {
    const char *name, *text; /* "star_claims", the file */
};
extern const struct paper_file paper_files[]; /* ends with a NULL name */

#endif
