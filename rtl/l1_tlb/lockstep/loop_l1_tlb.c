/* SPDX-License-Identifier: Apache-2.0 */
/* The RTL of an L1 TLB's array inside a run: it decides, or is compared with the model that does. A lookup
 * and a change have a clock each. In that of a change, the lookup's ports ask whether the page is there
 * before it. */
#include <inttypes.h>
#include <stdlib.h>

#include "rtl/l1_tlb/lockstep/l1_tlb_lockstep.h"
#include "rtl/lockstep/built.h"
#include "rtl/lockstep/loop.h"
#include "tlb/policy.h"

#define SEED 1u /* for the RTL's state before its reset */

struct loop_l1_tlb {
    struct rtl_loop loop;
    const struct l1_tlb_rtl *rtl;
    struct l1_tlb_lockstep *lockstep; /* NULL if the RTL decides */
    struct mp_tlb_policy policy;      /* the model's, with the functions here */
    uint32_t latency;
    struct l1_tlb_rtl_clock clock;
};

/* ---- begin and end ---- */

extern const struct rtl_built l1_tlb_built[];

static const struct l1_tlb_rtl *find_size(const struct mp_tlb_geometry *g)
{
    for (const struct rtl_built *b = l1_tlb_built; b->rtl; b++) {
        const struct l1_tlb_rtl *rtl = b->rtl;
        if (!b->lines && g->sets == 1 && g->sub_entries == 1 && rtl->entries == g->ways)
            return rtl;
    }
    return NULL;
}

static int has(const struct mp_tlb_policy *model, const struct mp_tlb_geometry *g,
               const struct mp_rtl_host *host, struct mp_error *err)
{
    (void)g;
    return model == &mp_tlb_subentry
               ? 0
               : mp_fail(err, "%s.policy: %s is not in the RTL; subentry", host->level, model->design.name);
}

static int wrong_size(const struct mp_tlb_geometry *g, const char *level, struct mp_error *err)
{
    char sizes[80] = "none";
    for (size_t i = 0, n = 0; l1_tlb_built[i].rtl && n < sizeof sizes; i++)
        if (!l1_tlb_built[i].lines)
            n += (size_t)snprintf(sizes + n, sizeof sizes - n, "%s%" PRIu32, n ? ", " : "",
                                  ((const struct l1_tlb_rtl *)l1_tlb_built[i].rtl)->entries);
    return mp_fail(err,
                   "%s: %" PRIu32 " entries in %" PRIu32 " ways with %" PRIu32
                   " sub-entries are not what the RTL has; one set of %s, with 1 sub-entry",
                   level, g->sets * g->ways, g->ways, g->sub_entries, sizes);
}

static void close_tlb(void *block)
{
    struct loop_l1_tlb *t = block;
    rtl_loop_close(&t->loop);
    l1_tlb_lockstep_free(t->lockstep);
    free(t);
}

static void set_policy(struct loop_l1_tlb *t, const struct mp_tlb_policy *model);

static void *open_tlb(const struct mp_tlb_policy *model, const struct mp_tlb_geometry *g,
                      const struct mp_rtl_host *host, struct mp_error *err)
{
    const struct l1_tlb_rtl *rtl = find_size(g);
    if (has(model, g, host, err))
        return NULL;
    if (!rtl) {
        wrong_size(g, host->level, err);
        return NULL;
    }
    if (!host->shadow && !rtl->state) {
        mp_fail(err, "--rtl: the pages of an address space are read from registers that this block does not "
                     "have as rtl/l1_tlb/mp_l1_tlb.sv does; --rtl-shadow");
        return NULL;
    }
    struct loop_l1_tlb *t = calloc(1, sizeof *t);
    if (t) {
        t->loop = (struct rtl_loop){.host = host, .rtl = &rtl->verilated, .window.waves = host->waves};
        t->rtl = rtl;
        t->latency = g->latency;
        set_policy(t, model);
        if (host->shadow && (t->lockstep = l1_tlb_lockstep_new(rtl, SEED)))
            t->loop.lockstep = l1_tlb_lockstep_base(t->lockstep);
        else if (!host->shadow)
            t->loop.block = rtl->open(SEED);
        if (t->lockstep || t->loop.block)
            return t;
        close_tlb(t);
    }
    mp_fail(err, "out of memory");
    return NULL;
}

