/* SPDX-License-Identifier: Apache-2.0 */
/* The RTL of STAR's TLB inside a run: it decides, or is compared with the model that does. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "rtl/lockstep/built.h"
#include "rtl/lockstep/loop.h"
#include "rtl/star/lockstep/star_lockstep.h"
#include "rtl/star/lockstep/star_state.h"
#include "rtl_run.h"

_Static_assert((int)STAR_ARROW_NAME == (int)MP_RTL_POINT_NAME, "names of arrows fit");

#define MOST_WORDS 32u /* of an entry */
#define SEED       1u  /* for the RTL's state before its reset */

struct loop_tlb {
    struct rtl_loop loop;
    const struct star_rtl *rtl;
    struct mp_tlb_geometry g;
    uint32_t stride;                /* of the stride layout; 1 if the policy has none */
    struct star_lockstep *lockstep; /* NULL if the RTL decides */
    struct star_rtl_request request;
};

/* ---- begin and end ---- */

static const struct mode {
    const char *policy;
    unsigned number; /* MODE */
    enum star_rtl_policy layout;
} modes[] = {{"subentry", 0, STAR_RTL_DYNAMIC},
             {"star", 1, STAR_RTL_DYNAMIC},
             {"star-sequential", 1, STAR_RTL_SEQUENTIAL},
             {"star-stride", 1, STAR_RTL_STRIDE},
             {"star4", 2, STAR_RTL_DYNAMIC}};

extern const struct rtl_built star_built[];

static const struct star_rtl *rtl_of(const struct mode *mode)
{
    return rtl_built_find(star_built, mode->number, false);
}

static const struct mode *find_mode(const char *policy)
{
    for (unsigned i = 0; i < sizeof modes / sizeof *modes; i++)
        if (!strcmp(modes[i].policy, policy))
            return &modes[i];
    return NULL;
}

/* How the RTL chooses layouts with the parameters of the policy. */
static enum star_rtl_policy layout_of(const struct mode *mode, const struct mp_tlb_geometry *g)
{
    bool lone =
        mode->number && mode->layout == STAR_RTL_DYNAMIC && g->own.v[MP_STAR_LONE] == MP_STAR_LONE_SEQUENTIAL;
    return lone ? STAR_RTL_LONE : mode->layout;
}

static int has(const struct mp_tlb_policy *model, const struct mp_tlb_geometry *g,
               const struct mp_rtl_host *host, struct mp_error *err)
{
    (void)g; /* every mode has the same sizes */
    const struct mode *mode = find_mode(model->design.name);
    if (!mode)
        return mp_fail(err,
                       "%s.policy: %s is not in the RTL; subentry, star, star-sequential, star-stride or "
                       "star4",
                       host->level, model->design.name);
    if (rtl_of(mode)->mode != mode->number) /* a library built for one mode (own.sh) */
        return mp_fail(err,
                       "%s.policy: %s has MODE %u, and this block was built with MODE %u; use "
                       "--set %s.policy with the policy that firmware selects",
                       host->level, model->design.name, mode->number, rtl_of(mode)->mode, host->level);
    return 0;
}

static int check(const struct mp_tlb_policy *model, const struct mp_tlb_geometry *g,
                 const struct mp_rtl_host *host, struct mp_error *err)
{
    if (has(model, g, host, err))
        return -1;
    const struct mode *mode = find_mode(model->design.name);
    if (g->sets != rtl_of(mode)->sets || g->ways != STAR_RTL_WAYS)
        return mp_fail(err,
                       "%s: %" PRIu32 " entries in %" PRIu32 " ways are not what the RTL has; "
                       "%s.entries=%" PRIu32 ", %s.ways=%u",
                       host->level, g->sets * g->ways, g->ways, host->level,
                       rtl_of(mode)->sets * STAR_RTL_WAYS, host->level, STAR_RTL_WAYS);
    if (g->sub_entries != STAR_RTL_SUBS)
        return mp_fail(err, "%s.sub_entries: %" PRIu32 " are not what the RTL has; %u", host->level,
                       g->sub_entries, STAR_RTL_SUBS);
    return 0;
}

