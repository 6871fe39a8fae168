/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dpi/dpi.h"
#include "dpi/mempath_models.h"
#include "tlb/policy/star.h"

#define MOST_ENTRIES 1048576u
#define MOST_VPN     ((UINT64_C(1) << 45) - 1) /* 57-bit addresses, 4 KB pages */
#define MOST_PFN     ((UINT64_C(1) << MP_TLB_PFN_BITS) - 1)

#define MOST_NEIGHBOURS 31u /* pages of a span, before and after */
#define SUBREGION       6u  /* log2 of its pages */
#define SUBREGIONS      8u  /* of 2 MB */

struct tlb {
    struct dpi_model model;
    const struct mp_tlb_policy *policy;
    struct mp_tlb_geometry g;
    void *state;
};

static void print(const struct dpi_model *model, FILE *out);

static void discard(struct dpi_model *model)
{
    struct tlb *t = (struct tlb *)model;
    free(t->state);
    free(t);
}

static const struct dpi_kind kind = {"a TLB", print, discard};

static struct tlb *find(void *handle, const char *where)
{
    return (struct tlb *)dpi_find(handle, &kind, where);
}

/* ---- making one ---- */

enum {
    SETS,
    WAYS,
    SUB_ENTRIES,
    LATENCY,
    TENANT_WAYS,
    TENANTS, /* this and the following: for policies that distinguish tenants and warps */
    SMS,
    WARPS,
};

static const struct dpi_parameter parameters[DPI_PARAMETERS + 1] = {
    [SETS] = {"sets", DPI_NUMBER, 128, 1, MOST_ENTRIES, NULL},
    [WAYS] = {"ways", DPI_NUMBER, 8, 1, 64, NULL},
    [SUB_ENTRIES] = {"sub_entries", DPI_POWER_OF_TWO, 16, 1, MP_MAX_SUB_ENTRIES, NULL},
    [LATENCY] = {"latency", DPI_NUMBER, 40, 1, 10000, NULL},
    [TENANT_WAYS] = {"tenant_ways", DPI_LIST_OF_NUMBERS, 0, 1, 64, NULL},
    [TENANTS] = {"tenants", DPI_NUMBER, 2, 1, MP_TENANTS, NULL},
    [SMS] = {"sms", DPI_NUMBER, 98, 1, 4096, NULL},
    [WARPS] = {"warps", DPI_NUMBER, 64, 1, 64, NULL},
};

static const char *policy_name(unsigned number)
{
    return mp_tlb_policies[number] ? mp_tlb_policies[number]->design.name : NULL;
}

/* Names of policy `number` among those with a property; NULL after the last. */
static const char *name_if(unsigned number, bool (*has)(const struct mp_tlb_policy *))
{
    unsigned i = 0;
    while (mp_tlb_policies[i] && (!has(mp_tlb_policies[i]) || number--))
        i++;
    return policy_name(i);
}

static bool divides(const struct mp_tlb_policy *p)
{
    return p->divides_ways;
}

static const char *name_that_divides(unsigned number)
{
    return name_if(number, divides);
}

static bool distinguishes(const struct mp_tlb_policy *p)
{
    return p->asked;
}

static const char *name_that_distinguishes(unsigned number)
{
    return name_if(number, distinguishes);
}

static bool knows_tenants(const struct mp_tlb_policy *p)
{
    return p->divides_ways || p->asked || p->counters;
}

static struct mp_tlb_geometry geometry_of(const struct mp_tlb_policy *p, const struct dpi_values *v)
{
    const uint64_t *n = v->value;
    struct mp_tlb_geometry g = {.sets = (uint32_t)n[SETS],
                                .ways = (uint32_t)n[WAYS],
                                .sub_entries = (uint32_t)n[SUB_ENTRIES],
                                .latency = (uint32_t)n[LATENCY],
                                .own = v->own,
                                .tenants = p->divides_ways ? v->listed : (uint32_t)n[TENANTS],
                                .sms = (uint32_t)n[SMS],
                                .warps = (uint32_t)n[WARPS]};
    memcpy(g.tenant_ways, v->list, sizeof g.tenant_ways);
    return g;
}