/* ---- a clock ---- */

static struct loop_l1_tlb *of(const void *state)
{
    return *(struct loop_l1_tlb *const *)state;
}

static uint64_t page_of(struct loop_l1_tlb *t, uint16_t asid, uint64_t vpn)
{
    if (!t->loop.over && vpn >> L1_TLB_VPN_W)
        rtl_loop_end(&t->loop, "page number 0x%" PRIx64 " is too wide for the RTL; larger machine.page_bytes",
                     vpn);
    return (uint64_t)asid << L1_TLB_VPN_W | vpn;
}

static struct l1_tlb_rtl_answer tick(struct loop_l1_tlb *t, struct l1_tlb_rtl_clock clock)
{
    struct l1_tlb_rtl_answer answer = {.hit = false};
    if (t->loop.over)
        return answer;
    t->clock = clock;
    rtl_loop_begin(&t->loop);
    if (t->lockstep) {
        if (!l1_tlb_lockstep_step(t->lockstep, &clock, rtl_manner_of(t->loop.transactions)))
            rtl_loop_differs(&t->loop);
        return l1_tlb_lockstep_answer(t->lockstep);
    }
    t->rtl->clock(t->loop.block, &clock, &answer, (struct rtl_manner){0});
    if (answer.wrong)
        rtl_loop_end(&t->loop, "%s", answer.wrong);
    return answer;
}

static void read_state(const struct loop_l1_tlb *t, struct l1_tlb_state *s)
{
    if (t->lockstep)
        *s = *l1_tlb_lockstep_state(t->lockstep);
    else
        t->rtl->state(t->loop.block, s);
}

/* The RTL stores a frame as it is given; the permission is its highest bit. */
#define READ_ONLY_AT (L1_TLB_FRAME_W - 1)

static struct mp_tlb_hit hit_of(const struct loop_l1_tlb *t, const struct l1_tlb_rtl_answer *a)
{
    struct mp_tlb_hit hit = {.cycles = t->latency, .found = a->hit};
    if (a->hit) {
        hit.pfn = a->frame & ((UINT64_C(1) << READ_ONLY_AT) - 1);
        hit.span.read_only = a->frame >> READ_ONLY_AT & 1;
    }
    return hit;
}

/* ---- the policy ---- */

static size_t bytes(const struct mp_tlb_geometry *g)
{
    (void)g;
    return sizeof(struct loop_l1_tlb *);
}

static void init(void *state, const struct mp_tlb_geometry *g)
{
    (void)state; /* the creator of the TLB writes the pointer */
    (void)g;
}

static struct mp_tlb_hit look(const void *state, uint16_t asid, uint64_t vpn, bool use)
{
    struct loop_l1_tlb *t = of(state);
    const struct l1_tlb_rtl_answer a =
        tick(t, (struct l1_tlb_rtl_clock){.lookup = page_of(t, asid, vpn), .use = use});
    return hit_of(t, &a);
}

static struct mp_tlb_hit lookup(void *state, uint16_t asid, uint64_t vpn)
{
    return look(state, asid, vpn, true);
}

static struct mp_tlb_hit peek(const void *state, uint16_t asid, uint64_t vpn)
{
    return look(state, asid, vpn, false);
}

static struct mp_tlb_insertion insert(void *state, uint16_t asid, uint64_t vpn, struct mp_translation to,
                                      struct mp_tlb_left *left)
{
    struct loop_l1_tlb *t = of(state);
    const uint64_t page = page_of(t, asid, vpn);
    if (!t->loop.over && to.pfn >> READ_ONLY_AT)
        rtl_loop_end(&t->loop, "frame 0x%" PRIx64 " is too wide for the RTL; less memory", to.pfn);
    const struct l1_tlb_rtl_answer a =
        tick(t, (struct l1_tlb_rtl_clock){.lookup = page,
                                          .change = L1_TLB_INSERT,
                                          .page = page,
                                          .frame = to.pfn | (uint64_t)to.span.read_only << READ_ONLY_AT});
    struct mp_tlb_insertion in = {.action = a.hit       ? "update"
                                            : a.evicted ? "evict"
                                                        : "vacant",
                                  .entry_evicted = a.evicted};
    if (a.evicted) {
        in.evicted_asid = (uint16_t)(a.page >> L1_TLB_VPN_W);
        in.evicted_used = 1;
        mp_tlb_leave(left, in.evicted_asid, a.page & ((UINT64_C(1) << L1_TLB_VPN_W) - 1), 0, 1);
    }
    return in;
}

