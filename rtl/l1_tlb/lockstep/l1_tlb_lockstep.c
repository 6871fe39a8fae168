/* SPDX-License-Identifier: Apache-2.0 */
#include "rtl/l1_tlb/lockstep/l1_tlb_lockstep.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "rtl/l1_tlb/lockstep/l1_tlb_cover.h"
#include "tlb/policy.h"

struct l1_tlb_lockstep {
    struct rtl_lockstep base;
    const struct l1_tlb_rtl *rtl;
    struct mp_tlb_geometry geometry;
    void *model;
    struct l1_tlb_cover cover;
    /* the last step, and the difference */
    struct l1_tlb_rtl_clock clock;
    struct l1_tlb_rtl_answer expected, got;
    struct l1_tlb_state before_state, state, rtl_state;
};

static const struct mp_tlb_policy *const policy = &mp_tlb_subentry;

/* ---- begin and end ---- */

static size_t model_bytes(const struct l1_tlb_lockstep *l)
{
    return (policy->bytes(&l->geometry) + 63) & ~(size_t)63;
}

/* Empties the model after a reset of the RTL. */
static void reset_model(struct l1_tlb_lockstep *l)
{
    memset(l->model, 0, model_bytes(l));
    policy->init(l->model, &l->geometry);
    memset(&l->state, 0, sizeof l->state);
    l1_tlb_cover_reset(&l->cover);
    l->base.fresh = true;
}

struct l1_tlb_lockstep *l1_tlb_lockstep_new(const struct l1_tlb_rtl *rtl, uint64_t seed)
{
    struct l1_tlb_lockstep *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->base.rtl = &rtl->verilated;
    l->rtl = rtl;
    l->geometry = (struct mp_tlb_geometry){
        .sets = 1, .ways = rtl->entries, .sub_entries = 1, .latency = 1, .tenants = 1};
    l->cover.now = &l->base.transactions;
    l1_tlb_cover_init(&l->cover, rtl->entries);
    l->model = aligned_alloc(64, model_bytes(l));
    l->base.block = rtl->open(seed);
    if (!l->model || !l->base.block) {
        l1_tlb_lockstep_free(l);
        return NULL;
    }
    reset_model(l);
    return l;
}

void l1_tlb_lockstep_mutate(struct l1_tlb_lockstep *l, unsigned mutant)
{
    l->base.rtl->mutate(l->base.block, mutant);
    reset_model(l);
}

void l1_tlb_lockstep_free(struct l1_tlb_lockstep *l)
{
    if (!l)
        return;
    if (l->base.block)
        l->base.rtl->close(l->base.block);
    free(l->model);
    free(l);
}

struct rtl_lockstep *l1_tlb_lockstep_base(struct l1_tlb_lockstep *l)
{
    return &l->base;
}

const struct l1_tlb_rtl *l1_tlb_lockstep_rtl(const struct l1_tlb_lockstep *l)
{
    return l->rtl;
}

const struct l1_tlb_state *l1_tlb_lockstep_state(const struct l1_tlb_lockstep *l)
{
    return &l->state;
}

/* ---- a clock of the model ---- */

static uint16_t asid_of(uint64_t page)
{
    return (uint16_t)(page >> L1_TLB_VPN_W);
}

static uint64_t vpn_of(uint64_t page)
{
    return page & UINT64_MAX >> (64 - L1_TLB_VPN_W);
}

static void draw(void *state, const struct mp_tlb_entry *e)
{
    struct l1_tlb_state *s = ((void **)state)[0];
    uint32_t rank = policy->rank(((void **)state)[1], 0, e->way);
    s->entry[rank] = (struct l1_tlb_entry){true, (uint64_t)e->asid << L1_TLB_VPN_W | e->vpn, e->to.pfn};
}

static void state_of_model(struct l1_tlb_lockstep *l)
{
    void *to[] = {&l->state, l->model};
    memset(&l->state, 0, sizeof l->state);
    policy->each_entry(l->model, 0, draw, to);
}

