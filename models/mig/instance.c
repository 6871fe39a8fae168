/* SPDX-License-Identifier: Apache-2.0 */
/* Creates and destroys instances and address spaces. */
#include <stdio.h>

#include "host/host.h"
#include "mig/parts.h"

static bool taken(const struct mp_mig *g, unsigned slice)
{
    for (unsigned i = 0; i < MP_MGMT_INSTANCES; i++)
        if (slice - g->instance[i].first < g->instance[i].slices)
            return true;
    return false;
}

/* Returns the first slice of the lowest run of free slices, or -1. */
static int find_slices(const struct mp_mig *g, unsigned slices)
{
    unsigned run = 0;
    for (unsigned s = 0; s < g->machine.slices; s++) {
        run = taken(g, s) ? 0 : run + 1;
        if (run == slices)
            return (int)(s + 1 - slices);
    }
    return -1;
}

/* Returns the plan's instance with these slices. */
static unsigned find_run(const struct mp_mig *g, unsigned first, unsigned slices)
{
    unsigned run = 0;
    while (g->machine.instance[run].first_slice != first || g->machine.instance[run].slices != slices)
        run++;
    return run;
}

static uint32_t spaces_of(const struct mp_mig *g, unsigned instance)
{
    uint32_t spaces = 0;
    for (unsigned a = 0; a < MP_MGMT_SPACES; a++)
        spaces |= (uint32_t)(g->space[a].valid && g->space[a].instance == instance) << a;
    return spaces;
}

struct mp_copies *mp_mig_copies(const struct mp_mig *g, uint64_t pa, uint8_t *asid)
{
    const uint64_t slice = pa / g->machine.memory_per_slice;
    const struct mp_mig_instance *i = g->instance;
    while (i < g->instance + MP_MGMT_INSTANCES && slice - i->first >= i->slices)
        i++;
    if (i == g->instance + MP_MGMT_INSTANCES)
        return NULL;
    const uint32_t spaces = spaces_of(g, i->number);
    *asid = spaces ? (uint8_t)__builtin_ctz(spaces) : 0;
    return i->copies;
}

void mp_mig_divide_walkers(struct mp_mig *g, struct mp_mig_instance *i)
{
    if (i->slices && !i->owners_given)
        mp_walk_set_tenants(i->walk, spaces_of(g, i->number));
}

enum mp_mgmt_status mp_mig_create(void *gpu, unsigned instance, unsigned slices, struct mp_mgmt_memory *m)
{
    struct mp_mig *g = gpu;
    struct mp_mig_instance *i = &g->instance[instance];
    int first = find_slices(g, slices);
    if (first < 0)
        return MP_MGMT_NO_ROOM;
    unsigned run = find_run(g, (unsigned)first, slices);
    if (mp_mig_build(g, run))
        return MP_MGMT_UNSUPPORTED;
    const uint32_t walk = mp_plan_find_kind(&g->plan, &mp_walk_kind, run),
                   copies = mp_plan_find_kind(&g->plan, &mp_copies_kind, run);
    struct mp_mig_instance created = {.gpu = g,
                                      .number = instance,
                                      .first = (unsigned)first,
                                      .slices = slices,
                                      .run = run,
                                      .walk = g->model[walk],
                                      .walk_block = walk,
                                      .copies = copies == MP_PLAN_NONE ? NULL : g->model[copies]};
    if (mp_mig_set_scheduler(g, &created, g->machine.walk.scheduler, &g->machine.walk.rules, NULL))
        return MP_MGMT_UNSUPPORTED;
    created.walk->faults = g->faults ? &g->faults->walk : NULL;
    if (created.copies)
        mp_copies_share(created.copies, &g->link);
    *i = created;
    mp_mig_join(g, i);
    *m =
        (struct mp_mgmt_memory){i->first * g->machine.memory_per_slice, slices * g->machine.memory_per_slice};
    return MP_MGMT_OK;
}

/* Walks must know the format, too. */
uint64_t mp_mig_page_sizes(const struct mp_mig *g)
{
    uint64_t sizes = g->machine.page_bytes;
    struct mp_walk_params walk = g->machine.walk;
    for (uint64_t left = g->machine.page_sizes & ~sizes; left; left &= left - 1) {
        walk.format = mp_page_format(left & -left);
        if (walk.format && !(walk.method->check && walk.method->check(&walk, NULL)))
            sizes |= left & -left;
    }
    return sizes;
}