static uint32_t invalidate_page(void *state, uint16_t asid, uint64_t vpn, struct mp_tlb_left *left)
{
    struct loop_l1_tlb *t = of(state);
    const uint64_t page = page_of(t, asid, vpn);
    const uint32_t gone =
        tick(t, (struct l1_tlb_rtl_clock){.lookup = page, .change = L1_TLB_DROP, .page = page}).hit;
    mp_tlb_leave(left, asid, vpn, 0, gone);
    return gone;
}

/* The RTL has no address spaces, so their pages are invalidated one by one. */
static uint32_t invalidate_asid(void *state, uint16_t asid)
{
    struct loop_l1_tlb *t = of(state);
    struct l1_tlb_state s;
    uint32_t gone = 0;
    read_state(t, &s);
    for (uint32_t i = 0; i < t->rtl->entries; i++)
        if (s.entry[i].valid && s.entry[i].page >> L1_TLB_VPN_W == asid)
            gone += tick(t, (struct l1_tlb_rtl_clock){.lookup = s.entry[i].page,
                                                      .change = L1_TLB_DROP,
                                                      .page = s.entry[i].page})
                        .hit;
    return gone;
}

static uint64_t count(const struct loop_l1_tlb *t, bool all, uint16_t asid)
{
    struct l1_tlb_state s;
    uint64_t valid = 0;
    read_state(t, &s);
    for (uint32_t i = 0; i < t->rtl->entries; i++)
        valid += s.entry[i].valid && (all || s.entry[i].page >> L1_TLB_VPN_W == asid);
    return valid;
}

static uint32_t invalidate_all(void *state)
{
    struct loop_l1_tlb *t = of(state);
    const uint32_t gone = (uint32_t)count(t, true, 0);
    tick(t, (struct l1_tlb_rtl_clock){.empty = true});
    return gone;
}

static uint64_t occupancy(const void *state, uint16_t asid)
{
    return count(of(state), false, asid);
}

static void set_policy(struct loop_l1_tlb *t, const struct mp_tlb_policy *model)
{
    t->policy = (struct mp_tlb_policy){.design = model->design,
                                       .misses_repeat = model->misses_repeat,
                                       .bytes = bytes,
                                       .init = init,
                                       .lookup = lookup,
                                       .peek = peek,
                                       .insert = insert,
                                       .invalidate_page = invalidate_page,
                                       .invalidate_asid = invalidate_asid,
                                       .invalidate_all = invalidate_all,
                                       .occupancy = occupancy};
}

static const struct mp_tlb_policy *policy_of(const void *block)
{
    return &((const struct loop_l1_tlb *)block)->policy;
}

/* ---- queries ---- */

static void report(const void *block, FILE *out, bool full)
{
    const struct loop_l1_tlb *t = block;
    if (t->lockstep && rtl_lockstep_difference(t->loop.lockstep))
        l1_tlb_lockstep_report(t->lockstep, out, full);
    else
        fprintf(out, "%s after clock %" PRIu64 ", with the pages 0x%" PRIx64 " and 0x%" PRIx64 "\n",
                t->loop.trouble, t->loop.transactions, t->clock.lookup, t->clock.page);
}

static bool point(const void *block, unsigned number, char name[MP_RTL_POINT_NAME], struct mp_rtl_point *p)
{
    const struct loop_l1_tlb *t = block;
    return t->lockstep && l1_tlb_lockstep_point(t->lockstep, number, name, p);
}

static const struct mp_rtl_tlb tlb = {.has = has, .open = open_tlb, .policy = policy_of};

RTL_LOOP_EXPORT(close_tlb, .tlb = &tlb);
