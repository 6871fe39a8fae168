/* SPDX-License-Identifier: Apache-2.0 */
#include "rtl/mesc_tlb/lockstep/mesc_tlb_lockstep.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/tenant.h"
#include "rtl/mesc_tlb/lockstep/mesc_tlb_cover.h"
#include "tlb/policy.h"

#define LATENCY       20u
#define SUBREGION     6u /* log2 of its pages */
#define FRAME         9u /* log2 of the pages of 2 MB */
#define LOOKUP_CLOCKS 3u

struct mesc_tlb_lockstep {
    struct rtl_lockstep base;
    const struct mesc_tlb_rtl *rtl;
    const struct mp_tlb_policy *policy;
    struct mp_tlb_geometry geometry;
    void *model;
    uint8_t asid[MP_ASIDS]; /* the RTL's number of each */
    struct mesc_tlb_cover cover;
    struct mesc_set before[MESC_TLB_MOST_SETS]; /* after the last comparison */
    /* the current request, and the difference */
    struct mesc_tlb_rtl_request request;
    struct mesc_tlb_rtl_response got, expected;
    uint32_t cycles; /* that the model's lookup takes */
    struct mesc_set state, rtl_state;
    uint32_t set; /* of these two */
    bool after_reset;
};

/* ---- begin and end ---- */

static size_t model_bytes(const struct mesc_tlb_lockstep *l)
{
    return (l->policy->bytes(&l->geometry) + 63) & ~(size_t)63;
}

static void reset_model(struct mesc_tlb_lockstep *l)
{
    memset(l->model, 0, model_bytes(l));
    l->policy->init(l->model, &l->geometry);
    l->base.fresh = true;
}

struct mesc_tlb_lockstep *mesc_tlb_lockstep_new(const struct mesc_tlb_rtl *rtl, uint64_t seed)
{
    struct mesc_tlb_lockstep *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->base.rtl = &rtl->verilated;
    l->rtl = rtl;
    l->policy = rtl->sub_ways ? &mp_tlb_mesc : &mp_tlb_page;
    l->geometry = (struct mp_tlb_geometry){
        .sets = rtl->sets, .ways = rtl->ways, .sub_entries = 1, .latency = LATENCY, .own = {{rtl->sub_ways}}};
    l->cover = (struct mesc_tlb_cover){.now = &l->base.transactions,
                                       .sets = rtl->sets,
                                       .ways = rtl->ways,
                                       .sub_ways = rtl->sub_ways,
                                       .asid = l->asid};
    mesc_tlb_cover_begin(&l->cover);
    l->model = aligned_alloc(64, model_bytes(l));
    l->base.block = rtl->open(seed);
    if (!l->model || !l->base.block) {
        mesc_tlb_lockstep_free(l);
        return NULL;
    }
    reset_model(l);
    for (uint8_t i = 0; i < MP_ASIDS; i++)
        l->asid[i] = i;
    return l;
}

void mesc_tlb_lockstep_free(struct mesc_tlb_lockstep *l)
{
    if (!l)
        return;
    if (l->base.block)
        l->base.rtl->close(l->base.block);
    free(l->model);
    free(l);
}

struct rtl_lockstep *mesc_tlb_lockstep_base(struct mesc_tlb_lockstep *l)
{
    return &l->base;
}

void mesc_tlb_lockstep_mutate(struct mesc_tlb_lockstep *l, unsigned mutant)
{
    l->base.rtl->mutate(l->base.block, mutant);
    reset_model(l);
}

_Static_assert(MP_ASIDS == 8, "three bits");