int mp_mig_set_table(struct mp_mig *g, unsigned asid)
{
    const struct mp_mgmt_space *s = &g->space[asid];
    const struct mp_page_format *format = mp_page_format(s->valid ? s->page_bytes : g->machine.page_bytes);
    g->table[asid] = (struct mp_page_table){
        .format = format, .memory = &g->memory, .root = s->valid ? s->root : MP_PTE_ADDRESS};
    return g->check ? mp_frame_check_set_table(g->check, (uint16_t)asid, format,
                                               s->valid ? s->root : MP_FRAME_NOWHERE)
                    : 0;
}

/* Another instance may get the memory, so no translation of this address space may remain. */
static int forget_space(struct mp_mig *g, unsigned asid)
{
    const struct mp_scope scope = {.every_page = true, .asid = (uint16_t)asid};
    g->space[asid] = (struct mp_mgmt_space){0};
    for (uint32_t i = 0; i < g->plan.blocks; i++)
        if (g->plan.block[i].per == MP_PER_MACHINE && g->plan.block[i].kind->invalidate)
            g->plan.block[i].kind->invalidate(g->model[i], &scope);
    return mp_mig_set_table(g, asid);
}

void mp_mig_restart_walks(void *gpu, unsigned instance)
{
    struct mp_mig *g = gpu;
    mp_walk_restart(g->instance[instance].walk);
}

enum mp_mgmt_status mp_mig_destroy(void *gpu, unsigned instance)
{
    struct mp_mig *g = gpu;
    for (unsigned a = 0; a < MP_MGMT_SPACES; a++)
        if (g->space[a].valid && g->space[a].instance == instance && forget_space(g, a))
            return MP_MGMT_UNSUPPORTED;
    g->instance[instance] = (struct mp_mig_instance){.gpu = g, .number = instance};
    return MP_MGMT_OK;
}

/* Says which pages the machine takes. */
static enum mp_mgmt_status refuse_pages(const struct mp_mig *g, uint64_t page_bytes)
{
    struct mp_error line;
    char sizes[80] = "";
    for (uint64_t left = mp_mig_page_sizes(g), n = 0; left; left &= left - 1)
        n += (unsigned)snprintf(sizes + n, sizeof sizes - n, "%s%llu", n ? ", " : "",
                                (unsigned long long)(left & -left));
    bool one = page_bytes > g->machine.page_bytes;
    mp_fail(&line, "AS_CONFIG.PAGE: no pages of %llu B; of %s B, since machine.page_bytes = %llu%s",
            (unsigned long long)page_bytes, sizes, (unsigned long long)g->machine.page_bytes,
            one ? " and RTL, or the walk method, is for pages of one size" : "");
    g->host.refused(g->host.self, line.text);
    return MP_MGMT_UNSUPPORTED;
}

/* If an address space in use gets another root, its links do not change. */
enum mp_mgmt_status mp_mig_set_space(void *gpu, unsigned asid, const struct mp_mgmt_space *space)
{
    struct mp_mig *g = gpu;
    struct mp_mgmt_space old = g->space[asid];
    struct mp_mig_instance *i = &g->instance[space->instance];
    if (space->valid && !(space->page_bytes & mp_mig_page_sizes(g)))
        return refuse_pages(g, space->page_bytes);
    g->space[asid] = *space;
    if (mp_mig_set_table(g, asid))
        return MP_MGMT_UNSUPPORTED;
    if (space->valid) {
        if (!old.valid || old.instance != space->instance)
            mp_mig_join_space(g, asid, i);
        mp_walk_set_root(i->walk, (uint16_t)asid, g->table[asid].format, space->root);
        mp_walk_set_reach(i->walk, (uint16_t)asid, MP_HOST_MEMORY, space->remote ? mp_mig_host_bytes(g) : 0);
        g->used |= 1u << asid;
        mp_mig_divide_walkers(g, i);
    }
    if (old.valid && (!space->valid || old.instance != space->instance))
        mp_mig_divide_walkers(g, &g->instance[old.instance]);
    return MP_MGMT_OK;
}
