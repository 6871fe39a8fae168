/* SPDX-License-Identifier: Apache-2.0 */
/* One CU and one address space: two TLBs and a page walker, which finish each stimulus before the next one.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/replay/replay.h"
#include "tlb/policy.h"
#include "vm/contiguity.h"
#include "walk/walk.h"

#define PAGE_SHIFT    12u
#define SUBREGION     6u /* log2 of pages */
#define TABLES        (UINT64_C(1) << 20)
#define L1_LATENCY    1u
#define IOMMU_LATENCY 20u
#define PWC_LATENCY   1u
#define READ_LATENCY  100u

const struct replay_subregions_design replay_subregions_designs[] = {
    {"baseline", "one page per entry", &mp_tlb_page, &mp_tlb_page, &mp_walk_radix},
    {"colt", "up to 4 pages per entry in the L1 TLB", &mp_tlb_colt, &mp_tlb_page, &mp_walk_colt},
    {"full-colt", "up to 4 pages per entry in both TLBs", &mp_tlb_colt, &mp_tlb_colt, &mp_walk_colt},
    {"thp", "pages of 2 MB where frames are contiguous and aligned", &mp_tlb_thp, &mp_tlb_thp, &mp_walk_thp},
    {"mesc", "up to 8 subregions per entry in the IOMMU TLB", &mp_tlb_page, &mp_tlb_mesc, &mp_walk_mesc},
    {"mesc-colt", "mesc with the L1 TLB of colt", &mp_tlb_colt, &mp_tlb_mesc, &mp_walk_mesc},
    {"mesc-full-colt", "mesc with up to 4 pages per entry in both TLBs", &mp_tlb_colt, &mp_tlb_mesc_full_colt,
     &mp_walk_mesc},
    {0},
};

struct array {
    const struct mp_tlb_policy *policy;
    struct mp_tlb_geometry g;
    void *state;
};

struct replay_subregions_machine {
    struct mp_wheel wheel;
    struct mp_physmem memory; /* page tables only; pages are anywhere */
    struct mp_frames frames;
    struct mp_space space;
    struct mp_contiguity contiguity;
    struct array l1, iommu;
    struct mp_walk walk;
    struct mp_req req;
    struct { /* what a walk has answered, and in which cycle; what it leaves to store */
        struct mp_translation to, store;
        uint64_t when, reads;
        bool done, fault;
    } answer;
    struct replay_subregions_response *response; /* to the stimulus that is carried out */
};

/* --- parts ---------------------------------------------------------------------------------------------- */

/* Sets a parameter of the method, if it has it. */
static void set_value(struct mp_walk_params *w, const char *name, uint64_t value)
{
    int i = mp_design_param_find(&w->method->design, name, strlen(name));
    if (i >= 0)
        w->values.v[i] = value;
}

static struct mp_walk_params walk_params(const struct replay_subregions_params *p)
{
    struct mp_walk_params w = {.scheduler = &mp_walk_fcfs,
                               .method = p->design->method,
                               .geometry = {.walkers = 1, .queue = 1, .tenants = 1},
                               .format = mp_page_format(1u << PAGE_SHIFT),
                               .level_latency = READ_LATENCY,
                               .pwc_entries = p->pwc,
                               .pwc_ways = p->pwc ? p->pwc : 1,
                               .pwc_latency = PWC_LATENCY,
                               .ports = 1,
                               .heads_first = p->heads_first};
    set_value(&w, "msc", p->msc);
    set_value(&w, "msc_ways", p->msc_ways);
    return w;
}

static struct array array_of(const struct mp_tlb_policy *policy, uint32_t sets, uint32_t ways,
                             uint32_t latency)
{
    return (struct array){.policy = policy,
                          .g = {.sets = sets,
                                .ways = ways,
                                .sub_entries = 1,
                                .latency = latency,
                                .own = mp_design_defaults(&policy->design),
                                .tenants = 1}};
}

static struct array l1_of(const struct replay_subregions_params *p)
{
    return array_of(p->design->l1, 1, p->l1, L1_LATENCY);
}

static struct array iommu_of(const struct replay_subregions_params *p)
{
    struct array a = array_of(p->design->iommu, p->sets, p->ways, IOMMU_LATENCY);
    int sub_ways = mp_design_param_find(&a.policy->design, "sub_ways", strlen("sub_ways"));
    if (sub_ways >= 0)
        a.g.own.v[sub_ways] = p->sub_ways;
    return a;
}

