/* SPDX-License-Identifier: Apache-2.0 */
/* L1 TLBs and their neighbours without time: each line ends, messages included, before the next begins. */
#include <stdlib.h>

#include "cli/replay/replay.h"
#include "tlb/policy.h"

#define PAGE_SHIFT 12u
#define ARRAY      (&mp_tlb_subentry)

static bool holds(const void *array, uint16_t asid, uint64_t vpn)
{
    return ARRAY->peek(array, asid, vpn).found;
}

static void *new_array(const struct replay_neighbours_params *p)
{
    const struct mp_tlb_geometry g = {
        .sets = 1, .ways = p->entries, .sub_entries = 1, .latency = p->latency, .tenants = 1};
    return mp_tlb_state(ARRAY, &g);
}

static uint32_t peers_of(const struct replay_neighbours_params *p, uint32_t sm, uint32_t list[MP_PEERS_MOST])
{
    return mp_neighbour_peers(p->policy, &p->values, sm, p->sms, list);
}

int replay_neighbours_init(struct replay_neighbours_system *s, const struct replay_neighbours_params *p)
{
    *s = (struct replay_neighbours_system){.p = *p,
                                           .array = calloc(p->sms, sizeof *s->array),
                                           .neighbour = calloc(p->sms, sizeof *s->neighbour)};
    bool failed = !s->array || !s->neighbour;
    for (uint32_t i = 0; !failed && i < p->sms; i++) {
        struct mp_neighbour *n = &s->neighbour[i];
        s->array[i] = new_array(p);
        failed = !s->array[i] || mp_neighbour_init(n, p->policy, &p->values, i, p->sms, 1);
        n->hop = 0; /* for messages: they are seen at once */
        n->holds = holds;
        n->tlb = s->array[i];
    }
    if (failed)
        replay_neighbours_free(s);
    return failed ? -1 : 0;
}

void replay_neighbours_free(struct replay_neighbours_system *s)
{
    for (uint32_t i = 0; i < s->p.sms; i++) {
        if (s->neighbour)
            mp_neighbour_free(&s->neighbour[i]);
        if (s->array)
            free(s->array[i]);
    }
    free(s->neighbour);
    free(s->array);
    *s = (struct replay_neighbours_system){0};
}

/* The TLB's own directory learns of the change, and those of its neighbours. */
static void announce(struct replay_neighbours_system *s, uint32_t sm, struct mp_neighbour_page page,
                     bool inserted)
{
    uint32_t sides[MP_SIDES], back[MP_SIDES];
    uint32_t count = mp_neighbour_neighbours(&s->p.values, sm, s->p.sms, sides);
    mp_neighbour_changed(&s->neighbour[sm], page, inserted);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t peer = 0;
        mp_neighbour_neighbours(&s->p.values, sides[k], s->p.sms, back);
        while (back[peer] != sm) /* neighbours are mutual */
            peer++;
        mp_neighbour_hear(&s->neighbour[sides[k]], peer, 0, 0, page, inserted);
    }
}

static void load(struct replay_neighbours_system *s, uint32_t sm, struct mp_neighbour_page page,
                 struct replay_neighbours_answer *a)
{
    struct mp_tlb_left left;
    left.count = left.pages = 0;
    ARRAY->insert(s->array[sm], page.asid, page.vpn, (struct mp_translation){.pfn = a->pfn}, &left);
    a->load = true;
    a->full = left.count;
    if (a->full) {
        a->out = (struct mp_neighbour_page){left.run[0].vpn, left.run[0].asid};
        announce(s, sm, a->out, false);
    }
    announce(s, sm, page, true);
}

/* Asks peers until one has the page. A probe makes the page most recent if its answer is used. */
static void probe(struct replay_neighbours_system *s, uint32_t sm, struct mp_neighbour_page page,
                  struct replay_neighbours_answer *a)
{
    uint32_t peers[MP_PEERS_MOST];
    const struct mp_neighbour *n = &s->neighbour[sm];
    struct mp_neighbour_ask ask = n->policy->ask(n, page.asid, page.vpn);
    peers_of(&s->p, sm, peers);
    while (a->probes < ask.count) {
        uint32_t peer = peers[ask.first + a->probes++];
        struct mp_tlb_hit hit = {0};
        if (a->from == REPLAY_FROM_NEXT)
            hit = ARRAY->lookup(s->array[peer], page.asid, page.vpn);
        if (hit.found) {
            a->from = (int)peer;
            a->pfn = hit.pfn;
            if (ask.in_turn)
                break;
        }
    }
    a->cycles = s->p.latency;
    if (a->probes)
        a->cycles = mp_neighbour_cycles(n, s->p.latency, (uint32_t)s->p.values.v[MP_NEIGHBOUR_HOP],
                                        ask.in_turn ? a->probes : 1);
}

struct replay_neighbours_answer replay_neighbours_request(struct replay_neighbours_system *s, uint32_t sm,
                                                          uint16_t asid, uint64_t vpn, uint64_t pfn)
{
    const struct mp_neighbour_page page = {vpn, asid};
    struct mp_tlb_hit hit = ARRAY->lookup(s->array[sm], asid, vpn);
    if (hit.found)
        return (struct replay_neighbours_answer){
            .from = REPLAY_FROM_OWN, .pfn = hit.pfn, .cycles = hit.cycles};
    struct replay_neighbours_answer a = {.from = REPLAY_FROM_NEXT, .pfn = pfn};
    struct mp_neighbour *n = &s->neighbour[sm];
    probe(s, sm, page, &a);
    if (a.from == REPLAY_FROM_NEXT)
        a.cycles += s->p.below;
    if (a.from == REPLAY_FROM_NEXT || n->update->stores(n, asid, vpn, 1))
        load(s, sm, page, &a);
    return a;
}

uint32_t replay_neighbours_invalidate(struct replay_neighbours_system *s,
                                      const struct replay_neighbours_stimulus *stimulus)
{
    const struct mp_scope scope = {.every_asid = stimulus->op == 'F',
                                   .every_page = stimulus->op != 'V',
                                   .asid = stimulus->asid,
                                   .va = stimulus->vpn << PAGE_SHIFT};
    uint32_t gone = 0;
    for (uint32_t i = 0; i < s->p.sms; i++) {
        void *array = s->array[i];
        gone += stimulus->op == 'F'   ? ARRAY->invalidate_all(array)
                : stimulus->op == 'A' ? ARRAY->invalidate_asid(array, scope.asid)
                                      : ARRAY->invalidate_page(array, scope.asid, stimulus->vpn, NULL);
        mp_neighbour_invalidate(&s->neighbour[i], &scope, PAGE_SHIFT);
    }
    return gone;
}
