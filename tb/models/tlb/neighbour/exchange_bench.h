/* SPDX-License-Identifier: Apache-2.0 */
/* L1 TLBs in a ring as a plan would join them, each between a fake SM and a fake next level. */
#ifndef MP_TB_EXCHANGE_BENCH_H
#define MP_TB_EXCHANGE_BENCH_H

#include "../../engine/fakes.h"
#include "tlb/tlb.h"

enum { TLBS = 9, WAYS = 4, MSHRS = 8, LATENCY = 3, NEXT = 40 }; /* TLBS: at most */

#define PAGE 0x1000ull

static struct bench {
    struct mp_wheel wheel;
    struct mp_tlb tlb[TLBS];
    struct fake_initiator port[TLBS];
    struct fake_target next[TLBS];
    uint32_t tlbs;
    uint64_t generation; /* in the frames that the next level answers */
} b;

struct settings {
    const struct mp_neighbour_policy *policy;
    const char *update;
    uint64_t hop, buffer, directory, tag_bits, group;
    bool sharing;
    const char *topology;
    uint32_t tlbs, sub_entries;
};

static const struct settings usual = {.policy = &mp_neighbour_neidty,
                                      .update = "default",
                                      .hop = 2,
                                      .buffer = 2,
                                      .directory = 32,
                                      .tag_bits = 18,
                                      .group = 4,
                                      .topology = "ring",
                                      .tlbs = 5,
                                      .sub_entries = 1};

static inline uint64_t frame_of(uint64_t generation, uint8_t asid, uint64_t va)
{
    return generation << 40 | (uint64_t)asid << 32 | (1ull << 30) | va;
}

static inline void next_answers(struct fake_target *next, struct mp_req *req)
{
    (void)next;
    req->pa = frame_of(b.generation, req->asid, req->va);
    req->source = MP_FROM_WALK;
}

static inline struct mp_tlb_params params_of(const struct settings *s)
{
    struct mp_tlb_params p = {
        .policy = &mp_tlb_subentry,
        .geometry = {.sets = 1, .ways = WAYS, .sub_entries = s->sub_entries, .latency = LATENCY},
        .page_shift = 12,
        .mshrs = MSHRS,
        .merges = 4,
        .exchange = {
            .policy = s->policy, .values = mp_design_defaults(&s->policy->design), .sharing = s->sharing}};
    uint64_t *v = p.exchange.values.v;
    while (strcmp(mp_neighbour_updates[v[MP_NEIGHBOUR_UPDATE]]->design.name, s->update) != 0)
        v[MP_NEIGHBOUR_UPDATE]++;
    v[MP_NEIGHBOUR_HOP] = s->hop;
    v[MP_NEIGHBOUR_BUFFER] = s->buffer;
    v[MP_NEIGHBOUR_DIRECTORY] = s->directory;
    v[MP_NEIGHBOUR_TAG_BITS] = s->tag_bits;
    v[MP_NEIGHBOUR_GROUP] = s->group;
    while (strcmp(mp_topologies[v[MP_NEIGHBOUR_TOPOLOGY]]->name, s->topology) != 0)
        v[MP_NEIGHBOUR_TOPOLOGY]++;
    assert_int_equal(mp_neighbour_check(s->policy, &p.exchange.values, NULL), 0);
    return p;
}

/* As a plan would build and join them. Port 0 of each TLB is its SM's; probes come to port 1. */
static inline void set_up(const struct settings *s, struct rng *rng)
{
    const struct mp_block_kind *kind = &mp_tlb_kind;
    uint32_t list[TLBS][MP_PEERS_MOST], peers[TLBS];
    memset(&b, 0, sizeof b);
    mp_wheel_init(&b.wheel);
    b.tlbs = s->tlbs;
    for (uint32_t i = 0; i < b.tlbs; i++) {
        struct mp_tlb_params p = params_of(s);
        struct mp_block_place place = {
            .first_sm = 2 * i, .tenant_numbers = 2, .ins = 2, .ring_place = i, .ring = b.tlbs};
        peers[i] = kind->peers(&p, i, b.tlbs, list[i]);
        for (uint32_t k = 0; k < peers[i] && k < MP_BLOCK_PEERS; k++)
            place.peer_sm[k] = 2 * list[i][k];
        place.outs[0] = 1;
        place.outs[1] = peers[i];
        kind->fit(&p, &place);
        assert_int_equal(kind->init(&b.tlb[i], &b.wheel, &p), 0);
        fake_initiator_join(&b.port[i], &b.wheel, kind->target(&b.tlb[i], 0), kind->up(&b.tlb[i], 0));
        b.next[i] = fake_target_make(&b.wheel, rng, rng ? 5 : NEXT, rng ? 60 : NEXT);
        b.next[i].up = kind->initiator(&b.tlb[i], 0);
        b.next[i].answer = next_answers;
        kind->join(&b.tlb[i], 0, fake_target_end(&b.next[i]));
    }
    for (uint32_t i = 0; i < b.tlbs; i++)
        for (uint32_t k = 0; k < peers[i]; k++)
            kind->join(&b.tlb[i], 1 + k, kind->target(&b.tlb[list[i][k]], 1));
}

static inline void tear_down(void)
{
    for (uint32_t i = 0; i < b.tlbs; i++) {
        mp_tlb_free(&b.tlb[i]);
        fake_initiator_free(&b.port[i]);
        free(b.next[i].log);
    }
    mp_wheel_free(&b.wheel);
}

/* Each address space is a tenant. */
static inline struct fake_request *send_as(uint32_t tlb, uint8_t asid, uint64_t page)
{
    return fake_initiator_send(
        &b.port[tlb], (struct mp_req){.va = page * PAGE, .asid = asid, .tenant = asid, .op = MP_TRANSLATE});
}

static inline struct fake_request *send(uint32_t tlb, uint64_t page)
{
    return send_as(tlb, 0, page);
}

static inline struct fake_request *ask_as(uint32_t tlb, uint8_t asid, uint64_t page)
{
    struct fake_request *r = send_as(tlb, asid, page);
    run_dry(&b.wheel);
    mp_wheel_advance(&b.wheel, b.wheel.now + 20); /* messages arrive */
    return r;
}

static inline struct fake_request *ask(uint32_t tlb, uint64_t page)
{
    return ask_as(tlb, 0, page);
}

static inline void expect(const struct fake_request *r, uint64_t cycles, enum mp_answerer source)
{
    assert_int_equal(r->answered - r->asked, cycles);
    assert_int_equal(r->req.source, source);
    assert_int_equal(r->req.pa & ((1ull << 40) - 1), frame_of(0, r->req.asid, r->req.va));
}

static inline bool has(uint32_t tlb, uint64_t page)
{
    return mp_tlb_peek(&b.tlb[tlb], 0, page * PAGE).found;
}

static inline void invalidate(const struct mp_scope *scope)
{
    for (uint32_t i = 0; i < b.tlbs; i++)
        mp_tlb_invalidate(&b.tlb[i], scope);
}

#endif
