/* SPDX-License-Identifier: Apache-2.0 */
/* The decisions of neighbouring L1 TLBs, alone: tags, directory, messages on their way, updates, peers. */
#include "../../engine/fakes.h"
#include "tlb/neighbour/neighbour.h"

#define PAGE_SHIFT 12u

enum { LEFT = MP_DIRECTORY_LEFT, LOCAL = MP_DIRECTORY_LOCAL, RIGHT = MP_DIRECTORY_RIGHT };

static bool holds_odd(const void *tlb, uint16_t asid, uint64_t vpn)
{
    (void)tlb;
    (void)asid;
    return vpn & 1;
}

static struct mp_neighbour make(const struct mp_neighbour_policy *policy, const char *update, uint64_t hop,
                                uint64_t entries)
{
    struct mp_neighbour n;
    struct mp_design_values v = mp_design_defaults(&policy->design);
    v.v[MP_NEIGHBOUR_HOP] = hop;
    v.v[MP_NEIGHBOUR_DIRECTORY] = entries;
    while (strcmp(mp_neighbour_updates[v.v[MP_NEIGHBOUR_UPDATE]]->design.name, update) != 0)
        v.v[MP_NEIGHBOUR_UPDATE]++;
    assert_int_equal(mp_neighbour_check(policy, &v, NULL), 0);
    assert_int_equal(mp_neighbour_init(&n, policy, &v, 1, 3, 1), 0);
    n.holds = holds_odd;
    return n;
}

static struct mp_neighbour_page page(uint64_t vpn)
{
    return (struct mp_neighbour_page){.vpn = vpn};
}

/* The bits of the page's entry; 0: there is none. */
static uint8_t bits(const struct mp_neighbour *n, uint64_t vpn)
{
    const struct mp_directory_entry *e =
        mp_directory_find(n->directory, mp_directory_tag(n->directory->tag_bits, 0, vpn));
    return e ? e->bits : 0;
}

static void tags_are_as_decided(void **state)
{
    (void)state;
    assert_int_equal(mp_directory_tag(18, 0, 7), 7);
    assert_int_equal(mp_directory_tag(18, 1, 7), 131079);
    assert_int_equal(mp_directory_tag(18, 0, 1ull << 18), 1);
    assert_int_equal(mp_directory_tag(18, 0, (1ull << 36) | (1ull << 18) | 8), 8);
    assert_int_equal(mp_directory_tag(4, 1u << 5, 0), 1u << 2); /* bit 5 flips bit 3 - 5 mod 4 */
    assert_int_equal(mp_directory_tag(52, 0, (1ull << 45) - 1), (1ull << 45) - 1);
    assert_int_equal(mp_directory_tag(52, 2, 0), 1ull << 50);
}

/* No two of 2^bits aligned pages have the same tag. */
static void aligned_pages_have_different_tags(void **state)
{
    (void)state;
    struct rng rng = rng_start("tags", 3);
    for (uint32_t round = 0; round < 200; round++) {
        uint32_t tag_bits = rng_between(&rng, 4, 8);
        uint16_t asid = (uint16_t)rng_next(&rng);
        uint64_t first = (rng_next(&rng) & ((1ull << 45) - 1)) >> tag_bits << tag_bits;
        bool seen[256] = {false};
        for (uint64_t vpn = first; vpn < first + (1u << tag_bits); vpn++) {
            uint64_t tag = mp_directory_tag(tag_bits, asid, vpn);
            assert_true(tag < 1u << tag_bits);
            assert_false(seen[tag]);
            seen[tag] = true;
        }
    }
}

