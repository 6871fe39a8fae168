/* SPDX-License-Identifier: Apache-2.0 */
/* The rules between parameters, which exclude machines that cannot be built. */
#include <string.h>

#include "config/internal.h"
#include "gpu/machine.h"
#include "map/map.h"
#include "sm/dispatch/dispatch.h"
#include "sm/sm.h"
#include "tlb/tlb.h"
#include "vm/frames/allocator.h"
#include "vm/tables/design.h"
#include "walk/walk.h"

#define MEMORY_UNIT 2097152u /* bytes of the largest page */
/* A cache stores line numbers of the memory behind it in 32 bits and reserves one number for "none". */
#define MOST_LINES ((UINT64_C(1) << 32) - 2)
#define MOST_MSHRS 65534u /* a cache numbers the MSHRs of all its banks with 16 bits */

enum rule_kind {
    POWER_OF_TWO, /* of[0] is one */
    ONE_OF,       /* of[0] is one of value[], which ends in 0 */
    MULTIPLE,     /* of[0] is a multiple of of[1] */
    MULTIPLE_OF,  /* of[0] is a multiple of value[0] */
    SETS /* of[0] is a multiple of the product of the others, and the quotient is the number of sets */
};

struct rule {
    enum rule_kind kind;
    const char *of[4];
    uint64_t value[6];
};

/* The rules are checked in this order, so that each can rely on the earlier ones. */
static const struct rule rules[] = {
    {POWER_OF_TWO, {"machine.line_bytes"}, {0}},
    {ONE_OF, {"machine.page_bytes"}, {4096, 65536, 2097152}},
    {MULTIPLE_OF, {"machine.memory_per_slice"}, {MEMORY_UNIT}},
    {ONE_OF, {"sm.lanes"}, {32, 64}},
    {MULTIPLE, {"walk.pwc_entries", "walk.pwc_ways"}, {0}},
    {SETS, {"l1d.bytes", "l1d.ways", "machine.line_bytes"}, {0}},
    {SETS, {"l2d.bytes_per_slice", "l2d.banks_per_slice", "l2d.ways", "machine.line_bytes"}, {0}},
    {MULTIPLE, {"dram.row_bytes", "machine.line_bytes"}, {0}},
};

bool mp_config_is_mps(const struct mp_config *config)
{
    return !mp_config_is(config, "machine.sharing", "mig");
}

bool mp_config_shares_sms(const struct mp_config *config)
{
    return mp_config_is_mps(config) && !mp_config_is(config, "machine.sharing", "mps");
}

unsigned mp_config_walk_systems(const struct mp_config *config)
{
    return mp_config_is_mps(config) && mp_config_is(config, "walk.per", "instance") ? 1 : config->ntenants;
}

static uint64_t value_of(const struct mp_settings *s, const char *path)
{
    return mp_config_value(s->config, path);
}

void mp_origin_later(struct mp_origin *best, const struct mp_origin *other)
{
    if (other->where && (other->rank > best->rank || (other->rank == best->rank && other->line > best->line)))
        *best = *other;
}

/* The place where one of a rule's parameters was set last: the user looks there first. */
static struct mp_origin origin_of(const struct mp_settings *s, const struct rule *rule)
{
    struct mp_origin best = {0};
    for (unsigned i = 0; i < 4 && rule->of[i]; i++)
        mp_origin_later(&best, &s->param[mp_config_find(s->config, rule->of[i])]);
    return best.where ? best : s->whole;
}

static int fail_sets(const struct mp_settings *s, const struct rule *rule, uint64_t product,
                     struct mp_error *err)
{
    struct mp_origin origin = origin_of(s, rule);
    const struct mp_param param = mp_config_param(s->config, mp_config_find(s->config, rule->of[0])),
                          *p = &param;
    const uint64_t total = value_of(s, rule->of[0]), below = total - total % product, above = below + product;
    char with[200] = "", allowed[80] = "";
    for (unsigned i = 1, n = 0; i < 4 && rule->of[i]; i++)
        n += (unsigned)snprintf(with + n, sizeof with - n, "%s%s = %ju", i > 1 ? ", " : "", rule->of[i],
                                (uintmax_t)value_of(s, rule->of[i]));
    bool low = below && below >= p->min, high = above <= p->max;
    if (low && high)
        snprintf(allowed, sizeof allowed, ": %ju or %ju", (uintmax_t)below, (uintmax_t)above);
    else if (low || high)
        snprintf(allowed, sizeof allowed, ": %ju", (uintmax_t)(low ? below : above));
    return mp_fail_at(err, &origin,
                      "%s = %ju gives no whole number of sets with %s; %ju times a whole number%s",
                      rule->of[0], (uintmax_t)total, with, (uintmax_t)product, allowed);
}

