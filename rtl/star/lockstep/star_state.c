/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "rtl/star/lockstep/star_state.h"

#define TAG_W   (STAR_RTL_ASID_W + STAR_RTL_VPB_W)
#define VPB_MAX ((UINT64_C(1) << STAR_RTL_VPB_W) - 1)

_Static_assert(STAR_RTL_SUBS == MP_STAR_SUB_ENTRIES, "sub-entries");

/* ---- the model ---- */

/* The order of use as a bit per pair of ways. */
static uint32_t order_of(const struct mp_tlb_policy *policy, const void *model, uint32_t set)
{
    uint32_t rank[STAR_RTL_WAYS], order = 0, pair = 0;
    for (uint32_t i = 0; i < STAR_RTL_WAYS; i++)
        rank[i] = policy->rank(model, set, i);
    for (uint32_t i = 0; i < STAR_RTL_WAYS; i++)
        for (uint32_t j = i + 1; j < STAR_RTL_WAYS; j++)
            order |= (uint32_t)(rank[i] < rank[j]) << pair++;
    return order;
}

struct drawing {
    struct star_state *state;
    uint32_t stride;
};

static void draw(void *context, const struct mp_tlb_entry *e)
{
    const struct drawing *d = context;
    mp_star_draw(&d->state->way[e->way], e, d->stride);
}

void star_state_of_model(struct star_state *s, const struct mp_tlb_policy *policy, const void *model,
                         uint32_t set, uint32_t stride)
{
    struct drawing drawing = {s, stride};
    memset(s, 0, sizeof *s);
    policy->each_entry(model, set, draw, &drawing);
    s->order = order_of(policy, model, set);
}

/* ---- the RTL ---- */

/* Format of an entry, from bit 0: frames, valid bits, AIB vectors, bases, layout (mp_star_entry.sv). */
#define VALID_AT (STAR_RTL_SUBS * STAR_RTL_FRAME_W)
#define AIB_AT   (VALID_AT + STAR_RTL_SUBS)

static const struct format {
    uint32_t bases, aib_bits, layout_bits;
} formats[STAR_RTL_MODES] = {{1, 0, 0}, {2, 1, 2}, {4, 2, 3}};

/* Up to 32 bits. */
static uint32_t bits(const uint32_t *words, uint32_t at, uint32_t n)
{
    uint64_t two = words[at / 32];
    if (at % 32 + n > 32)
        two |= (uint64_t)words[at / 32 + 1] << 32;
    return (uint32_t)(two >> at % 32 & ((UINT64_C(1) << n) - 1));
}

static uint64_t frame(const uint32_t *words, uint32_t slot)
{
    uint32_t at = slot * STAR_RTL_FRAME_W;
    return bits(words, at, 26) | (uint64_t)bits(words, at + 26, STAR_RTL_FRAME_W - 26) << 26;
}

void star_state_way_of_rtl(struct mp_star_way *view, const struct star_rtl *rtl, const uint32_t *words,
                           uint32_t set)
{
    const struct format *f = &formats[rtl->mode];
    uint32_t at = AIB_AT + f->aib_bits * STAR_RTL_SUBS;
    uint32_t valid = bits(words, VALID_AT, STAR_RTL_SUBS);
    memset(view, 0, sizeof *view);
    for (uint32_t b = 0; b < f->bases; b++, at += TAG_W + 2) {
        uint64_t tag = bits(words, at, TAG_W);
        if (!bits(words, at + TAG_W + 1, 1))
            continue;
        view->base[b].valid = true;
        view->base[b].asid = (uint16_t)(tag >> STAR_RTL_VPB_W);
        view->base[b].base = (tag & VPB_MAX) * rtl->sets + set;
    }
    if (f->layout_bits)
        view->layout = (uint8_t)bits(words, at, f->layout_bits);
    for (; valid; valid &= valid - 1) {
        uint32_t slot = (uint32_t)__builtin_ctz(valid);
        view->sub[slot].valid = true;
        view->sub[slot].pfn = frame(words, slot);
        for (uint32_t k = 0; k < f->aib_bits; k++)
            view->sub[slot].aib |= (uint8_t)(bits(words, AIB_AT + k * STAR_RTL_SUBS + slot, 1) << k);
    }
}

static uint8_t dirty_of(const struct star_rtl *rtl, const uint32_t *words)
{
    const struct format *f = &formats[rtl->mode];
    uint32_t at = AIB_AT + f->aib_bits * STAR_RTL_SUBS, dirty = 0;
    for (uint32_t b = 0; b < f->bases; b++, at += TAG_W + 2)
        dirty |= bits(words, at + TAG_W, 1) << b;
    return (uint8_t)dirty;
}