static void a_message_is_seen_a_hop_later(void **state)
{
    (void)state;
    struct mp_neighbour n = make(&mp_neighbour_neidty, "default", 5, 4);
    mp_neighbour_hear(&n, false, 10, 0, page(2), true);
    mp_neighbour_settle(&n, 14);
    assert_int_equal(bits(&n, 2), 0);
    mp_neighbour_settle(&n, 15);
    assert_int_equal(bits(&n, 2), LEFT);
    mp_neighbour_hear(&n, true, 15, 0, page(3), true);
    mp_neighbour_hear(&n, true, 20, 0, page(2), true); /* takes in what is due in cycle 20 */
    assert_int_equal(bits(&n, 3), RIGHT | LOCAL);
    assert_int_equal(bits(&n, 2), LEFT);
    mp_neighbour_free(&n);

    n = make(&mp_neighbour_neidty, "default", 0, 4);
    mp_neighbour_hear(&n, true, 10, 0, page(2), true);
    assert_int_equal(bits(&n, 2), RIGHT);
    mp_neighbour_free(&n);
}

/* Of one cycle left's before right's, each in the order sent; an earlier cycle's before both. */
static void messages_of_a_cycle_have_an_order(void **state)
{
    (void)state;
    struct mp_neighbour n = make(&mp_neighbour_neidty, "default", 3, 2);
    mp_neighbour_hear(&n, true, 10, 0, page(2), true);
    mp_neighbour_hear(&n, false, 10, 0, page(4), true);
    mp_neighbour_hear(&n, false, 10, 0, page(4), false);
    mp_neighbour_hear(&n, false, 10, 0, page(6), true);
    mp_neighbour_hear(&n, false, 10, 0, page(8), true);
    mp_neighbour_settle(&n, 13); /* 4, not 4, 6, 8, then 2, which replaces 6 */
    assert_int_equal(n.directory->count, 2);
    assert_int_equal(bits(&n, 8), LEFT);
    assert_int_equal(bits(&n, 2), RIGHT);
    mp_neighbour_hear(&n, true, 20, 0, page(10), true);
    mp_neighbour_hear(&n, false, 21, 0, page(12), true);
    mp_neighbour_settle(&n, 24);
    assert_int_equal(n.directory->entry[0].tag, 10);
    assert_int_equal(n.directory->entry[1].tag, 12);
    assert_int_equal(n.stats[0].allocated[MP_VICTIM_NONE], 3);
    assert_int_equal(n.stats[0].allocated[MP_VICTIM_OLDEST], 3);
    mp_neighbour_free(&n);
}

/* Many messages on their way, as if they had been taken in at once. */
static void mail_keeps_every_message(void **state)
{
    (void)state;
    struct rng rng = rng_start("mail", 5);
    struct mp_neighbour now = make(&mp_neighbour_neidty, "default", 0, 16);
    struct mp_neighbour later = make(&mp_neighbour_neidty, "default", 100, 16);
    for (uint64_t cycle = 0; cycle < 3000; cycle++) {
        bool right = rng_percent(&rng, 50), inserted = rng_percent(&rng, 60);
        struct mp_neighbour_page p = page(rng_below(&rng, 40));
        mp_neighbour_hear(&now, right, cycle, 0, p, inserted);
        mp_neighbour_hear(&later, right, cycle, 0, p, inserted);
    }
    assert_true(later.mail[0].count + later.mail[1].count == 100);
    mp_neighbour_settle(&later, 3000 + 99);
    assert_int_equal(later.directory->count, now.directory->count);
    for (uint32_t i = 0; i < now.directory->count; i++) {
        assert_int_equal(later.directory->entry[i].tag, now.directory->entry[i].tag);
        assert_int_equal(later.directory->entry[i].bits, now.directory->entry[i].bits);
    }
    mp_neighbour_free(&now);
    mp_neighbour_free(&later);
}

