/* SPDX-License-Identifier: Apache-2.0 */
/* Files of the sources that are part of the program; embed.cmake writes the tables, which end with a NULL
 * name. */
#ifndef MP_CLI_EMBEDDED_H
#define MP_CLI_EMBEDDED_H

#include <string.h>

struct cli_file {
    const char *name, *text; /* "chase.cu", the file */
};

extern const struct cli_file paper_files[];  /* of db/papers, without .csv */
extern const struct cli_file plugin_files[]; /* of plugin/new */
extern const struct cli_file chase_files[];  /* of chase/files */

/* The text of a file, or NULL. */
static inline const char *cli_file_text(const struct cli_file *f, const char *name)
{
    while (f->name && strcmp(f->name, name) != 0)
        f++;
    return f->text;
}

#endif