static uint64_t power_below(uint64_t v)
{
    uint64_t power = 1;
    while (power <= v / 2)
        power *= 2;
    return power;
}

static bool power_of_two(uint64_t v)
{
    return v && (v & (v - 1)) == 0;
}

static int check_one_of(const struct mp_settings *s, const struct rule *rule, struct mp_error *err)
{
    char list[100] = "";
    for (unsigned i = 0, n = 0; rule->value[i]; i++) {
        if (value_of(s, rule->of[0]) == rule->value[i])
            return 0;
        n += (unsigned)snprintf(list + n, sizeof list - n, "%s%ju",
                                i == 0               ? ""
                                : rule->value[i + 1] ? ", "
                                                     : " or ",
                                (uintmax_t)rule->value[i]);
    }
    struct mp_origin origin = origin_of(s, rule);
    return mp_fail_at(err, &origin, "%s = %ju is impossible; %s", rule->of[0],
                      (uintmax_t)value_of(s, rule->of[0]), list);
}

static int check_multiple(const struct mp_settings *s, const struct rule *rule, uint64_t unit,
                          struct mp_error *err)
{
    struct mp_origin origin = origin_of(s, rule);
    uint64_t value = value_of(s, rule->of[0]), rest = value % unit;
    char below[24] = "";
    if (rest == 0)
        return 0;
    if (value > unit)
        snprintf(below, sizeof below, "%ju or ", (uintmax_t)(value - rest));
    return mp_fail_at(err, &origin, "%s = %ju is not a multiple of %s%s%ju; %s%ju", rule->of[0],
                      (uintmax_t)value, rule->of[1] ? rule->of[1] : "", rule->of[1] ? " = " : "",
                      (uintmax_t)unit, below, (uintmax_t)(value - rest + unit));
}

static int check_rule(const struct mp_settings *s, const struct rule *rule, struct mp_error *err)
{
    struct mp_origin origin = origin_of(s, rule);
    uint64_t first = value_of(s, rule->of[0]), product = 1;
    switch (rule->kind) {
    case POWER_OF_TWO:
        return power_of_two(first) ? 0
                                   : mp_fail_at(err, &origin, "%s = %ju is not a power of two; %ju or %ju",
                                                rule->of[0], (uintmax_t)first, (uintmax_t)power_below(first),
                                                (uintmax_t)(2 * power_below(first)));
    case ONE_OF:
        return check_one_of(s, rule, err);
    case MULTIPLE:
        return check_multiple(s, rule, value_of(s, rule->of[1]), err);
    case MULTIPLE_OF:
        return check_multiple(s, rule, rule->value[0], err);
    case SETS:
        for (unsigned i = 1; i < 4 && rule->of[i]; i++)
            product *= value_of(s, rule->of[i]);
        return first && first % product == 0 ? 0 : fail_sets(s, rule, product, err);
    }
    return 0;
}

static int check_lines(const struct mp_settings *s, struct mp_error *err)
{
    static const struct rule of = {
        .of = {"machine.memory_per_slice", "machine.slices", "machine.memory_slices", "machine.line_bytes"}};
    const bool own = s->config->machine.memory_slices;
    uint64_t slices = own ? s->config->machine.memory_slices : s->config->machine.slices,
             line = s->config->machine.line_bytes;
    uint64_t memory = s->config->machine.memory_per_slice, most = MOST_LINES * line / slices;
    struct mp_origin origin = origin_of(s, &of);
    if (slices * memory / line <= MOST_LINES)
        return 0;
    return mp_fail_at(err, &origin,
                      "machine.memory_per_slice = %ju with machine.%sslices = %ju makes %ju lines of "
                      "machine.line_bytes = %ju; %ju lines, so %ju (B) a slice at most",
                      (uintmax_t)memory, own ? "memory_" : "", (uintmax_t)slices,
                      (uintmax_t)(slices * memory / line), (uintmax_t)line, (uintmax_t)MOST_LINES,
                      (uintmax_t)(most - most % MEMORY_UNIT));
}