static void invalidation_takes_in_all_messages_first(void **state)
{
    (void)state;
    struct mp_neighbour n = make(&mp_neighbour_neidty, "twice", 9, 8);
    n.last = page(2);
    n.has_last = true;
    mp_neighbour_hear(&n, true, 0, 0, page(2), true);
    mp_neighbour_hear(&n, true, 0, 0, page(4), true);
    const struct mp_scope other = {.va = 6ull << PAGE_SHIFT}, foreign = {.asid = 1, .va = 2ull << PAGE_SHIFT};
    const struct mp_scope two = {.every_asid = true, .va = 2ull << PAGE_SHIFT};
    mp_neighbour_invalidate(&n, &other, PAGE_SHIFT);
    mp_neighbour_invalidate(&n, &foreign, PAGE_SHIFT);
    assert_int_equal(bits(&n, 2), RIGHT);
    assert_true(n.has_last);
    mp_neighbour_invalidate(&n, &two, PAGE_SHIFT);
    assert_int_equal(bits(&n, 2), 0);
    assert_int_equal(bits(&n, 4), RIGHT);
    assert_false(n.has_last);
    const struct mp_scope range = {.va = 3ull << PAGE_SHIFT, .bytes = 2u << PAGE_SHIFT};
    mp_neighbour_invalidate(&n, &range, PAGE_SHIFT);
    assert_int_equal(n.directory->count, 0);
    mp_neighbour_hear(&n, true, 0, 0, page(4), true);
    n.last = page(4);
    n.has_last = true;
    const struct mp_scope space = {.asid = 0, .every_page = true};
    mp_neighbour_invalidate(&n, &space, PAGE_SHIFT);
    assert_int_equal(n.directory->count, 0);
    assert_int_equal(n.mail[1].count, 0);
    assert_false(n.has_last);
    mp_neighbour_free(&n);
}

/* Accesses that waited together are accesses in a row. */
static void two_waiting_requests_are_twice(void **state)
{
    (void)state;
    struct mp_neighbour n = make(&mp_neighbour_neidty, "twice", 0, 8);
    assert_false(n.update->stores(&n, 0, 2, 1));
    assert_true(n.update->stores(&n, 0, 4, 2));
    assert_false(n.has_last);
    assert_false(n.update->stores(&n, 0, 2, 1)); /* the register was emptied */
    assert_false(n.update->stores(&n, 1, 2, 1)); /* another address space */
    assert_true(n.update->stores(&n, 1, 2, 1));
    mp_neighbour_free(&n);

    n = make(&mp_neighbour_neidty, "twice-entry", 0, 8);
    mp_neighbour_hear(&n, true, 0, 0, page(2), true);
    assert_false(n.update->stores(&n, 0, 2, 1));
    assert_true(bits(&n, 2) & MP_DIRECTORY_ONCE);
    assert_true(n.update->stores(&n, 0, 2, 2));
    assert_int_equal(bits(&n, 2), RIGHT);
    assert_false(n.update->stores(&n, 0, 4, 1)); /* its entry has left meanwhile */
    assert_true(n.update->stores(&n, 0, 4, 3));
    mp_neighbour_free(&n);

    n = make(&mp_neighbour_direct, "exclusive", 0, 8);
    assert_false(n.update->stores(&n, 0, 2, 9));
    mp_neighbour_free(&n);
}

static uint32_t peers_of(const struct mp_neighbour_policy *policy, uint32_t i, uint32_t n, uint32_t group,
                         uint32_t topology, uint32_t list[MP_PEERS_MOST])
{
    struct mp_design_values v = mp_design_defaults(&policy->design);
    v.v[MP_NEIGHBOUR_GROUP] = group;
    v.v[MP_NEIGHBOUR_TOPOLOGY] = topology;
    return mp_neighbour_peers(policy, &v, i, n, list);
}

static void each_tlb_has_its_peers(void **state)
{
    (void)state;
    uint32_t list[MP_PEERS_MOST];
    assert_int_equal(peers_of(&mp_neighbour_direct, 0, 3, 4, 0, list), 2);
    assert_int_equal(list[0], 2);
    assert_int_equal(list[1], 1);
    assert_int_equal(peers_of(&mp_neighbour_ring, 6, 16, 4, 0, list), 3);
    assert_int_equal(list[0], 7);
    assert_int_equal(list[1], 4);
    assert_int_equal(list[2], 5);
    assert_int_equal(peers_of(&mp_neighbour_ring, 9, 10, 4, 0, list), 1);
    assert_int_equal(list[0], 8);
    assert_int_equal(peers_of(&mp_neighbour_ring, 8, 9, 4, 0, list), 0);
    assert_int_equal(peers_of(&mp_neighbour_ring, 63, 64, 64, 0, list), 63);
    assert_int_equal(list[0], 0);
    assert_int_equal(list[62], 62);
    assert_int_equal(peers_of(&mp_neighbour_none, 1, 16, 4, 0, list), 0);
}