static void insert(struct l1_tlb_lockstep *l)
{
    struct mp_tlb_left left = {.count = 0};
    const struct l1_tlb_rtl_clock *in = &l->clock;
    policy->insert(l->model, asid_of(in->page), vpn_of(in->page), (struct mp_translation){.pfn = in->frame},
                   &left);
    l->expected.evicted = left.count;
    if (left.count)
        l->expected.page = (uint64_t)left.run[0].asid << L1_TLB_VPN_W | left.run[0].vpn;
}

/* A lookup sees the array before the change of its clock; the change comes before the use. */
static void ask_model(struct l1_tlb_lockstep *l)
{
    const struct l1_tlb_rtl_clock *in = &l->clock;
    struct mp_tlb_hit hit = policy->peek(l->model, asid_of(in->lookup), vpn_of(in->lookup));
    l->expected = (struct l1_tlb_rtl_answer){.hit = hit.found, .frame = hit.found ? hit.pfn : 0};
    if (in->empty) {
        policy->invalidate_all(l->model);
        return;
    }
    if (in->change == L1_TLB_INSERT)
        insert(l);
    if (in->change == L1_TLB_DROP)
        policy->invalidate_page(l->model, asid_of(in->page), vpn_of(in->page), NULL);
    if (in->use)
        policy->lookup(l->model, asid_of(in->lookup), vpn_of(in->lookup));
}

/* ---- comparing ---- */

static bool compare_states(struct l1_tlb_lockstep *l)
{
    l->rtl_state = l->state;
    if (l->rtl->state)
        l->rtl->state(l->base.block, &l->rtl_state);
    for (uint32_t i = 0; i < l->rtl->entries; i++) {
        const struct l1_tlb_entry *m = &l->state.entry[i], *r = &l->rtl_state.entry[i];
        if (m->valid != r->valid || m->page != r->page || m->frame != r->frame)
            return false;
    }
    return true;
}

static bool compare_answers(struct l1_tlb_lockstep *l)
{
    const struct l1_tlb_rtl_answer *e = &l->expected, *g = &l->got;
    if (g->wrong)
        return rtl_lockstep_breaks(&l->base, g->wrong);
    if (e->hit != g->hit || e->frame != g->frame)
        return rtl_lockstep_differs(&l->base, "answer to a lookup");
    if (e->evicted != g->evicted || e->page != g->page)
        return rtl_lockstep_differs(&l->base, "eviction");
    return true;
}

/* Compares RTL and model after a reset. */
static bool compare_fresh(struct l1_tlb_lockstep *l)
{
    l->base.fresh = false;
    const char *wrong = l->base.rtl->wrong(l->base.block);
    if (wrong)
        return rtl_lockstep_breaks(&l->base, wrong);
    return compare_states(l) || rtl_lockstep_differs(&l->base, "state after a reset");
}

bool l1_tlb_lockstep_step(struct l1_tlb_lockstep *l, const struct l1_tlb_rtl_clock *clock,
                          struct rtl_manner manner)
{
    if (l->base.fresh && !compare_fresh(l))
        return false;
    l->clock = *clock;
    l->before_state = l->state;
    rtl_lockstep_begin(&l->base, l->base.transactions + 1);
    l->base.transactions++;
    ask_model(l);
    state_of_model(l);
    l->rtl->clock(l->base.block, &l->clock, &l->got, manner);
    if (!compare_answers(l))
        return false;
    if (l->got.reset) {
        l->base.resets++;
        reset_model(l);
        return compare_fresh(l);
    }
    l->base.fresh = false;
    l1_tlb_cover_clock(&l->cover, &l->clock, &l->expected, &l->before_state, &l->state);
    return compare_states(l) || rtl_lockstep_differs(&l->base, "state after a clock");
}

struct l1_tlb_rtl_answer l1_tlb_lockstep_answer(const struct l1_tlb_lockstep *l)
{
    return l->expected;
}

bool l1_tlb_lockstep_point(const struct l1_tlb_lockstep *l, unsigned number, char name[MP_RTL_POINT_NAME],
                           struct mp_rtl_point *point)
{
    return l1_tlb_cover_point(&l->cover, number, name, point);
}