/* MIG instances of products have the memory of as many slices. A slice may be short. */
static int check_slices(const struct mp_settings *s, struct mp_error *err)
{
    static const struct rule memory = {.of = {"machine.memory_slices", "machine.sharing"}};
    static const struct rule of = {.of = {"machine.short_slices", "machine.slices"}};
    static const struct rule tpcs = {.of = {"machine.short_slices", "machine.tpcs_per_slice"}};
    const struct mp_config *c = s->config;
    const uint64_t none = c->machine.short_slices;
    struct mp_origin origin = origin_of(s, &memory);
    if (c->machine.memory_slices && !mp_config_is_mps(c))
        return mp_fail_at(err, &origin, "machine.memory_slices = %ju with machine.sharing = mig; 0",
                          (uintmax_t)c->machine.memory_slices);
    origin = origin_of(s, &of);
    if (none && none >= c->machine.slices)
        return mp_fail_at(err, &origin, "machine.short_slices = %ju of machine.slices = %ju; %ju at most",
                          (uintmax_t)none, (uintmax_t)c->machine.slices, (uintmax_t)c->machine.slices - 1);
    origin = origin_of(s, &tpcs);
    if (none && c->machine.tpcs_per_slice < 2)
        return mp_fail_at(err, &origin,
                          "machine.short_slices = %ju leaves slices without a TPC with "
                          "machine.tpcs_per_slice = 1; 2 at least",
                          (uintmax_t)none);
    return 0;
}

/* There is time between refreshes: of all banks, or of one, and of one and another. */
static int check_refresh(const struct mp_settings *s, struct mp_error *err)
{
    static const struct rule together = {.of = {"dram.rfc", "dram.refi", "dram.rp", "dram.ras"}};
    static const struct rule alone = {.of = {"dram.rfcpb", "dram.refi", "dram.rp", "dram.ras"}};
    static const struct rule apart = {.of = {"dram.rrefd", "dram.refi", "dram.banks", "dram.refresh"}};
    const struct rule *of = mp_config_is(s->config, "dram.refresh", "bank") ? &alone : &together;
    const uint64_t refi = value_of(s, "dram.refi");
    const uint64_t all = value_of(s, of->of[0]) + value_of(s, "dram.rp") + value_of(s, "dram.ras");
    const uint64_t each = value_of(s, "dram.rrefd") * value_of(s, "dram.banks");
    struct mp_origin origin = origin_of(s, of);
    if (refi && all >= refi)
        return mp_fail_at(err, &origin,
                          "%s, dram.rp and dram.ras take %ju cycles of dram.refi = %ju, which leaves no "
                          "time for accesses; more than %ju, or 0 for no refresh",
                          of->of[0], (uintmax_t)all, (uintmax_t)refi, (uintmax_t)all);
    origin = origin_of(s, &apart);
    if (refi && of == &alone && each >= refi)
        return mp_fail_at(
            err, &origin,
            "dram.rrefd of dram.banks takes %ju cycles of dram.refi = %ju, which leaves no time "
            "for accesses; more than %ju, or 0 for no refresh",
            (uintmax_t)each, (uintmax_t)refi, (uintmax_t)each);
    return 0;
}

/* Stacked memory: a line is a whole number of accesses of whole cycles. */
static int check_dram(const struct mp_settings *s, struct mp_error *err)
{
    static const struct rule parts = {MULTIPLE, {"dram.burst", "dram.accesses", "dram.model"}, {0}};
    if (!mp_config_is(s->config, "dram.model", "hbm"))
        return 0;
    return check_refresh(s, err) ? -1 : check_rule(s, &parts, err);
}

/* Slices of the memory of the block of a level that serves this tenant. per: the parameter that says how many
 * blocks there are. A machine without tenants must be valid for a tenant that has all of it. */
static uint64_t slices_of(const struct mp_config *c, const char *per, unsigned tenant)
{
    if (mp_config_is(c, per, "slice"))
        return 1;
    bool all = mp_config_is(c, per, "machine") || mp_config_is_mps(c) || !c->ntenants;
    if (all && c->machine.memory_slices)
        return c->machine.memory_slices;
    return all ? c->machine.slices : c->tenant[tenant].slices;
}

/* Of a cache with banks: the paths of its parameters. */
static int check_mshrs(const struct mp_settings *s, const char *mshrs, const char *banks, const char *per,
                       struct mp_error *err)
{
    const struct rule of = {.of = {mshrs, banks, per}};
    const struct mp_config *c = s->config;
    struct mp_origin origin = origin_of(s, &of);
    uint64_t slices = slices_of(c, per, 0);
    for (unsigned i = 0; i < c->ntenants; i++) {
        uint64_t own = slices_of(c, per, i);
        slices = own > slices ? own : slices;
        mp_origin_later(&origin, &s->tenant[i][MP_TENANT_SLICES]);
    }
    if (!c->ntenants)
        mp_origin_later(&origin, &s->param[mp_param_find("machine.slices")]);
    uint64_t each = value_of(s, mshrs), all = slices * value_of(s, banks);
    if (all * each <= MOST_MSHRS)
        return 0;
    return mp_fail_at(
        err, &origin,
        "%s = %ju makes %ju MSHRs with %s = %ju in a cache of %ju GPC slices; %u, so %ju a bank at most",
        mshrs, (uintmax_t)each, (uintmax_t)(all * each), banks, (uintmax_t)value_of(s, banks),
        (uintmax_t)slices, MOST_MSHRS, (uintmax_t)(MOST_MSHRS / all));
}