int replay_subregions_check(const struct replay_subregions_params *p, struct mp_error *err)
{
    const struct mp_walk_params w = walk_params(p);
    const struct array l1 = l1_of(p), iommu = iommu_of(p);
    if (mp_tlb_check(l1.policy, &l1.g, err) || mp_tlb_check(iommu.policy, &iommu.g, err))
        return -1;
    return w.method->check ? w.method->check(&w, err) : 0;
}

static void responded(void *machine, struct mp_req *req);

static void resumed(void *machine, unsigned port)
{
    (void)machine;
    (void)port;
}

static uint64_t shot_down(void *machine, const struct mp_scope *scope);

/* The table, with its bits and those who have to forget what changes. */
static int make_space(struct replay_subregions_machine *m, const struct mp_walk_params *w)
{
    const struct mp_frames_params frames = {.bytes = TABLES * MP_FRAME_BYTES, .page_bytes = 1u << PAGE_SHIFT};
    const struct mp_space_params space = {.format = w->format, .memory = &m->memory, .frames = &m->frames};
    if (mp_physmem_init(&m->memory, frames.bytes) ||
        mp_frames_init(&m->frames, &mp_frames_ascending, &frames, NULL) ||
        mp_space_init(&m->space, &space, NULL))
        return -1;
    m->space.table.heads_first = w->heads_first;
    m->space.hook = mp_contiguity_hook(&m->contiguity);
    return mp_listeners_add(&m->space.listeners, (struct mp_listener){m, shot_down});
}

struct replay_subregions_machine *replay_subregions_new(const struct replay_subregions_params *p)
{
    struct replay_subregions_machine *m = calloc(1, sizeof *m);
    struct mp_walk_params w = walk_params(p);
    if (!m)
        return NULL;
    mp_wheel_init(&m->wheel);
    m->l1 = l1_of(p);
    m->iommu = iommu_of(p);
    w.memory = &m->memory;
    m->l1.state = mp_tlb_state(m->l1.policy, &m->l1.g);
    m->iommu.state = mp_tlb_state(m->iommu.policy, &m->iommu.g);
    if (!m->l1.state || !m->iommu.state || make_space(m, &w) || mp_walk_init(&m->walk, &m->wheel, &w)) {
        replay_subregions_free(m);
        return NULL;
    }
    mp_walk_set_root(&m->walk, 0, m->space.table.format, m->space.table.root);
    m->walk.ports.up[0] = mp_initiator_of(responded, resumed, m, 0);
    return m;
}

void replay_subregions_free(struct replay_subregions_machine *m)
{
    free(m->l1.state);
    free(m->iommu.state);
    mp_walk_free(&m->walk);
    mp_space_free(&m->space);
    mp_frames_free(&m->frames);
    mp_physmem_free(&m->memory);
    mp_wheel_free(&m->wheel);
    free(m);
}

/* --- what is forgotten ---------------------------------------------------------------------------------- */

/* Forgets the upper levels on the way to the scope, and the frame's map. */
static void forget_tables(struct replay_subregions_machine *m, const struct mp_scope *scope)
{
    m->response->gone.pwc += mp_pwc_invalidate(&m->walk.pwc, scope);
    m->response->gone.msc += mp_walk_invalidate(&m->walk, scope);
}

static uint64_t shot_down(void *machine, const struct mp_scope *scope)
{
    struct replay_subregions_machine *m = machine;
    struct mp_tlb_left left;
    left.count = left.pages = 0;
    m->l1.policy->invalidate_page(m->l1.state, 0, scope->va >> PAGE_SHIFT, &left);
    m->response->gone.l1 += left.count;
    left.count = left.pages = 0;
    m->iommu.policy->invalidate_page(m->iommu.state, 0, scope->va >> PAGE_SHIFT, &left);
    for (uint32_t i = 0; i < left.count; i++)
        *(left.run[i].unit == SUBREGION ? &m->response->gone.sub : &m->response->gone.iommu) += 1;
    forget_tables(m, scope);
    return 0;
}

/* Entries of subregions, and all others. */
static void count_entry(void *counts, const struct mp_tlb_entry *e)
{
    uint64_t *n = counts;
    n[e->to.span.unit == SUBREGION]++;
}

