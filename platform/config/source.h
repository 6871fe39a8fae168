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

/* The keys of a file and their lines (config_yaml.c). */
enum mp_node { MP_SCALAR, MP_MAPPING, MP_SEQUENCE };
struct mp_yaml_key {
    char *path;     /* "sm.warps", "tenants.0.app"; "" for the document */
    unsigned line;  /* line, counted from 1 */
    unsigned depth; /* number of keys and positions above it */
    bool dotted;    /* the key itself contains a '.', so path is ambiguous */
    enum mp_node node;
};
struct mp_yaml_index {
    struct mp_yaml_key *key;
    unsigned n, room;
};
/* Refuses text that is not YAML, more than one document, aliases and duplicate keys. */
int mp_yaml_read(struct mp_yaml_index *index, const struct mp_source *source, struct mp_error *err);
void mp_yaml_free(struct mp_yaml_index *index);
unsigned mp_yaml_line(const struct mp_yaml_index *index, const char *path);

#ifdef __cplusplus
}
#endif
#endif