static int check_parts(const struct mp_tlb_policy *p, const struct mp_tlb_geometry *g,
                       const struct dpi_values *v, struct mp_error *err)
{
    uint32_t sum = 0;
    for (unsigned t = 0; t < v->listed; t++)
        sum += v->list[t];
    if (p->divides_ways && !v->listed)
        return mp_fail(err, "tenant_ways: %s divides the ways; give them, as in tenant_ways=4,2,2",
                       p->design.name);
    if (!p->divides_ways && v->listed) {
        char names[256];
        dpi_names(names, sizeof names, name_that_divides);
        return mp_fail(err, "tenant_ways: %s does not divide the ways; %s", p->design.name, names);
    }
    if (p->divides_ways && sum != g->ways)
        return mp_fail(err, "tenant_ways: the sum is %u; it must be ways, %u", sum, g->ways);
    return 0;
}

static int check(const struct mp_tlb_policy *p, const struct mp_tlb_geometry *g, const struct dpi_values *v,
                 struct mp_error *err)
{
    if (g->sets * g->ways > MOST_ENTRIES)
        return mp_fail(err, "sets: %u of %u ways are too many; at most %u entries", g->sets, g->ways,
                       MOST_ENTRIES);
    for (unsigned i = TENANTS; parameters[i].name; i++)
        if (v->given[i] && !(i == TENANTS ? knows_tenants(p) && !p->divides_ways : p->asked != NULL))
            return mp_fail(err, "%s: %s does not have it; only policies that distinguish %s do",
                           parameters[i].name, p->design.name, i == TENANTS ? "tenants" : "warps");
    return check_parts(p, g, v, err) ? -1 : mp_tlb_check(p, g, err);
}

void *mempath_tlb_new(const char *policy, const char *text)
{
    const struct mp_tlb_policy *p = policy ? mp_tlb_policy_find(policy) : NULL;
    struct dpi_values v;
    if (!p) {
        dpi_no_policy(policy, policy_name, dpi_error());
        return NULL;
    }
    if (dpi_parse(text, parameters, &p->design, &v, dpi_error()))
        return NULL;
    const struct mp_tlb_geometry g = geometry_of(p, &v);
    if (check(p, &g, &v, dpi_error()))
        return NULL;
    struct tlb *t = calloc(1, sizeof *t);
    void *state = mp_tlb_state(p, &g);
    if (!t || !state) {
        free(t);
        free(state);
        mp_fail(dpi_error(), "mempath_tlb_new: out of memory; fewer sets or ways are needed");
        return NULL;
    }
    *t = (struct tlb){.model = {.kind = &kind}, .policy = p, .g = g, .state = state};
    return dpi_open(&t->model);
}

/* ---- events ---- */

/* With a policy that distinguishes tenants, an asid must be the number of a tenant. */
static int check_asid(const struct tlb *t, unsigned asid)
{
    unsigned most = knows_tenants(t->policy) ? t->g.tenants - 1 : UINT16_MAX;
    return asid > most ? dpi_fail("asid: there is no %u; 0 to %u", asid, most) : 0;
}

static int check_page(const struct tlb *t, unsigned asid, uint64_t vpn, uint64_t pfn)
{
    if (check_asid(t, asid))
        return MEMPATH_ERROR;
    if (vpn > MOST_VPN)
        return dpi_fail("vpn: 0x%" PRIx64 " is too wide; 0 to 0x%" PRIx64, vpn, MOST_VPN);
    if (pfn > MOST_PFN)
        return dpi_fail("pfn: 0x%" PRIx64 " is too wide; 0 to 0x%" PRIx64, pfn, MOST_PFN);
    return 0;
}

int mempath_tlb_lookup(void *tlb, unsigned asid, unsigned long long vpn, unsigned long long *pfn,
                       unsigned *cycles)
{
    const struct tlb *t = find(tlb, __func__);
    if (!t || check_page(t, asid, vpn, 0))
        return MEMPATH_ERROR;
    struct mp_tlb_hit hit = t->policy->lookup(t->state, (uint16_t)asid, vpn);
    DPI_OUTPUT(pfn, hit.pfn);
    DPI_OUTPUT(cycles, hit.cycles);
    return hit.found;
}