static void close_tlb(void *block)
{
    struct loop_tlb *t = block;
    rtl_loop_close(&t->loop);
    star_lockstep_free(t->lockstep);
    free(t);
}

static void *open_tlb(const struct mp_tlb_policy *model, const struct mp_tlb_geometry *g,
                      const struct mp_rtl_host *host, struct mp_error *err)
{
    if (check(model, g, host, err))
        return NULL;
    const struct mode *mode = find_mode(model->design.name);
    if (!host->shadow && !rtl_of(mode)->entry) {
        mp_fail(err, "--rtl: what an insertion evicts is read from u_sets, which this block does not "
                     "have as rtl/star/mp_star_tlb.sv does; --rtl-shadow");
        return NULL;
    }
    struct loop_tlb *t = calloc(1, sizeof *t);
    if (t) {
        *t = (struct loop_tlb){
            .loop = {.host = host, .rtl = &rtl_of(mode)->verilated, .window.waves = host->waves},
            .rtl = rtl_of(mode),
            .g = *g,
            .stride = mp_star_stride(model, g)};
        const enum star_rtl_policy layout = layout_of(mode, g);
        if (host->shadow && (t->lockstep = star_lockstep_new(rtl_of(mode), layout, t->stride, SEED)))
            t->loop.lockstep = star_lockstep_base(t->lockstep);
        else if (!host->shadow)
            t->loop.block = rtl_of(mode)->open(layout, (unsigned)__builtin_ctz(t->stride), SEED);
        if (t->lockstep || t->loop.block)
            return t;
        close_tlb(t);
    }
    mp_fail(err, "out of memory");
    return NULL;
}

/* ---- a request ---- */

static struct loop_tlb *of(const void *state)
{
    return *(struct loop_tlb *const *)state;
}

/* Whether a tag has too few bits for the page number. */
static bool too_wide(const struct loop_tlb *t, uint64_t vpn)
{
    return vpn / STAR_RTL_SUBS / t->rtl->sets >> STAR_RTL_VPB_W;
}

/* Asks the RTL. If the run must end, answers as an empty TLB does. */
static struct star_rtl_response ask(struct loop_tlb *t, enum star_rtl_op op, uint16_t asid, uint64_t vpn,
                                    uint64_t frame)
{
    struct star_rtl_response r = {.action = STAR_RTL_MISS};
    if (!t->loop.over && too_wide(t, vpn))
        rtl_loop_end(&t->loop,
                     "page number 0x%" PRIx64 " is too wide for the RTL's tags; larger machine.page_bytes",
                     vpn);
    if (t->loop.over)
        return r;
    t->request = (struct star_rtl_request){.op = op, .asid = asid, .vpn = vpn, .frame = frame};
    rtl_loop_begin(&t->loop);
    if (t->lockstep) {
        t->request.manner = rtl_manner_of(t->loop.transactions);
        if (!star_lockstep_step(t->lockstep, &t->request))
            rtl_loop_differs(&t->loop);
        return star_lockstep_answer(t->lockstep);
    }
    t->rtl->request(t->loop.block, &t->request, &r);
    if (r.wrong)
        rtl_loop_end(&t->loop, "%s", r.wrong);
    else if (r.action >= STAR_RTL_ACTIONS)
        rtl_loop_end(&t->loop, "the RTL responds with an action that does not exist");
    return r;
}

static size_t bytes(const struct mp_tlb_geometry *g)
{
    (void)g;
    return sizeof(struct loop_tlb *);
}

static void init(void *state, const struct mp_tlb_geometry *g)
{
    (void)state; /* the creator of the TLB writes the pointer */
    (void)g;
}

/* The RTL stores a frame as it is given; the permission is its highest bit. */
#define READ_ONLY_AT (STAR_RTL_FRAME_W - 1)

static uint64_t frame_of(struct mp_translation to)
{
    return to.pfn | (uint64_t)to.span.read_only << READ_ONLY_AT;
}

static struct mp_translation translation_of(uint64_t frame)
{
    return (struct mp_translation){frame & ((UINT64_C(1) << READ_ONLY_AT) - 1),
                                   {.read_only = frame >> READ_ONLY_AT & 1}};
}

