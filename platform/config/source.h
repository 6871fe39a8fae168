/* SPDX-License-Identifier: Apache-2.0 */
/* Files in YAML, shipped ones and those of the user: what every reader of such a file needs. */
#ifndef MP_CONFIG_SOURCE_H
#define MP_CONFIG_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As mp_fail(), with "where:line: " before the text, or "where: " if line is 0. */
__attribute__((format(printf, 4, 5))) int mp_fail_line(struct mp_error *err, const char *where, unsigned line,
                                                       const char *format, ...);

struct mp_source {
    const char *text;
    size_t size;
    char *read;  /* the text, if it was read from a file */
    char *name;  /* name of the configuration */
    char *where; /* name of the file in errors */
    char *id;    /* equal for all names of the same file */
};
/* Opens a shipped file by name or a file by path. A relative path begins in the folder of `from` (NULL:
 * the current folder). Errors begin with `where` (NULL: with the name itself). */
int mp_source_open(struct mp_source *source, const char *name, const char *from, const char *where,
                   struct mp_error *err);
void mp_source_close(struct mp_source *source);
/* Returns the absolute path of the folder in which relative paths of a user's file begin, malloc'ed.
 * Returns NULL for a shipped file and for text in memory. */
char *mp_source_folder(const struct mp_source *source);

/* A file as a tree (yaml.c). */
enum mp_node { MP_SCALAR, MP_MAPPING, MP_SEQUENCE };
struct mp_yaml {
    enum mp_node kind;
    char *key;           /* "sm", "warps"; in a list the position, from "0"; "" for the document */
    char *text;          /* of a scalar */
    unsigned line;       /* of the key, or of an element of a list; counted from 1 */
    unsigned value_line; /* line in which the value begins */
    unsigned n;          /* nodes below it */
    struct mp_yaml *first, *last, *next, *above;
};
/* Refuses text that is not YAML, more than one document, aliases and duplicate keys. *document is NULL for an
 * empty file. */
int mp_yaml_read(struct mp_yaml **document, const struct mp_source *source, struct mp_error *err);
void mp_yaml_free(struct mp_yaml *document);
/* "sm.warps", "tenants.0.app" */
void mp_yaml_path(const struct mp_yaml *node, char *path, size_t size);

#ifdef __cplusplus
}
#endif
#endif