static int insert(const struct tlb *t, bool bypass, unsigned asid, uint64_t vpn, struct mp_translation to,
                  const char **action, unsigned *way, unsigned *lost)
{
    if (check_page(t, asid, vpn, to.pfn))
        return MEMPATH_ERROR;
    struct mp_tlb_left left;
    left.count = left.pages = 0;
    struct mp_tlb_insertion in =
        (bypass ? t->policy->bypass : t->policy->insert)(t->state, (uint16_t)asid, vpn, to, &left);
    DPI_OUTPUT(action, in.action);
    DPI_OUTPUT(way, in.way);
    DPI_OUTPUT(lost, left.pages);
    return 0;
}

int mempath_tlb_insert(void *tlb, unsigned asid, unsigned long long vpn, unsigned long long pfn,
                       const char **action, unsigned *way, unsigned *lost)
{
    const struct tlb *t = find(tlb, __func__);
    return t ? insert(t, false, asid, vpn, (struct mp_translation){.pfn = pfn}, action, way, lost)
             : MEMPATH_ERROR;
}

/* The span's frames exist, its pages too, and subregions are in the page's frame of 2 MB. */
static int check_span(uint64_t vpn, uint64_t pfn, unsigned unit, unsigned before, unsigned after)
{
    const uint64_t own = vpn >> unit, in_frame = own % SUBREGIONS;
    const unsigned most_before = unit                    ? (unsigned)in_frame
                                 : own > MOST_NEIGHBOURS ? MOST_NEIGHBOURS
                                                         : (unsigned)own;
    const unsigned most_after = unit ? SUBREGIONS - 1 - (unsigned)in_frame : MOST_NEIGHBOURS;
    const uint64_t offset = vpn - (own << unit);
    if (unit && unit != SUBREGION)
        return dpi_fail("unit: there is no %u; 0 for pages, %u for subregions of 64 pages", unit, SUBREGION);
    if (before > most_before)
        return dpi_fail("before: %u are too many; 0 to %u", before, most_before);
    if (after > most_after)
        return dpi_fail("after: %u are too many; 0 to %u", after, most_after);
    if (pfn < offset + ((uint64_t)before << unit))
        return dpi_fail("pfn: 0x%" PRIx64 " is too small for the pages before it; 0x%" PRIx64 " or more", pfn,
                        offset + ((uint64_t)before << unit));
    return 0;
}

int mempath_tlb_insert_span(void *tlb, unsigned asid, unsigned long long vpn, unsigned long long pfn,
                            unsigned unit, unsigned before, unsigned after, unsigned read_only,
                            const char **action, unsigned *way, unsigned *lost)
{
    const struct tlb *t = find(tlb, __func__);
    if (!t || check_page(t, asid, vpn, pfn) || check_span(vpn, pfn, unit, before, after))
        return MEMPATH_ERROR;
    const struct mp_translation to = {.pfn = pfn,
                                      .span = {.unit = (uint16_t)(unit & 15),
                                               .before = (uint16_t)(before & 31),
                                               .after = (uint16_t)(after & 31),
                                               .read_only = read_only != 0}};
    return insert(t, false, asid, vpn, to, action, way, lost);
}

int mempath_tlb_span(void *tlb, unsigned asid, unsigned long long vpn, unsigned *unit, unsigned *before,
                     unsigned *after, unsigned *read_only)
{
    const struct tlb *t = find(tlb, __func__);
    if (!t || check_page(t, asid, vpn, 0))
        return MEMPATH_ERROR;
    const struct mp_tlb_hit hit = t->policy->peek(t->state, (uint16_t)asid, vpn);
    if (!hit.found)
        return 0;
    DPI_OUTPUT(unit, hit.span.unit);
    DPI_OUTPUT(before, hit.span.before);
    DPI_OUTPUT(after, hit.span.after);
    DPI_OUTPUT(read_only, hit.span.read_only);
    return 1;
}

int mempath_tlb_invalidate_page(void *tlb, unsigned asid, unsigned long long vpn)
{
    const struct tlb *t = find(tlb, __func__);
    if (!t || check_page(t, asid, vpn, 0))
        return MEMPATH_ERROR;
    return (int)t->policy->invalidate_page(t->state, (uint16_t)asid, vpn, NULL);
}

int mempath_tlb_invalidate_asid(void *tlb, unsigned asid)
{
    const struct tlb *t = find(tlb, __func__);
    if (!t || check_asid(t, asid))
        return MEMPATH_ERROR;
    return (int)t->policy->invalidate_asid(t->state, (uint16_t)asid);
}

