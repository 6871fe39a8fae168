/* SPDX-License-Identifier: Apache-2.0 */
#include "rtl/neidty/lockstep/neidty_lockstep.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "rtl/neidty/lockstep/neidty_cover.h"

#define PAGE_SHIFT 12u

struct neidty_lockstep {
    struct rtl_lockstep base;
    const struct neidty_rtl *rtl;
    struct mp_neighbour model;
    struct mp_neighbour_stats before_stats;
    struct mp_directory before; /* a copy, for coverage */
    uint64_t now;
    struct neidty_cover cover;
    /* the last step, and the difference */
    struct neidty_rtl_clock clock;
    struct neidty_rtl_answer expected, got;
    struct neidty_state before_state, state, rtl_state;
};

/* ---- begin and end ---- */

static struct mp_neighbour_page page_of(uint64_t page)
{
    return (struct mp_neighbour_page){page & ((UINT64_C(1) << NEIDTY_RTL_VPN_W) - 1),
                                      (uint16_t)((page & NEIDTY_RTL_PAGE) >> NEIDTY_RTL_VPN_W)};
}

/* What the bench says of an inserted page. */
static bool holds(const void *lockstep, uint16_t asid, uint64_t vpn)
{
    const struct neidty_rtl_clock *clock = &((const struct neidty_lockstep *)lockstep)->clock;
    uint64_t page = (uint64_t)asid << NEIDTY_RTL_VPN_W | vpn;
    uint64_t left = clock->inserted[NEIDTY_LEFT], right = clock->inserted[NEIDTY_RIGHT];
    bool is_left = left & NEIDTY_RTL_VALID && (left & NEIDTY_RTL_PAGE) == page;
    return (is_left ? left : right) & NEIDTY_RTL_LOCAL;
}

static int new_model(struct neidty_lockstep *l)
{
    struct mp_design_values values = mp_design_defaults(&mp_neighbour_neidty.design);
    values.v[MP_NEIGHBOUR_DIRECTORY] = l->rtl->entries;
    values.v[MP_NEIGHBOUR_TAG_BITS] = l->rtl->tag_bits;
    values.v[MP_NEIGHBOUR_HOP] = 1;
    if (mp_neighbour_init(&l->model, &mp_neighbour_neidty, &values, 1, 3,
                          1)) /* the middle one of a ring of three */
        return -1;
    l->model.holds = holds;
    l->model.tlb = l;
    return 0;
}

static void state_of_model(const struct mp_directory *d, struct neidty_state *s)
{
    memset(s, 0, sizeof *s);
    for (uint32_t i = 0; i < d->count; i++) {
        s->tag[i] = d->entry[i].tag;
        s->bits[i] = d->entry[i].bits;
    }
}

/* Empties the model after a reset of the RTL. */
static void reset_model(struct neidty_lockstep *l)
{
    const struct mp_scope all = {.every_asid = true, .every_page = true};
    mp_neighbour_invalidate(&l->model, &all, PAGE_SHIFT);
    l->base.fresh = true;
}

struct neidty_lockstep *neidty_lockstep_new(const struct neidty_rtl *rtl, uint64_t seed)
{
    struct neidty_lockstep *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->base.rtl = &rtl->verilated;
    l->rtl = rtl;
    l->cover.now = &l->base.transactions;
    l->base.block = rtl->open(seed);
    neidty_cover_init(&l->cover, rtl->entries, rtl->tag_bits);
    if (!l->base.block || mp_directory_init(&l->before, rtl->entries, rtl->tag_bits) || new_model(l)) {
        neidty_lockstep_free(l);
        return NULL;
    }
    reset_model(l);
    return l;
}

void neidty_lockstep_mutate(struct neidty_lockstep *l, unsigned mutant)
{
    l->base.rtl->mutate(l->base.block, mutant);
    reset_model(l);
}

void neidty_lockstep_free(struct neidty_lockstep *l)
{
    if (!l)
        return;
    if (l->base.block)
        l->base.rtl->close(l->base.block);
    mp_directory_free(&l->before);
    mp_neighbour_free(&l->model);
    free(l);
}

struct rtl_lockstep *neidty_lockstep_base(struct neidty_lockstep *l)
{
    return &l->base;
}

const struct neidty_rtl *neidty_lockstep_rtl(const struct neidty_lockstep *l)
{
    return l->rtl;
}

/* ---- a clock of the model ---- */

static void own_change(struct neidty_lockstep *l, uint64_t page, bool inserted)
{
    if (page & NEIDTY_RTL_VALID)
        mp_neighbour_changed(&l->model, page_of(page), inserted);
}

