/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "rtl/star/lockstep/star_arrows.h"
#include "rtl/star/lockstep/star_state.h"
#include "tlb/policy/star_set.h"

#define LATENCY      40u
#define BASE_LATENCY 10u

/* An entry's state after the last request, as far as arrows need it. */
struct past {
    uint8_t entry, bases;
};

struct star_lockstep {
    struct rtl_lockstep base;
    const struct star_rtl *rtl;
    const struct mp_tlb_policy *policy;
    struct mp_tlb_geometry geometry;
    void *model;
    enum star_rtl_policy layout;
    unsigned stride;
    struct star_arrows arrows;
    struct star_cover cover;
    struct past past[STAR_RTL_SETS][STAR_RTL_WAYS];
    struct star_state *before; /* by set, after the last comparison */
    /* the current request, and the difference */
    struct star_rtl_request request;
    struct star_rtl_response got, expected;
    struct mp_tlb_insertion insertion; /* the model's last insertion, and the pages that it removed */
    struct mp_tlb_left left;
    struct star_state state, rtl_state;
    uint32_t set;
    bool after_reset;
};

/* ---- begin and end ---- */

static const struct mp_tlb_policy *policy_of(unsigned mode, enum star_rtl_policy policy)
{
    static const struct mp_tlb_policy *const star[] = {[STAR_RTL_DYNAMIC] = &mp_tlb_star,
                                                       [STAR_RTL_SEQUENTIAL] = &mp_tlb_star_sequential,
                                                       [STAR_RTL_STRIDE] = &mp_tlb_star_stride,
                                                       [STAR_RTL_LONE] = &mp_tlb_star};
    return mode == 0 ? &mp_tlb_subentry : mode == 1 ? star[policy] : &mp_tlb_star4;
}

static size_t model_bytes(const struct star_lockstep *l)
{
    return (l->policy->bytes(&l->geometry) + 63) & ~(size_t)63;
}

static void reset_model(struct star_lockstep *l)
{
    memset(l->model, 0, model_bytes(l));
    l->policy->init(l->model, &l->geometry);
    memset(l->past, 0, sizeof l->past);
    l->base.fresh = true;
}

static void begin(struct star_lockstep *l)
{
    reset_model(l);
    star_arrows_init(&l->arrows, l->rtl->mode, l->layout);
    star_cover_init(&l->cover, l->rtl->mode, l->layout, l->rtl->sets);
    l->base.transactions = l->base.resets = 0;
}

struct star_lockstep *star_lockstep_new(const struct star_rtl *rtl, enum star_rtl_policy policy,
                                        unsigned stride, uint64_t seed)
{
    struct star_lockstep *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->base.rtl = &rtl->verilated;
    l->rtl = rtl;
    l->arrows.now = l->cover.now = &l->base.transactions;
    l->layout = policy;
    l->stride = stride;
    l->policy = policy_of(rtl->mode, policy);
    l->geometry = (struct mp_tlb_geometry){.sets = rtl->sets,
                                           .ways = STAR_RTL_WAYS,
                                           .sub_entries = STAR_RTL_SUBS,
                                           .latency = LATENCY,
                                           .own = {{BASE_LATENCY, stride, policy == STAR_RTL_LONE}}};
    l->model = aligned_alloc(64, model_bytes(l));
    l->before = calloc(rtl->sets, sizeof *l->before);
    l->base.block = rtl->open(policy, (unsigned)__builtin_ctz(stride), seed);
    if (!l->model || !l->before || !l->base.block) {
        star_lockstep_free(l);
        return NULL;
    }
    begin(l);
    return l;
}

struct rtl_lockstep *star_lockstep_base(struct star_lockstep *l)
{
    return &l->base;
}

void star_lockstep_mutate(struct star_lockstep *l, unsigned mutant)
{
    l->base.rtl->mutate(l->base.block, mutant);
    begin(l);
}

void star_lockstep_free(struct star_lockstep *l)
{
    if (!l)
        return;
    if (l->base.block)
        l->base.rtl->close(l->base.block);
    free(l->before);
    free(l->model);
    free(l);
}

/* ---- what the model answers ---- */