/* ---- what designs require of other parameters ---- */

/* Returns the path of the name in a complaint of a design's check: a parameter of the design's own, a
 * parameter of the section, or a whole path. derived: the name follows from that parameter, but is not the
 * parameter. */
static unsigned named(const struct mp_config *c, const char *section, const struct mp_design *design,
                      const char *name, size_t length, bool *derived)
{
    static const struct {
        const char *name, *parameter; /* parameter from which it follows */
    } from[] = {{"sets", "entries"}, {"walkers", "walkers_per_slice"}};
    char path[128];
    int own = mp_design_param_find(design, name, length);
    *derived = false;
    if (own >= 0)
        return mp_param_of_design(c, section, design, (unsigned)own);
    for (unsigned k = 0; k < sizeof from / sizeof from[0]; k++)
        if (strlen(from[k].name) == length && !memcmp(name, from[k].name, length)) {
            name = from[k].parameter;
            length = strlen(name);
            *derived = true;
            break;
        }
    bool whole = memchr(name, '.', length);
    snprintf(path, sizeof path, "%s%s%.*s", whole ? "" : section, whole ? "" : ".", (int)length, name);
    return mp_config_find(c, path);
}

/* Reports a design's complaint, which begins with a name, with the parameter's path and line. `choice` is
 * the parameter that chooses the design; tenants: the tenants matter, too. */
static int fail_design(const struct mp_settings *s, const char *choice, const struct mp_design *design,
                       bool tenants, const struct mp_error *why, struct mp_error *err)
{
    size_t length = strcspn(why->text, ":");
    char section[32];
    snprintf(section, sizeof section, "%.*s", (int)strcspn(choice, "."), choice);
    bool derived;
    unsigned i = named(s->config, section, design, why->text, length, &derived);
    const char *path = i < mp_config_nparams(s->config) ? mp_config_param(s->config, i).path : choice;
    const struct rule of = {.of = {path, choice}};
    struct mp_origin origin = origin_of(s, &of);
    for (unsigned t = 0; tenants && t < s->config->ntenants; t++)
        for (unsigned f = 0; f < MP_TENANT_FIELDS; f++)
            mp_origin_later(&origin, &s->tenant[t][f]);
    if (derived)
        return mp_fail_at(err, &origin, "%s = %ju: %s", path, (uintmax_t)value_of(s, path), why->text);
    return mp_fail_at(err, &origin, "%s: %s", path,
                      why->text + (i < mp_config_nparams(s->config) ? length + 2 : 0));
}

/* Without a limit there is nothing that a look-up could occupy. */
static int check_pipeline(const struct mp_settings *s, const char *level, const struct mp_tlb_params *p,
                          struct mp_error *err)
{
    const struct mp_path pipeline = mp_path(level, "pipeline"), lookups = mp_path(level, "lookups");
    const struct rule of = {.of = {pipeline.text, lookups.text}};
    struct mp_origin origin = origin_of(s, &of);
    if (p->pipeline == MP_TLB_PIPELINE_ALL || p->lookups)
        return 0;
    return mp_fail_at(err, &origin, "%s = %s with %s = 0, no limit; %s of 1 at least, or %s = all",
                      pipeline.text, p->pipeline == MP_TLB_PIPELINE_NONE ? "none" : "first", lookups.text,
                      lookups.text, pipeline.text);
}

static int check_tlb(const struct mp_settings *s, const char *level, struct mp_error *err)
{
    struct mp_tlb_params p;
    struct mp_error why;
    const struct mp_path choice = mp_path(level, "policy"), entries = mp_path(level, "entries"),
                         ways = mp_path(level, "ways"), subs = mp_path(level, "sub_entries");
    const struct rule one_of = {ONE_OF, {subs.text}, {1, 2, 4, 8, 16}};
    const struct rule sets = {SETS, {entries.text, ways.text}, {0}};
    if (check_rule(s, &one_of, err) || check_rule(s, &sets, err))
        return -1;
    mp_config_level(s->config, level, &p);
    if (check_pipeline(s, level, &p, err))
        return -1;
    if (!mp_tlb_check(p.policy, &p.geometry, &why))
        return 0;
    return fail_design(s, choice.text, &p.policy->design, p.policy->divides_ways, &why, err);
}