static void message(struct neidty_lockstep *l, enum neidty_rtl_side side, uint64_t page, bool inserted)
{
    if (page & NEIDTY_RTL_VALID)
        mp_neighbour_hear(&l->model, side == NEIDTY_RIGHT, l->now, 0, page_of(page), inserted);
}

static void drop(struct neidty_lockstep *l, struct mp_neighbour_page page)
{
    const struct mp_scope scope = {.asid = page.asid, .va = page.vpn << PAGE_SHIFT};
    mp_neighbour_invalidate(&l->model, &scope, PAGE_SHIFT);
}

/* The model sees a message one cycle after the neighbour's change, and right's are handed over before left's.
 */
static void ask_model(struct neidty_lockstep *l)
{
    const struct neidty_rtl_clock *in = &l->clock;
    struct mp_neighbour_page lookup = page_of(in->lookup);
    struct mp_neighbour_ask ask = l->model.policy->ask(&l->model, lookup.asid, lookup.vpn);
    l->expected =
        (struct neidty_rtl_answer){.left = ask.count && !ask.first, .right = ask.count && ask.first};
    if (in->drop) {
        drop(l, page_of(in->evicted[NEIDTY_LEFT]));
        return;
    }
    own_change(l, in->evicted[NEIDTY_OWN], false);
    own_change(l, in->inserted[NEIDTY_OWN], true);
    for (enum neidty_rtl_side side = NEIDTY_RIGHT; side > NEIDTY_OWN; side--) {
        message(l, side, in->evicted[side], false);
        message(l, side, in->inserted[side], true);
    }
    mp_neighbour_settle(&l->model, ++l->now);
    if (in->empty)
        reset_model(l);
}

/* ---- comparing ---- */

static bool compare_states(struct neidty_lockstep *l)
{
    state_of_model(l->model.directory, &l->state);
    l->rtl_state = l->state;
    if (l->rtl->state)
        l->rtl->state(l->base.block, &l->rtl_state);
    return !memcmp(&l->state, &l->rtl_state, sizeof l->state);
}

static bool compare_answers(struct neidty_lockstep *l)
{
    if (l->got.wrong)
        return rtl_lockstep_breaks(&l->base, l->got.wrong);
    if (l->expected.left != l->got.left || l->expected.right != l->got.right)
        return rtl_lockstep_differs(&l->base, "answer to a lookup");
    return true;
}

/* Compares RTL and model after a reset. */
static bool compare_fresh(struct neidty_lockstep *l)
{
    l->base.fresh = false;
    const char *wrong = l->base.rtl->wrong(l->base.block);
    if (wrong)
        return rtl_lockstep_breaks(&l->base, wrong);
    return compare_states(l) || rtl_lockstep_differs(&l->base, "state after a reset");
}

static void cover(struct neidty_lockstep *l)
{
    uint64_t allocated[MP_VICTIMS];
    for (unsigned v = 0; v < MP_VICTIMS; v++)
        allocated[v] = l->model.stats->allocated[v] - l->before_stats.allocated[v];
    neidty_cover_clock(&l->cover, &l->clock, &l->before, l->model.directory, allocated);
}

static void keep(struct neidty_lockstep *l)
{
    const struct mp_directory *d = l->model.directory;
    l->before.count = d->count;
    memcpy(l->before.entry, d->entry, d->count * sizeof *d->entry);
    l->before_stats = *l->model.stats;
    l->before_state = l->state;
}

bool neidty_lockstep_step(struct neidty_lockstep *l, const struct neidty_rtl_clock *clock,
                          struct rtl_manner manner)
{
    if (l->base.fresh && !compare_fresh(l))
        return false;
    l->clock = *clock;
    /* One array cannot both hold a page and not. */
    if (!((clock->inserted[NEIDTY_LEFT] ^ clock->inserted[NEIDTY_RIGHT]) &
          (NEIDTY_RTL_PAGE | NEIDTY_RTL_VALID)))
        l->clock.inserted[NEIDTY_RIGHT] = clock->inserted[NEIDTY_LEFT];
    keep(l);
    rtl_lockstep_begin(&l->base, l->base.transactions + 1);
    l->base.transactions++;
    ask_model(l);
    l->rtl->clock(l->base.block, &l->clock, &l->got, manner);
    if (!compare_answers(l))
        return false;
    if (l->got.reset) {
        l->base.resets++;
        neidty_cover_interrupted(&l->cover, &l->clock, &l->before);
        reset_model(l);
        return compare_fresh(l);
    }
    l->base.fresh = false;
    cover(l);
    return compare_states(l) || rtl_lockstep_differs(&l->base, "state after a clock");
}

