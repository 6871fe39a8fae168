/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of each kind of block, as a plan gives them. A new kind is a function and a row of `kinds`.
 */
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
static void choice(struct list *l, const char *name, const char *choices, uint64_t value)
{
    for (; value && strchr(choices, '|'); value--)
        choices = strchr(choices, '|') + 1;
    struct machine_param *p = add(l, MORE, name);
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
            choice(l, path, p->choices, values->v[i]);
        else if (p->unit)
            number(l, MORE, path, p->unit, values->v[i]);
        else
            text(l, MORE, path, values->v[i] ? "true" : "false");
    }
}

static void sm(struct list *l, const void *params)
{
    const struct mp_sm_params *p = params;
    design(l, "scheduler", &p->scheduler->design, NULL);
    number(l, MAIN, "warps", "warps", p->warps);
    number(l, MAIN, "schedulers", "schedulers", p->schedulers);
    number(l, MORE, "ctas", "CTAs", p->ctas);
    number(l, MORE, "local_bytes", "B", p->local_bytes);
    number(l, MORE, "outstanding", "accesses", p->outstanding);
    number(l, MORE, "lsu_queue", "accesses", p->lsu_queue);
    number(l, MORE, "dispatch_latency", "cycles", p->dispatch_latency);
}

static void tlb(struct list *l, const void *params)
{
    const struct mp_tlb_params *p = params;
    design(l, "policy", &p->policy->design, &p->geometry.own);
    number(l, MAIN, "entries", "entries", (uint64_t)p->geometry.sets * p->geometry.ways);
    number(l, MAIN, "ways", "ways", p->geometry.ways);
    number(l, MAIN, "sub_entries", "sub-entries", p->geometry.sub_entries);
    number(l, MAIN, "latency", "cycles", p->geometry.latency);
    number(l, MAIN, "mshrs", "MSHRs", p->mshrs);
    number(l, MORE, "merges", "requests", p->merges);
    text(l, MORE, "mshr_full", p->blocks ? "block" : "hold");
    if (p->lookups)
        number(l, MORE, "lookups", "requests per cycle", p->lookups);
    if (mp_exchange_needed(&p->exchange))
        design(l, "neighbours", &p->exchange.policy->design, &p->exchange.values);
}

static void walk(struct list *l, const void *params)
{
    const struct mp_walk_params *p = params;
    design(l, "scheduler", &p->scheduler->design, &p->rules.own);
    design(l, "method", &p->method->design, &p->values);
    number(l, MAIN, "walkers", "walkers", p->geometry.walkers);
    number(l, MAIN, "queue", "waiting walks", p->geometry.queue);
    if (p->flat)
        number(l, MAIN, "latency", "cycles per walk", p->level_latency);
    else
        number(l, p->level_latency ? MAIN : MORE, "level_latency", "cycles per level", p->level_latency);
    if (!p->level_latency)
        text(l, MAIN, "memory", "page tables read through the caches");
    number(l, MAIN, "pwc_entries", "page-walk-cache entries", p->pwc_entries);
    number(l, MORE, "pwc_ways", "ways", p->pwc_ways);
    number(l, MORE, "pwc_latency", "cycles", p->pwc_latency);
}

static void cache(struct list *l, const void *params)
{
    const struct mp_cache_params *p = params;
    text(l, MAIN, "stores", p->write_back ? "write-back" : "write-through");
    number(l, MAIN, "bytes", "B", ((uint64_t)p->banks * p->sets * p->ways) << p->line_shift);
    number(l, MAIN, "banks", "banks", p->banks);
    number(l, MAIN, "ways", "ways", p->ways);
    number(l, MAIN, "latency", "cycles", p->latency);
    number(l, MORE, "line_bytes", "B", 1ull << p->line_shift);
    number(l, MORE, "mshrs", "MSHRs per bank", p->mshrs);
    number(l, MORE, "merges", "requests", p->merges);
}

/* A cache that is looked up before translation has one bank. */
static void virtual_cache(struct list *l, const void *params)
{
    text(l, MAIN, "tags", "virtual");
    cache(l, params);
}

static void dram(struct list *l, const void *params)
{
    const struct mp_dram_params *p = params;
    number(l, MAIN, "channels", "channels", p->channels);
    if (p->latency) {
        number(l, MAIN, "latency", "cycles", p->latency);
        return;
    }
    number(l, MAIN, "banks", "banks per channel", p->banks);
    number(l, MAIN, "row_bytes", "B per row", p->row_bytes);
    number(l, MORE, "queue", "requests", p->queue);
    number(l, MORE, "burst", "cycles", p->burst);
    number(l, MORE, "cas", "cycles", p->cas);
    number(l, MORE, "rcd", "cycles", p->rcd);
    number(l, MORE, "rp", "cycles", p->rp);
    number(l, MORE, "ras", "cycles", p->ras);
    number(l, MORE, "transport", "cycles", p->transport);
}

static const struct {
    const struct mp_block_kind *kind;
    void (*list)(struct list *l, const void *params);
} kinds[] = {{&mp_sm_kind, sm},
             {&mp_tlb_kind, tlb},
             {&mp_walk_kind, walk},
             {&mp_cache_kind, cache},
             {&mp_through_cache_kind, cache},
             {&mp_virtual_cache_kind, virtual_cache},
             {&mp_dram_kind, dram}};

unsigned machine_params(const struct mp_plan_block *block, struct machine_param list[MACHINE_PARAMS])
{
    struct list l = {.param = list};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].kind == block->kind)
            kinds[i].list(&l, block->params);
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
