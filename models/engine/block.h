/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface of all kinds of blocks, so that a memory path can be built from a table of blocks
 * and a table of links (gpu/plan.h) without knowing any kind. A kind defines one `const struct mp_block_kind`
 * next to its model. `model` is the kind's own structure, `params` its parameters.
 *
 * A block has in ports, numbered from 0, and out links in groups: a group is one purpose (an SM's
 * translations, its data) and has as many links as the plan gives it. Out links are numbered through all
 * groups, in the order of the groups.
 */
#ifndef MP_ENGINE_BLOCK_H
#define MP_ENGINE_BLOCK_H

#include <stddef.h>

#include "engine/design.h"
#include "engine/link.h"
#include "engine/metric.h"
#include "engine/scope.h"
#include "engine/xray.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_page_format;
struct mp_page_table_design;

enum mp_link_kind { MP_LINK_TRANSLATION, MP_LINK_MEMORY };

#define MP_BLOCK_GROUPS 2u
#define MP_BLOCK_PEERS  4u
#define MP_LEVEL_NAME   11u /* characters of the name of a level of blocks, and its end */

/* Where a plan puts a block, and what the plan joins to it. */
struct mp_block_place {
    uint32_t first_sm;              /* number of the first SM that it serves */
    uint32_t slices;                /* GPC slices that it serves, at least 1 */
    uint32_t tenants;               /* whose requests reach it, a bit each */
    uint32_t tenant_numbers;        /* tenants of the machine are numbered from 0 to one less */
    const uint32_t *tenant_slices;  /* GPC slices of each tenant; NULL if instances come and go */
    uint32_t ins;                   /* in ports */
    uint32_t outs[MP_BLOCK_GROUPS]; /* out links of each group */
    uint32_t ring_place, ring;      /* its place in a ring of blocks of its level, and the size of the ring */
    uint32_t peer_sm[MP_BLOCK_PEERS]; /* first SMs of the first of its peers */
};

/* A design that a block uses, such as its TLB policy, with the counters that the design brings. */
struct mp_block_design {
    const struct mp_design *design;
    void *stats; /* one structure of design->counters per tenant */
};

#define MP_BLOCK_RARE    2u
#define MP_BLOCK_DESIGNS 4u

/* A parameter that a kind brings. A level's users set it as LEVEL.NAME, for example l2_tlb.entries. */
struct mp_block_param {
    struct mp_design_param row;
    /* Where the value is in the kind's parameters: 1, 4 or 8 bytes. width 0: it is not there, for only the
     * builder of the machine needs it. */
    uint16_t offset, width;
    /* The value is one of these designs: a pointer to the structure whose first member it is. NULL: a number.
     * values: offset of the struct mp_design_values that has its parameters; 0: nowhere. */
    const struct mp_design *const *designs;
    uint16_t values;
    const char *usual; /* name of the default design */
    /* Unit of the value of a block in tables and pictures. NULL: they omit it, or a design if it is the usual
     * one. */
    const char *shown;
};
/* Rows of such parameters; a choice's first word is the default. MP_PARAM_..._APART: width 0. */
#define MP_PARAM_AT(params, member) offsetof(params, member), sizeof(((params *)0)->member)
#define MP_PARAM_NUMBER(params, member, shown, name, unit, usual, least, most, source, text)                 \
    {                                                                                                        \
        {name, unit, NULL, usual, least, most, source, text, 0}, MP_PARAM_AT(params, member), NULL, 0, NULL, \
            shown                                                                                            \
    }
#define MP_PARAM_CHOICE(params, member, shown, name, choices, source, text)                                  \
    {                                                                                                        \
        {name, NULL, choices, 0, 0, 0, source, text, 0}, MP_PARAM_AT(params, member), NULL, 0, NULL, shown   \
    }
#define MP_PARAM_DESIGN(params, member, values, name, designs, usual, source, text)                          \
    {                                                                                                        \
        {name, NULL, "", 0, 0, 0, source, text, 0}, MP_PARAM_AT(params, member), designs,                    \
            offsetof(params, values), usual, ""                                                              \
    }
/* A design that only some blocks have: the usual one does nothing. */
#define MP_PARAM_EXTRA_DESIGN(params, member, values, name, designs, usual, source, text)                    \
    {                                                                                                        \
        {name, NULL, "", 0, 0, 0, source, text, 0}, MP_PARAM_AT(params, member), designs,                    \
            offsetof(params, values), usual, NULL                                                            \
    }
#define MP_PARAM_ONLY_DESIGN(params, member, name, designs, usual, source, text)                             \
    {                                                                                                        \
        {name, NULL, "", 0, 0, 0, source, text, 0}, MP_PARAM_AT(params, member), designs, 0, usual, ""       \
    }
#define MP_PARAM_NUMBER_APART(name, unit, usual, least, most, source, text)                                  \
    {                                                                                                        \
        {name, unit, NULL, usual, least, most, source, text, 0}, 0, 0, NULL, 0, NULL, NULL                   \
    }
#define MP_PARAM_CHOICE_APART(name, choices, source, text)                                                   \
    {                                                                                                        \
        {name, NULL, choices, 0, 0, 0, source, text, 0}, 0, 0, NULL, 0, NULL, NULL                           \
    }
