/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/machine/machine.h"

void machine_pattern(const char *path, char pattern[64])
{
    char *to = pattern;
    while (*path) {
        size_t length = strcspn(path, "."), kept = length;
        while (kept && isdigit((unsigned char)path[kept - 1]))
            kept--;
        memcpy(to, path, kept);
        to += kept;
        if (kept < length)
            *to++ = '*';
        path += length;
        if (*path)
            *to++ = *path++;
    }
    *to = 0;
}

static bool same_params(const struct mp_plan_block *a, const struct mp_plan_block *b)
{
    struct machine_param of_a[MACHINE_PARAMS], of_b[MACHINE_PARAMS];
    unsigned n = machine_params(a, of_a);
    if (a->kind != b->kind || n != machine_params(b, of_b))
        return false;
    for (unsigned i = 0; i < n; i++)
        if (strcmp(of_a[i].name, of_b[i].name) != 0 || strcmp(of_a[i].text, of_b[i].text) != 0 ||
            of_a[i].number != of_b[i].number)
            return false;
    return true;
}

static bool belongs(const struct machine_group *g, const struct mp_plan_block *b, const char *pattern,
                    bool apart)
{
    return !strcmp(g->pattern, pattern) && !strcmp(g->block->level, b->level) &&
           (!apart || g->block->tenants == b->tenants) && same_params(g->block, b);
}

static uint32_t group_of(struct machine_groups *g, const struct mp_plan_block *b, bool apart)
{
    char pattern[64];
    uint32_t i = 0;
    machine_pattern(b->path, pattern);
    while (i < g->groups && !belongs(&g->group[i], b, pattern, apart))
        i++;
    struct machine_group *to = &g->group[i];
    if (i == g->groups) {
        g->groups++;
        *to = (struct machine_group){.block = b, .shared = b->tenants, .least_ins = b->ins};
        memcpy(to->pattern, pattern, sizeof pattern);
    }
    to->blocks++;
    to->links += b->links;
    to->tenants |= b->tenants;
    unsigned tenants = (unsigned)__builtin_popcount(b->tenants);
    to->shared &= b->tenants;
    to->most_tenants = tenants > to->most_tenants ? tenants : to->most_tenants;
    to->least_ins = b->ins < to->least_ins ? b->ins : to->least_ins;
    to->most_ins = b->ins > to->most_ins ? b->ins : to->most_ins;
    return i;
}

static void add_link(struct machine_groups *g, const struct mp_plan_link *link)
{
    uint32_t from = g->of[link->from], to = g->of[link->to], i = 0;
    while (i < g->bundles &&
           (g->bundle[i].from != from || g->bundle[i].to != to || g->bundle[i].kind != link->kind))
        i++;
    if (i == g->bundles)
        g->bundle[g->bundles++] = (struct machine_bundle){from, to, link->kind, 0};
    g->bundle[i].links++;
}

/* In a machine whose links form a circle, the depths stop growing after one pass per group. */
static void set_depths(struct machine_groups *g)
{
    bool changed = true;
    for (uint32_t pass = 0; changed && pass < g->groups; pass++) {
        changed = false;
        for (uint32_t i = 0; i < g->bundles; i++) {
            const struct machine_group *from = &g->group[g->bundle[i].from];
            struct machine_group *to = &g->group[g->bundle[i].to];
            if (from != to && to->depth <= from->depth) {
                to->depth = from->depth + 1;
                changed = true;
            }
        }
    }
    for (uint32_t i = 0; i < g->groups; i++)
        g->depths = g->group[i].depth >= g->depths ? g->group[i].depth + 1 : g->depths;
}

void machine_groups_init(struct machine_groups *g, const struct mp_plan *plan, bool apart)
{
    *g = (struct machine_groups){0};
    g->group = cli_alloc(plan->blocks + 1, sizeof *g->group);
    g->bundle = cli_alloc(plan->links + 1, sizeof *g->bundle);
    g->of = cli_alloc(plan->blocks + 1, sizeof *g->of);
    for (uint32_t i = 0; i < plan->blocks; i++)
        g->of[i] = group_of(g, &plan->block[i], apart);
    for (uint32_t i = 0; i < plan->links; i++)
        add_link(g, &plan->link[i]);
    for (uint32_t i = 0; i < g->groups; i++)
        if (g->group[i].blocks == 1)
            memcpy(g->group[i].pattern, g->group[i].block->path, sizeof g->group[i].pattern);
    set_depths(g);
}

void machine_groups_free(struct machine_groups *g)
{
    free(g->group);
    free(g->bundle);
    free(g->of);
    *g = (struct machine_groups){0};
}