static struct mp_tlb_hit lookup(void *state, uint16_t asid, uint64_t vpn)
{
    struct loop_tlb *t = of(state);
    struct star_rtl_response r = ask(t, STAR_RTL_LOOKUP, asid, vpn, 0);
    struct mp_tlb_hit hit = {.cycles = t->g.latency + (uint32_t)t->g.own.v[MP_STAR_BASE_LATENCY] * r.base,
                             .found = r.action == STAR_RTL_HIT};
    if (hit.found) {
        struct mp_translation to = translation_of(r.frame);
        hit.pfn = to.pfn;
        hit.span = to.span;
    }
    return hit;
}

/* ---- the pages that an insertion removed, computed from the entry before and after it ---- */

struct entry {
    struct mp_star_way way;
    uint16_t index[MP_STAR_BASES]; /* a bit for each sub-entry index of a base */
};

/* The base and the index of a slot (mp_star_pkg.sv). */
static void slot_is(uint32_t layout, uint32_t stride_bit, uint32_t slot, uint32_t aib, uint32_t *base,
                    uint32_t *index)
{
    uint32_t bit = layout == MP_STAR_SEQUENTIAL ? 3 : stride_bit;
    switch (layout) {
    case MP_STAR_SEQUENTIAL:
    case MP_STAR_STRIDE:
        *base = slot >> bit & 1;
        *index = (slot & ~(1u << bit)) | aib << bit;
        break;
    case MP_STAR_FOUR | MP_STAR_SEQUENTIAL:
        *base = slot >> 2;
        *index = (slot & 3) | aib << 2;
        break;
    case MP_STAR_FOUR | MP_STAR_STRIDE:
        *base = slot & 3;
        *index = (slot & ~3u) | aib;
        break;
    default:
        *base = 0;
        *index = slot;
    }
}

static struct entry entry_of(const struct loop_tlb *t, const uint32_t *words, uint32_t set)
{
    struct entry e = {0};
    star_state_way_of_rtl(&e.way, t->rtl, words, set);
    for (uint32_t slot = 0; slot < MP_STAR_SUB_ENTRIES; slot++) {
        uint32_t base, index;
        if (!e.way.sub[slot].valid)
            continue;
        slot_is(e.way.layout, (uint32_t)__builtin_ctz(t->stride), slot, e.way.sub[slot].aib, &base, &index);
        e.index[base] = (uint16_t)(e.index[base] | 1u << index);
    }
    return e;
}

/* Returns the indices that a base has lost, one bit each. */
static uint32_t gone(const struct entry *before, uint32_t base, const struct entry *after)
{
    uint32_t lost = before->index[base];
    for (uint32_t b = 0; b < MP_STAR_BASES; b++)
        if (after->way.base[b].valid && after->way.base[b].asid == before->way.base[base].asid &&
            after->way.base[b].base == before->way.base[base].base)
            lost &= (uint32_t)~after->index[b];
    return lost;
}

static void account(const struct entry *before, const struct entry *after, struct mp_tlb_insertion *in,
                    struct mp_tlb_left *left)
{
    for (uint32_t base = MP_STAR_BASES; base-- > 0;) {
        if (!before->way.base[base].valid)
            continue;
        mp_tlb_leave(left, before->way.base[base].asid, before->way.base[base].base * STAR_RTL_SUBS, 0,
                     gone(before, base, after));
        if (in->entry_evicted) {
            in->evicted_asid = before->way.base[base].asid; /* the first base decides */
            in->evicted_used += (uint32_t)__builtin_popcount(before->index[base]);
        }
    }
}