/* A policy that counts in its array would begin to count at the change. */
static int check_warmup(const struct mp_settings *s, struct mp_error *err)
{
    static const struct rule runs = {.of = {"stats.runs", "stats.warmup"}};
    const char *level = mp_machine_last_tlb()->name;
    const struct mp_path choice = mp_path(level, "warmup_policy"), later = mp_path(level, "policy");
    const struct rule both = {.of = {choice.text, later.text, "stats.warmup"}};
    struct mp_tlb_params p;
    struct mp_error why;
    mp_config_level(s->config, level, &p);
    const struct mp_tlb_policy *then = p.policy, *first = mp_config_warmup_policy(s->config, &p.geometry.own);
    if (s->config->stats.warmup && mp_config_is(s->config, "stats.runs", "warm")) {
        struct mp_origin origin = origin_of(s, &runs);
        return mp_fail_at(err, &origin, "stats.runs = warm: the first run is its warm-up; stats.warmup = 0");
    }
    if (then == first || !mp_config_has_level(s->config, level))
        return 0;
    if (mp_tlb_check(first, &p.geometry, &why))
        return fail_design(s, choice.text, &first->design, first->divides_ways, &why, err);
    const struct mp_tlb_policy *counts = first->counters ? first : then->counters ? then : NULL;
    if (!counts)
        return 0;
    struct mp_origin origin = origin_of(s, &both);
    return mp_fail_at(
        err, &origin,
        "%s = %s: no other policy can take over from %s, or it from another, since it counts in its array; "
        "equal to %s = %s",
        choice.text, first->design.name, counts->design.name, later.text, then->design.name);
}

/* L1 TLBs of a ring, if all SMs have tenants; of the smallest, under MIG. */
static uint64_t ring_of(const struct mp_config *c)
{
    uint64_t slices = mp_config_is_mps(c) ? c->machine.slices : 1;
    if (mp_config_is(c, "l1_tlb.per", "slice"))
        return slices;
    const uint64_t missing = mp_config_is_mps(c) ? c->machine.short_slices : c->machine.short_slices > 0;
    const uint64_t tpcs = slices * c->machine.tpcs_per_slice - missing;
    return tpcs * (mp_config_is(c, "l1_tlb.per", "sm") ? c->machine.sms_per_tpc : 1);
}

/* L1 TLBs that ask each other need as many others as their topology has neighbours. */
static int check_neighbours(const struct mp_settings *s, struct mp_error *err)
{
    static const char choice[] = "neighbours.policy";
    static const struct rule level = {.of = {choice, "l1_tlb.per"}};
    static const struct rule ring = {
        .of = {choice, "neighbours.topology", "l1_tlb.per", "machine.tpcs_per_slice"}};
    const struct mp_config *c = s->config;
    struct mp_design_values values;
    struct mp_error why;
    const struct mp_neighbour_policy *policy = mp_config_neighbours(c, &values);
    struct mp_origin origin = origin_of(s, &level);
    if (mp_neighbour_check(policy, &values, &why))
        return fail_design(s, choice, &policy->design, false, &why, err);
    if (policy->peers == MP_PEERS_NONE)
        return 0;
    if (mp_config_is(c, "l1_tlb.per", "none"))
        return mp_fail_at(err, &origin, "neighbours.policy = %s needs L1 TLBs; l1_tlb.per = sm, tpc or slice",
                          policy->design.name);
    origin = origin_of(s, &ring);
    uint32_t least = mp_neighbour_least(policy, &values);
    if (ring_of(c) < least)
        return mp_fail_at(err, &origin, "neighbours.policy = %s in a ring of %ju L1 TLBs; %u at least",
                          policy->design.name, (uintmax_t)ring_of(c), least);
    return 0;
}

/* A flat walk has the same time in any case. */
static int check_flat(const struct mp_settings *s, struct mp_error *err)
{
    static const struct rule of = {.of = {"walk.pwc_entries", "walk.memory"}};
    struct mp_origin origin = origin_of(s, &of);
    if (!mp_config_is(s->config, "walk.memory", "flat") || !value_of(s, "walk.pwc_entries"))
        return 0;
    return mp_fail_at(err, &origin, "walk.pwc_entries = %ju with walk.memory = flat, which uses none; 0",
                      (uintmax_t)value_of(s, "walk.pwc_entries"));
}