static void empty_array(struct array *a, uint64_t *regular, uint64_t *sub)
{
    uint64_t n[2] = {0, 0};
    for (uint32_t set = 0; set < a->g.sets; set++)
        a->policy->each_entry(a->state, set, count_entry, n);
    a->policy->invalidate_all(a->state);
    *regular = n[0];
    *sub += n[1];
}

static void empty_all(struct replay_subregions_machine *m)
{
    const struct mp_scope all = {.every_asid = true, .every_page = true};
    empty_array(&m->l1, &m->response->gone.l1, &m->response->gone.sub);
    empty_array(&m->iommu, &m->response->gone.iommu, &m->response->gone.sub);
    forget_tables(m, &all);
}

/* --- the table ------------------------------------------------------------------------------------------ */

static uint64_t entry_for(const struct replay_subregions_stimulus *s, uint64_t i)
{
    return (s->pfn + i) << PAGE_SHIFT | MP_PTE_VALID | MP_PTE_LEAF | (s->read_only ? MP_PTE_READ_ONLY : 0);
}

/* -1 with err unless all pages of the stimulus are mapped, or none is. */
static int check_pages(const struct replay_subregions_machine *m, const struct replay_subregions_stimulus *s,
                       bool mapped, struct mp_error *err)
{
    for (uint64_t i = 0; i < s->pages; i++) {
        uint64_t vpn = s->vpn + i;
        if ((mp_page_table_entry(&m->space.table, vpn << PAGE_SHIFT) & MP_PTE_VALID) == mapped)
            continue;
        return mapped
                   ? mp_fail(err, "VPN 0x%" PRIx64 " is not mapped; %c changes mapped pages, P maps others",
                             vpn, s->op)
                   : mp_fail(err, "VPN 0x%" PRIx64 " is mapped; P maps pages that are not, R changes others",
                             vpn);
    }
    return 0;
}

static int map_pages(struct replay_subregions_machine *m, const struct replay_subregions_stimulus *s,
                     struct mp_error *err)
{
    struct mp_page_table *t = &m->space.table;
    if (check_pages(m, s, false, err))
        return -1;
    for (uint64_t i = 0; i < s->pages; i++) {
        uint64_t va = (s->vpn + i) << PAGE_SHIFT;
        if (mp_page_table_map(t, va, (s->pfn + i) << PAGE_SHIFT, 0, NULL))
            return mp_fail(err,
                           "VPN 0x%" PRIx64 ": no memory is left for page tables; at most %" PRIu64
                           " tables of 4 KB",
                           s->vpn + i, TABLES);
        mp_page_table_change(t, va, entry_for(s, i));
    }
    m->response->mapped = s->pages;
    return 0;
}

static int change_pages(struct replay_subregions_machine *m, const struct replay_subregions_stimulus *s,
                        struct mp_error *err)
{
    struct replay_subregions_response *r = m->response;
    if (check_pages(m, s, true, err))
        return -1;
    for (uint64_t i = 0; i < s->pages; i++)
        mp_space_change(&m->space, (s->vpn + i) << PAGE_SHIFT, s->op == 'R' ? entry_for(s, i) : 0);
    uint64_t bits = mp_contiguity_bits(&m->space.table, (s->vpn + s->pages - 1) << PAGE_SHIFT);
    r->contiguous = (bits & MP_PTE_CONTIGUOUS) >> MP_PTE_CONTIGUOUS_SHIFT;
    r->whole = bits & MP_PTE_CONTIGUOUS_FRAME;
    return 0;
}

static void frame_changed(void *machine, uint64_t va)
{
    const struct mp_scope frame = {.tables = true, .va = va};
    forget_tables(machine, &frame);
}

static void scan_all(struct replay_subregions_machine *m)
{
    const struct mp_contiguity_found f =
        mp_contiguity_scan(&m->contiguity, &m->space.table, frame_changed, m);
    m->response->scan.frames = f.frames;
    m->response->scan.subregions = f.subregions;
    m->response->scan.whole = f.whole;
    m->response->scan.huge = f.aligned;
    m->response->scan.changed = f.changed;
}

/* --- translation ---------------------------------------------------------------------------------------- */

