/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Static partitioning (STAR Sec. VI-E): each tenant has its own ways in every set, in proportion to its share
 * of the GPU. Inside them another policy works as if they were the whole TLB: the baseline (static) or STAR
 * (static-star), whose bases then share entries only with bases of the same tenant.
 *
 * Each tenant's ways are a separate array, and the arrays follow each other in the state. The way numbers
 * that the policy reports count through all tenants' ways.
 */
#include "tlb/policy/star_set.h"

struct part {
    void *state; /* of the inner policy */
    uint32_t first_way;
};

struct divided {
    const struct mp_tlb_policy *inner;
    uint32_t tenants;
    struct part part[MP_TENANTS];
};

/* Largest remainder: a tenant gets the integer part of its share, ways * slices / all slices. The ways that
 * are left go to the largest remainders; in a tie, to the lower tenant. Then each tenant without a way gets
 * one from the tenant that has the most; in a tie, from the higher tenant. */
void mp_tlb_divide_ways(uint32_t ways, uint32_t tenants, const uint32_t *slices, uint32_t *tenant_ways)
{
    uint32_t all = 0, left = ways;
    uint32_t remainder[MP_TENANTS];
    for (uint32_t t = 0; t < tenants; t++)
        all += slices[t];
    for (uint32_t t = 0; t < tenants; t++) {
        tenant_ways[t] = ways * slices[t] / all;
        remainder[t] = ways * slices[t] % all + 1; /* 0 when it has been served */
        left -= tenant_ways[t];
    }
    for (; left; left--) {
        uint32_t best = 0;
        for (uint32_t t = 1; t < tenants; t++)
            if (remainder[t] > remainder[best])
                best = t;
        tenant_ways[best]++;
        remainder[best] = 0;
    }
    for (uint32_t t = 0; t < tenants; t++) {
        uint32_t most = 0;
        for (uint32_t k = 1; k < tenants; k++)
            if (tenant_ways[k] >= tenant_ways[most])
                most = k;
        if (!tenant_ways[t]) {
            tenant_ways[most]--;
            tenant_ways[t]++;
        }
    }
}