/* Names of the model's actions by the RTL's codes. */
static const char *const inserted[STAR_RTL_ACTIONS] = {[STAR_RTL_UPDATE] = "update",
                                                       [STAR_RTL_REPLACE] = "replace",
                                                       [STAR_RTL_VACANT] = "vacant",
                                                       [STAR_RTL_SHARE_SEQUENTIAL] = "share-sequential",
                                                       [STAR_RTL_SHARE_STRIDE] = "share-stride",
                                                       [STAR_RTL_SHARE4] = "share4",
                                                       [STAR_RTL_REVERT] = "revert",
                                                       [STAR_RTL_REVERT4] = "revert4",
                                                       [STAR_RTL_EVICT] = "evict"};

const char *star_lockstep_inserted(uint8_t action)
{
    return action < STAR_RTL_ACTIONS && inserted[action] ? inserted[action] : "unknown";
}

static uint8_t action_code(const char *name)
{
    for (uint8_t i = 0; i < STAR_RTL_ACTIONS; i++)
        if (inserted[i] && !strcmp(name, inserted[i]))
            return i;
    return STAR_RTL_ACTIONS;
}

static struct star_rtl_response ask_model(struct star_lockstep *l, const struct star_rtl_request *q)
{
    struct mp_tlb_hit hit;
    switch (q->op) {
    case STAR_RTL_LOOKUP:
        hit = l->policy->lookup(l->model, q->asid, q->vpn);
        return (struct star_rtl_response){.action = hit.found ? STAR_RTL_HIT : STAR_RTL_MISS,
                                          .frame = hit.pfn,
                                          .base = (uint8_t)((hit.cycles - LATENCY) / BASE_LATENCY)};
    case STAR_RTL_INSERT:
        l->left.count = l->left.pages = 0;
        l->insertion =
            l->policy->insert(l->model, q->asid, q->vpn, (struct mp_translation){.pfn = q->frame}, &l->left);
        return (struct star_rtl_response){.action = action_code(l->insertion.action),
                                          .way = (uint8_t)l->insertion.way,
                                          .gone = l->left.pages};
    case STAR_RTL_INVALIDATE_PAGE:
        return (struct star_rtl_response){.action = STAR_RTL_INVALIDATED,
                                          .gone =
                                              l->policy->invalidate_page(l->model, q->asid, q->vpn, NULL)};
    case STAR_RTL_INVALIDATE_ASID:
        return (struct star_rtl_response){.action = STAR_RTL_INVALIDATED,
                                          .gone = l->policy->invalidate_asid(l->model, q->asid)};
    default:
        return (struct star_rtl_response){.action = STAR_RTL_INVALIDATED,
                                          .gone = l->policy->invalidate_all(l->model)};
    }
}

/* ---- comparing ---- */

static bool differs(struct star_lockstep *l, const char *what)
{
    return rtl_lockstep_differs(&l->base, "%s", what);
}

/* Which fields of a response count depends on the request. A lookup takes LATENCY cycles in the model, plus
 * BASE_LATENCY for each base position after the first; the RTL takes 3 clocks, plus one for each. */
static bool compare_responses(struct star_lockstep *l)
{
    const struct star_rtl_response *a = &l->expected, *b = &l->got;
    bool lookup = l->request.op == STAR_RTL_LOOKUP, hit = a->action == STAR_RTL_HIT;
    if (b->wrong)
        return rtl_lockstep_breaks(&l->base, b->wrong);
    if (b->reset)
        return true;
    if (a->action != b->action)
        return differs(l, "action");
    if (lookup && a->base != b->base)
        return differs(l, "cycles");
    if (lookup && l->rtl->timed && b->clocks != 3u + b->base)
        return differs(l, "clocks");
    if (hit && a->frame != b->frame)
        return differs(l, "frame");
    if (l->request.op == STAR_RTL_INSERT && a->way != b->way)
        return differs(l, "way");
    if (!lookup && a->gone != b->gone)
        return differs(l, "translations gone");
    return true;
}