void mesc_tlb_lockstep_draw_asids(struct mesc_tlb_lockstep *l, uint64_t random)
{
    static const uint8_t bases[] = {0, 0xff};
    unsigned bit[3], base = random >> 24 & 1 ? random & 0xff : bases[random >> 25 & 1];
    for (unsigned i = 0, first = random >> 8 & 7; i < 3; i++)
        bit[i] = (first + i * (1 + 2 * (random >> 16 & 1))) % MESC_TLB_ASID_W;
    for (unsigned i = 0; i < MP_ASIDS; i++)
        l->asid[i] = (uint8_t)(base ^ (i & 1) << bit[0] ^ (i >> 1 & 1) << bit[1] ^ i >> 2 << bit[2]);
}

const struct mesc_tlb_rtl *mesc_tlb_lockstep_rtl(const struct mesc_tlb_lockstep *l)
{
    return l->rtl;
}

/* ---- what the model answers ---- */

static uint32_t set_of(const struct mesc_tlb_lockstep *l, bool subregions, uint64_t vpn)
{
    return (uint32_t)(vpn >> (subregions ? FRAME : 0)) & (l->rtl->sets - 1);
}

static void draw(void *context, const struct mp_tlb_entry *e)
{
    struct mesc_way *w = &((struct mesc_set *)context)->way[e->way];
    w->subregions = e->to.span.unit != 0;
    w->asid = e->asid;
    w->vpn = e->vpn;
    w->pfn = e->to.pfn;
    w->read_only = e->to.span.read_only;
    w->pages = (uint16_t)((e->to.span.after + 1u) << e->to.span.unit);
}

static void state_of_model(const struct mesc_tlb_lockstep *l, uint32_t set, struct mesc_set *s)
{
    memset(s, 0, sizeof *s);
    l->policy->each_entry(l->model, set, draw, s);
    for (uint32_t w = 0; w < l->rtl->ways; w++)
        s->way[w].rank = (uint8_t)l->policy->rank(l->model, set, w);
}

static struct mesc_tlb_rtl_response look_up(struct mesc_tlb_lockstep *l, const struct mesc_tlb_rtl_request *q)
{
    struct mp_tlb_hit hit = l->policy->lookup(l->model, q->asid, q->vpn);
    struct mesc_tlb_rtl_response r = {.action = MESC_MISS};
    l->cycles = hit.cycles;
    if (!hit.found)
        return r;
    r.action = hit.span.unit ? MESC_HIT_SUBREGIONS : MESC_HIT_PAGE;
    r.pfn = hit.pfn;
    r.read_only = hit.span.read_only;
    while (l->policy->rank(l->model, set_of(l, hit.span.unit, q->vpn), r.way))
        r.way++; /* the most recent way has hit */
    return r;
}

static struct mesc_tlb_rtl_response insert(struct mesc_tlb_lockstep *l, const struct mesc_tlb_rtl_request *q)
{
    uint32_t at = (uint32_t)(q->vpn >> SUBREGION) % MESC_SUBREGIONS;
    struct mp_translation to = {q->pfn, {.read_only = q->read_only}};
    if (q->op == MESC_INSERT_SUBREGIONS)
        to.span = (struct mp_span){.unit = SUBREGION,
                                   .before = (at - q->first) & 7,
                                   .after = (q->last - at) & 7,
                                   .read_only = q->read_only};
    struct mp_tlb_insertion done = l->policy->insert(l->model, q->asid, q->vpn, to, NULL);
    return (struct mesc_tlb_rtl_response){.action = done.entry_evicted              ? MESC_EVICT
                                                    : strcmp(done.action, "vacant") ? MESC_UPDATE
                                                                                    : MESC_VACANT,
                                          .way = (uint8_t)done.way};
}

static struct mesc_tlb_rtl_response ask_model(struct mesc_tlb_lockstep *l,
                                              const struct mesc_tlb_rtl_request *q)
{
    switch (q->op) {
    case MESC_LOOKUP:
        return look_up(l, q);
    case MESC_INSERT_PAGE:
    case MESC_INSERT_SUBREGIONS:
        return insert(l, q);
    case MESC_INVALIDATE_PAGE:
        l->policy->invalidate_page(l->model, q->asid, q->vpn, NULL);
        break;
    case MESC_INVALIDATE_ASID:
        l->policy->invalidate_asid(l->model, q->asid);
        break;
    default:
        l->policy->invalidate_all(l->model);
    }
    return (struct mesc_tlb_rtl_response){.action = MESC_INVALIDATED};
}

