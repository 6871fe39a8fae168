/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/machine/machine.h"
#include "cli/out.h"

const char *machine_link_name(enum mp_link_kind kind)
{
    return kind == MP_LINK_TRANSLATION ? "translation" : "memory";
}

const char *machine_tenant_text(const struct machine *m, unsigned tenant, char text[160])
{
    const struct mp_tenant_config *t = &m->config.tenant[tenant];
    const char *app = t->app ? t->app : t->trace ? t->trace : NULL;
    bool mps = mp_config_is_mps(&m->config);
    uint64_t share = mps ? t->sms : t->slices;
    snprintf(text, 160, "tenant %u: %.60s%s%.16s%s%" PRIu64 " %s%s%s%.40s", tenant, app ? app : "",
             app && t->size ? " " : "", app && t->size ? t->size : "", app ? ", " : "", share,
             mps ? "SM" : "GPC slice", share == 1 ? "" : "s", t->page_bytes ? ", page_bytes " : "",
             t->page_bytes ? t->page_bytes : "");
    return text;
}

/* "0-2", "0,2"; text has room for the numbers of all tenants. */
static const char *numbers(uint32_t mask, char text[128])
{
    int n = 0;
    text[0] = 0;
    for (unsigned i = 0; i < 32; i++) {
        unsigned first = i;
        if (!(mask >> i & 1))
            continue;
        while (i + 1 < 32 && mask >> (i + 1) & 1)
            i++;
        n += snprintf(text + n, 128 - (size_t)n, i > first ? "%s%u-%u" : "%s%u", n ? "," : "", first, i);
    }
    return text;
}

static void params_cell(struct out_table *t, const struct mp_plan_block *b)
{
    struct machine_param list[MACHINE_PARAMS];
    unsigned n = machine_params(b, list);
    char line[512] = "", one[MACHINE_TEXT];
    size_t used = 0;
    for (unsigned i = 0; i < n && used + sizeof one < sizeof line; i++)
        if (list[i].main)
            used += (size_t)snprintf(line + used, sizeof line - used, "%s%s", used ? ", " : "",
                                     machine_param_text(&list[i], one));
    out_cell(t, "%s", line);
}

/* "l1_tlb: 98, l1d: 98" */
static void links_cell(struct out_table *t, const struct machine_groups *g, uint32_t from)
{
    char line[512] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < g->bundles && used + 64 < sizeof line; i++) {
        const char *level = g->group[g->bundle[i].to].block->level;
        uint32_t links = 0;
        bool first = g->bundle[i].from == from;
        for (uint32_t k = 0; k < g->bundles; k++)
            if (g->bundle[k].from == from && !strcmp(g->group[g->bundle[k].to].block->level, level)) {
                first = first && k >= i;
                links += g->bundle[k].links;
            }
        if (first)
            used += (size_t)snprintf(line + used, sizeof line - used, "%s%s: %" PRIu32, used ? ", " : "",
                                     level, links);
    }
    out_cell(t, "%s", line);
}

static void tenants_cell(struct out_table *t, const struct machine_group *g)
{
    char text[128];
    const char *which = g->shared == g->tenants ? "" : g->most_tenants > 1 ? "some of " : "one of ";
    out_cell(t, "%s%s", which, numbers(g->tenants, text));
}

static void group_row(struct out_table *t, const struct machine_groups *all, uint32_t i)
{
    const struct machine_group *g = &all->group[i];
    out_count(t, g->blocks);
    out_cell(t, "%s", g->pattern);
    out_cell(t, "%s", g->block->level);
    out_cell(t, "%s", g->block->kind->name);
    tenants_cell(t, g);
    if (g->least_ins == g->most_ins)
        out_cell(t, "%" PRIu32, g->least_ins);
    else
        out_cell(t, "%" PRIu32 " to %" PRIu32, g->least_ins, g->most_ins);
    links_cell(t, all, i);
    params_cell(t, g->block);
}

static void heading(const struct machine *m)
{
    char text[160], *title = cli_have(mp_config_title(&m->config));
    printf("%s: %s\n", m->config.name, title);
    free(title);
    if (m->bare)
        puts("It has no tenants; this is the machine with one tenant that has all of it.");
    else
        for (unsigned t = 0; t < m->config.ntenants; t++)
            printf("  %s\n", machine_tenant_text(m, t, text));
    puts("");
}

static void totals(const struct machine *m)
{
    printf("\n%" PRIu32 " blocks, %" PRIu32 " links\n", m->plan.blocks, m->plan.links);
}

/* Rows of the blocks that take requests of the kind, those that send the requests first. */
static void print_path(struct out_table *t, const struct machine_groups *g, enum mp_link_kind kind)
{
    for (uint32_t depth = 0; depth < g->depths; depth++)
        for (uint32_t i = 0; i < g->groups; i++)
            if (g->group[i].depth == depth && g->group[i].block->kind->in == kind)
                group_row(t, g, i);
}