struct neidty_rtl_answer neidty_lockstep_answer(const struct neidty_lockstep *l)
{
    return l->expected;
}

const struct neidty_state *neidty_lockstep_state(const struct neidty_lockstep *l)
{
    return &l->state;
}

const struct neidty_cover *neidty_lockstep_cover(const struct neidty_lockstep *l)
{
    return &l->cover;
}

const struct mp_directory *neidty_lockstep_model(const struct neidty_lockstep *l)
{
    return l->model.directory;
}

bool neidty_lockstep_point(const struct neidty_lockstep *l, unsigned number, char name[MP_RTL_POINT_NAME],
                           struct mp_rtl_point *point)
{
    return neidty_cover_point(&l->cover, number, name, point);
}

bool neidty_lockstep_lines(const struct neidty_lockstep *l, rtl_each_line *each, void *to)
{
    return rtl_lines(l->base.rtl->cover, l->base.block, "neidty", NULL, each, to);
}

/* ---- a difference ---- */

static void print_page(const struct neidty_lockstep *l, FILE *out, const char *what, uint64_t page,
                       bool always)
{
    struct mp_neighbour_page p = page_of(page);
    if (!always && !(page & NEIDTY_RTL_VALID))
        return;
    fprintf(out, "  %-16s asid=%u vpn=0x%09" PRIx64 " tag=0x%" PRIx64 "%s\n", what, p.asid, p.vpn,
            neidty_tag_of(l->rtl->tag_bits, page),
            page & NEIDTY_RTL_VALID && page & NEIDTY_RTL_LOCAL ? " local" : "");
}

static void print_entry(FILE *out, const struct neidty_state *s, uint32_t i)
{
    uint8_t bits = s->bits[i];
    if (bits)
        fprintf(out, " %12" PRIx64 ":%u%u%u", s->tag[i], bits / MP_DIRECTORY_LEFT & 1,
                bits / MP_DIRECTORY_LOCAL & 1, bits & MP_DIRECTORY_RIGHT);
    else
        fprintf(out, " %16s", "-");
}

void neidty_lockstep_report(const struct neidty_lockstep *l, FILE *out, bool full)
{
    static const char *const evicts[] = {"own evicts", "left evicts", "right evicts"};
    static const char *const inserts[] = {"own inserts", "left inserts", "right inserts"};
    fprintf(out, l->base.broken ? "%s\n" : "first difference: %s\n", l->base.difference);
    fprintf(out, "transaction %" PRIu64 ", clock %" PRIu64 "%s\n", l->base.session + l->base.transactions,
            rtl_lockstep_clocks(&l->base), l->got.reset ? "; a reset came before its edge:" : ":");
    for (unsigned side = NEIDTY_OWN; side < NEIDTY_SIDES; side++) {
        print_page(l, out, l->clock.drop ? "invalidated" : evicts[side], l->clock.evicted[side], false);
        print_page(l, out, inserts[side], l->clock.inserted[side], false);
    }
    if (l->clock.empty)
        fputs("  all is invalidated\n", out);
    print_page(l, out, "lookup", l->clock.lookup, true);
    fprintf(out, "%c %-16s model: %s, rtl: %s\n",
            l->expected.left != l->got.left || l->expected.right != l->got.right ? '*' : ' ', "asks",
            l->expected.left    ? "left"
            : l->expected.right ? "right"
                                : "none",
            l->got.left && l->got.right ? "both"
            : l->got.left               ? "left"
            : l->got.right              ? "right"
                                        : "none");
    fprintf(out, "entries, the oldest first%s:\n",
            !l->rtl->state ? "; those of the RTL are not seen"
            : full         ? ", '*' where model and RTL differ"
                           : ", that differ; --full shows the rest");
    fprintf(out, "  %-16s %16s %16s %16s   (tag, hexadecimal: left, local, right)\n", "entry", "before",
            "model", "rtl");
    for (uint32_t i = 0; i < l->rtl->entries; i++) {
        bool equal = l->state.tag[i] == l->rtl_state.tag[i] && l->state.bits[i] == l->rtl_state.bits[i];
        if (equal && !full)
            continue;
        fprintf(out, "%c %-16" PRIu32, equal ? ' ' : '*', i);
        print_entry(out, &l->before_state, i);
        print_entry(out, &l->state, i);
        print_entry(out, &l->rtl_state, i);
        fputc('\n', out);
    }
}
