/* SPDX-License-Identifier: Apache-2.0 */
/* Slices and backends as they are built and joined: the same machine that platform/gpu assembles of modules.
 */
#include <stdlib.h>

#include "engine/tenant.h"
#include "mig/parts.h"

_Static_assert(MP_MIG_SPACES <= MP_TENANTS && MP_MIG_SPACES <= MP_ASIDS,
               "address space a counts as tenant a");

static struct mp_tlb_params tlb_params(const struct mp_tlb_params *of, unsigned ports)
{
    struct mp_tlb_params p = *of;
    p.ports = ports;
    p.tenants = p.geometry.tenants = MP_MIG_SPACES;
    return p;
}

static unsigned page_shift(const struct mp_mig *g)
{
    return (unsigned)__builtin_ctzll(g->p.page_bytes);
}

/* --- a slice ---------------------------------------------------------------------------------------- */

static int init_sm(struct mp_mig *g, struct mp_mig_slice *s, unsigned slice, unsigned k)
{
    struct mp_sm_params sm = g->p.sm;
    struct mp_cache_params l1d = g->p.l1d;
    sm.id = slice * mp_mig_slice_sms(g) + k;
    sm.coalescer = g->coalescer;
    sm.tenants = l1d.tenants = MP_MIG_SPACES;
    l1d.ports = l1d.links = 1;
    return mp_sm_init(&s->sm[k], g->wheel, &sm) || mp_cache_init(&s->l1d[k], g->wheel, &l1d) ? -1 : 0;
}

static int init_slice(struct mp_mig *g, struct mp_mig_slice *s, unsigned number)
{
    struct mp_tlb_params l1 = tlb_params(&g->p.l1_tlb, g->p.sms_per_tpc);
    struct mp_tlb_params l2 = tlb_params(&g->p.l2_tlb, g->p.tpcs);
    *s = (struct mp_mig_slice){.l1_tlb = calloc(g->p.tpcs, sizeof *s->l1_tlb),
                               .sm = calloc(mp_mig_slice_sms(g), sizeof *s->sm),
                               .l1d = calloc(mp_mig_slice_sms(g), sizeof *s->l1d)};
    if (!s->l1_tlb || !s->sm || !s->l1d || mp_tlb_init(&s->l2_tlb, g->wheel, &l2))
        return -1;
    for (unsigned t = 0; t < g->p.tpcs; t++)
        if (mp_tlb_init(&s->l1_tlb[t], g->wheel, &l1))
            return -1;
    for (unsigned k = 0; k < mp_mig_slice_sms(g); k++)
        if (init_sm(g, s, number, k))
            return -1;
    return 0;
}

static void join_tlb(struct mp_tlb *from, unsigned link, struct mp_tlb *to, unsigned port)
{
    mp_tlb_join(from, link, (struct mp_target){mp_tlb_request, to, port});
    to->ports.up[port] = (struct mp_initiator){mp_tlb_response, mp_tlb_resume, from, link};
}

static void join_slice(struct mp_mig *g, struct mp_mig_slice *s, unsigned number)
{
    for (unsigned k = 0; k < mp_mig_slice_sms(g); k++) {
        struct mp_tlb *l1 = &s->l1_tlb[k / g->p.sms_per_tpc];
        unsigned port = k % g->p.sms_per_tpc;
        mp_sm_join(&s->sm[k], MP_SM_TRANSLATE, (struct mp_target){mp_tlb_request, l1, port});
        l1->ports.up[port] = (struct mp_initiator){mp_sm_translated, mp_sm_translate_resume, &s->sm[k], 0};
        mp_sm_join(&s->sm[k], MP_SM_DATA, (struct mp_target){mp_cache_request, &s->l1d[k], 0});
        s->l1d[k].up[0] = (struct mp_initiator){mp_sm_loaded, mp_sm_data_resume, &s->sm[k], 0};
    }
    for (unsigned t = 0; t < g->p.tpcs; t++)
        join_tlb(&s->l1_tlb[t], 0, &s->l2_tlb, t);
    if (g->p.tlb_levels == 3)
        join_tlb(&s->l2_tlb, 0, &g->l3_tlb, number);
    else
        for (unsigned a = 0; a < MP_MIG_SPACES; a++)
            s->l2_tlb.next_of[a] = a;
}

