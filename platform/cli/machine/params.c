/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of a block, as a plan gives them. */
#include <inttypes.h>
#include <string.h>

#include "cli/machine/machine.h"

struct list {
    struct machine_param *param;
    unsigned n;
};

#define MAIN true
#define MORE false

static struct machine_param *add(struct list *l, bool main, const char *name)
{
    struct machine_param *p = &l->param[l->n];
    if (l->n + 1 < MACHINE_PARAMS)
        l->n++;
    *p = (struct machine_param){.main = main};
    snprintf(p->name, sizeof p->name, "%s", name);
    return p;
}

static void number(struct list *l, bool main, const char *name, const char *unit, uint64_t value)
{
    struct machine_param *p = add(l, main, name);
    p->unit = unit;
    p->number = value;
}

static void text(struct list *l, bool main, const char *name, const char *value)
{
    struct machine_param *p = add(l, main, name);
    snprintf(p->text, sizeof p->text, "%s", value);
}

/* Choice number `value` of "first|second". */
static void choice(struct list *l, bool main, const char *name, const char *choices, uint64_t value)
{
    for (; value && strchr(choices, '|'); value--)
        choices = strchr(choices, '|') + 1;
    struct machine_param *p = add(l, main, name);
    p->named = main;
    snprintf(p->text, sizeof p->text, "%.*s", (int)strcspn(choices, "|"), choices);
}

/* The design's name, and the parameters that it brings. */
static void design(struct list *l, const char *name, const struct mp_design *d,
                   const struct mp_design_values *values)
{
    struct machine_param *chosen = add(l, MAIN, name);
    chosen->named = true;
    snprintf(chosen->text, sizeof chosen->text, "%s", d->name);
    for (unsigned i = 0; values && i < mp_design_nparams(d); i++) {
        const struct mp_design_param *p = &d->params[i];
        char path[48];
        snprintf(path, sizeof path, "%s.%s", d->name, mp_design_param_name(p));
        if (p->choices)
            choice(l, MORE, path, p->choices, values->v[i]);
        else if (p->unit)
            number(l, MORE, path, p->unit, values->v[i]);
        else
            text(l, MORE, path, values->v[i] ? "true" : "false");
    }
}

/* A block serves several slices, so that its parameters are those of all of them. */
static void name_of(const struct mp_block_param *p, char name[48])
{
    snprintf(name, 48, "%s", p->row.name);
    char *per_slice = strstr(name, "_per_slice");
    if (per_slice)
        *per_slice = 0;
}

static void listed(struct list *l, const struct mp_block_param *p, const void *params)
{
    char name[48];
    name_of(p, name);
    const uint64_t value = mp_block_get(p, params);
    const char *unit = p->shown && *p->shown ? p->shown : p->row.unit;
    if (p->row.choices)
        choice(l, p->shown, name, p->row.choices, value);
    else
        number(l, p->shown && value, name, unit, value);
}

/* Values of a block that no row of its kind's parameters describes. */
static void rest(struct list *l, const struct mp_plan_block *block)
{
    if (block->kind == &mp_tlb_kind) {
        const struct mp_tlb_params *tlb = block->params;
        if (mp_exchange_needed(&tlb->exchange))
            design(l, "neighbours", &tlb->exchange.policy->design, &tlb->exchange.values);
    }
    if (block->kind->metrics != &mp_cache_metrics)
        return;
    const struct mp_cache_params *cache = block->params;
    text(l, MAIN, "stores", cache->write_back ? "write-back" : "write-through");
    if (block->kind->in_virtual)
        text(l, MAIN, "tags", "virtual");
    number(l, MORE, "line_bytes", "B", 1ull << cache->line_shift);
}

unsigned machine_params(const struct mp_plan_block *block, struct machine_param list[MACHINE_PARAMS])
{
    struct list l = {.param = list};
    for (const struct mp_block_param *p = block->kind->params; p && p->row.name; p++)
        if (p->designs) {
            const struct mp_design *chosen;
            memcpy(&chosen, (const char *)block->params + p->offset, sizeof chosen);
            if (!p->shown && !strcmp(chosen->name, p->usual))
                continue;
            design(&l, p->row.name, chosen,
                   p->values ? (const void *)((const char *)block->params + p->values) : NULL);
        }
    for (const struct mp_block_param *p = block->kind->params; p && p->row.name; p++)
        if (!p->designs && p->width)
            listed(&l, p, block->params);
    rest(&l, block);
    return l.n;
}

/* The unit of one thing: "way", "entry". */
static void singular(char unit[32])
{
    size_t length = strlen(unit);
    if (length > 3 && !strcmp(unit + length - 3, "ies"))
        unit[length - 3] = 'y', unit[length - 2] = 0;
    else if (length > 1 && unit[length - 1] == 's')
        unit[length - 1] = 0;
}

const char *machine_param_text(const struct machine_param *p, char out[MACHINE_TEXT])
{
    uint64_t n = p->number;
    char unit[32];
    snprintf(unit, sizeof unit, "%s", p->unit ? p->unit : "");
    if (n == 1)
        singular(unit);
    if (!p->unit)
        snprintf(out, MACHINE_TEXT, "%s%s%s", p->named ? p->name : "", p->named ? " " : "", p->text);
    else if (!strcmp(p->unit, "B") && n >= 1 << 20 && n % (1 << 20) == 0)
        snprintf(out, MACHINE_TEXT, "%" PRIu64 " MiB", n >> 20);
    else if (!strcmp(p->unit, "B") && n >= 1 << 10 && n % (1 << 10) == 0)
        snprintf(out, MACHINE_TEXT, "%" PRIu64 " KiB", n >> 10);
    else
        snprintf(out, MACHINE_TEXT, "%" PRIu64 " %s", n, unit);
    return out;
}