/* ---- comparing ---- */

static bool is_hit(const struct mesc_tlb_rtl_response *r)
{
    return r->action == MESC_HIT_PAGE || r->action == MESC_HIT_SUBREGIONS;
}

/* Clocks of the RTL for the model's cycles. */
static uint32_t clocks_of(const struct mesc_tlb_lockstep *l)
{
    return LOOKUP_CLOCKS + l->cycles - LATENCY;
}

/* Which fields of a response count depends on the request. */
static const char *response_differs(const struct mesc_tlb_lockstep *l)
{
    const struct mesc_tlb_rtl_response *a = &l->expected, *b = &l->got;
    bool inserts = l->request.op == MESC_INSERT_PAGE || l->request.op == MESC_INSERT_SUBREGIONS;
    if (a->action != b->action)
        return "action";
    if ((inserts || is_hit(a)) && a->way != b->way)
        return "way";
    if (is_hit(a) && a->pfn != b->pfn)
        return "frame";
    if (is_hit(a) && a->read_only != b->read_only)
        return "permission";
    if (l->request.op == MESC_LOOKUP && l->rtl->timed && b->clocks != clocks_of(l))
        return "clocks";
    return NULL;
}

static bool way_equal(const struct mesc_way *a, const struct mesc_way *b)
{
    return a->vpn == b->vpn && a->pfn == b->pfn && a->pages == b->pages && a->asid == b->asid &&
           a->subregions == b->subregions && a->read_only == b->read_only && a->spare == b->spare &&
           a->rank == b->rank;
}

/* The model's number of an address space; one that it does not have if there is none. */
static uint16_t asid_of_model(const struct mesc_tlb_lockstep *l, uint16_t asid)
{
    for (uint16_t i = 0; i < MP_ASIDS; i++)
        if (l->asid[i] == asid)
            return i;
    return asid | 0x100;
}

static void state_of_rtl(const struct mesc_tlb_lockstep *l, uint32_t set, struct mesc_set *s)
{
    memset(s, 0, sizeof *s);
    l->rtl->state(l->base.block, set, s);
    for (uint32_t w = 0; w < l->rtl->ways; w++)
        if (s->way[w].pages)
            s->way[w].asid = asid_of_model(l, s->way[w].asid);
}

static bool compare_set(struct mesc_tlb_lockstep *l, uint32_t set)
{
    l->set = set;
    state_of_model(l, set, &l->state);
    l->rtl_state = l->state;
    if (!l->rtl->state)
        return true;
    state_of_rtl(l, set, &l->rtl_state);
    for (uint32_t w = 0; w < l->rtl->ways; w++)
        if (!way_equal(&l->state.way[w], &l->rtl_state.way[w]))
            return !l->base.broken && rtl_lockstep_differs(&l->base, "state of set %" PRIu32 "%s", set,
                                                           l->after_reset ? " after a reset" : "");
    return true;
}

static bool compare_sets(struct mesc_tlb_lockstep *l)
{
    for (uint32_t set = 0; set < l->rtl->sets; set++) {
        if (!compare_set(l, set))
            return false;
        l->before[set] = l->state;
    }
    return true;
}

/* After a reset all sets are empty, in the model and in the RTL. */
static bool compare_fresh(struct mesc_tlb_lockstep *l)
{
    l->base.fresh = false;
    const char *wrong = l->base.rtl->wrong(l->base.block);
    if (wrong)
        return rtl_lockstep_breaks(&l->base, wrong);
    l->after_reset = true;
    bool equal = compare_sets(l);
    l->after_reset = !equal;
    return equal;
}

