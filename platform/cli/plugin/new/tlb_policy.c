/* SPDX-License-Identifier: Apache-2.0 */
/* The TLB policy @NAME@: the baseline's array, which stores only one of `every` translations that are new to
 * it. With 1 it is the policy subentry. tlb/policy.h says what each function has to do. */
#include "engine/plugin.h"
#include "tlb/policy/subentry.h"

enum { EVERY };
static const struct mp_design_param params[] = {
    [EVERY] = {"every", "translations", NULL, 1, 1, 1000, "@NAME@",
               "one of this many new translations is stored", 0},
    {0},
};

struct own { /* follows the array */
    uint64_t every, fresh;
};

static size_t array_bytes(const struct mp_tlb_geometry *g)
{
    return (mp_subentry_bytes(g) + 63) / 64 * 64;
}

static struct own *own_of(void *state)
{
    const struct mp_subentry *array = state;
    return (struct own *)(void *)((char *)state + array_bytes(&array->g));
}

static size_t bytes(const struct mp_tlb_geometry *g)
{
    return array_bytes(g) + sizeof(struct own);
}

static void init(void *state, const struct mp_tlb_geometry *g)
{
    mp_subentry_init(state, g);
    own_of(state)->every = g->own.v[EVERY];
}

static struct mp_tlb_insertion insert(void *state, uint16_t asid, uint64_t vpn, struct mp_translation to,
                                      struct mp_tlb_left *left)
{
    struct own *own = own_of(state);
    bool known = mp_subentry_peek(state, asid, vpn).found;
    if (!known && own->fresh++ % own->every)
        return (struct mp_tlb_insertion){.action = "skip"};
    return mp_subentry_insert(state, asid, vpn, to, left);
}

static const struct mp_tlb_policy policy = {
    .design = {.name = "@NAME@", .title = "stores some translations only", .params = params},
    .bytes = bytes,
    .init = init,
    .lookup = mp_subentry_lookup,
    .peek = mp_subentry_peek,
    .insert = insert,
    .invalidate_page = mp_subentry_invalidate_page,
    .invalidate_asid = mp_subentry_invalidate_asid,
    .invalidate_all = mp_subentry_invalidate_all,
    .occupancy = mp_subentry_occupancy,
    .ways = mp_subentry_ways,
    .each_entry = mp_subentry_each_entry,
    .rank = mp_subentry_rank,
};

static const struct mp_plugin_design designs[] = {{"tlb_policy", &policy}, {0}};
const struct mp_plugin mempath_plugin = {MP_PLUGIN_INTERFACE, "@NAME@", designs, NULL};
