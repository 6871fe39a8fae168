/* SPDX-License-Identifier: Apache-2.0 */
/* replay neighbours: its parser, and its responses compared with a naive reference on random requests. */
#include <stdlib.h>

#include "cli/replay/replay.h"
#include "neighbours_reference.h"

#include "../../../models/engine/fakes.h"

/* ---- lines ---- */

static void takes(const char *line, char op, uint32_t sm, uint16_t asid, uint64_t vpn, uint64_t pfn)
{
    struct replay_neighbours_stimulus s;
    struct mp_error err = {""};
    if (replay_neighbours_parse(line, strlen(line), 16, &s, &err))
        fail_msg("'%s' is refused: %s", line, err.text);
    assert_int_equal(s.op, op);
    assert_int_equal(s.sm, sm);
    assert_int_equal(s.asid, asid);
    assert_int_equal(s.vpn, vpn);
    assert_int_equal(s.pfn, pfn);
}

static void every_format_is_taken(void **state)
{
    (void)state;
    takes("L 15 1 2 3", 'L', 15, 1, 2, 3);
    takes("L 0xf 0xffff 0x1fffffffffff 0xffffffffff", 'L', 15, 65535, REPLAY_MAX_VPN, REPLAY_MAX_PFN);
    takes("V 1 2", 'V', 0, 1, 2, 0);
    takes("A 65535", 'A', 0, 65535, 0, 0);
    takes("F", 'F', 0, 0, 0, 0);
    takes(" \tD   7 \r", 'D', 7, 0, 0, 0);
    takes("L 0 1 2 3# 4", 'L', 0, 1, 2, 3);
    takes("", 0, 0, 0, 0, 0);
    takes("# L 1 2", 0, 0, 0, 0, 0);
}

static void other_lines_are_refused(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"I 1 2 3", "'I' is not a stimulus; L, V, A, F or D"},
        {"LL", "'LL' is not a stimulus; L, V, A, F or D"},
        {"L", "no SM; L SM ASID VPN PFN"},
        {"L 1", "no ASID; L SM ASID VPN PFN"},
        {"L 1 2", "no VPN; L SM ASID VPN PFN"},
        {"L 1 2 3", "no PFN; L SM ASID VPN PFN"},
        {"L 1 2 3 4 5", "'5' is unexpected; L SM ASID VPN PFN"},
        {"L 16 2 3 4", "SM '16' is too large; L SM ASID VPN PFN, SM from 0 to 0xf"},
        {"L -1 2 3 4", "SM '-1' is negative; L SM ASID VPN PFN, SM from 0 to 0xf"},
        {"L 1 65536 3 4", "ASID '65536' is too large; L SM ASID VPN PFN, ASID from 0 to 0xffff"},
        {"V 1", "no VPN; V ASID VPN"},
        {"V 1 0x200000000000", "VPN '0x200000000000' is too large; V ASID VPN, VPN from 0 to 0x1fffffffffff"},
        {"A x", "ASID 'x' is not a whole number; A ASID, ASID from 0 to 0xffff"},
        {"F 1", "'1' is unexpected; F"},
        {"D", "no SM; D SM"},
        {"D 1 2", "'2' is unexpected; D SM"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct replay_neighbours_stimulus s;
        struct mp_error err = {""};
        if (!replay_neighbours_parse(cases[i][0], strlen(cases[i][0]), 16, &s, &err))
            fail_msg("'%s' is taken", cases[i][0]);
        assert_string_equal(err.text, cases[i][1]);
        assert_int_equal(s.op, 0);
    }
}

/* ---- against the reference ---- */

struct both {
    struct replay_neighbours_system model;
    struct ref *ref;
    struct rng *rng;
    uint32_t pages, asids;
    uint64_t answers[3]; /* own, neighbours', L2 TLB's */
};

