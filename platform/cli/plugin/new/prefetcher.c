/* SPDX-License-Identifier: Apache-2.0 */
/* The prefetcher @NAME@: a miss of a TLB prefetches the next pages, `degree` of them. With 0 it is the
 * prefetcher none. tlb/prefetch/prefetcher.h says what each function has to do. */
#include "tlb/prefetch/prefetcher.h"
#include "engine/plugin.h"

enum { DEGREE };
static const struct mp_design_param params[] = {
    [DEGREE] = {"degree", "pages", NULL, 0, 0, MP_PREFETCH_MOST, "@NAME@", "prefetched for a miss", 0},
    {0},
};

struct state {
    uint32_t degree;
};

static size_t bytes(const struct mp_design_values *own)
{
    (void)own;
    return sizeof(struct state);
}

static void init(void *state, const struct mp_design_values *own)
{
    ((struct state *)state)->degree = (uint32_t)own->v[DEGREE];
}

static uint32_t miss(void *state, const struct mp_prefetch_miss *m, uint64_t page[MP_PREFETCH_MOST])
{
    const struct state *s = state;
    for (uint32_t i = 0; i < s->degree; i++)
        page[i] = m->vpn + 1 + i;
    return s->degree;
}

/* It remembers nothing of an address space. */
static void forget(void *state, uint16_t asid)
{
    (void)state, (void)asid;
}

static const struct mp_prefetcher prefetcher = {
    .design = {.name = "@NAME@", .title = "the next pages after a miss", .params = params},
    .bytes = bytes,
    .init = init,
    .miss = miss,
    .forget = forget,
};

static const struct mp_plugin_design designs[] = {{"prefetcher", &prefetcher}, {0}};
const struct mp_plugin mempath_plugin = {MP_PLUGIN_INTERFACE, "@NAME@", designs, NULL};