/* Neighbours on opposite sides name each other, are different, and no TLB is its own neighbour. */
static void neighbours_are_mutual(void **state)
{
    (void)state;
    static const enum mp_side opposite[MP_SIDES] = {MP_SIDE_RIGHT, MP_SIDE_LEFT, MP_SIDE_DOWN, MP_SIDE_UP};
    for (unsigned t = 0; mp_topologies[t]; t++)
        for (uint32_t n = mp_topologies[t]->least; n <= 64; n++)
            for (uint32_t i = 0; i < n; i++) {
                uint32_t at[MP_SIDES], back[MP_SIDES];
                mp_topologies[t]->neighbours(i, n, at);
                for (unsigned side = 0; side < MP_SIDES; side++) {
                    if (at[side] == MP_NO_PLACE)
                        continue;
                    assert_true(at[side] < n && at[side] != i);
                    for (unsigned other = 0; other < side; other++)
                        assert_int_not_equal(at[other], at[side]);
                    mp_topologies[t]->neighbours(at[side], n, back);
                    assert_int_equal(back[opposite[side]], i);
                }
            }
}

/* Sixteen TLBs, as the paper has. */
static void topologies_are_as_named(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t of, peers, list[MP_SIDES];
    } row[] = {{"ring", 0, 2, {15, 1}},  {"ring", 7, 2, {6, 8}},       {"pairs", 6, 1, {7}},
               {"pairs", 7, 1, {6}},     {"two-rings", 0, 2, {7, 1}},  {"two-rings", 8, 2, {15, 9}},
               {"mesh", 0, 2, {1, 4}},   {"mesh", 5, 4, {4, 6, 1, 9}}, {"mesh", 11, 3, {10, 7, 15}},
               {"mesh", 15, 2, {14, 11}}};
    for (unsigned k = 0; k < sizeof row / sizeof *row; k++) {
        uint32_t list[MP_PEERS_MOST], t = 0;
        while (strcmp(mp_topologies[t]->name, row[k].name) != 0)
            t++;
        assert_int_equal(peers_of(&mp_neighbour_neidty, row[k].of, 16, 4, t, list), row[k].peers);
        for (uint32_t p = 0; p < row[k].peers; p++)
            assert_int_equal(list[p], row[k].list[p]);
    }
    char names[64] = "";
    for (unsigned t = 0; mp_topologies[t]; t++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", t ? "|" : "",
                 mp_topologies[t]->name);
    assert_string_equal(names, mp_neighbour_parameters[MP_NEIGHBOUR_TOPOLOGY].choices);
}

/* The names in neighbours.update are those of the list, in its order. */
static void updates_are_named_in_their_order(void **state)
{
    (void)state;
    char names[128] = "";
    for (unsigned i = 0; mp_neighbour_updates[i]; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? "|" : "",
                 mp_neighbour_updates[i]->design.name);
    assert_string_equal(names, mp_neighbour_parameters[MP_NEIGHBOUR_UPDATE].choices);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tags_are_as_decided),
        cmocka_unit_test(aligned_pages_have_different_tags),
        cmocka_unit_test(a_message_is_seen_a_hop_later),
        cmocka_unit_test(messages_of_a_cycle_have_an_order),
        cmocka_unit_test(mail_keeps_every_message),
        cmocka_unit_test(invalidation_takes_in_all_messages_first),
        cmocka_unit_test(two_waiting_requests_are_twice),
        cmocka_unit_test(each_tlb_has_its_peers),
        cmocka_unit_test(neighbours_are_mutual),
        cmocka_unit_test(topologies_are_as_named),
        cmocka_unit_test(updates_are_named_in_their_order),
    };
    return cmocka_run_group_tests_name("tlb, neighbours", tests, NULL, NULL);
}
