/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of a machine by Graphviz: each group of blocks is one box, and links between groups are one arrow.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/graph.h"
#include "cli/machine/machine.h"

#define MOST_CLUSTERS 4u /* tenants whose own blocks are drawn apart */

/* Colours that colour-blind readers can distinguish, too (Okabe and Ito). */
static const char *const link_colour[] = {[MP_LINK_TRANSLATION] = "#0072b2", [MP_LINK_MEMORY] = "#d55e00"};

static const struct {
    const struct mp_block_kind *kind;
    const char *colour;
} fill[] = {
    {&mp_sm_kind, "#eeeeee"},    {&mp_tlb_kind, "#d6e9f5"},           {&mp_walk_kind, "#fdf3c4"},
    {&mp_cache_kind, "#d5efe4"}, {&mp_through_cache_kind, "#d5efe4"}, {&mp_virtual_cache_kind, "#d5efe4"},
    {&mp_dram_kind, "#fbe0cd"},  {&mp_host_kind, "#f5dcea"},          {&mp_copies_kind, "#f5dcea"}};

/* The sections of the configuration are named like levels. */
#define SECTION_TITLE(section, PARAMS, title) {#section, title},
#define LEVEL_TITLE(level, title)             {#level, title},
static const struct {
    const char *level, *title;
} titles[] = {MP_SECTIONS(SECTION_TITLE, LEVEL_TITLE)};

static const char *const places[] = {[MP_PER_SM] = "SM",         [MP_PER_TPC] = "TPC",
                                     [MP_PER_SLICE] = "GPC",     [MP_PER_INSTANCE] = "instance",
                                     [MP_PER_TENANT] = "tenant", [MP_PER_MACHINE] = "machine"};

static const char *title_of(const char *level)
{
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        if (!strcmp(titles[i].level, level))
            return titles[i].title;
    return level;
}

static const char *fill_of(const struct mp_block_kind *kind)
{
    for (size_t i = 0; i < sizeof fill / sizeof *fill; i++)
        if (fill[i].kind == kind)
            return fill[i].colour;
    return "#ffffff";
}

/* ---- boxes ---- */

static const struct mp_level *level_of(const struct machine *m, const char *name)
{
    const struct mp_level *level = m->description.level;
    while (strcmp(level->name, name) != 0)
        level++;
    return level;
}

/* "49 × l1_tlb, one per TPC". An SM is a place itself. */
static void draw_count(FILE *f, const struct machine *m, const struct machine_group *g)
{
    const struct mp_level *level = level_of(m, g->block->level);
    uint32_t all = 0;
    for (uint32_t i = 0; i < m->plan.blocks; i++)
        all |= m->plan.block[i].tenants;
    if (g->blocks > 1)
        fprintf(f, "%" PRIu32 " &#215; ", g->blocks);
    graph_text(f, level->name);
    if (g->blocks > 1 && level->kind != &mp_sm_kind && level->per != MP_PER_MACHINE)
        fprintf(f, ", one per %s", places[level->per]);
    if (g->blocks > 1 && level->per == MP_PER_TENANT && level->home != MP_PER_MACHINE)
        fprintf(f, " and %s", places[level->home]);
    if (g->blocks == 1 && m->description.tenants > 1 && g->tenants == all)
        fputs(", shared by all tenants", f);
}

static void draw_group(FILE *f, const struct machine *m, const struct machine_group *g, uint32_t number)
{
    struct machine_param list[MACHINE_PARAMS];
    unsigned n = machine_params(g->block, list), shown = 0;
    char text[MACHINE_TEXT];
    fprintf(f, "n%" PRIu32 " [fillcolor=\"%s\", label=<<b>", number, fill_of(g->block->kind));
    graph_text(f, title_of(g->block->level));
    fputs("</b><br/>", f);
    draw_count(f, m, g);
    fputs("<font point-size=\"10\">", f);
    for (unsigned i = 0; i < n; i++)
        if (list[i].main) {
            fputs(shown++ % 2 ? ", " : "<br/>", f);
            graph_text(f, machine_param_text(&list[i], text));
        }
    fputs("</font>>];\n", f);
}

/* ---- clusters ---- */

/* The tenant whose cluster the group is in, or MP_TENANTS. */
static unsigned cluster_of(const struct machine *m, const struct machine_group *g)
{
    bool alone = g->tenants && !(g->tenants & (g->tenants - 1));
    if (!alone || m->description.tenants < 2 || m->description.tenants > MOST_CLUSTERS)
        return MP_TENANTS;
    return (unsigned)__builtin_ctz(g->tenants);
}