int mp_mig_build_slice(struct mp_mig *g, unsigned number)
{
    struct mp_mig_slice *s = &g->slice[number];
    if (s->built)
        return 0;
    if (init_slice(g, s, number)) {
        mp_mig_free_slice(g, s);
        return -1;
    }
    join_slice(g, s, number);
    s->built = true;
    return 0;
}

void mp_mig_free_slice(struct mp_mig *g, struct mp_mig_slice *s)
{
    for (unsigned t = 0; s->l1_tlb && t < g->p.tpcs; t++)
        mp_tlb_free(&s->l1_tlb[t]);
    for (unsigned k = 0; s->sm && s->l1d && k < mp_mig_slice_sms(g); k++) {
        mp_sm_free(&s->sm[k]);
        mp_cache_free(&s->l1d[k]);
    }
    mp_tlb_free(&s->l2_tlb);
    free(s->l1_tlb);
    free(s->sm);
    free(s->l1d);
    *s = (struct mp_mig_slice){0};
}

/* --- a backend -------------------------------------------------------------------------------------- */

static bool walks_are_cached(const struct mp_mig *g)
{
    return !g->p.walk.level_latency;
}

/* TLBs that send their misses to it. */
static unsigned last_tlbs(const struct mp_mig *g, unsigned slices)
{
    return g->p.tlb_levels == 3 ? 1 : slices;
}

static int init_backend(struct mp_mig *g, struct mp_mig_backend *b, unsigned slices)
{
    struct mp_walk_params walk = g->p.walk;
    struct mp_cache_params l2d = g->p.l2d;
    struct mp_dram_params dram = g->p.dram;
    walk.geometry.walkers *= slices;
    walk.geometry.tenants = l2d.tenants = dram.tenants = MP_MIG_SPACES;
    walk.memory = &g->memory;
    walk.ports = last_tlbs(g, slices) * MP_MIG_SPACES;
    dram.channels *= slices;
    l2d.banks *= slices;
    l2d.links = dram.channels;
    l2d.ports = slices * mp_mig_slice_sms(g) + walks_are_cached(g);
    return mp_walk_init(&b->walk, g->wheel, &walk) || mp_cache_init(&b->l2d, g->wheel, &l2d) ||
                   mp_dram_init(&b->dram, g->wheel, &dram)
               ? -1
               : 0;
}

int mp_mig_build_backend(struct mp_mig *g, unsigned first, unsigned slices)
{
    struct mp_mig_backend *b = &g->backend[first][slices - 1];
    if (b->built)
        return 0;
    if (init_backend(g, b, slices)) {
        mp_mig_free_backend(b);
        return -1;
    }
    for (unsigned c = 0; c < b->dram.p.channels; c++) {
        mp_cache_join(&b->l2d, c, (struct mp_target){mp_dram_request, &b->dram, c});
        b->dram.up[c] = (struct mp_initiator){mp_cache_response, mp_cache_resume, &b->l2d, c};
    }
    if (walks_are_cached(g)) {
        unsigned port = b->l2d.p.ports - 1;
        mp_walk_join(&b->walk, (struct mp_target){mp_cache_request, &b->l2d, port});
        b->l2d.up[port] = (struct mp_initiator){mp_walk_response, mp_walk_resume, &b->walk, 0};
    }
    b->built = true;
    return 0;
}

void mp_mig_free_backend(struct mp_mig_backend *b)
{
    mp_walk_free(&b->walk);
    mp_cache_free(&b->l2d);
    mp_dram_free(&b->dram);
    *b = (struct mp_mig_backend){0};
}

/* --- an instance ------------------------------------------------------------------------------------ */

static void empty(struct mp_mig *g, struct mp_mig_slice *s)
{
    const struct mp_scope all = {.every_asid = true, .every_page = true};
    mp_tlb_invalidate(&s->l2_tlb, &all);
    for (unsigned t = 0; t < g->p.tpcs; t++)
        mp_tlb_invalidate(&s->l1_tlb[t], &all);
    for (unsigned k = 0; k < mp_mig_slice_sms(g); k++)
        mp_cache_forget(&s->l1d[k]);
}