static void start(struct both *b, enum ref_policy policy, enum ref_update update)
{
    struct rng *rng = b->rng;
    struct replay_neighbours_params p = {.policy = mp_neighbour_policies[policy],
                                         .values = mp_design_defaults(&mp_neighbour_policies[policy]->design),
                                         .sms = rng_between(rng, 3, 9),
                                         .entries = rng_between(rng, 1, 8),
                                         .latency = rng_between(rng, 1, 5),
                                         .below = rng_between(rng, 1, 20)};
    p.values.v[MP_NEIGHBOUR_UPDATE] = update;
    p.values.v[MP_NEIGHBOUR_DIRECTORY] = rng_between(rng, 1, 12);
    p.values.v[MP_NEIGHBOUR_TAG_BITS] = rng_percent(rng, 50) ? 4 : rng_between(rng, 4, 52);
    p.values.v[MP_NEIGHBOUR_HOP] = rng_below(rng, 4);
    p.values.v[MP_NEIGHBOUR_GROUP] = rng_between(rng, 2, 5);
    assert_int_equal(replay_neighbours_init(&b->model, &p), 0);
    b->ref = calloc(1, sizeof *b->ref);
    assert_non_null(b->ref);
    b->ref->policy = policy;
    b->ref->update = update;
    b->ref->sms = (int)p.sms;
    b->ref->entries = (int)p.entries;
    b->ref->directory = (int)p.values.v[MP_NEIGHBOUR_DIRECTORY];
    b->ref->tag_bits = (int)p.values.v[MP_NEIGHBOUR_TAG_BITS];
    b->ref->group = (int)p.values.v[MP_NEIGHBOUR_GROUP];
    b->ref->latency = p.latency;
    b->ref->hop = p.values.v[MP_NEIGHBOUR_HOP];
    b->ref->below = p.below;
    b->pages = rng_between(rng, 2, 40);
    b->asids = rng_between(rng, 1, 3);
}

static uint64_t vpn_of(const struct both *b, uint32_t page)
{
    return page + (page % 3 ? 0 : UINT64_C(0x100000000000)) + ((uint64_t)b->pages << 20);
}

/* A page has one frame until it is shot down. */
static void request(struct both *b, uint64_t generation)
{
    uint32_t sm = rng_below(b->rng, b->model.p.sms), page = rng_below(b->rng, b->pages);
    uint16_t asid = (uint16_t)rng_below(b->rng, b->asids);
    uint64_t pfn = generation * 1000 + page * 10 + asid;
    struct replay_neighbours_answer m = replay_neighbours_request(&b->model, sm, asid, vpn_of(b, page), pfn);
    struct ref_answer r = ref_request(b->ref, (int)sm, asid, vpn_of(b, page), pfn);
    assert_int_equal(m.from, r.who);
    assert_int_equal(m.pfn, r.pfn);
    assert_int_equal(m.pfn % 1000, pfn % 1000); /* an old frame perhaps, but of this page */
    assert_int_equal(m.cycles, r.cycles);
    assert_int_equal(m.probes, r.probes);
    assert_int_equal(m.load, r.load);
    assert_int_equal(m.full, r.out);
    if (r.out) {
        assert_int_equal(m.out.asid, r.out_asid);
        assert_int_equal(m.out.vpn, r.out_vpn);
    }
    b->answers[m.from == REPLAY_FROM_OWN ? 0 : m.from == REPLAY_FROM_NEXT ? 2 : 1]++;
}

static bool any_has(const struct both *b, const struct replay_neighbours_stimulus *s)
{
    for (uint32_t i = 0; i < b->model.p.sms; i++)
        if (b->model.neighbour[i].holds(b->model.array[i], s->asid, s->vpn))
            return true;
    return false;
}

/* A page that was shot down is found nowhere, and no directory names a neighbour for it. */
static void shoot_down(struct both *b)
{
    struct replay_neighbours_stimulus s = {.op = "VVVVVVVVAF"[rng_below(b->rng, 10)],
                                           .asid = (uint16_t)rng_below(b->rng, b->asids),
                                           .vpn = vpn_of(b, rng_below(b->rng, b->pages))};
    bool all = s.op == 'F';
    assert_int_equal(replay_neighbours_invalidate(&b->model, &s),
                     ref_invalidate(b->ref, all, s.asid, s.op != 'V', s.vpn));
    assert_false(any_has(b, &s));
    for (uint32_t i = 0; b->model.p.policy->has_directory && i < b->model.p.sms; i++)
        assert_int_equal(b->model.p.policy->ask(&b->model.neighbour[i], s.asid, s.vpn).count, 0);
}

/* Whether the TLB holds a page with this tag. */
static bool holds_tag(const struct ref *r, int sm, uint64_t tag)
{
    for (int e = 0; e < r->entries; e++) {
        const struct ref_translation *t = &r->tlb[sm].entry[e];
        if (t->valid && ref_tag(r->tag_bits, t->asid, t->vpn) == tag)
            return true;
    }
    return false;
}