int mempath_tlb_invalidate_all(void *tlb)
{
    const struct tlb *t = find(tlb, __func__);
    return t ? (int)t->policy->invalidate_all(t->state) : MEMPATH_ERROR;
}

int mempath_tlb_occupancy(void *tlb, unsigned asid)
{
    const struct tlb *t = find(tlb, __func__);
    if (!t || check_asid(t, asid))
        return MEMPATH_ERROR;
    return (int)t->policy->occupancy(t->state, (uint16_t)asid);
}

/* ---- warps ---- */

static const struct tlb *with_warps(void *tlb, const char *where)
{
    const struct tlb *t = find(tlb, where);
    if (t && !t->policy->asked) {
        char names[256];
        dpi_names(names, sizeof names, name_that_distinguishes);
        mp_fail(dpi_error(), "%s: %s does not distinguish warps; %s", where, t->policy->design.name, names);
        return NULL;
    }
    return t;
}

static int check_warp(const struct tlb *t, unsigned asid, unsigned sm, unsigned warp)
{
    if (check_asid(t, asid))
        return MEMPATH_ERROR;
    if (sm >= t->g.sms)
        return dpi_fail("sm: there is no %u; 0 to %u", sm, t->g.sms - 1);
    if (warp >= t->g.warps)
        return dpi_fail("warp: there is no %u; 0 to %u", warp, t->g.warps - 1);
    return 0;
}

int mempath_tlb_asked(void *tlb, unsigned asid, unsigned sm, unsigned warp, unsigned hit)
{
    const struct tlb *t = with_warps(tlb, __func__);
    if (!t || check_warp(t, asid, sm, warp))
        return MEMPATH_ERROR;
    t->policy->asked(t->state, (uint16_t)asid, sm, warp, hit);
    return 0;
}

int mempath_tlb_may_fill(void *tlb, unsigned asid, unsigned sm, unsigned warp)
{
    const struct tlb *t = with_warps(tlb, __func__);
    if (!t || check_warp(t, asid, sm, warp))
        return MEMPATH_ERROR;
    return t->policy->may_fill(t->state, (uint16_t)asid, sm, warp);
}

int mempath_tlb_bypass(void *tlb, unsigned asid, unsigned long long vpn, unsigned long long pfn,
                       const char **action, unsigned *way, unsigned *lost)
{
    const struct tlb *t = with_warps(tlb, __func__);
    return t ? insert(t, true, asid, vpn, (struct mp_translation){.pfn = pfn}, action, way, lost)
             : MEMPATH_ERROR;
}

/* ---- state ---- */

static int check_way(const struct tlb *t, unsigned set, unsigned way)
{
    uint32_t ways = t->policy->ways(t->state, set);
    if (!ways)
        return dpi_fail("set: there is no %u; mempath_tlb_ways returns the ways of each", set);
    return way < ways ? 0 : dpi_fail("way: there is no %u; 0 to %u", way, ways - 1);
}

int mempath_tlb_ways(void *tlb, unsigned set)
{
    const struct tlb *t = find(tlb, __func__);
    return t ? (int)t->policy->ways(t->state, set) : MEMPATH_ERROR;
}

/* The frame that each_entry shows as number `left`. */
struct search {
    unsigned left;
    bool found;
    struct mp_tlb_entry entry;
};

static void show(void *context, const struct mp_tlb_entry *entry)
{
    struct search *s = context;
    if (!s->found && !s->left--) {
        s->found = true;
        s->entry = *entry;
    }
}

int mempath_tlb_entry(void *tlb, unsigned set, unsigned number, unsigned *way, unsigned *slot, unsigned *asid,
                      unsigned long long *vpn, unsigned long long *pfn, unsigned *pages, unsigned *read_only)
{
    const struct tlb *t = find(tlb, __func__);
    struct search s = {.left = number};
    if (!t || check_way(t, set, 0))
        return MEMPATH_ERROR;
    t->policy->each_entry(t->state, set, show, &s);
    if (!s.found)
        return 0;
    DPI_OUTPUT(way, s.entry.way);
    DPI_OUTPUT(slot, s.entry.slot);
    DPI_OUTPUT(asid, s.entry.asid);
    DPI_OUTPUT(vpn, s.entry.vpn);
    DPI_OUTPUT(pfn, s.entry.to.pfn);
    DPI_OUTPUT(pages, (s.entry.to.span.after + 1u) << s.entry.to.span.unit);
    DPI_OUTPUT(read_only, s.entry.to.span.read_only);
    return 1;
}