/* The walk has answered, has ended, or both. */
static void responded(void *machine, struct mp_req *req)
{
    struct replay_subregions_machine *m = machine;
    const struct mp_translation to = {req->pa >> PAGE_SHIFT, req->span};
    if (!m->answer.done) {
        m->answer.done = true;
        m->answer.fault = req->fault;
        m->answer.to = to;
        m->answer.when = m->wheel.now;
        m->answer.reads = m->walk.stats[0].levels_read;
    }
    m->answer.store = to;
}

static const char *mode_of(struct mp_span span)
{
    if (span.unit > SUBREGION)
        return "huge";
    if (span.unit < SUBREGION)
        return "page";
    return span.before + span.after + 1u == MP_SUBREGIONS ? "large" : "subregion";
}

/* The entry that maps the page. */
static struct replay_subregions_entry entry_of(const struct array *a, uint64_t vpn)
{
    struct mp_span s = a->policy->peek(a->state, 0, vpn).span;
    return (struct replay_subregions_entry){((vpn >> s.unit) - s.before) << s.unit, (s.before + s.after + 1u)
                                                                                        << s.unit};
}

static struct replay_subregions_entry fill(struct array *a, uint64_t vpn, struct mp_translation to)
{
    a->policy->insert(a->state, 0, vpn, to, NULL);
    return entry_of(a, vpn);
}

static void answer_with(struct replay_subregions_response *r, const char *where, uint64_t pfn,
                        struct mp_span span)
{
    r->where = where;
    r->pfn = pfn;
    r->read_only = span.read_only;
}

/* Runs a walk to its end. */
static void walk(struct replay_subregions_machine *m, uint64_t vpn)
{
    uint64_t began = m->wheel.now, reads = m->walk.stats[0].levels_read;
    uint32_t delay;
    m->req = (struct mp_req){.va = vpn << PAGE_SHIFT, .op = MP_TRANSLATE};
    m->answer.done = false;
    mp_walk_request(&m->walk, 0, &m->req, &delay);
    for (uint64_t next; (next = mp_wheel_next(&m->wheel)) != MP_NEVER;) {
        mp_wheel_advance(&m->wheel, next);
        mp_wheel_run_cycle(&m->wheel);
    }
    struct replay_subregions_response *r = m->response;
    r->walked = true;
    r->cycles += (uint32_t)(m->answer.when - began);
    r->reads = (uint32_t)(m->answer.reads - reads);
    r->heads = (uint32_t)(m->walk.stats[0].levels_read - m->answer.reads);
    if (m->answer.fault) {
        r->where = "fault";
        return;
    }
    answer_with(r, mode_of(m->answer.store.span), m->answer.to.pfn, m->answer.to.span);
    r->l1 = fill(&m->l1, vpn, m->answer.to);
    r->iommu = fill(&m->iommu, vpn, m->answer.store);
    r->sub = m->iommu.policy->peek(m->iommu.state, 0, vpn).span.unit == SUBREGION;
}

static void translate(struct replay_subregions_machine *m, uint64_t vpn)
{
    struct replay_subregions_response *r = m->response;
    struct mp_tlb_hit hit = m->l1.policy->lookup(m->l1.state, 0, vpn);
    r->cycles = hit.cycles;
    if (hit.found) {
        answer_with(r, "l1", hit.pfn, hit.span);
        return;
    }
    hit = m->iommu.policy->lookup(m->iommu.state, 0, vpn);
    r->cycles += hit.cycles;
    if (!hit.found) {
        walk(m, vpn);
        return;
    }
    answer_with(r, hit.span.unit == SUBREGION ? "sub" : "iommu", hit.pfn, hit.span);
    r->l1 = fill(&m->l1, vpn, (struct mp_translation){hit.pfn, hit.span});
}

int replay_subregions_apply(struct replay_subregions_machine *m, const struct replay_subregions_stimulus *s,
                            struct replay_subregions_response *r, struct mp_error *err)
{
    *r = (struct replay_subregions_response){0};
    m->response = r;
    switch (s->op) {
    case 'P':
        return map_pages(m, s, err);
    case 'U':
    case 'R':
        return change_pages(m, s, err);
    case 'S':
        scan_all(m);
        return 0;
    case 'F':
        empty_all(m);
        return 0;
    default:
        translate(m, s->vpn);
        return 0;
    }
}