static void draw_cluster(FILE *f, const struct machine *m, const struct machine_groups *g, unsigned tenant)
{
    char text[160];
    bool some = false;
    for (uint32_t i = 0; i < g->groups; i++) {
        if (cluster_of(m, &g->group[i]) != tenant)
            continue;
        if (!some && tenant < MP_TENANTS) {
            fprintf(f, "subgraph cluster%u {\nlabel=<", tenant);
            graph_text(f, mp_config_is_mps(&m->config) ? "" : "Instance of ");
            graph_text(f, machine_tenant_text(m, tenant, text));
            fputs(">;\nlabeljust=l; style=\"rounded,dashed\"; color=\"#777777\";\n", f);
        }
        some = true;
        draw_group(f, m, &g->group[i], i);
    }
    if (some && tenant < MP_TENANTS)
        fputs("}\n", f);
}

/* Blocks of a level are on one line. */
static void draw_lines(FILE *f, const struct machine *m, const struct machine_groups *g)
{
    for (unsigned level = 0; level < m->description.levels; level++) {
        fputs("{rank=same;", f);
        for (uint32_t i = 0; i < g->groups; i++)
            if (!strcmp(g->group[i].block->level, m->description.level[level].name))
                fprintf(f, " n%" PRIu32 ";", i);
        fputs("}\n", f);
    }
}

/* The last blocks that take memory requests are below the last ones that take translations. */
static void draw_bottom(FILE *f, const struct machine_groups *g)
{
    for (uint32_t i = 0; i < g->groups; i++)
        for (uint32_t k = 0; k < g->groups; k++)
            if (!g->group[i].links && !g->group[k].links &&
                g->group[i].block->kind->in == MP_LINK_TRANSLATION &&
                g->group[k].block->kind->in == MP_LINK_MEMORY && g->group[i].tenants & g->group[k].tenants)
                fprintf(f, "n%" PRIu32 " -> n%" PRIu32 " [style=invis, weight=0];\n", i, k);
}

static void draw_bundle(FILE *f, const struct machine_bundle *b)
{
    const char *colour = link_colour[b->kind];
    fprintf(f, "n%" PRIu32 " -> n%" PRIu32 " [color=\"%s\", fontcolor=\"%s\"", b->from, b->to, colour,
            colour);
    if (b->links > 1)
        fprintf(f, ", label=\" %" PRIu32 " links\"", b->links);
    fputs("];\n", f);
}

static void draw_legend(FILE *f, const struct machine *m)
{
    char *title = cli_have(mp_config_title(&m->config));
    fputs("labelloc=t; label=<<font point-size=\"18\"><b>", f);
    graph_text(f, m->config.name);
    fputs("</b></font><br/>", f);
    graph_text(f, title);
    free(title);
    if (m->bare)
        fputs("<br/>drawn with one tenant that has all of the machine", f);
    fprintf(
        f,
        "<br/><font color=\"%s\">&#9473;&#9473;&#9654; translation requests (virtual addresses)</font> "
        "&#160; <font color=\"%s\">&#9473;&#9473;&#9654; memory requests (physical addresses)</font><br/>A "
        "box with N &#215; is N equal blocks. Parameters are those of one block.<br/> >;\n",
        link_colour[MP_LINK_TRANSLATION], link_colour[MP_LINK_MEMORY]);
}

void machine_draw(const struct machine *m, FILE *f)
{
    struct machine_groups g;
    machine_groups_init(&g, &m->plan, m->description.tenants <= MOST_CLUSTERS);
    fputs(
        "digraph machine {\nnewrank=true; rankdir=TB; nodesep=0.3; ranksep=0.5;\n"
        "graph [fontname=\"Helvetica,Arial,sans-serif\", fontsize=12];\n"
        "node [fontname=\"Helvetica,Arial,sans-serif\", fontsize=12, shape=box, style=\"rounded,filled\"];\n"
        "edge [fontname=\"Helvetica,Arial,sans-serif\", fontsize=10, penwidth=1.6];\n",
        f);
    draw_legend(f, m);
    for (unsigned tenant = 0; tenant <= MP_TENANTS; tenant++)
        draw_cluster(f, m, &g, tenant);
    draw_lines(f, m, &g);
    draw_bottom(f, &g);
    for (uint32_t i = 0; i < g.bundles; i++)
        draw_bundle(f, &g.bundle[i]);
    fputs("}\n", f);
    machine_groups_free(&g);
}

/* ---- files ---- */

int machine_picture_check(const char *file, struct mp_error *err)
{
    return graph_form(file)
               ? 0
               : mp_fail(err, "-o: '%s' is not a picture; a name that ends in " GRAPH_FORMS, file);
}

static void draw(const void *machine, FILE *f)
{
    machine_draw(machine, f);
}

int machine_picture(const struct machine *m, const char *file)
{
    return graph_write("-o", file, draw, m);
}