static size_t round_up(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

static struct mp_tlb_geometry geometry_of(const struct mp_tlb_geometry *g, uint32_t tenant)
{
    struct mp_tlb_geometry own = *g;
    own.ways = g->tenant_ways[tenant];
    return own;
}

static size_t divided_bytes(const struct mp_tlb_geometry *g, const struct mp_tlb_policy *inner)
{
    size_t bytes = round_up(sizeof(struct divided));
    for (uint32_t t = 0; t < g->tenants; t++) {
        struct mp_tlb_geometry own = geometry_of(g, t);
        bytes += round_up(inner->bytes(&own));
    }
    return bytes;
}

static void divided_init(void *state, const struct mp_tlb_geometry *g, const struct mp_tlb_policy *inner)
{
    struct divided *d = state;
    char *at = (char *)state + round_up(sizeof *d);
    uint32_t first_way = 0;
    d->inner = inner;
    d->tenants = g->tenants;
    for (uint32_t t = 0; t < g->tenants; t++) {
        struct mp_tlb_geometry own = geometry_of(g, t);
        d->part[t] = (struct part){at, first_way};
        inner->init(at, &own);
        at += round_up(inner->bytes(&own));
        first_way += own.ways;
    }
}

static size_t static_bytes(const struct mp_tlb_geometry *g)
{
    return divided_bytes(g, &mp_tlb_subentry);
}

static void static_init(void *state, const struct mp_tlb_geometry *g)
{
    divided_init(state, g, &mp_tlb_subentry);
}

static size_t static_star_bytes(const struct mp_tlb_geometry *g)
{
    return divided_bytes(g, &mp_tlb_star);
}

static void static_star_init(void *state, const struct mp_tlb_geometry *g)
{
    divided_init(state, g, &mp_tlb_star);
}

static struct mp_tlb_hit divided_lookup(void *state, uint16_t asid, uint64_t vpn)
{
    struct divided *d = state;
    return d->inner->lookup(d->part[asid].state, asid, vpn);
}

static struct mp_tlb_hit divided_peek(const void *state, uint16_t asid, uint64_t vpn)
{
    const struct divided *d = state;
    return d->inner->peek(d->part[asid].state, asid, vpn);
}

static struct mp_tlb_insertion divided_insert(void *state, uint16_t asid, uint64_t vpn,
                                              struct mp_translation to, struct mp_tlb_left *left)
{
    struct divided *d = state;
    struct mp_tlb_insertion done = d->inner->insert(d->part[asid].state, asid, vpn, to, left);
    done.way += d->part[asid].first_way;
    return done;
}

static uint32_t divided_invalidate_page(void *state, uint16_t asid, uint64_t vpn, struct mp_tlb_left *left)
{
    struct divided *d = state;
    return d->inner->invalidate_page(d->part[asid].state, asid, vpn, left);
}

static uint32_t divided_invalidate_asid(void *state, uint16_t asid)
{
    struct divided *d = state;
    return d->inner->invalidate_asid(d->part[asid].state, asid);
}

static uint32_t divided_invalidate_all(void *state)
{
    struct divided *d = state;
    uint32_t gone = 0;
    for (uint32_t t = 0; t < d->tenants; t++)
        gone += d->inner->invalidate_all(d->part[t].state);
    return gone;
}

static uint64_t divided_occupancy(const void *state, uint16_t asid)
{
    const struct divided *d = state;
    return d->inner->occupancy(d->part[asid].state, asid);
}

static uint32_t divided_ways(const void *state, uint32_t set)
{
    const struct divided *d = state;
    uint32_t ways = 0;
    for (uint32_t t = 0; t < d->tenants; t++)
        ways += d->inner->ways(d->part[t].state, set);
    return ways;
}

static const struct part *part_of(const struct divided *d, uint32_t way)
{
    uint32_t t = d->tenants - 1;
    while (d->part[t].first_way > way)
        t--;
    return &d->part[t];
}

struct shown { /* what one tenant's part shows, on its way to `show` */
    mp_tlb_show *show;
    void *context;
    uint32_t first_way;
};

static void show_part(void *context, const struct mp_tlb_entry *entry)
{
    const struct shown *s = context;
    struct mp_tlb_entry e = *entry;
    e.way += s->first_way;
    s->show(s->context, &e);
}

static void divided_each_entry(const void *state, uint32_t set, mp_tlb_show *show, void *context)
{
    const struct divided *d = state;
    for (uint32_t t = 0; t < d->tenants; t++) {
        struct shown s = {show, context, d->part[t].first_way};
        d->inner->each_entry(d->part[t].state, set, show_part, &s);
    }
}

static uint32_t divided_rank(const void *state, uint32_t set, uint32_t way)
{
    const struct divided *d = state;
    const struct part *p = part_of(d, way);
    return d->inner->rank(p->state, set, way - p->first_way);
}

#define DIVIDED(name_, title_, params_, least_, bytes_, init_)                                               \
    {                                                                                                        \
        .design = {.name = name_, .title = title_, .params = params_, .places = MP_TLB_LEVEL(3)},            \
        .least_sub_entries = least_, .divides_ways = true, .bytes = bytes_, .init = init_,                   \
        .lookup = divided_lookup, .peek = divided_peek, .insert = divided_insert,                            \
        .invalidate_page = divided_invalidate_page, .invalidate_asid = divided_invalidate_asid,              \
        .invalidate_all = divided_invalidate_all, .occupancy = divided_occupancy, .ways = divided_ways,      \
        .each_entry = divided_each_entry, .rank = divided_rank,                                              \
    }

const struct mp_tlb_policy mp_tlb_static =
    DIVIDED("static", "ways divided among the tenants", NULL, 0, static_bytes, static_init);
const struct mp_tlb_policy mp_tlb_static_star =
    DIVIDED("static-star", "ways divided among the tenants, STAR in each share", mp_star_params, 16,
            static_star_bytes, static_star_init);
