/* SPDX-License-Identifier: Apache-2.0 */
/* Builds and joins the blocks of the plan when instances need them. */
#include <stdlib.h>
#include <string.h>

#include "engine/tenant.h"
#include "host/host.h"
#include "mig/parts.h"

_Static_assert(MP_MGMT_SPACES <= MP_TENANTS, "address space a counts as tenant a");
_Static_assert(MP_MGMT_SPACES <= MP_ASIDS, "every address space has an asid");

enum { COUNTERS = 4096 }; /* of remote accesses, a power of two */

/* --- the default assembly --------------------------------------------------------------------------- */

static int direct_begin(void *self, const struct mp_plan *plan, struct mp_wheel *wheel)
{
    return mp_direct_init(self, plan, wheel);
}

static void *direct_model(void *self, uint32_t block)
{
    return ((struct mp_direct *)self)->model[block];
}

static void *direct_build(void *self, uint32_t block)
{
    return mp_direct_build(self, block) ? NULL : direct_model(self, block);
}

static void direct_join(void *self, uint32_t link)
{
    mp_direct_join(self, link);
}

static int direct_change(void *self, uint32_t block, void *params)
{
    (void)self;
    (void)block;
    (void)params;
    return 0;
}

static void direct_changed(void *self, uint32_t block)
{
    (void)self;
    (void)block;
}

static const struct mp_mig_assembly direct = {.begin = direct_begin,
                                              .build = direct_build,
                                              .model = direct_model,
                                              .join = direct_join,
                                              .change = direct_change,
                                              .changed = direct_changed};

/* --- the blocks of a run ---------------------------------------------------------------------------- */

/* Returns -1 if memory runs out. */
static int need(struct mp_mig *g, uint32_t block)
{
    if (!g->model[block])
        g->model[block] = g->assembly.build(g->assembly.self, block);
    return g->model[block] ? 0 : -1;
}

static void join(const struct mp_mig *g, uint32_t link)
{
    g->assembly.join(g->assembly.self, link);
}

/* Returns whether an instance with this run of slices uses the block. */
static bool in_run(const struct mp_mig *g, const struct mp_plan_block *b, unsigned run)
{
    const struct mp_machine_instance *r = &g->machine.instance[run];
    if (b->per == MP_PER_INSTANCE)
        return b->instance == run;
    return b->per == MP_PER_MACHINE || b->first_sm - mp_machine_first_sm(&g->machine, r->first_slice) <
                                           mp_mig_sms_of(g, r->first_slice, r->slices);
}

static bool link_in_run(const struct mp_mig *g, const struct mp_plan_link *l, unsigned run)
{
    return in_run(g, &g->plan.block[l->from], run) && in_run(g, &g->plan.block[l->to], run);
}

/* A link from a slice, or from a block that all slices share, to one of the runs that may become an
 * instance. */
static bool comes_and_goes(const struct mp_mig *g, const struct mp_plan_link *l)
{
    return g->plan.block[l->to].per == MP_PER_INSTANCE && g->plan.block[l->from].per != MP_PER_INSTANCE;
}

static bool of_one_space(const struct mp_plan_link *l)
{
    return !(l->tenants & (l->tenants - 1));
}

int mp_mig_build(struct mp_mig *g, unsigned run)
{
    for (uint32_t i = 0; i < g->plan.blocks; i++)
        if (in_run(g, &g->plan.block[i], run) && need(g, i))
            return -1;
    for (uint32_t i = 0; i < g->plan.links; i++) {
        const struct mp_plan_link *l = &g->plan.link[i];
        if (g->joined[i] || comes_and_goes(g, l) || !link_in_run(g, l, run))
            continue;
        join(g, i);
        g->joined[i] = true;
    }
    return 0;
}

void mp_mig_join(struct mp_mig *g, const struct mp_mig_instance *i)
{
    for (uint32_t k = 0; k < g->plan.blocks; k++) {
        const struct mp_plan_block *b = &g->plan.block[k];
        if (b->kind->clear && b->per != MP_PER_MACHINE && in_run(g, b, i->run))
            b->kind->clear(g->model[k]);
    }
    for (uint32_t k = 0; k < g->plan.links; k++) {
        const struct mp_plan_link *l = &g->plan.link[k];
        if (comes_and_goes(g, l) && !of_one_space(l) && link_in_run(g, l, i->run))
            join(g, k);
    }
    mp_walk_set_memory(i->walk, i->first * g->machine.memory_per_slice,
                       i->slices * g->machine.memory_per_slice);
}