static struct mp_star_way view_of(const struct tlb *t, uint32_t set, uint32_t way)
{
    return mp_star_view(t->policy, t->state, set, way, mp_star_stride(t->policy, &t->g));
}

int mempath_tlb_way(void *tlb, unsigned set, unsigned way, unsigned *layout, unsigned *bases, unsigned *subs,
                    unsigned *rank)
{
    const struct tlb *t = find(tlb, __func__);
    if (!t || check_way(t, set, way))
        return MEMPATH_ERROR;
    const struct mp_star_way view = view_of(t, set, way);
    DPI_OUTPUT(layout, view.layout);
    unsigned valid_bases = 0, valid_subs = 0;
    for (unsigned i = 0; i < MP_STAR_BASES; i++)
        valid_bases |= (unsigned)view.base[i].valid << i;
    for (unsigned i = 0; i < MP_STAR_SUB_ENTRIES; i++)
        valid_subs |= (unsigned)view.sub[i].valid << i;
    DPI_OUTPUT(bases, valid_bases);
    DPI_OUTPUT(subs, valid_subs);
    DPI_OUTPUT(rank, t->policy->rank(t->state, set, way));
    return 0;
}

int mempath_tlb_base(void *tlb, unsigned set, unsigned way, unsigned position, unsigned *asid,
                     unsigned long long *base)
{
    const struct tlb *t = find(tlb, __func__);
    if (!t || check_way(t, set, way))
        return MEMPATH_ERROR;
    if (position >= MP_STAR_BASES)
        return dpi_fail("position: there is no %u; 0 to %u", position, MP_STAR_BASES - 1);
    const struct mp_star_way view = view_of(t, set, way);
    DPI_OUTPUT(asid, view.base[position].asid);
    DPI_OUTPUT(base, view.base[position].base);
    return view.base[position].valid;
}

int mempath_tlb_sub(void *tlb, unsigned set, unsigned way, unsigned slot, unsigned *aib,
                    unsigned long long *pfn)
{
    const struct tlb *t = find(tlb, __func__);
    if (!t || check_way(t, set, way))
        return MEMPATH_ERROR;
    if (slot >= MP_STAR_SUB_ENTRIES)
        return dpi_fail("slot: there is no %u; 0 to %u", slot, MP_STAR_SUB_ENTRIES - 1);
    const struct mp_star_way view = view_of(t, set, way);
    DPI_OUTPUT(aib, view.sub[slot].aib);
    DPI_OUTPUT(pfn, view.sub[slot].pfn);
    return view.sub[slot].valid;
}

static void print_way(FILE *out, const struct mp_star_way *view)
{
    for (unsigned i = 0; i < MP_STAR_BASES; i++)
        if (view->base[i].valid)
            fprintf(out, " base%u=%u:0x%" PRIx64, i, view->base[i].asid, view->base[i].base);
    for (unsigned i = 0; i < MP_STAR_SUB_ENTRIES; i++)
        if (view->sub[i].valid)
            fprintf(out, " sub%u=%u:0x%" PRIx64, i, view->sub[i].aib, view->sub[i].pfn);
}

/* Prints one line per way that contains anything. */
static void print(const struct dpi_model *model, FILE *out)
{
    const struct tlb *t = (const struct tlb *)model;
    uint32_t ways;
    fprintf(out, "%s\n", t->policy->design.name);
    for (uint32_t set = 0; (ways = t->policy->ways(t->state, set)); set++)
        for (uint32_t way = 0; way < ways; way++) {
            const struct mp_star_way view = view_of(t, set, way);
            if (!view.base[0].valid && !view.base[1].valid && !view.base[2].valid && !view.base[3].valid)
                continue;
            fprintf(out, "set=%u way=%u rank=%u layout=%u", set, way, t->policy->rank(t->state, set, way),
                    view.layout);
            print_way(out, &view);
            fputc('\n', out);
        }
}
