/* SPDX-License-Identifier: Apache-2.0 */
/* The machine that a configuration describes: its blocks and links, for tables, JSON and pictures. */
#ifndef MP_CLI_MACHINE_H
#define MP_CLI_MACHINE_H

#include <stdio.h>

#include "config/config.h"
#include "gpu/plan.h"

struct machine {
    struct mp_config config;
    struct mp_machine description;
    struct mp_plan plan;
    bool bare; /* the configuration has no tenants; one tenant has the whole machine */
};

/* name: a preset, an experiment, or the path of a YAML file. 0, or -1 with a reason. */
int machine_load(struct machine *m, const char *name, unsigned noverrides, const char *const *overrides,
                 struct mp_error *err);
void machine_free(struct machine *m);

/* ---- parameters of a block, as its place scales them ---- */

#define MACHINE_PARAMS 48u
#define MACHINE_TEXT   128u

struct machine_param {
    char name[48];
    const char *unit; /* of a number; NULL: the value is the text */
    uint64_t number;
    char text[48];
    bool main;  /* shown in tables and pictures; the others only in JSON */
    bool named; /* texts give the name, too: "policy star" */
};

/* Returns the number of parameters. A kind of block that params.c does not list has none. */
unsigned machine_params(const struct mp_plan_block *block, struct machine_param list[MACHINE_PARAMS]);
/* "1024 entries", "64 KiB", "policy star"; text has room for MACHINE_TEXT characters. */
const char *machine_param_text(const struct machine_param *p, char text[MACHINE_TEXT]);

/* ---- groups: blocks that differ only in the numbers of their paths ---- */

struct machine_group {
    char pattern[64];                  /* "gpu.gpc*.tpc*.l1_tlb"; the path if there is one block */
    const struct mp_plan_block *block; /* the first one */
    uint32_t blocks, links;            /* links: that begin here */
    uint32_t tenants, shared;          /* served by any of the blocks, by each of them; a bit each */
    unsigned most_tenants;             /* served by one block */
    uint32_t least_ins, most_ins;      /* in ports */
    uint32_t depth;                    /* links from a block without in ports, on the longest way */
};

struct machine_bundle { /* of links between two groups */
    uint32_t from, to;
    enum mp_link_kind kind;
    uint32_t links;
};

struct machine_groups {
    uint32_t groups, bundles, depths;
    struct machine_group *group; /* in the order of their first blocks */
    struct machine_bundle *bundle;
    uint32_t *of; /* group of each block */
};

/* apart: blocks of different tenants are in different groups. */
void machine_groups_init(struct machine_groups *g, const struct mp_plan *plan, bool apart);
void machine_groups_free(struct machine_groups *g);
/* The path with a * for the number at the end of each of its parts. */
void machine_pattern(const char *path, char pattern[64]);

/* ---- output ---- */

void machine_print(const struct machine *m);     /* a row for each group */
void machine_print_all(const struct machine *m); /* a row for each block and for each link */
void machine_print_json(const struct machine *m);

/* "tenant 0: MT medium, 3 GPC slices"; text has room for 160 characters. */
const char *machine_tenant_text(const struct machine *m, unsigned tenant, char text[160]);
const char *machine_link_name(enum mp_link_kind kind);

/* Writes the picture as a graph for Graphviz. */
void machine_draw(const struct machine *m, FILE *f);
/* Whether a picture can be written to a file of that name. -1 with a reason. */
int machine_picture_check(const char *file, struct mp_error *err);
/* Writes the picture whole or not at all: SVG, PNG, PDF or the graph, as the file's name ends. Returns a
 * cli_exit; the reason of a failure has been printed. */
int machine_picture(const struct machine *m, const char *file);

#endif