void machine_print(const struct machine *m)
{
    static const char *const heads[] = {"blocks",  "path",     "level",    "kind",
                                        "tenants", "in ports", "links to", "main parameters of each"};
    struct machine_groups g;
    struct out_table *t = out_table_new(8, heads);
    machine_groups_init(&g, &m->plan, false);
    heading(m);
    print_path(t, &g, MP_LINK_TRANSLATION);
    print_path(t, &g, MP_LINK_MEMORY);
    out_table_print(t, stdout);
    totals(m);
    machine_groups_free(&g);
}

static void print_blocks(const struct mp_plan *plan)
{
    static const char *const heads[] = {"path",     "level",     "kind",           "tenants",
                                        "in ports", "links out", "main parameters"};
    struct out_table *t = out_table_new(7, heads);
    char text[128];
    for (uint32_t i = 0; i < plan->blocks; i++) {
        const struct mp_plan_block *b = &plan->block[i];
        out_cell(t, "%s", b->path);
        out_cell(t, "%s", b->level);
        out_cell(t, "%s", b->kind->name);
        out_cell(t, "%s", numbers(b->tenants, text));
        out_count(t, b->ins);
        out_count(t, b->links);
        params_cell(t, b);
    }
    out_table_print(t, stdout);
}

static void print_links(const struct mp_plan *plan)
{
    static const char *const heads[] = {"from", "out link", "to", "in port", "requests", "tenants"};
    struct out_table *t = out_table_new(6, heads);
    char text[128];
    for (uint32_t i = 0; i < plan->links; i++) {
        const struct mp_plan_link *l = &plan->link[i];
        out_cell(t, "%s", plan->block[l->from].path);
        out_count(t, l->out);
        out_cell(t, "%s", plan->block[l->to].path);
        out_count(t, l->port);
        out_cell(t, "%s", machine_link_name(l->kind));
        out_cell(t, "%s", numbers(l->tenants, text));
    }
    out_table_print(t, stdout);
}

void machine_print_all(const struct machine *m)
{
    heading(m);
    print_blocks(&m->plan);
    puts("");
    print_links(&m->plan);
    totals(m);
}

/* ---- JSON ---- */

static void json_tenants(struct out_json *j, uint32_t mask)
{
    json_array(j, "tenants");
    for (unsigned t = 0; t < 32; t++)
        if (mask >> t & 1)
            json_count(j, NULL, t);
    json_end_array(j);
}

static void json_configuration(struct out_json *j, const struct machine *m)
{
    json_text(j, "name", m->config.name);
    json_text(j, "description", m->config.description);
    json_text(j, "changes", m->config.changes);
    json_array(j, "tenants");
    for (unsigned t = 0; !m->bare && t < m->config.ntenants; t++) {
        const struct mp_tenant_config *c = &m->config.tenant[t];
        json_object(j, NULL);
        json_count(j, "tenant", t);
        json_text(j, "app", c->app);
        json_text(j, "size", c->size);
        json_text(j, "trace", c->trace);
        json_count(j, "slices", c->slices);
        json_count(j, "sms", c->sms);
        json_end_object(j);
    }
    json_end_array(j);
}

static void json_block(struct out_json *j, const struct mp_plan_block *b)
{
    struct machine_param list[MACHINE_PARAMS];
    unsigned n = machine_params(b, list);
    json_object(j, NULL);
    json_text(j, "path", b->path);
    json_text(j, "kind", b->kind->name);
    json_text(j, "level", b->level);
    json_object(j, "params");
    for (unsigned i = 0; i < n; i++)
        if (list[i].unit)
            json_count(j, list[i].name, list[i].number);
        else
            json_text(j, list[i].name, list[i].text);
    json_end_object(j);
    json_tenants(j, b->tenants);
    json_count(j, "ins", b->ins);
    json_end_object(j);
}

static void json_link(struct out_json *j, const struct mp_plan *plan, const struct mp_plan_link *l)
{
    json_object(j, NULL);
    json_text(j, "from", plan->block[l->from].path);
    json_count(j, "out", l->out);
    json_text(j, "to", plan->block[l->to].path);
    json_count(j, "port", l->port);
    json_text(j, "kind", machine_link_name(l->kind));
    json_tenants(j, l->tenants);
    json_end_object(j);
}

void machine_print_json(const struct machine *m)
{
    struct out_json j = {.f = stdout};
    json_object(&j, NULL);
    json_configuration(&j, m);
    json_array(&j, "blocks");
    for (uint32_t i = 0; i < m->plan.blocks; i++)
        json_block(&j, &m->plan.block[i]);
    json_end_array(&j);
    json_array(&j, "links");
    for (uint32_t i = 0; i < m->plan.links; i++)
        json_link(&j, &m->plan, &m->plan.link[i]);
    json_end_array(&j);
    json_end_object(&j);
}
