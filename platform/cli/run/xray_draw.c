/* SPDX-License-Identifier: Apache-2.0 */
/* A graph of the blocks that wait for each other: only those that the oldest requests pass, since a machine
 * has hundreds. */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/graph.h"
#include "cli/run/xray.h"

#define CHAINS 16u
#define ROOMS  4u /* of a block, in its box */

struct chosen { /* blocks and links that the chains pass */
    bool *block, *end, *link, *perhaps;
};

/* The request is on one of the links that begin at its block, and it is not known on which. */
static void choose_all(const struct mp_xray_report *r, uint32_t block, struct chosen *c)
{
    const struct mp_plan_block *b = &r->plan->block[block];
    for (uint32_t k = b->first_link; k < b->first_link + b->links; k++) {
        c->perhaps[k] = true;
        c->block[r->plan->link[k].to] = true;
    }
}

static void choose(const struct mp_xray_report *r, struct chosen *c)
{
    for (uint32_t n = 0; n < r->items && n < CHAINS; n++) {
        const struct mp_xray_item *end = &r->item[mp_xray_end(r, r->oldest[n])];
        for (uint32_t i = r->oldest[n]; i != MP_XRAY_NONE; i = r->item[i].next) {
            const struct mp_xray_item *item = &r->item[i];
            c->block[item->block] = true;
            if (item->link != MP_XRAY_NONE) {
                c->link[item->link] = true;
                c->block[r->plan->link[item->link].to] = true;
            }
        }
        c->end[end->block] = true;
        if (end->link == MP_XRAY_NONE && end->wait.out == MP_XRAY_ANY)
            choose_all(r, end->block, c);
    }
}

static void draw_block(const struct mp_xray_report *r, uint32_t number, bool end, bool lost, FILE *f)
{
    const struct mp_xray_block *b = &r->block[number];
    fprintf(f, "n%" PRIu32 " [fillcolor=\"%s\", label=<<b>", number,
            b->foreign ? "#f6c6c6"
            : end      ? "#fdf3c4"
                       : "#d6e9f5");
    graph_text(f, r->plan->block[number].path);
    fprintf(f, "</b><br/>%s%" PRIu32 " requests", b->foreign ? "a foreign module, " : "", b->items);
    if (b->between)
        fprintf(f, ", %" PRIu32 " %s", b->between, lost ? "lost below" : "on the way");
    fputs(b->rooms ? "<font point-size=\"10\">" : "", f); /* Graphviz refuses an empty one */
    for (uint32_t i = 0; i < b->rooms && i < ROOMS; i++) {
        const struct mp_xray_structure *s = &r->room[b->first_room + i];
        fputs("<br/>", f);
        graph_text(f, s->name);
        fprintf(f, " %" PRIu64, s->used);
        if (s->most)
            fprintf(f, " of %" PRIu64, s->most);
    }
    fputs(b->rooms ? "</font>>];\n" : ">];\n", f);
}

#define RED "color=\"#d55e00\", fontcolor=\"#d55e00\""

/* Requests that the target does not have are on the way in a machine that runs, and lost in one that is
 * stuck: then the link is red and dashed. */
static void draw_link(const struct mp_xray_report *r, uint32_t number, bool lost, FILE *f)
{
    const struct mp_plan_link *l = &r->plan->link[number];
    const struct mp_xray_edge *e = &r->edge[number];
    fprintf(f, "n%" PRIu32 " -> n%" PRIu32 " [label=\" %" PRIu64, l->from, l->to, e->items);
    if (e->since != MP_XRAY_UNKNOWN)
        fprintf(f, ", since %" PRIu64, e->since);
    if (e->between)
        fprintf(f, "\\n%" PRIu64 " %s", e->between, lost ? "not there" : "on the way");
    fputs(e->between && lost ? "\", style=dashed, " RED "];\n" : "\"];\n", f);
}

static void draw_perhaps(const struct mp_xray_report *r, uint32_t number, bool lost, FILE *f)
{
    const struct mp_plan_link *l = &r->plan->link[number];
    fprintf(f, "n%" PRIu32 " -> n%" PRIu32 " [style=dotted%s];\n", l->from, l->to, lost ? ", " RED : "");
}

void xray_draw(const struct mp_xray_report *r, const struct xray_about *about, FILE *f)
{
    struct chosen c = {cli_alloc(r->plan->blocks, sizeof(bool)), cli_alloc(r->plan->blocks, sizeof(bool)),
                       cli_alloc(r->plan->links, sizeof(bool)), cli_alloc(r->plan->links, sizeof(bool))};
    bool lost = about->why != NULL;
    choose(r, &c);
    fputs(
        "digraph xray {\nrankdir=TB; nodesep=0.3; ranksep=0.5;\n"
        "graph [fontname=\"Helvetica,Arial,sans-serif\", fontsize=12];\n"
        "node [fontname=\"Helvetica,Arial,sans-serif\", fontsize=12, shape=box, style=\"rounded,filled\"];\n"
        "edge [fontname=\"Helvetica,Arial,sans-serif\", fontsize=10, penwidth=1.6];\n"
        "labelloc=t; label=<<font point-size=\"18\"><b>",
        f);
    graph_text(f, about->name);
    fprintf(f, "</b></font><br/>run %" PRId64 ", cycle %" PRIu64 "<br/>", about->run, r->cycle);
    fputs("An arrow leads from a block to the one whose answers it waits for: requests, "
          "and the oldest one's cycle.<br/>On the way: in neither of two blocks. "
          "A dotted arrow: on this link, or on another dotted one. Yellow: the oldest requests wait "
          "for nothing further.<br/>Red: a foreign module; requests that are lost.>;\n",
          f);
    for (uint32_t i = 0; i < r->plan->blocks; i++)
        if (c.block[i])
            draw_block(r, i, c.end[i], lost, f);
    for (uint32_t k = 0; k < r->plan->links; k++) {
        if (c.link[k])
            draw_link(r, k, lost, f);
        else if (c.perhaps[k])
            draw_perhaps(r, k, lost, f);
    }
    fputs("}\n", f);
    free(c.block);
    free(c.end);
    free(c.link);
    free(c.perhaps);
}