void star_state_of_rtl(struct star_state *s, const struct star_rtl *rtl, const void *block, uint32_t set)
{
    for (uint32_t w = 0; w < STAR_RTL_WAYS; w++) {
        const uint32_t *words = rtl->entry(block, set, w);
        star_state_way_of_rtl(&s->way[w], rtl, words, set);
        s->dirty[w] = dirty_of(rtl, words);
    }
    s->order = rtl->order(block, set);
}

/* ---- both ---- */

static bool way_equal(const struct mp_star_way *a, const struct mp_star_way *b)
{
    uint64_t differ = a->layout ^ b->layout;
    for (uint32_t i = 0; i < MP_STAR_BASES; i++)
        differ |= (uint64_t)(a->base[i].valid ^ b->base[i].valid) | (a->base[i].asid ^ b->base[i].asid) |
                  (a->base[i].base ^ b->base[i].base);
    for (uint32_t i = 0; i < MP_STAR_SUB_ENTRIES; i++)
        differ |= (uint64_t)(a->sub[i].valid ^ b->sub[i].valid) | (a->sub[i].aib ^ b->sub[i].aib) |
                  (a->sub[i].pfn ^ b->sub[i].pfn);
    return !differ;
}

bool star_state_equal(const struct star_state *a, const struct star_state *b)
{
    bool equal = a->order == b->order && !memcmp(a->dirty, b->dirty, sizeof a->dirty);
    for (uint32_t w = 0; w < STAR_RTL_WAYS; w++)
        equal = equal && way_equal(&a->way[w], &b->way[w]);
    return equal;
}

/* Arguments of the printing functions. */
struct print {
    FILE *out;
    bool all;
    uint32_t way;
};

static void field(const struct print *p, const char *name, int number, uint64_t before, uint64_t model,
                  uint64_t rtl)
{
    char text[40];
    if (model == rtl && !(p->all && (before | model | rtl)))
        return;
    snprintf(text, sizeof text, number < 0 ? "%s" : "%s[%d]", name, number);
    fprintf(p->out, "%c way %u  %-16s %16" PRIx64 " %16" PRIx64 " %16" PRIx64 "\n", model == rtl ? ' ' : '*',
            p->way, text, before, model, rtl);
}

static void print_way(const struct print *p, const struct star_state *before, const struct star_state *model,
                      const struct star_state *rtl)
{
    const struct mp_star_way *a = &before->way[p->way], *b = &model->way[p->way], *c = &rtl->way[p->way];
    field(p, "layout", -1, a->layout, b->layout, c->layout);
    for (int i = 0; i < (int)MP_STAR_BASES; i++) {
        field(p, "base.valid", i, a->base[i].valid, b->base[i].valid, c->base[i].valid);
        field(p, "base.dirty", i, before->dirty[p->way] >> i & 1, model->dirty[p->way] >> i & 1,
              rtl->dirty[p->way] >> i & 1);
        field(p, "base.asid", i, a->base[i].asid, b->base[i].asid, c->base[i].asid);
        field(p, "base.base", i, a->base[i].base, b->base[i].base, c->base[i].base);
    }
    for (int i = 0; i < (int)MP_STAR_SUB_ENTRIES; i++) {
        field(p, "sub.valid", i, a->sub[i].valid, b->sub[i].valid, c->sub[i].valid);
        field(p, "sub.aib", i, a->sub[i].aib, b->sub[i].aib, c->sub[i].aib);
        field(p, "sub.pfn", i, a->sub[i].pfn, b->sub[i].pfn, c->sub[i].pfn);
    }
}

void star_state_print(FILE *out, const struct star_state *before, const struct star_state *model,
                      const struct star_state *rtl, bool all)
{
    static const char *const older[] = {"the first", "the second"};
    struct print p = {out, all, 0};
    fprintf(out, "         %-16s %16s %16s %16s   (hexadecimal)\n", "field", "before", "model", "rtl");
    for (; p.way < STAR_RTL_WAYS; p.way++)
        print_way(&p, before, model, rtl);
    for (uint32_t i = 0, pair = 0; i < STAR_RTL_WAYS; i++)
        for (uint32_t j = i + 1; j < STAR_RTL_WAYS; j++, pair++)
            if ((model->order ^ rtl->order) >> pair & 1)
                fprintf(out, "* recency of ways %u and %u: %s is older in the model, %s in the rtl\n", i, j,
                        older[model->order >> pair & 1], older[rtl->order >> pair & 1]);
}