void mp_mig_join_space(struct mp_mig *g, unsigned asid, const struct mp_mig_instance *i)
{
    for (uint32_t k = 0; k < g->plan.links; k++) {
        const struct mp_plan_link *l = &g->plan.link[k];
        if (comes_and_goes(g, l) && l->tenants == 1u << asid && link_in_run(g, l, i->run))
            join(g, k);
    }
}

/* --- all -------------------------------------------------------------------------------------------- */

/* Blocks of the whole machine are built at once. */
static int init_blocks(struct mp_mig *g, struct mp_error *err)
{
    uint32_t sms = mp_machine_sms(&g->machine), at = 0;
    if (mp_plan_init(&g->plan, &g->machine, err) || g->assembly.begin(g->assembly.self, &g->plan, g->wheel))
        return -1;
    g->model = calloc(g->plan.blocks + 1, sizeof *g->model);
    g->joined = calloc(g->plan.links + 1, sizeof *g->joined);
    g->sm_block = calloc(sms, sizeof *g->sm_block);
    if (!g->model || !g->joined || !g->sm_block || mp_listeners_reserve(&g->listeners, g->plan.blocks))
        return -1;
    for (uint32_t k = 0; k < sms; k++)
        g->sm_block[k] = at = mp_plan_find_level(&g->plan, "sm", k, at);
    for (uint32_t i = 0; i < g->plan.blocks; i++)
        if (g->plan.block[i].per == MP_PER_MACHINE && need(g, i))
            return -1;
    return 0;
}

static struct mp_host *find_host(const struct mp_mig *g)
{
    for (uint32_t i = 0; i < g->plan.blocks; i++)
        if (g->plan.block[i].kind == &mp_host_kind)
            return g->model[i];
    return NULL;
}

uint64_t mp_mig_host_bytes(const struct mp_mig *g)
{
    return find_host(g) ? MP_HOST_PAGES_BYTES : 0;
}

static void accessed(void *gpu, const struct mp_req *line)
{
    const struct mp_mig *g = gpu;
    mp_mgmt_accessed_remotely(g->mgmt, line->asid, line->va);
}

static int init_counters(struct mp_mig *g)
{
    struct mp_host *host = find_host(g);
    if (host)
        mp_host_share(host, &g->link);
    for (uint32_t a = 0; host && a < MP_MGMT_SPACES; a++)
        mp_host_watch(host, a, (struct mp_host_watch){accessed, g});
    return host ? mp_access_counters_init(&g->counters, COUNTERS) : 0;
}

static int init_map(struct mp_mig *g)
{
    const struct mp_address_map *kind = g->machine.map.kind;
    if (kind && mp_map_init(&g->map, kind, &g->machine.map.own))
        return -1;
    mp_machine_set_map(&g->machine, g->map);
    return 0;
}

int mp_mig_init(struct mp_mig *g, struct mp_wheel *wheel, const struct mp_machine *machine,
                const struct mp_mig_host *host, const struct mp_mig_assembly *assembly, struct mp_error *err)
{
    *g = (struct mp_mig){
        .wheel = wheel, .machine = *machine, .host = *host, .coalescer = calloc(1, sizeof *g->coalescer)};
    if (!g->coalescer || mp_physmem_init(&g->memory, machine->slices * machine->memory_per_slice)) {
        free(g->coalescer);
        return -1;
    }
    g->assembly = assembly ? *assembly : direct;
    if (!assembly)
        g->assembly.self = &g->direct;
    g->coalescer->page_shift = (uint32_t)__builtin_ctzll(machine->page_bytes);
    g->coalescer->line_shift = (uint32_t)__builtin_ctz(machine->line_bytes);
    g->machine.sm.coalescer = g->coalescer;
    g->machine.walk.memory = &g->memory;
    mp_machine_let_instances_vary(&g->machine, MP_MGMT_SPACES);
    if (init_map(g) || mp_mig_init_launches(g) || init_blocks(g, err) || init_counters(g)) {
        mp_mig_free(g);
        return -1;
    }
    for (unsigned i = 0; i < MP_MGMT_INSTANCES; i++)
        g->instance[i] = (struct mp_mig_instance){.gpu = g, .number = i};
    for (unsigned a = 0; a < MP_MGMT_SPACES; a++)
        mp_mig_set_table(g, a);
    return 0;
}