static bool compare_set(struct star_lockstep *l, uint32_t set)
{
    l->set = set;
    star_state_of_model(&l->state, l->policy, l->model, set, l->stride);
    if (!l->rtl->entry) {
        l->rtl_state = l->state;
        return true;
    }
    star_state_of_rtl(&l->rtl_state, l->rtl, l->base.block, set);
    if (star_state_equal(&l->state, &l->rtl_state))
        return true;
    return !l->base.broken && rtl_lockstep_differs(&l->base, "state of set %" PRIu32 "%s", set,
                                                   l->after_reset ? " after a reset" : "");
}

/* After a reset all sets are empty, in the model and in the RTL. */
static bool compare_fresh(struct star_lockstep *l)
{
    l->base.fresh = false;
    const char *wrong = l->base.rtl->wrong(l->base.block);
    if (wrong)
        return rtl_lockstep_breaks(&l->base, wrong);
    l->after_reset = true;
    for (uint32_t set = 0; set < l->rtl->sets; set++) {
        if (!compare_set(l, set))
            return false;
        l->before[set] = l->state;
    }
    l->after_reset = false;
    return true;
}

/* ---- coverage ---- */

static struct past past_of(const struct mp_star_way *w)
{
    static const uint8_t entry[] = {
        [MP_STAR_NOT_SHARED] = STAR_ALONE,
        [MP_STAR_SEQUENTIAL] = STAR_TWO_SEQUENTIAL,
        [MP_STAR_STRIDE] = STAR_TWO_STRIDE,
        [MP_STAR_FOUR | MP_STAR_SEQUENTIAL] = STAR_FOUR_SEQUENTIAL,
        [MP_STAR_FOUR | MP_STAR_STRIDE] = STAR_FOUR_STRIDE,
    };
    uint8_t bases = 0;
    for (uint32_t b = 0; b < MP_STAR_BASES; b++)
        bases = (uint8_t)(bases + w->base[b].valid);
    return (struct past){bases ? entry[w->layout] : STAR_VACANT, bases};
}

/* Finds the way and position of a page's base. Returns false if there is none. */
static bool find_base(const struct star_state *s, const struct star_rtl_request *q, uint32_t *way,
                      uint32_t *base)
{
    for (*way = 0; *way < STAR_RTL_WAYS; (*way)++)
        for (*base = 0; *base < MP_STAR_BASES; (*base)++)
            if (s->way[*way].base[*base].valid && s->way[*way].base[*base].asid == q->asid &&
                s->way[*way].base[*base].base == q->vpn / STAR_RTL_SUBS)
                return true;
    return false;
}

static bool take(struct star_lockstep *l, uint32_t event, uint32_t from, uint32_t to)
{
    char name[STAR_ARROW_NAME];
    if (star_arrows_take(&l->arrows, event, from, to))
        return true;
    star_arrows_name(event, from, to, name);
    return rtl_lockstep_differs(&l->base, "no rule allows '%s'", name);
}

/* The model's answer does not contain the way of a hit, but its state does. */
static bool cover_lookup(struct star_lockstep *l)
{
    const struct star_state *s = &l->state;
    uint32_t way, base;
    if (!find_base(s, &l->request, &way, &base))
        return take(l, STAR_RTL_MISS, STAR_VACANT, l->got.base);
    uint32_t entry = past_of(&s->way[way]).entry, index = (uint32_t)l->request.vpn % STAR_RTL_SUBS;
    if (l->got.action == STAR_RTL_HIT && l->got.way != way)
        return differs(l, "way");
    if (l->got.action == STAR_RTL_HIT)
        return take(l, STAR_RTL_HIT, entry, base);
    uint32_t slot = l->rtl->mode ? mp_star_slot(l->model, s->way[way].layout, base, index) : index;
    return take(l, STAR_RTL_MISS, entry, s->way[way].sub[slot].valid ? STAR_SLOT_OTHERS : STAR_SLOT_EMPTY);
}

/* If an invalidated page changes no entry's state, the arrow starts and ends at its entry's state. */
static bool cover_page(struct star_lockstep *l)
{
    uint32_t way, base;
    if (!l->got.gone)
        return take(l, STAR_EVENT_PAGE, STAR_VACANT, STAR_VACANT);
    for (way = 0; way < STAR_RTL_WAYS; way++) {
        struct past was = l->past[l->set][way], is = past_of(&l->state.way[way]);
        if (was.entry != is.entry || was.bases != is.bases)
            return take(l, STAR_EVENT_PAGE, was.entry, is.entry);
    }
    if (!find_base(&l->state, &l->request, &way, &base))
        return differs(l, "a base went and its entry did not change");
    uint32_t entry = past_of(&l->state.way[way]).entry;
    return take(l, STAR_EVENT_PAGE, entry, entry);
}