bool l1_tlb_lockstep_lines(const struct l1_tlb_lockstep *l, rtl_each_line *each, void *to)
{
    return rtl_lines(l->base.rtl->cover, l->base.block, "l1-tlb", NULL, each, to);
}

/* ---- a difference ---- */

static void print_page(FILE *out, uint64_t page)
{
    fprintf(out, "asid=%u vpn=0x%09" PRIx64, asid_of(page), vpn_of(page));
}

static void print_inputs(const struct l1_tlb_rtl_clock *in, FILE *out)
{
    fprintf(out, "  %-16s ", in->use ? "lookup" : "shown");
    print_page(out, in->lookup);
    fputc('\n', out);
    if (in->change != L1_TLB_NONE) {
        fprintf(out, "  %-16s ", in->change == L1_TLB_INSERT ? "inserted" : "invalidated");
        print_page(out, in->page);
        if (in->change == L1_TLB_INSERT)
            fprintf(out, " pfn=0x%09" PRIx64, in->frame);
        fputc('\n', out);
    }
    if (in->empty)
        fputs("  all is invalidated\n", out);
}

static void print_hit(FILE *out, const char *who, const struct l1_tlb_rtl_answer *a)
{
    if (a->hit)
        fprintf(out, "%s: pfn=0x%09" PRIx64, who, a->frame);
    else
        fprintf(out, "%s: none", who);
}

static void print_eviction(FILE *out, const char *who, const struct l1_tlb_rtl_answer *a)
{
    fprintf(out, "%s: ", who);
    if (a->evicted)
        print_page(out, a->page);
    else
        fputs("none", out);
}

static void print_answers(const struct l1_tlb_lockstep *l, FILE *out)
{
    const struct l1_tlb_rtl_answer *e = &l->expected, *g = &l->got;
    fprintf(out, "%c %-16s ", e->hit != g->hit || e->frame != g->frame ? '*' : ' ', "hit");
    print_hit(out, "model", e);
    print_hit(out, ", rtl", g);
    fprintf(out, "\n%c %-16s ", e->evicted != g->evicted || e->page != g->page ? '*' : ' ', "evicted");
    print_eviction(out, "model", e);
    print_eviction(out, ", rtl", g);
    fputc('\n', out);
}

static void print_entry(FILE *out, const struct l1_tlb_entry *e)
{
    if (e->valid)
        fprintf(out, " %3u:%09" PRIx64 ":%09" PRIx64, asid_of(e->page), vpn_of(e->page), e->frame);
    else
        fprintf(out, " %23s", "-");
}

void l1_tlb_lockstep_report(const struct l1_tlb_lockstep *l, FILE *out, bool full)
{
    fprintf(out, l->base.broken ? "%s\n" : "first difference: %s\n", l->base.difference);
    fprintf(out, "transaction %" PRIu64 ", clock %" PRIu64 "%s\n", l->base.session + l->base.transactions,
            rtl_lockstep_clocks(&l->base), l->got.reset ? "; a reset came before its edge:" : ":");
    print_inputs(&l->clock, out);
    print_answers(l, out);
    fprintf(out, "entries, the most recent first%s:\n",
            !l->rtl->state ? "; those of the RTL are not seen"
            : full         ? ", '*' where model and RTL differ"
                           : ", that differ; --full shows the rest");
    fprintf(out, "  %-8s %23s %23s %23s   (asid:vpn:pfn, numbers of pages hexadecimal)\n", "entry", "before",
            "model", "rtl");
    for (uint32_t i = 0; i < l->rtl->entries; i++) {
        const struct l1_tlb_entry *m = &l->state.entry[i], *r = &l->rtl_state.entry[i];
        bool equal = m->valid == r->valid && m->page == r->page && m->frame == r->frame;
        if (equal && !full)
            continue;
        fprintf(out, "%c %-8" PRIu32, equal ? ' ' : '*', i);
        print_entry(out, &l->before_state.entry[i]);
        print_entry(out, m);
        print_entry(out, r);
        fputc('\n', out);
    }
}