#define MP_PARAM_END                                                                                         \
    {                                                                                                        \
        {0}, 0, 0, NULL, 0, NULL, NULL                                                                       \
    }

/* Values on which the parameters of all kinds of blocks depend. */
struct mp_block_common {
    uint64_t page_bytes, line_bytes;
    uint64_t page_sizes; /* of page tables in bytes, or'ed; page_bytes is the least. 0: it is the only one */
    const struct mp_page_format *format; /* of page tables */
    const struct mp_page_table_design *table;
    uint32_t tenants, sms, warps; /* SMs of the machine, warps of an SM */
    uint32_t clock_mhz;           /* of the machine */
};

struct mp_block_kind {
    const char *name;
    size_t model_bytes, params_bytes;
    const struct mp_metric_table *metrics;
    enum mp_link_kind in; /* of all in ports */
    bool in_virtual;      /* memory requests that come have virtual addresses */
    bool of_memory;       /* its share is that of a slice of memory, and not of a GPC slice */
    unsigned groups;      /* of out links */
    struct {
        const char *name; /* of the purpose, for drawings */
        enum mp_link_kind kind;
        bool many; /* the group may have more than one link */
    } out[MP_BLOCK_GROUPS];

    const struct mp_block_param *params; /* ends with a NULL name; NULL: it has none */
    /* Fills in what follows from the values of `params`, which are set. */
    void (*derive)(void *params, const struct mp_block_common *common);
    /* Parameters describe one GPC slice's share: makes them those of several slices. NULL: they stay. */
    void (*scale)(void *params, uint32_t slices);
    /* Links that each initiator needs, as it chooses among them by address. NULL: one. */
    uint32_t (*lanes)(const void *params);
    /* Whether a group of out links is needed with these parameters. NULL: every group is. */
    bool (*needs)(const void *params, unsigned group);
    /* Writes to list the places of the blocks in a ring to which the block at ring_place has links; list has
     * room for the whole ring. Returns their number, or UINT32_MAX if the ring is too small. */
    uint32_t (*peers)(const void *params, uint32_t ring_place, uint32_t ring, uint32_t *list);
    /* The least number of cycles from the moment in which the block knows that it will send a request on
     * links of this kind until it sends it; it sends those by mp_out_send_in(). NULL: none. */
    uint32_t (*lookahead)(const void *params, enum mp_link_kind links);
    /* Takes what depends on the place, such as the number of ports. */
    void (*fit)(void *params, const struct mp_block_place *place);

    int (*init)(void *model, struct mp_wheel *wheel, const void *params); /* returns -1 if memory runs out */
    void (*free)(void *model);
    struct mp_target (*target)(void *model, unsigned port);
    struct mp_initiator *(*up)(void *model,
                               unsigned port); /* where the model stores who sends to this port */
    struct mp_initiator (*initiator)(void *model, unsigned out);
    void (*join)(void *model, unsigned out, struct mp_target target);
    void (*route)(void *model, unsigned tenant, unsigned out); /* this tenant's requests leave there. NULL:
                                                                  the model chooses */

    /* The rest may be NULL: the kind has no such thing. */
    void (*serve)(void *model, uint32_t tenants); /* resources are divided among these tenants, a bit each */
    /* The page table of an address space. */
    void (*set_root)(void *model, uint16_t asid, const struct mp_page_format *format, uint64_t root);
    /* Forgets what it holds of the scope; returns the number of entries. */
    uint64_t (*invalidate)(void *model, const struct mp_scope *scope);
    void (*clear)(
        void *model); /* holds nothing any more, unwritten lines included; requests in flight go on */
    void (*refresh)(void *model, unsigned tenant); /* brings the gauges of a tenant up to date */
    void *(*stats)(const void *model);             /* one structure of `metrics` per tenant */
    /* Designs in use that have counters of their own; returns how many. */
    unsigned (*designs)(const void *model, struct mp_block_design list[MP_BLOCK_DESIGNS]);
    /* What it counts in some machines only, as of hints (MP_HINT in link.h): one structure of these metrics
     * per tenant, recorded as component BLOCK.NAME if there is anything else than 0. stats() may return NULL.
     */
    struct {
        const struct mp_metric_table *metrics; /* whose kind is NAME; NULL: no more */
        void *(*stats)(const void *model);
    } rare[MP_BLOCK_RARE];
    void (*xray)(const void *model, const struct mp_xray *x); /* shows what is in it (xray.h) */
};

unsigned mp_block_nparams(const struct mp_block_kind *kind);
/* Sets a parameter to a number, or to a design with its values. */
void mp_block_set(const struct mp_block_param *p, void *params, uint64_t value);
uint64_t mp_block_get(const struct mp_block_param *p, const void *params);
void mp_block_set_design(const struct mp_block_param *p, void *params, const struct mp_design *design,
                         const struct mp_design_values *values);
/* Returns a model that is initialised, or NULL if memory runs out. */
void *mp_block_new(const struct mp_block_kind *kind, struct mp_wheel *wheel, const void *params);
/* Requests of all tenants of the mask leave by this out link. */
void mp_block_route(const struct mp_block_kind *kind, void *model, uint32_t tenants, unsigned out);
void mp_block_delete(const struct mp_block_kind *kind, void *model); /* model may be NULL */

#ifdef __cplusplus
}
#endif
#endif
