/* SPDX-License-Identifier: Apache-2.0 */
/* What the models behind mempath_models.h share: handles, the error line, parameters. */
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
    const char *name; /* "a TLB", as an error says it */
    void (*print)(const struct dpi_model *model, FILE *out);
    void (*free)(struct dpi_model *model); /* and all it has but `text` */
};

struct dpi_model {
    const struct dpi_kind *kind;
    char *text; /* its state, as told last */
};

/* A handle for it; NULL, and the model is freed, when there are too many. */
void *dpi_open(struct dpi_model *model);

/* NULL, and an error, when the handle is of none such. kind NULL: any. where: what the error begins with. */
struct dpi_model *dpi_find(void *handle, const struct dpi_kind *kind, const char *where);

/* ---- errors ---- */

struct mp_error *dpi_error(void); /* of this thread */

/* Reads `return dpi_fail("asid", "%u ...; 0 to %u", ...)`. */
#define dpi_fail(...) (mp_fail(dpi_error(), __VA_ARGS__), MEMPATH_ERROR)

/* ---- outputs ---- */

/* NULL: the caller does not want it. */
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
    const char *words; /* of DPI_WORD: "paper|hpca21"; the value is a word's place */
};

struct dpi_values {
    uint64_t value[DPI_PARAMETERS]; /* by place in the table */
    bool given[DPI_PARAMETERS];
    unsigned listed;
    uint32_t list[DPI_LIST];     /* of the one list that a table may have */
    struct mp_design_values own; /* of the design's own parameters */
    bool given_own[MP_DESIGN_VALUES];
};

/* "NAME=VALUE NAME=VALUE", numbers decimal or 0x-hex, lists with commas; names are those of the table and the
 * design's own. -1 with err. */
int dpi_parse(const char *text, const struct dpi_parameter *table, const struct mp_design *design,
              struct dpi_values *v, struct mp_error *err);

/* "policy: no policy 'P'; A, B or C", from names by number until NULL; returns -1. */
int dpi_no_policy(const char *policy, const char *(*name)(unsigned number), struct mp_error *err);

#endif