static struct mp_tlb_insertion insert_alone(struct loop_tlb *t, uint16_t asid, uint64_t vpn, uint64_t frame,
                                            struct mp_tlb_left *left)
{
    uint32_t before[STAR_RTL_WAYS][MOST_WORDS], set = (uint32_t)(vpn / STAR_RTL_SUBS) & (t->rtl->sets - 1);
    for (uint32_t w = 0; w < STAR_RTL_WAYS; w++)
        memcpy(before[w], t->rtl->entry(t->loop.block, set, w), t->rtl->words * sizeof(uint32_t));
    struct star_rtl_response r = ask(t, STAR_RTL_INSERT, asid, vpn, frame);
    struct mp_tlb_insertion in = {.action = star_lockstep_inserted(r.action),
                                  .way = r.way,
                                  .entry_evicted = r.action == STAR_RTL_EVICT};
    if (t->loop.over)
        return (struct mp_tlb_insertion){.action = in.action};
    struct entry was = entry_of(t, before[r.way], set);
    struct entry is = entry_of(t, t->rtl->entry(t->loop.block, set, r.way), set);
    account(&was, &is, &in, left);
    return in;
}

static struct mp_tlb_insertion insert(void *state, uint16_t asid, uint64_t vpn, struct mp_translation to,
                                      struct mp_tlb_left *left)
{
    struct loop_tlb *t = of(state);
    if (!t->lockstep)
        return insert_alone(t, asid, vpn, frame_of(to), left);
    ask(t, STAR_RTL_INSERT, asid, vpn, frame_of(to));
    return star_lockstep_insertion(t->lockstep, left);
}

static uint32_t invalidate_page(void *state, uint16_t asid, uint64_t vpn, struct mp_tlb_left *left)
{
    uint32_t n = ask(of(state), STAR_RTL_INVALIDATE_PAGE, asid, vpn, 0).gone;
    mp_tlb_leave(left, asid, vpn, 0, n);
    return n;
}

static uint32_t invalidate_asid(void *state, uint16_t asid)
{
    return ask(of(state), STAR_RTL_INVALIDATE_ASID, asid, 0, 0).gone;
}

static uint32_t invalidate_all(void *state)
{
    return ask(of(state), STAR_RTL_INVALIDATE_ALL, 0, 0, 0).gone;
}

static uint64_t occupancy(const void *state, uint16_t asid)
{
    const struct loop_tlb *t = of(state);
    uint64_t valid = 0;
    if (t->lockstep)
        return star_lockstep_occupancy(t->lockstep, asid);
    for (uint32_t set = 0; set < t->rtl->sets; set++)
        for (uint32_t w = 0; w < STAR_RTL_WAYS; w++) {
            struct entry e = entry_of(t, t->rtl->entry(t->loop.block, set, w), set);
            for (uint32_t b = 0; b < MP_STAR_BASES; b++)
                if (e.way.base[b].valid && e.way.base[b].asid == asid)
                    valid += (uint32_t)__builtin_popcount(e.index[b]);
        }
    return valid;
}

static const struct mp_tlb_policy policy = {
    .design = {.name = "rtl", .title = "Verilated RTL"},
    .bytes = bytes,
    .init = init,
    .lookup = lookup,
    .insert = insert,
    .invalidate_page = invalidate_page,
    .invalidate_asid = invalidate_asid,
    .invalidate_all = invalidate_all,
    .occupancy = occupancy,
};

/* ---- queries ---- */

static void report(const void *block, FILE *out, bool full)
{
    const struct loop_tlb *t = block;
    const struct star_rtl_request *q = &t->request;
    if (t->lockstep && rtl_lockstep_difference(t->loop.lockstep))
        star_lockstep_report(t->lockstep, out, full);
    else
        fprintf(out, "%s after request %" PRIu64 ": %c asid=%u vpn=0x%" PRIx64 " frame=0x%" PRIx64 "\n",
                t->loop.trouble, t->loop.transactions, "LIVAF"[q->op], q -> asid, q -> vpn, q -> frame);
}

static bool point(const void *block, unsigned number, char name[MP_RTL_POINT_NAME], struct mp_rtl_point *p)
{
    const struct loop_tlb *t = block;
    return t->lockstep && star_lockstep_point(t->lockstep, number, name, p);
}

static const struct mp_tlb_policy *policy_of(const void *block)
{
    (void)block;
    return &policy;
}

static const struct mp_rtl_tlb tlb = {.has = has, .open = open_tlb, .policy = policy_of};

RTL_LOOP_EXPORT(close_tlb, .tlb = &tlb);
