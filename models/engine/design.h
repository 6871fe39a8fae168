/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A design: what fills a seam of a model, such as a TLB policy, a walk scheduler or an address map. The
 * structure of each kind of design has a member `design` of this type, which holds what all kinds have in
 * common: the name by which users choose it, and the parameters and counters that it brings.
 *
 * A design is one file, and one word in the list of its kind: mempath_designs() in models/CMakeLists.txt
 * generates the tables from these lists.
 */
#ifndef MP_ENGINE_DESIGN_H
#define MP_ENGINE_DESIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/error.h"
#include "engine/metric.h"

#ifdef __cplusplus
extern "C" {
#endif

enum mp_design_flags {
    MP_DESIGN_POWER_OF_TWO = 1 /* a number that is one */
};

/*
 * A parameter of a design. Users set it as DESIGN.NAME, for example mask.epoch. A name that begins with a dot
 * is a parameter of the section in which the design is chosen: ".stride" of a TLB policy is l3_tlb.stride.
 * Designs may share such a parameter, if their rows are equal.
 */
struct mp_design_param {
    const char *name;
    const char *unit;    /* NULL: the parameter is true or false */
    const char *choices; /* "first|second": the value is a position in this list; NULL: it is a number */
    uint64_t usual;      /* the default */
    uint64_t least, most;
    const char *source; /* of the default: a paper, or "mempath" */
    const char *text;
    unsigned flags; /* of enum mp_design_flags */
};

#define MP_DESIGN_VALUES 8u /* parameters of a design, at most */

/* A design's values, in the order of its parameters. */
struct mp_design_values {
    uint64_t v[MP_DESIGN_VALUES];
};

struct mp_design {
    const char *name;                       /* as users write it */
    const char *title;                      /* one line for lists of designs */
    const struct mp_design_param *params;   /* ends with a NULL name; NULL: it has none */
    const struct mp_metric_table *counters; /* recorded as component BLOCK.NAME; NULL if it has none */
    uint32_t
        places; /* where it can be chosen, a bit each; what the bits mean is up to the kind. 0: everywhere */
};

#define MP_DESIGN_ROOM 8u /* designs that can be added to a kind's list at run time (engine/plugin.h) */

/* A function that each design of a kind has; or only those that have another function. */
struct mp_design_need {
    const char *name;
    size_t offset; /* in struct mp_KIND */
    const char *with;
    size_t with_offset; /* of the other function, if `with` is not NULL */
};

/*
 * A kind of design, struct mp_KIND, whose list mempath_designs() generates. The header of the structure has
 * its needs as MP_KIND_NEEDS(EACH, WITH): EACH(function) for those that each design has, and WITH(function,
 * other) for those that a design has if it has the other. MP_KIND_NAMES, where the names of all designs are
 * the choices of a parameter, is their list.
 */
struct mp_design_kind {
    const char *name;                 /* KIND: "tlb_policy" */
    const struct mp_design **designs; /* mp_KIND_designs */
    size_t offset;                    /* of `design` in struct mp_KIND */
    bool (*add)(const void *design);  /* a struct mp_KIND, at the end of the list; false: there is no room */
    const struct mp_design_need *needs; /* ends with a NULL name */
};

/* The first function that this design, a struct mp_KIND, lacks; NULL if it has all. */
const struct mp_design_need *mp_design_lacks(const struct mp_design_kind *kind, const void *design);

#define MP_DESIGN_NAMES 512u /* bytes of a list of names, "first|second" */

/* Adds a name to a list that is the choices of a parameter; false: there is no room. */
bool mp_design_add_name(char names[MP_DESIGN_NAMES], const char *name);

/* Position of a design in a list that ends with NULL, or -1. */
int mp_design_find(const struct mp_design *const *list, const char *name);

static inline bool mp_design_fits(const struct mp_design *design, unsigned place)
{
    return !design->places || (design->places >> place & 1);
}

unsigned mp_design_nparams(const struct mp_design *design);
/* The last part of a parameter's path: "stride" of l3_tlb.stride. */
const char *mp_design_param_name(const struct mp_design_param *param);
/* Position among the design's parameters, or -1. name: the last part of its path, `length` characters. */
int mp_design_param_find(const struct mp_design *design, const char *name, size_t length);

struct mp_design_values mp_design_defaults(const struct mp_design *design);
/* Reads a value. -1, and err is "NAME: ..." with what is allowed. */
int mp_design_read(const struct mp_design_param *param, const char *text, size_t length, uint64_t *value,
                   struct mp_error *err);
/* Checks that each value is in its range. -1, and err as above. */
int mp_design_check(const struct mp_design *design, const struct mp_design_values *values,
                    struct mp_error *err);

#ifdef __cplusplus
}
#endif
#endif