void mp_mig_join(struct mp_mig *g, const struct mp_mig_instance *i)
{
    struct mp_mig_backend *b = i->backend;
    const struct mp_scope all = {.every_asid = true, .every_page = true};
    unsigned sms = mp_mig_slice_sms(g);
    for (unsigned n = 0; n < i->slices; n++) {
        struct mp_mig_slice *s = &g->slice[i->first + n];
        empty(g, s);
        for (unsigned k = 0; k < sms; k++) {
            unsigned port = n * sms + k;
            mp_cache_join(&s->l1d[k], 0, (struct mp_target){mp_cache_request, &b->l2d, port});
            b->l2d.up[port] = (struct mp_initiator){mp_cache_response, mp_cache_resume, &s->l1d[k], 0};
        }
    }
    mp_cache_forget(&b->l2d);
    mp_walk_invalidate(&b->walk, &all);
    mp_walk_set_memory(&b->walk, i->first * g->p.memory_per_slice, i->slices * g->p.memory_per_slice);
}

void mp_mig_join_space(struct mp_mig *g, unsigned asid, const struct mp_mig_instance *i)
{
    struct mp_walk *walk = &i->backend->walk;
    for (unsigned n = 0; n < last_tlbs(g, i->slices); n++) {
        struct mp_tlb *last = g->p.tlb_levels == 3 ? &g->l3_tlb : &g->slice[i->first + n].l2_tlb;
        unsigned port = n * MP_MIG_SPACES + asid;
        mp_tlb_join(last, asid, (struct mp_target){mp_walk_request, walk, port});
        walk->ports.up[port] = (struct mp_initiator){mp_tlb_response, mp_tlb_resume, last, asid};
    }
}

/* --- all -------------------------------------------------------------------------------------------- */

int mp_mig_init(struct mp_mig *g, struct mp_wheel *wheel, const struct mp_mig_params *p,
                const struct mp_mig_host *host)
{
    *g =
        (struct mp_mig){.wheel = wheel, .p = *p, .host = *host, .coalescer = calloc(1, sizeof *g->coalescer)};
    struct mp_tlb_params l3 = tlb_params(&p->l3_tlb, p->slices);
    if (!g->coalescer || mp_physmem_init(&g->memory, p->slices * p->memory_per_slice) ||
        (p->tlb_levels == 3 && mp_tlb_init(&g->l3_tlb, wheel, &l3))) {
        mp_mig_free(g);
        return -1;
    }
    g->coalescer->page_shift = page_shift(g);
    g->coalescer->line_shift = (uint32_t)__builtin_ctz(p->line_bytes);
    for (unsigned a = 0; p->tlb_levels == 3 && a < MP_MIG_SPACES; a++)
        g->l3_tlb.next_of[a] = a;
    for (unsigned i = 0; i < MP_MGMT_INSTANCES; i++)
        g->instance[i] = (struct mp_mig_instance){.gpu = g, .number = i};
    return 0;
}

void mp_mig_free(struct mp_mig *g)
{
    for (unsigned i = 0; i < MP_MGMT_INSTANCES; i++)
        if (g->instance[i].runs) {
            mp_app_free(&g->instance[i].app);
            g->host.close(g->host.self, g->instance[i].launch.workload, g->instance[i].reader);
        }
    for (unsigned s = 0; s < MP_MIG_SLICES; s++) {
        if (g->slice[s].built)
            mp_mig_free_slice(g, &g->slice[s]);
        for (unsigned n = 0; n < MP_MIG_SLICES; n++)
            if (g->backend[s][n].built)
                mp_mig_free_backend(&g->backend[s][n]);
    }
    if (g->l3_tlb.state)
        mp_tlb_free(&g->l3_tlb);
    mp_physmem_free(&g->memory);
    free(g->coalescer);
}

static bool buffer(void *gpu, unsigned workload, unsigned number, struct mp_mgmt_memory *b)
{
    const struct mp_mig *g = gpu;
    return g->host.buffer(g->host.self, workload, number, b);
}

struct mp_mgmt_gpu mp_mig_operations(struct mp_mig *g)
{
    return (struct mp_mgmt_gpu){.self = g,
                                .slices = g->p.slices,
                                .memory_bytes = g->memory.bytes,
                                .create = mp_mig_create,
                                .destroy = mp_mig_destroy,
                                .set_space = mp_mig_set_space,
                                .invalidate = mp_mig_invalidate,
                                .set_walk = mp_mig_set_walk,
                                .set_tlb = mp_mig_set_tlb,
                                .replay = mp_mig_replay,
                                .count = mp_mig_count,
                                .launch = mp_mig_launch,
                                .walkers = g->p.walk.geometry.walkers,
                                .workloads = g->host.workloads,
                                .buffer = buffer,
                                .room = mp_mig_fault_room};
}