static int check_table(const struct mp_settings *s, struct mp_error *err)
{
    static const struct rule layout = {.of = {"vm.layout", "vm.table"}};
    const struct mp_page_table_design *t = mp_page_table_design_find(mp_config_word(s->config, "vm.table"));
    const struct mp_design_values own = mp_config_values(s->config, &t->design);
    const uint64_t page = s->config->machine.page_bytes;
    const struct mp_page_format *f = mp_page_format_find(mp_config_word(s->config, "vm.format"), page);
    struct mp_error why;
    if (t->check && t->check(f, (uint32_t)__builtin_ctzll(page), &own, &why))
        return fail_design(s, "vm.table", &t->design, true, &why, err);
    const struct mp_origin origin = origin_of(s, &layout);
    if (mp_config_is(s->config, "vm.layout", "head") && !t->tree)
        return mp_fail_at(err, &origin, "vm.layout = head with vm.table = %s; %s", t->design.name,
                          mp_page_table_designs[0]->design.name);
    return 0;
}

/* The format has pages of the machine's size, and a layout of leaves other than the standard one is
 * mempath's. */
static int check_format(const struct mp_settings *s, struct mp_error *err)
{
    static const struct rule size = {.of = {"vm.format", "machine.page_bytes"}};
    static const struct rule layout = {.of = {"vm.layout", "vm.format"}};
    static const uint64_t sizes[] = {4096, 65536, 2097152};
    const char *name = mp_config_word(s->config, "vm.format");
    const uint64_t page = s->config->machine.page_bytes;
    struct mp_origin origin = origin_of(s, &size);
    char allowed[64] = "";
    for (unsigned i = 0, n = 0; i < sizeof sizes / sizeof *sizes && n < sizeof allowed; i++)
        if (mp_page_format_find(name, sizes[i]))
            n += (unsigned)snprintf(allowed + n, sizeof allowed - n, "%s%ju", n ? " or " : "",
                                    (uintmax_t)sizes[i]);
    if (!mp_page_format_find(name, page))
        return mp_fail_at(err, &origin, "vm.format = %s with machine.page_bytes = %ju; %s", name,
                          (uintmax_t)page, allowed);
    if (check_table(s, err))
        return -1;
    origin = origin_of(s, &layout);
    if (mp_config_is(s->config, "vm.layout", "head") && strcmp(name, "mempath") != 0)
        return mp_fail_at(err, &origin, "vm.layout = head with vm.format = %s; mempath", name);
    return 0;
}

/* Contiguous subregions, and allocators that make them, have pages of one size. */
static int check_vm(const struct mp_settings *s, struct mp_error *err)
{
    static const struct rule frames = {.of = {"vm.frames", "machine.page_bytes"}};
    static const struct rule layout = {.of = {"vm.layout", "machine.page_bytes"}};
    uint64_t page = s->config->machine.page_bytes;
    const struct mp_frame_allocator *a = mp_frame_allocator_find(mp_config_word(s->config, "vm.frames"));
    struct mp_origin origin = origin_of(s, &frames);
    if (a->page_bytes && a->page_bytes != page)
        return mp_fail_at(err, &origin, "vm.frames = %s with machine.page_bytes = %ju; %ju", a->design.name,
                          (uintmax_t)page, (uintmax_t)a->page_bytes);
    if (check_format(s, err))
        return -1;
    origin = origin_of(s, &layout);
    if (mp_config_is(s->config, "vm.layout", "head") && page != 4096)
        return mp_fail_at(err, &origin, "vm.layout = head with machine.page_bytes = %ju; 4096",
                          (uintmax_t)page);
    return 0;
}

/* The largest page-walk system and its number of tenants, for a machine with or without tenants. */
static void largest_walk_system(const struct mp_config *c, uint64_t *walkers, uint64_t *tenants)
{
    uint64_t slices = c->ntenants && !mp_config_is_mps(c) ? 0 : c->machine.slices;
    for (unsigned i = 0; i < c->ntenants; i++)
        slices = c->tenant[i].slices > slices ? c->tenant[i].slices : slices;
    *walkers = slices * mp_config_value(c, "walk.walkers_per_slice");
    bool shared = mp_config_is_mps(c) && mp_config_is(c, "walk.per", "instance");
    *tenants = shared ? c->ntenants : c->ntenants > 0;
}