static bool cover_sweep(struct star_lockstep *l, uint32_t event)
{
    for (uint32_t way = 0; way < STAR_RTL_WAYS; way++) {
        struct past was = l->past[l->set][way], is = past_of(&l->state.way[way]);
        if ((was.entry != is.entry || was.bases != is.bases) && !take(l, event, was.entry, is.entry))
            return false;
    }
    return true;
}

/* Counts arrows after a comparison of a set. */
static bool cover(struct star_lockstep *l)
{
    const struct star_rtl_response *r = &l->got;
    struct past *past = l->past[l->set];
    bool listed;
    if (l->request.op == STAR_RTL_LOOKUP)
        return cover_lookup(l);
    if (l->request.op == STAR_RTL_INSERT)
        listed = take(l, r->action, past[r->way].entry, past_of(&l->state.way[r->way]).entry);
    else if (l->request.op == STAR_RTL_INVALIDATE_PAGE)
        listed = cover_page(l);
    else
        listed = cover_sweep(l, l->request.op == STAR_RTL_INVALIDATE_ASID ? STAR_EVENT_ASID : STAR_EVENT_ALL);
    for (uint32_t way = 0; way < STAR_RTL_WAYS; way++)
        past[way] = past_of(&l->state.way[way]);
    return listed;
}

/* ---- a request ---- */

static bool compare_and_cover(struct star_lockstep *l, uint32_t set)
{
    if (!compare_set(l, set) || !cover(l))
        return false;
    star_cover_request(&l->cover, &l->request, &l->got, &l->before[set], &l->state, l->stride);
    l->before[set] = l->state;
    return true;
}

static bool compare_sweep(struct star_lockstep *l)
{
    bool every_set = true;
    for (uint32_t set = 0; set < l->rtl->sets; set++) {
        const uint32_t held = star_set_used(&l->before[set]);
        if (!compare_and_cover(l, set))
            return false;
        every_set &= held != star_set_used(&l->state);
    }
    star_cover_sweep(&l->cover, &l->request, l->expected.gone, every_set);
    return true;
}

bool star_lockstep_step(struct star_lockstep *l, const struct star_rtl_request *q)
{
    bool sweep = q->op == STAR_RTL_INVALIDATE_ASID || q->op == STAR_RTL_INVALIDATE_ALL;
    if (l->base.fresh && !compare_fresh(l))
        return false;
    l->request = *q;
    l->base.transactions++;
    rtl_lockstep_begin(&l->base, l->base.transactions);
    l->expected = ask_model(l, q);
    l->rtl->request(l->base.block, q, &l->got);
    bool responses = compare_responses(l);
    if (l->got.reset) {
        reset_model(l);
        l->base.resets++;
        return responses && compare_fresh(l);
    }
    if (!sweep) { /* the state is always compared, because its difference says more than the response's */
        uint32_t set = (uint32_t)(q->vpn / STAR_RTL_SUBS) & (l->rtl->sets - 1);
        return responses ? compare_and_cover(l, set) : compare_set(l, set) && false;
    }
    return compare_sweep(l) && responses;
}

struct star_rtl_response star_lockstep_answer(const struct star_lockstep *l)
{
    return l->expected;
}

struct mp_tlb_insertion star_lockstep_insertion(const struct star_lockstep *l, struct mp_tlb_left *left)
{
    for (uint32_t i = 0; i < l->left.count; i++)
        mp_tlb_leave(left, l->left.run[i].asid, l->left.run[i].vpn, l->left.run[i].unit,
                     l->left.run[i].blocks);
    return l->insertion;
}

uint64_t star_lockstep_occupancy(const struct star_lockstep *l, uint16_t asid)
{
    return l->policy->occupancy(l->model, asid);
}

uint32_t star_lockstep_sets(const struct star_lockstep *l)
{
    return l->rtl->sets;
}

