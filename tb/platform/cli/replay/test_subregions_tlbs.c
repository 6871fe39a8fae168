/* SPDX-License-Identifier: Apache-2.0 */
/* A test for each rule of what the designs of replay subregions store in their TLBs. */
#include "subregions_fixture.h"

static void subregion_entries_stay_in_their_ways(void **state)
{
    (void)state;
    struct replay_subregions_params p = standard("mesc");
    p.l1 = 1;
    p.sets = 1;
    p.ways = 4;
    p.sub_ways = 2;
    begin_with(p);
    map_alternating(3);
    for (uint64_t i = 0; i < 4; i++)
        map(8192 + i * 2, i * 2, "rw", 1);
    translate(0);
    translate(512);
    translate(1024); /* the entry of frame 0 goes, although ways 0 and 1 are vacant */
    translate(512);
    is("sub", 1024, 21);
    translate(0);
    is("subregion", 0, 123);
    assert_int_equal(r.heads, 0);
    for (uint64_t i = 0; i < 4; i++)
        translate(8192 + i * 2); /* pages fill all four ways */
    translate(8192);
    is("iommu", 0, 22);
    translate(512); /* its way was taken: the least recently used one, of whichever type */
    assert_string_equal(r.where, "subregion");
    line("F");
    assert_int_equal(r.gone.iommu, 3);
    assert_int_equal(r.gone.sub, 1);
}

/* Regular entries of a subregion's pages stay; wholly covered entries of the same type go. */
static void a_new_entry_removes_those_of_its_type_that_it_covers(void **state)
{
    (void)state;
    begin("mesc");
    map(0, 0x1000, "rw", 64);
    translate(3);
    iommu_got(false, 3, 1);
    line("S");
    translate(5);
    iommu_got(true, 0, 64);
    map(64, 0x1040, "rw", 64);
    line("S");
    translate(64);
    iommu_got(true, 0, 128);
    line("U 3");
    gone(1, 1, 1, 1, 3); /* not the entry of 64 pages: it had gone */
    begin("colt");
    map(4, 0x1000, "rw", 2);
    translate(4);
    l1_got(4, 2);
    map(6, 0x1002, "rw", 2);
    translate(7);
    l1_got(4, 4);
    line("F");
    assert_int_equal(r.gone.l1, 1);
    assert_int_equal(r.gone.iommu, 2);
}

static void sets_by_kind(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t step, pages; /* translations this far apart, in pages, share a set of 4 */
        bool scan;
    } cases[] = {{"baseline", 4, 1, false},        {"colt", 4, 1, false},
                 {"full-colt", 16, 4, false},      {"thp", 4, 1, false},
                 {"thp", 4 * 512, 512, true},      {"mesc", 4, 1, false},
                 {"mesc", 4 * 512, 512, true},     {"mesc-colt", 4, 1, false},
                 {"mesc-full-colt", 16, 4, false}, {"mesc-full-colt", 4 * 512, 512, true}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned further = 0; further < 2; further++) { /* a quarter further they do not */
            struct replay_subregions_params p = standard(cases[i].name);
            p.l1 = p.ways = p.sub_ways = 1;
            p.sets = 4;
            begin_with(p);
            uint64_t step = cases[i].step + further * cases[i].step / 4;
            map(0, 0, "rw", 2 * step + 512);
            if (cases[i].scan)
                line("S");
            translate(0);
            assert_int_equal(r.iommu.pages, cases[i].pages);
            translate(step);
            line("F");
            assert_int_equal(r.gone.iommu + r.gone.sub, further ? 2 : 1);
        }
}