/* Methods that read any table by its design's steps, and those that know trees only. */
static int check_reader(const struct mp_settings *s, const struct mp_walk_params *w, struct mp_error *err)
{
    static const struct rule of = {.of = {"vm.table", "walk.method"}};
    const struct mp_origin origin = origin_of(s, &of);
    const struct mp_walk_method **any = mp_walk_methods;
    if (w->method->any_table || w->table->tree)
        return 0;
    while (!(*any)->any_table)
        any++;
    return mp_fail_at(err, &origin, "vm.table = %s with walk.method = %s, which reads trees of tables; %s",
                      w->table->design.name, w->method->design.name, (*any)->design.name);
}

/* Checks what the walk scheduler and the walk method require of the largest page-walk system. */
static int check_walks(const struct mp_settings *s, struct mp_error *err)
{
    struct mp_walk_params w;
    struct mp_error why;
    uint64_t walkers, tenants;
    mp_config_level(s->config, "walk", &w);
    largest_walk_system(s->config, &walkers, &tenants);
    w.geometry.walkers = (uint32_t)walkers;
    w.geometry.tenants = (uint32_t)tenants;
    if (mp_walk_check(w.scheduler, &w.geometry, &w.rules, &why))
        return fail_design(s, "walk.scheduler", &w.scheduler->design, false, &why, err);
    if (w.method->check && w.method->check(&w, &why))
        return fail_design(s, "walk.method", &w.method->design, false, &why, err);
    return check_reader(s, &w, err);
}

/* XOR maps, and only they, number L2 banks as channels. A cache of virtual lines places them itself, and its
 * lines have no colour. */
static int check_clashes(const struct mp_settings *s, struct mp_error *err)
{
    static const struct {
        struct rule of;
        const char *value[2], *allowed;
    } clash[] = {{{.of = {"l2d.ports", "machine.hash"}}, {"bank", "spread"}, "gtx1080 or v100"},
                 {{.of = {"l2d.ports", "machine.hash"}}, {"bank", "interleaved"}, "gtx1080 or v100"},
                 {{.of = {"l1d.loads", "sm.translate"}}, {"bypassed", "after"}, "sm.translate = before"},
                 {{.of = {"l1d.hash", "sm.translate"}}, {"machine", "after"}, "sm.translate = before"},
                 {{.of = {"vm.frames", "sm.translate"}}, {"coloured-user", "after"}, "sm.translate = before"},
                 {{.of = {"l1d.hash", "machine.hash"}}, {"machine", "gtx1080"}, "spread or interleaved"},
                 {{.of = {"l1d.hash", "machine.hash"}}, {"machine", "v100"}, "spread or interleaved"}};
    for (unsigned i = 0; i < sizeof clash / sizeof *clash; i++) {
        const char *const *of = clash[i].of.of, *const *value = clash[i].value;
        struct mp_origin origin = origin_of(s, &clash[i].of);
        if (mp_config_is(s->config, of[0], value[0]) && mp_config_is(s->config, of[1], value[1]))
            return mp_fail_at(err, &origin, "%s = %s with %s = %s; %s", of[0], value[0], of[1], value[1],
                              clash[i].allowed);
    }
    const struct rule fills = {.of = {"l1d.fill_bytes", "sm.translate"}};
    const struct mp_origin origin = origin_of(s, &fills);
    struct mp_cache_params l1d;
    mp_config_level(s->config, "l1d", &l1d);
    if (l1d.fill_bytes && mp_config_is(s->config, fills.of[1], "after"))
        return mp_fail_at(err, &origin,
                          "l1d.fill_bytes = %u with sm.translate = after; sm.translate = before",
                          l1d.fill_bytes);
    return 0;
}

static int check_dispatch(const struct mp_settings *s, struct mp_error *err)
{
    static const char choice[] = "machine.dispatch";
    const struct mp_dispatch_policy *d = mp_dispatch_policy_find(mp_config_word(s->config, choice));
    const struct mp_design_values own = mp_config_values(s->config, &d->design);
    struct mp_sm_params sm;
    struct mp_error why;
    mp_config_level(s->config, "sm", &sm);
    return d->check && d->check(&sm, &own, &why) ? fail_design(s, choice, &d->design, false, &why, err) : 0;
}