bool star_lockstep_point(const struct star_lockstep *l, unsigned number, char name[STAR_ARROW_NAME],
                         struct mp_rtl_point *point)
{
    unsigned arrows = star_arrows_count(&l->arrows);
    return number < arrows ? star_arrows_get(&l->arrows, number, name, point)
                           : star_cover_point(&l->cover, number - arrows, name, point);
}

static bool point_of(const void *lockstep, unsigned number, char name[STAR_ARROW_NAME],
                     struct mp_rtl_point *point)
{
    return star_lockstep_point(lockstep, number, name, point);
}

enum star_group star_lockstep_aim(const struct star_lockstep *l, uint64_t random, unsigned *n)
{
    const int arrows = (int)star_arrows_count(&l->arrows),
              point = rtl_lockstep_aim(&l->base, point_of, l, random);
    *n = point >= 0;
    return point < arrows ? STAR_GROUPS : star_cover_group(&l->cover, (unsigned)(point - arrows), n);
}

/* ---- a difference ---- */

static void print_response(FILE *out, const char *name, uint64_t model, uint64_t rtl)
{
    fprintf(out, "%c %-24s %16" PRIu64 " %16" PRIu64 "\n", model == rtl ? ' ' : '*', name, model, rtl);
}

static void print_responses(const struct star_lockstep *l, FILE *out)
{
    static const char *const actions[STAR_RTL_ACTIONS + 1] = {
        "miss",   "hit",    "update",  "replace", "vacant",      "share-sequential", "share-stride",
        "share4", "revert", "revert4", "evict",   "invalidated", "unknown"};
    const struct star_rtl_response *a = &l->expected, *b = &l->got;
    bool lookup = l->request.op == STAR_RTL_LOOKUP, insert = l->request.op == STAR_RTL_INSERT;
    const char *was = actions[a->action], *is = b->action < STAR_RTL_ACTIONS ? actions[b->action] : "unknown";
    fprintf(out, "  %-24s %16s %16s   (decimal)\n", "response", "model", "rtl");
    fprintf(out, "%c %-24s %16s %16s\n", a->action == b->action ? ' ' : '*', "action", was, is);
    if (lookup) {
        print_response(out, "cycles", LATENCY + BASE_LATENCY * a->base, LATENCY + BASE_LATENCY * b->base);
        if (l->rtl->timed)
            print_response(out, "clocks", 3u + a->base, b->clocks);
        if (a->action == STAR_RTL_HIT)
            print_response(out, "frame", a->frame, b->frame);
    }
    if (insert)
        print_response(out, "way", a->way, b->way);
    if (!lookup)
        print_response(out, "translations gone", a->gone, b->gone);
}

void star_lockstep_report(const struct star_lockstep *l, FILE *out, bool full)
{
    static const char ops[] = "LIVAF";
    const struct star_rtl_request *q = &l->request;
    fprintf(out, l->base.broken ? "%s\n" : "first difference: %s\n", l->base.difference);
    if (l->base.transactions)
        fprintf(out,
                "request %" PRIu64 ", clock %" PRIu64 ": %c asid=%u vpn=0x%" PRIx64 " frame=0x%" PRIx64 "\n",
                l->base.session + l->base.transactions, rtl_lockstep_clocks(&l->base), ops[q->op], q->asid,
                q->vpn, q->frame);
    if (l->got.reset)
        fprintf(out, "a reset came before its response was taken\n");
    else if (!l->base.broken && !l->after_reset)
        print_responses(l, out);
    fprintf(out, "set %" PRIu32 ", %s:\n", l->set,
            !l->rtl->entry ? "as the model has it; the RTL's state is not seen"
            : full         ? "'*' where model and RTL differ"
                           : "what differs; --full shows the rest");
    star_state_print(out, &l->before[l->set], &l->state, &l->rtl_state, full);
}

bool star_lockstep_lines(const struct star_lockstep *l, rtl_each_line *each, void *to)
{
    char mode[32];
    snprintf(mode, sizeof mode, "%s%s", l->policy->design.name, l->stride == 1 ? "" : "/stride");
    return rtl_lines(l->base.rtl->cover, l->base.block, mode, star_unreached, each, to);
}