/* The state is always compared, because its difference says more than the response's. */
static bool compare(struct mesc_tlb_lockstep *l)
{
    const struct mesc_tlb_rtl_request *q = &l->request;
    uint32_t subregions = set_of(l, l->rtl->sub_ways != 0, q->vpn), pages = set_of(l, false, q->vpn);
    const char *response = response_differs(l);
    if (q->op == MESC_INVALIDATE_ASID || q->op == MESC_INVALIDATE_ALL) {
        if (!compare_sets(l))
            return false;
    } else {
        if (!response)
            mesc_tlb_cover_request(&l->cover, q, &l->got, &l->before[subregions], &l->before[pages]);
        if (!compare_set(l, subregions))
            return false;
        l->before[subregions] = l->state;
        if (!compare_set(l, pages))
            return false;
        l->before[pages] = l->state;
    }
    if (response)
        return rtl_lockstep_differs(&l->base, "%s", response);
    return true;
}

bool mesc_tlb_lockstep_step(struct mesc_tlb_lockstep *l, const struct mesc_tlb_rtl_request *q)
{
    if (l->base.fresh && !compare_fresh(l))
        return false;
    l->request = *q;
    rtl_lockstep_begin(&l->base, ++l->base.transactions);
    l->expected = ask_model(l, q);
    struct mesc_tlb_rtl_request sent = *q;
    sent.asid = l->asid[q->asid];
    l->rtl->request(l->base.block, &sent, &l->got);
    if (l->got.wrong) {
        rtl_lockstep_breaks(&l->base, l->got.wrong);
        compare_set(l, set_of(l, q->op == MESC_INSERT_SUBREGIONS, q->vpn)); /* for the report */
        return false;
    }
    if (l->got.reset) {
        reset_model(l);
        l->base.resets++;
        mesc_tlb_cover_reset(&l->cover, q, l->got.clocks);
        return compare_fresh(l);
    }
    if (q->op == MESC_INVALIDATE_ASID || q->op == MESC_INVALIDATE_ALL)
        mesc_tlb_cover_request(&l->cover, q, &l->got, l->before, l->before);
    return compare(l);
}

struct mesc_tlb_rtl_response mesc_tlb_lockstep_answer(const struct mesc_tlb_lockstep *l)
{
    return l->expected;
}

bool mesc_tlb_lockstep_point(const struct mesc_tlb_lockstep *l, unsigned number, char name[MP_RTL_POINT_NAME],
                             struct mp_rtl_point *point)
{
    return mesc_tlb_cover_point(&l->cover, number, name, point);
}

unsigned mesc_tlb_lockstep_open(const struct mesc_tlb_lockstep *l, uint16_t *open)
{
    unsigned n = 0;
    for (unsigned i = 0; i < l->cover.points; i++)
        if (!l->cover.point[l->cover.numbered[i]].taken && !(l->base.met && l->base.met[i]))
            open[n++] = l->cover.numbered[i];
    return n;
}

const struct mesc_set *mesc_tlb_lockstep_set(const struct mesc_tlb_lockstep *l, uint32_t set)
{
    return &l->before[set];
}

const uint8_t *mesc_tlb_lockstep_asids(const struct mesc_tlb_lockstep *l)
{
    return l->asid;
}

bool mesc_tlb_lockstep_lines(const struct mesc_tlb_lockstep *l, rtl_each_line *each, void *to)
{
    return rtl_lines(l->base.rtl->cover, l->base.block, "mesc", NULL, each, to);
}

/* ---- a difference ---- */

static const char *permission(bool read_only)
{
    return read_only ? "r" : "rw";
}