static int check_map_of(const struct mp_settings *s, unsigned tenant, struct mp_error *err)
{
    static const char choice[] = "machine.hash";
    const struct mp_config *c = s->config;
    const struct mp_address_map *map = mp_address_map_find(mp_config_word(c, choice));
    const struct mp_design_values own = mp_config_values(c, &map->design);
    const struct mp_map_geometry g = {
        .line_bytes = (uint32_t)c->machine.line_bytes,
        .banks = (uint32_t)(slices_of(c, "l2d.per", tenant) * mp_config_value(c, "l2d.banks_per_slice")),
        .sets =
            (uint32_t)(mp_config_value(c, "l2d.bytes_per_slice") / mp_config_value(c, "l2d.banks_per_slice") /
                       mp_config_value(c, "l2d.ways") / c->machine.line_bytes),
        .channels =
            (uint32_t)(slices_of(c, "dram.per", tenant) * mp_config_value(c, "dram.channels_per_slice")),
        .dram_banks = (uint32_t)mp_config_value(c, "dram.banks"),
        .row_bytes = (uint32_t)mp_config_value(c, "dram.row_bytes")};
    struct mp_error why;
    return map->check && map->check(&g, &own, &why) ? fail_design(s, choice, &map->design, true, &why, err)
                                                    : 0;
}

/* Checks that the memory of every tenant suits the address map. */
static int check_map(const struct mp_settings *s, struct mp_error *err)
{
    const struct mp_config *c = s->config;
    for (unsigned t = 0; t < c->ntenants; t++)
        if (check_map_of(s, t, err))
            return -1;
    return c->ntenants ? 0 : check_map_of(s, 0, err);
}

/* ---- levels that a file adds ---- */

static int check_cache(const struct mp_settings *s, const char *level, struct mp_error *err)
{
    const struct mp_path bytes = mp_path(level, "bytes_per_slice"), banks = mp_path(level, "banks_per_slice"),
                         ways = mp_path(level, "ways"), mshrs = mp_path(level, "mshrs"),
                         per = mp_path(level, "per");
    const struct rule lines = {SETS, {bytes.text, banks.text, ways.text, "machine.line_bytes"}, {0}};
    return check_rule(s, &lines, err) || check_mshrs(s, mshrs.text, banks.text, per.text, err) ? -1 : 0;
}

/* What is at home in an SM has nothing above it that could lead elsewhere. */
static bool can_lead(const struct mp_level *added, const struct mp_level *to)
{
    return to && to->kind->in == added->kind->in && to->home > MP_PER_SM;
}

/* A level stands between another and those that led there. */
static int check_added(const struct mp_settings *s, unsigned k, struct mp_error *err)
{
    const struct mp_level_config *l = &s->config->level[k];
    const struct mp_level *like = &mp_machine_more[l->kind];
    const char *name, *last = "";
    char list[80] = "";
    bool good = false;
    for (unsigned i = 0, n = 0; (name = mp_config_level_name(s->config, i)); i++)
        if (can_lead(like, mp_machine_usual(name))) {
            n += (unsigned)snprintf(list + n, sizeof list - n, "%s%s", n ? ", " : "", last);
            last = name;
            good |= !strcmp(name, l->to);
        }
    for (unsigned i = 0; i < k; i++)
        good |= s->config->level[i].kind == l->kind && !strcmp(s->config->level[i].name, l->to);
    if (!good)
        return mp_fail_at(err, &s->level[k],
                          "%s.to = '%s' is no level to which a %s can lead; %s or %s, or one above it",
                          l->name, l->to, like->name, list, last);
    return like->kind == &mp_cache_kind ? check_cache(s, l->name, err) : 0;
}

static int check_levels(const struct mp_settings *s, struct mp_error *err)
{
    const char *level;
    for (unsigned k = 0; k < s->config->nlevels; k++)
        if (check_added(s, k, err))
            return -1;
    for (unsigned i = 0; (level = mp_config_level_name(s->config, i)); i++)
        if (mp_config_level_row(s->config, level)->kind == &mp_tlb_kind && check_tlb(s, level, err))
            return -1;
    return 0;
}

int mp_config_check(const struct mp_settings *s, struct mp_error *err)
{
    for (unsigned i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (check_rule(s, &rules[i], err))
            return -1;
    if (check_slices(s, err) || check_dram(s, err) || check_lines(s, err) || check_levels(s, err) ||
        check_warmup(s, err) || check_neighbours(s, err) || check_flat(s, err) || check_vm(s, err))
        return -1;
    if (mp_config_is_mps(s->config) && mp_tenants_check_shares(s, err))
        return -1; /* first, because what the others take may leave tenants without SMs */
    for (unsigned i = 0; i < s->config->ntenants; i++)
        if (mp_tenant_check(s, i, err))
            return -1;
    bool fails = mp_tenants_check_shares(s, err) ||
                 check_mshrs(s, "l2d.mshrs", "l2d.banks_per_slice", "l2d.per", err) || check_walks(s, err) ||
                 check_clashes(s, err) || check_map(s, err) || check_dispatch(s, err) ||
                 mp_managed_check(s, err);
    return fails ? -1 : 0;
}