static void same_directories(const struct both *b)
{
    static struct ref_record list[REF_DIR];
    int sms = b->ref->sms;
    for (int i = 0; i < sms; i++) {
        const struct mp_directory *d = b->model.neighbour[i].directory;
        uint32_t count = (uint32_t)ref_directory(b->ref, i, list);
        if (!d) {
            assert_int_equal(count, 0);
            continue;
        }
        assert_int_equal(d->count, count);
        assert_true(d->count <= b->model.p.values.v[MP_NEIGHBOUR_DIRECTORY]);
        for (uint32_t k = 0; k < count; k++) {
            uint8_t bits = d->entry[k].bits;
            assert_int_equal(d->entry[k].tag, list[k].tag);
            assert_int_equal(!!(bits & MP_DIRECTORY_LEFT), list[k].left);
            assert_int_equal(!!(bits & MP_DIRECTORY_LOCAL), list[k].local);
            assert_int_equal(!!(bits & MP_DIRECTORY_RIGHT), list[k].right);
            assert_int_equal(!!(bits & MP_DIRECTORY_ONCE), list[k].once);
            assert_true(bits & (MP_DIRECTORY_LEFT | MP_DIRECTORY_RIGHT));
            assert_true(!list[k].left || holds_tag(b->ref, (i + sms - 1) % sms, list[k].tag));
            assert_true(!list[k].right || holds_tag(b->ref, (i + 1) % sms, list[k].tag));
        }
    }
}

static void the_model_is_the_reference(void **state)
{
    (void)state;
    struct rng rng = rng_start("neighbours", 17);
    uint64_t answers[3] = {0};
    for (uint32_t round = 0; round < 400; round++) {
        enum ref_policy policy = round % 4;
        enum ref_update update = round / 4 % (policy == REF_NEIDTY ? 4 : 3);
        struct both b = {.rng = &rng};
        start(&b, policy, update);
        for (uint32_t step = 0; step < 300; step++) {
            if (rng_percent(&rng, 95))
                request(&b, step / 100);
            else
                shoot_down(&b);
            same_directories(&b);
        }
        for (unsigned k = 0; k < 3; k++)
            answers[k] += b.answers[k];
        replay_neighbours_free(&b.model);
        free(b.ref);
    }
    for (unsigned k = 0; k < 3; k++)
        assert_true(answers[k] > 3000); /* the streams reach all of it */
}

static bool holds(const struct replay_neighbours_system *s, uint32_t sm, uint64_t vpn)
{
    return s->neighbour[sm].holds(s->array[sm], 0, vpn);
}

/* With tags that are never alike and room for all, the directory names exactly the neighbours that hold a
 * page. */
static void a_large_directory_is_exact(void **state)
{
    (void)state;
    struct rng rng = rng_start("neighbours, exact", 18);
    struct replay_neighbours_system model;
    struct replay_neighbours_params p = {.policy = &mp_neighbour_neidty,
                                         .values = mp_design_defaults(&mp_neighbour_neidty.design),
                                         .sms = 5,
                                         .entries = 6,
                                         .latency = 1,
                                         .below = 10};
    p.values.v[MP_NEIGHBOUR_TAG_BITS] = 52;
    assert_int_equal(replay_neighbours_init(&model, &p), 0);
    for (uint32_t step = 0; step < 4000; step++) {
        uint32_t sm = rng_below(&rng, 5), left_sm = (sm + 4) % 5, right_sm = (sm + 1) % 5;
        uint64_t vpn = rng_below(&rng, 30);
        bool left = holds(&model, left_sm, vpn);
        bool right = holds(&model, right_sm, vpn);
        struct mp_neighbour_ask ask = p.policy->ask(&model.neighbour[sm], 0, vpn);
        assert_int_equal(ask.count, left || right);
        assert_int_equal(ask.count && ask.first == 0, left);
        struct replay_neighbours_answer a = replay_neighbours_request(&model, sm, 0, vpn, vpn);
        assert_true(!a.probes || a.from >= 0);
    }
    replay_neighbours_free(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_is_taken),
        cmocka_unit_test(other_lines_are_refused),
        cmocka_unit_test(the_model_is_the_reference),
        cmocka_unit_test(a_large_directory_is_exact),
    };
    return cmocka_run_group_tests_name("replay neighbours", tests, NULL, NULL);
}