void mp_mig_free(struct mp_mig *g)
{
    mp_mig_free_launches(g);
    if (g->direct.plan)
        mp_direct_free(&g->direct);
    mp_plan_free(&g->plan);
    free(g->model);
    free(g->joined);
    free(g->sm_block);
    free(g->dispatched);
    free(g->probing.address);
    free(g->probing.cycles);
    mp_access_counters_free(&g->counters);
    mp_listeners_free(&g->listeners);
    mp_physmem_free(&g->memory);
    mp_map_free(&g->map);
    free(g->coalescer);
}

static bool buffer(void *gpu, unsigned workload, unsigned number, struct mp_mgmt_memory *b)
{
    const struct mp_mig *g = gpu;
    return g->host.buffer(g->host.self, workload, number, b);
}

/* The platform's clock has a period of whole ps, too. */
static uint64_t now(void *gpu)
{
    const struct mp_mig *g = gpu;
    const uint64_t mhz = g->machine.clock_mhz, ps = (1000000 + mhz / 2) / mhz;
    return g->wheel->now * ps / 1000;
}

static void become_valid(void *gpu, void *late)
{
    struct mp_mig *g = gpu;
    struct mp_mig_late *l = late;
    if (l->word && mp_mgmt_becomes_valid(g->mgmt, l->address, now(g) - l->since_ns))
        mp_physmem_write64(&g->memory, l->address, l->word);
    l->waits = false;
}

/* The last word of an entry comes later. If more of them are late than there is room for, it does not. */
static void become_valid_later(struct mp_mig *g, uint64_t cycles, uint64_t address, const void *word)
{
    enum { MOST = sizeof g->late / sizeof *g->late };
    unsigned i = 0;
    while (i < MOST && g->late[i].waits)
        i++;
    if (cycles == MP_NEVER || i == MOST)
        return;
    g->late[i] = (struct mp_mig_late){.address = address, .since_ns = now(g), .waits = true};
    memcpy(&g->late[i].word, word, sizeof g->late[i].word);
    mp_at(g->wheel, cycles, become_valid, g, &g->late[i]);
}

/* Writes to the same word are in order: one that is late is not seen after this one. */
static void overtake(struct mp_mig *g, uint64_t address)
{
    for (size_t i = 0; i < sizeof g->late / sizeof *g->late; i++)
        if (g->late[i].address == address)
            g->late[i].word = 0;
}

static int store(void *gpu, uint64_t address, const void *from, size_t bytes)
{
    struct mp_mig *g = gpu;
    const bool validates = bytes == MP_GPU_RING_ENTRY_BYTES - MP_GPU_RING_LAST;
    if (validates && g->faults) {
        const uint64_t late = g->faults->invalid(g->faults->self);
        overtake(g, address);
        if (late) {
            become_valid_later(g, late, address, from);
            return 0;
        }
    }
    return mp_physmem_write(&g->memory, address, from, bytes);
}

static uint64_t load(void *gpu, uint64_t address)
{
    const struct mp_mig *g = gpu;
    return mp_physmem_read64(&g->memory, address);
}

struct mp_mgmt_gpu mp_mig_operations(struct mp_mig *g)
{
    return (struct mp_mgmt_gpu){.self = g,
                                .slices = g->machine.slices,
                                .memory_bytes = g->memory.bytes,
                                .page_sizes = mp_mig_page_sizes(g),
                                .create = mp_mig_create,
                                .destroy = mp_mig_destroy,
                                .set_space = mp_mig_set_space,
                                .invalidate = mp_mig_invalidate,
                                .set_walk = mp_mig_set_walk,
                                .set_tlb = mp_mig_set_tlb,
                                .replay = mp_mig_replay,
                                .cancel = mp_mig_cancel,
                                .store = store,
                                .load = load,
                                .now = now,
                                .counters = g->counters.at ? &g->counters : NULL,
                                .host_bytes = mp_mig_host_bytes(g),
                                .count = mp_mig_count,
                                .launch = mp_mig_launch,
                                .preempt = mp_mig_preempt,
                                .resume = mp_mig_resume,
                                .drop = mp_mig_drop,
                                .probe = mp_mig_probe,
                                .sms = mp_machine_slice_sms(&g->machine),
                                .walkers = g->machine.walk.geometry.walkers,
                                .contiguity = mp_machine_uses_contiguity(&g->machine),
                                .workloads = g->host.workloads,
                                .buffer = buffer,
                                .room = mp_mig_fault_room,
                                .wake = mp_mig_wake,
                                .answered = mp_mig_answered,
                                .stop = mp_mig_stop,
                                .restart_walks = mp_mig_restart_walks};
}
