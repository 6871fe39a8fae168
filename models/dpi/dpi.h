/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the models behind mempath_models.h share: handles, the error line, parameters. */
#ifndef MP_DPI_DPI_H
#define MP_DPI_DPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/design.h"

/* ---- models and their handles ---- */

struct dpi_model;

struct dpi_kind {
    const char *name; /* "a TLB", as errors name it */
    void (*print)(const struct dpi_model *model, FILE *out);
    void (*free)(struct dpi_model *model); /* frees the model except `text` */
};

struct dpi_model {
    const struct dpi_kind *kind;
    char *text; /* its state, as last returned */
};

/* Returns a handle for the model. If there are too many models, frees it and returns NULL. */
void *dpi_open(struct dpi_model *model);

/* Returns the model of the handle. Returns NULL with an error if there is no such model of this kind (kind
 * NULL: of any kind). The error begins with `where`. */
struct dpi_model *dpi_find(void *handle, const struct dpi_kind *kind, const char *where);

/* ---- errors ---- */

struct mp_error *dpi_error(void); /* the error of this thread */

/* Used as `return dpi_fail("asid", "%u ...; 0 to %u", ...)`. */
#define dpi_fail(...) (mp_fail(dpi_error(), __VA_ARGS__), MEMPATH_ERROR)

/* ---- outputs ---- */

/* The output is NULL if the caller does not need it. */
#define DPI_OUTPUT(output, value)                                                                            \
    do {                                                                                                     \
        if (output)                                                                                          \
            *(output) = (value);                                                                             \
    } while (0)

/* ---- parameters ---- */

#define DPI_PARAMETERS 16u
#define DPI_LIST       8u

enum dpi_form { DPI_NUMBER, DPI_POWER_OF_TWO, DPI_WORD, DPI_LIST_OF_NUMBERS };

struct dpi_parameter {
    const char *name; /* NULL ends a table */
    enum dpi_form form;
    uint64_t usual, least, most;
    const char *words; /* for DPI_WORD: "paper|hpca21"; the value is the position of the word */
};

struct dpi_values {
    uint64_t value[DPI_PARAMETERS]; /* by position in the table */
    bool given[DPI_PARAMETERS];
    unsigned listed;
    uint32_t list[DPI_LIST];     /* the one list that a table may have */
    struct mp_design_values own; /* values of the design's own parameters */
    bool given_own[MP_DESIGN_VALUES];
};

/* Parses "NAME=VALUE NAME=VALUE". Numbers are decimal or 0x-hex, lists have commas. The names are those of
 * the table and of the design's own parameters. Returns -1 with err on failure. */
int dpi_parse(const char *text, const struct dpi_parameter *table, const struct mp_design *design,
              struct dpi_values *v, struct mp_error *err);

/* Writes "A, B or C": the names by number until NULL. */
void dpi_names(char *text, size_t size, const char *(*name)(unsigned number));

/* Fails with "policy: no policy 'P'; A, B or C". The names are those by number until NULL. Returns -1. */
int dpi_no_policy(const char *policy, const char *(*name)(unsigned number), struct mp_error *err);

#endif