static void print_request(FILE *out, const struct mesc_tlb_lockstep *l)
{
    const struct mesc_tlb_rtl_request *q = &l->request;
    static const char ops[] = "LISVAF";
    fprintf(out, "%c asid=%u vpn=0x%" PRIx64, ops[q->op], q->asid, q->vpn);
    if (q->op == MESC_INSERT_PAGE || q->op == MESC_INSERT_SUBREGIONS)
        fprintf(out, " pfn=0x%" PRIx64 " %s", q->pfn, permission(q->read_only));
    if (q->op == MESC_INSERT_SUBREGIONS)
        fprintf(out, " subregions %u to %u", q->first, q->last);
    if (l->asid[q->asid] != q->asid)
        fprintf(out, "; in the RTL asid=%u", l->asid[q->asid]);
    fputc('\n', out);
}

static void print_response(FILE *out, const char *name, uint64_t model, uint64_t rtl)
{
    fprintf(out, "%c %-12s %16" PRIx64 " %16" PRIx64 "\n", model == rtl ? ' ' : '*', name, model, rtl);
}

static void print_responses(const struct mesc_tlb_lockstep *l, FILE *out)
{
    static const char *const actions[] = {"miss",   "hit page", "hit subregions", "update",
                                          "vacant", "evict",    "invalidated",    "unknown"};
    const struct mesc_tlb_rtl_response *a = &l->expected, *b = &l->got;
    fprintf(out, "  %-12s %16s %16s   (hexadecimal)\n", "response", "model", "rtl");
    fprintf(out, "%c %-12s %16s %16s\n", a->action == b->action ? ' ' : '*', "action", actions[a->action],
            actions[b->action]);
    if (l->request.op == MESC_LOOKUP && l->rtl->timed)
        print_response(out, "clocks", clocks_of(l), b->clocks);
    if (l->request.op != MESC_LOOKUP && a->action != MESC_INVALIDATED)
        print_response(out, "way", a->way, b->way);
    if (!is_hit(a))
        return;
    print_response(out, "way", a->way, b->way);
    print_response(out, "frame", a->pfn, b->pfn);
    print_response(out, "read only", a->read_only, b->read_only);
}

static void print_way(FILE *out, const char *of, const struct mesc_way *w)
{
    fprintf(out, "    %-6s rank %2u  ", of, w->rank);
    if (w->pages)
        fprintf(out, "%s asid=%u vpn=0x%09" PRIx64 " pages=%u pfn=0x%09" PRIx64 " %s%s\n",
                w->subregions ? "subregions" : "page      ", w->asid, w->vpn, w->pages, w->pfn,
                permission(w->read_only), w->spare ? ", and unused bits that are not 0" : "");
    else
        fputs("vacant\n", out);
}

void mesc_tlb_lockstep_report(const struct mesc_tlb_lockstep *l, FILE *out, bool full)
{
    fprintf(out, l->base.broken ? "%s\n" : "first difference: %s\n", l->base.difference);
    if (l->base.transactions) {
        fprintf(out, "transaction %" PRIu64 ", clock %" PRIu64 ": ", l->base.session + l->base.transactions,
                rtl_lockstep_clocks(&l->base));
        print_request(out, l);
    }
    if (l->got.reset)
        fputs("a reset came before its response was taken\n", out);
    else if (!l->base.broken && !l->after_reset)
        print_responses(l, out);
    fprintf(out, "set %" PRIu32 ", %s:\n", l->set,
            !l->rtl->state ? "as the model has it; the RTL's state is not seen"
            : full         ? "'*' where model and RTL differ"
                           : "ways that differ; --full shows the rest");
    for (uint32_t w = 0; w < l->rtl->ways; w++) {
        bool equal = way_equal(&l->state.way[w], &l->rtl_state.way[w]);
        if (equal && !full)
            continue;
        fprintf(out, "%c way %" PRIu32 "\n", equal ? ' ' : '*', w);
        print_way(out, "before", &l->before[l->set].way[w]);
        print_way(out, "model", &l->state.way[w]);
        print_way(out, "rtl", &l->rtl_state.way[w]);
    }
}