static void what_colt_puts_into_its_tlbs(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t walk_l1, walk_iommu, hit_l1;
    } cases[] = {{"baseline", 1, 1, 1}, {"colt", 3, 1, 1},      {"full-colt", 3, 3, 3},
                 {"mesc", 1, 1, 1},     {"mesc-colt", 3, 1, 1}, {"mesc-full-colt", 3, 3, 3}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct replay_subregions_params p = standard(cases[i].name);
        p.l1 = 1;
        begin_with(p);
        map(9, 0x77, "rw", 5); /* of the group 8 to 11: 9 to 11 */
        map(100, 0x1000, "rw", 1);
        translate(10);
        l1_got(cases[i].walk_l1 == 3 ? 9 : 10, cases[i].walk_l1);
        iommu_got(false, cases[i].walk_iommu == 3 ? 9 : 10, cases[i].walk_iommu);
        translate(100);
        translate(10);
        assert_string_equal(r.where, "iommu");
        l1_got(cases[i].hit_l1 == 3 ? 9 : 10, cases[i].hit_l1);
        assert_int_equal(r.iommu.pages, 0);
    }
}

static void what_subregions_put_into_the_l1_tlb(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t l1;
    } cases[] = {{"mesc", 1}, {"mesc-colt", 4}, {"mesc-full-colt", 4}};
    for (unsigned i = 0; i < 3; i++)
        for (uint64_t frame = 0; frame < 2; frame++) { /* modes large and subregion */
            struct replay_subregions_params p = standard(cases[i].name);
            p.l1 = 1;
            begin_with(p);
            map(0, 0x1001, "rw", 512);
            map(512, 0x3001, "rw", 64);
            line("S");
            translate(frame * 512 + 5);
            assert_string_equal(r.where, frame ? "subregion" : "large");
            l1_got(frame * 512 + (cases[i].l1 == 4 ? 4 : 5), cases[i].l1);
            translate(frame * 512 + 10);
            assert_string_equal(r.where, "sub");
            assert_int_equal(r.cycles, 21);
            l1_got(frame * 512 + (cases[i].l1 == 4 ? 8 : 10), cases[i].l1);
        }
}

static void large_pages(void **state)
{
    (void)state;
    struct replay_subregions_params p = standard("thp");
    begin_with(p);
    map(512, 1024, "rw", 512);
    translate(600);
    is("page", 1112, 422);
    line("S");
    assert_int_equal(r.scan.huge, 1);
    translate(601);
    is("huge", 1113, 322); /* the leaf is that of level 2 */
    assert_int_equal(r.reads, 3);
    l1_got(512, 512);
    iommu_got(false, 512, 512);
    translate(1023);
    is("l1", 1535, 1);
    line("U 600"); /* the page's entry in its other set, and the large ones; the walk cache has levels 0 and 1
                    */
    gone(1, 2, 0, 0, 2);
    translate(601);
    is("page", 1113, 422);
    l1_got(601, 1);
    line("F");
    gone(1, 1, 0, 0, 3);
}

/* With the heads first, one line has all of them; runs are of leaves in one line. */
static void heads_first(void **state)
{
    (void)state;
    struct replay_subregions_params p = standard("mesc-full-colt");
    p.heads_first = true;
    begin_with(p);
    map_figure_9();
    translate(0x80041);
    is("subregion", 0xfc8, 423);
    assert_int_equal(r.heads, 0);
    iommu_got(true, 0x80000, 256);
    line("U 0x80150"); /* no MSC */
    gone(0, 0, 0, 0, 3);
    translate(0x80140); /* subregion 5's head shares no line with page 0x80141 */
    iommu_got(false, 0x80140, 1);
    translate(0x80142);
    iommu_got(false, 0x80141, 3);
    translate(0x8014d); /* 0x8014d's leaf is the last of a line */
    iommu_got(false, 0x8014c, 2);
    begin("full-colt");
    map(0x80140, 0x5000, "rw", 4);
    translate(0x80140);
    iommu_got(false, 0x80140, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(subregion_entries_stay_in_their_ways),
        TEST(a_new_entry_removes_those_of_its_type_that_it_covers),
        TEST(sets_by_kind),
        TEST(what_colt_puts_into_its_tlbs),
        TEST(what_subregions_put_into_the_l1_tlb),
        TEST(large_pages),
        TEST(heads_first),
    };
    return cmocka_run_group_tests_name("replay subregions, TLBs", tests, NULL, NULL);
}
