/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of replay subregions, and a test for each rule of its page table, walks and changes. */
#include "subregions_fixture.h"

/* --- lines ---------------------------------------------------------------------------------------------- */

static void takes(const char *line, char op, uint64_t vpn, uint64_t pfn, bool read_only, uint64_t pages)
{
    struct replay_subregions_stimulus s;
    struct mp_error err = {""};
    if (replay_subregions_parse(line, strlen(line), &s, &err))
        fail_msg("'%s' is refused: %s", line, err.text);
    assert_int_equal(s.op, op);
    assert_int_equal(s.vpn, vpn);
    assert_int_equal(s.pfn, pfn);
    assert_int_equal(s.read_only, read_only);
    assert_int_equal(s.pages, pages);
}

static void lines_that_are_taken(void **state)
{
    (void)state;
    takes("P 1 2 rw", 'P', 1, 2, false, 1);
    takes("P 0x10 0XFF r 3", 'P', 16, 255, true, 3);
    takes("R 1 2 rw 010 # ten", 'R', 1, 2, false, 10);
    takes("\tU  7\r", 'U', 7, 0, false, 1);
    takes("U 7 2", 'U', 7, 0, false, 2);
    takes("T 0xfffffffff", 'T', REPLAY_MAX_PAGE, 0, false, 1);
    takes("P 0xfffffffff 0xfffffffff r 1", 'P', REPLAY_MAX_PAGE, REPLAY_MAX_PAGE, true, 1);
    takes("P 0xfff000000 0 r 0x1000000", 'P', 0xfff000000, 0, true, REPLAY_MAX_PAGES);
    takes("S", 'S', 0, 0, false, 1);
    takes("F", 'F', 0, 0, false, 1);
    takes(" # S", 0, 0, 0, false, 0);
    takes("", 0, 0, 0, false, 0);
}

static void lines_that_are_refused(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"X", "'X' is not a stimulus; P, S, U, R, F or T"},
        {"PP 1 2 rw", "'PP' is not a stimulus; P, S, U, R, F or T"},
        {"P", "no VPN; P VPN PFN PERM [N]"},
        {"P 1", "no PFN; P VPN PFN PERM [N]"},
        {"R 1 2", "no PERM; R VPN PFN PERM [N]"},
        {"P 1 2 w", "PERM 'w' is not a permission; P VPN PFN PERM [N], PERM is rw or r"},
        {"P 1 2 rwx", "PERM 'rwx' is not a permission; P VPN PFN PERM [N], PERM is rw or r"},
        {"P 1 2 rw 0", "N '0' is too small; P VPN PFN PERM [N], N from 1 to 0x1000000"},
        {"U 1 -1", "N '-1' is negative; U VPN [N], N from 1 to 0x1000000"},
        {"P 1 2 rw 0x1000001", "N '0x1000001' is too large; P VPN PFN PERM [N], N from 1 to 0x1000000"},
        {"U 0xffffffffe 3", "N '3' is too large; U VPN [N], N from 1 to 0x2"},
        {"P 1 0xfffffffff r 2", "N '2' is too large; P VPN PFN PERM [N], N from 1 to 0x1"},
        {"P 1 2 rw 3 4", "'4' is unexpected; P VPN PFN PERM [N]"},
        {"T 1 2", "'2' is unexpected; T VPN"},
        {"S 1", "'1' is unexpected; S"},
        {"F F", "'F' is unexpected; F"},
        {"T 0x1000000000", "VPN '0x1000000000' is too large; T VPN, VPN from 0 to 0xfffffffff"},
        {"P 1 1x rw", "PFN '1x' is not a whole number; P VPN PFN PERM [N], PFN from 0 to 0xfffffffff"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct replay_subregions_stimulus s;
        struct mp_error err = {""};
        if (!replay_subregions_parse(cases[i][0], strlen(cases[i][0]), &s, &err))
            fail_msg("'%s' is taken", cases[i][0]);
        assert_string_equal(err.text, cases[i][1]);
        assert_int_equal(s.op, 0);
    }
}

/* --- the paper's examples ------------------------------------------------------------------------------- */

/* Sec. IV-A: a frame that is contiguous in memory, but not aligned there. */
static void a_frame_that_is_not_aligned_in_memory(void **state)
{
    (void)state;
    begin("mesc");
    map(0x80000, 0x6000a, "rw", 512);
    line("S");
    assert_int_equal(r.scan.whole, 1);
    assert_int_equal(r.scan.huge, 0);
    translate(0x801ff);
    is("large", 0x60209, 423);
    iommu_got(true, 0x80000, 512);
    begin("thp");
    map(0x80000, 0x6000a, "rw", 512);
    line("S");
    translate(0x801ff);
    is("page", 0x60209, 422);
}

/* Fig. 6: page 0x80188 is in subregion 6. In all three modes its entry is found. */
static void the_three_modes(void **state)
{
    (void)state;
    begin("mesc");
    map(0x80000, 0x1000, "rw", 512);
    line("S");
    translate(0x80188);
    is("large", 0x1188, 423);
    line("R 0x80000 0x9000 rw"); /* subregion 0 is no longer contiguous: modes subregion and page */
    assert_int_equal(r.contiguous, 0xfe);
    assert_false(r.whole);
    translate(0x80189);
    is("subregion", 0x1189, 423);
    assert_int_equal(r.heads, 6);
    iommu_got(true, 0x80040, 448);
    line("R 0x80188 0x9001 rw"); /* now subregion 6 */
    assert_int_equal(r.contiguous, 0xbe);
    translate(0x80188);
    is("page", 0x9001, 423);
    iommu_got(false, 0x80188, 1);
    translate(0x8018a);
    is("page", 0x118a, 123);
}

/* Fig. 9: C = 0x9f; S0 to S3, S4 and S7 are three ranges, although 0x205d follows S4's memory. */
static void three_ranges_of_a_frame(void **state)
{
    (void)state;
    begin("mesc");
    map_figure_9();
    assert_int_equal(r.scan.subregions, 6);
    translate(0x80041);
    is("subregion", 0xfc8, 423);
    assert_int_equal(r.reads, 4);
    assert_int_equal(r.heads, 5);
    iommu_got(true, 0x80000, 256); /* length field 3 */
    translate(0x80101);
    is("subregion", 0x201e, 123);
    assert_int_equal(r.heads, 0); /* the MSC has the map, 0x07 */
    iommu_got(true, 0x80100, 64);
    translate(0x801ff);
    is("subregion", 0x209c, 123);
    iommu_got(true, 0x801c0, 64);
    line("R 0x80140 0x5000 rw");
    assert_int_equal(r.contiguous, 0x9f);
}

/* --- bits and the scan ---------------------------------------------------------------------------------- */

static void permissions_divide(void **state)
{
    (void)state;
    begin("mesc");
    map(0x80000, 0x1000, "rw", 256);
    map(0x80100, 0x1100, "r", 256);
    line("S");
    assert_int_equal(r.scan.subregions, 8);
    assert_int_equal(r.scan.whole, 0);
    translate(0x80100);
    iommu_got(true, 0x80100, 256);
    assert_true(r.read_only);
    translate(0x800ff);
    iommu_got(true, 0x80000, 256);
    assert_false(r.read_only);
    line("R 0x80123 0x1123 rw");
    assert_int_equal(r.contiguous, 0xef);
}

static void mapping_changes_no_bit_until_a_scan(void **state)
{
    (void)state;
    begin("mesc");
    map(0x80000, 0x1000, "rw", 256);
    line("S");
    map(0x80100, 0x1100, "rw", 256);
    translate(0x80100);
    is("page", 0x1100, 423);
    line("R 0x80000 0x1000 rw"); /* any change of a mapped page scans its frame */
    assert_int_equal(r.contiguous, 0xff);
    assert_true(r.whole);
    line("S");
    assert_int_equal(r.scan.changed, 0);
    line("U 0x80040");
    assert_int_equal(r.contiguous, 0xfd);
    map(0x80040, 0x1040, "rw", 1);
    line("S");
    assert_int_equal(r.scan.changed, 1);
    assert_int_equal(r.scan.whole, 1);
}

/* A scan that changes bits makes the MSC and the page walk cache forget the way to the frame; TLBs keep
 * theirs.
 */
static void a_scan_forgets_upper_levels_only(void **state)
{
    (void)state;
    begin("mesc");
    map_figure_9();
    translate(0x80041);
    line("U 0x801ff");
    gone(0, 0, 0, 1, 3);
    translate(0x80101);
    assert_int_equal(r.reads, 4);
    map(0x801ff, 0x209c, "rw", 1);
    line("S");
    assert_int_equal(r.scan.changed, 1);
    translate(0x80042);
    is("sub", 0xfc9, 21);
    translate(0x801ff);
    is("subregion", 0x209c, 423);
    assert_int_equal(r.heads, 5);
}

/* --- page walk cache and MSC ---------------------------------------------------------------------------- */

static void the_page_walk_cache(void **state)
{
    (void)state;
    struct replay_subregions_params p = standard("baseline");
    p.pwc = 3;
    begin_with(p);
    map(0, 0, "rw", 1);
    map(512, 1, "rw", 1);
    translate(0);
    assert_int_equal(r.reads, 4);
    translate(512); /* below the cached entry of level 1 */
    assert_int_equal(r.reads, 2);
    assert_int_equal(r.cycles, 222);
    line("T 1"); /* it was not touched since, and the third entry replaced that of level 0 */
    assert_int_equal(r.reads, 1);
    assert_string_equal(r.where, "fault");
    line("F");
    gone(2, 2, 0, 0, 3);
    p.pwc = 0;
    begin_with(p);
    map(0, 0, "rw", 1);
    translate(0);
    is("page", 0, 421); /* no cycle for a cache that is not there */
    line("F");
    gone(1, 1, 0, 0, 0);
}

static void a_fault_keeps_upper_entries_only(void **state)
{
    (void)state;
    begin("baseline");
    translate(5);
    assert_string_equal(r.where, "fault");
    assert_int_equal(r.reads, 1);
    assert_int_equal(r.cycles, 122);
    map(0, 7, "rw", 1);
    translate(1u << 18);
    assert_int_equal(r.reads, 2);
    translate(1);
    assert_int_equal(r.reads, 3); /* below level 0 */
    assert_int_equal(r.l1.pages, 0);
    line("U 0");
    gone(0, 0, 0, 0, 3);
    translate(0); /* its tables stay */
    assert_int_equal(r.reads, 4);
}

static void the_msc_is_lru_in_its_sets(void **state)
{
    (void)state;
    struct replay_subregions_params p = standard("mesc");
    p.msc = 4;
    p.msc_ways = 2;
    p.l1 = 1;
    p.sets = p.ways = p.sub_ways = 1;
    begin_with(p);
    map_alternating(5);
    translate(0);
    assert_int_equal(r.heads, 1);
    translate(2 * 512);
    assert_int_equal(r.heads, 1);
    translate(64); /* frame 0 hits and becomes the most recent */
    assert_int_equal(r.heads, 0);
    iommu_got(true, 0, 128);
    translate(4 * 512); /* frame 2 goes */
    assert_int_equal(r.heads, 1);
    translate(512); /* another set */
    assert_int_equal(r.heads, 1);
    translate(0);
    assert_int_equal(r.heads, 0);
    translate(2 * 512);
    assert_int_equal(r.heads, 1);
    line("F");
    assert_int_equal(r.gone.msc, 3);
    p.msc = 0;
    begin_with(p);
    map_alternating(1);
    for (unsigned i = 0; i < 3; i++) {
        translate(i % 2 * 64);
        assert_int_equal(r.heads, 1);
        line("F");
        assert_int_equal(r.gone.msc, 0);
    }
}

/* A map without a bit is stored, too; modes large and page do not touch the MSC. */
static void what_goes_into_the_msc(void **state)
{
    (void)state;
    begin("mesc");
    map(0, 0x5000, "rw", 64);
    map(512, 0x7000, "rw", 512);
    map(1024, 3, "rw", 1);
    line("S");
    translate(0);
    assert_int_equal(r.heads, 0);
    translate(512);
    translate(1024);
    line("F");
    gone(3, 1, 2, 1, 5);
}

/* --- changes -------------------------------------------------------------------------------------------- */

static void only_entries_that_cover_the_page_go(void **state)
{
    (void)state;
    begin("mesc-full-colt");
    map_figure_9();
    static const uint64_t pages[] = {0x80041, 0x80101, 0x801ff, 0x80141, 0x80148};
    for (unsigned i = 0; i < 5; i++)
        translate(pages[i]);
    line("U 0x80143");
    gone(1, 1, 0, 1, 3);
    line("R 0x80000 0xf87 r");
    gone(0, 0, 1, 0, 0);
    assert_int_equal(r.contiguous, 0x9e);
    translate(0x80041);
    assert_string_equal(r.where, "l1"); /* its entry does not cover page 0x80000 */
    translate(0x80081);
    iommu_got(true, 0x80040, 192);
    line("U 0x80000 256");
    assert_int_equal(r.contiguous, 0x90);
    translate(0x80041);
    assert_string_equal(r.where, "fault");
}

static int refused(const char *text, const char *why)
{
    struct replay_subregions_stimulus s;
    struct mp_error err = {""};
    assert_int_equal(replay_subregions_parse(text, strlen(text), &s, &err), 0);
    assert_int_equal(replay_subregions_apply(m, &s, &r, &err), -1);
    assert_string_equal(err.text, why);
    return 0;
}

static void changes_that_are_refused(void **state)
{
    (void)state;
    begin("baseline");
    map(5, 5, "rw", 2);
    refused("P 4 0 rw 2", "VPN 0x5 is mapped; P maps pages that are not, R changes others");
    refused("U 6 2", "VPN 0x7 is not mapped; U changes mapped pages, P maps others");
    refused("R 4 1 r", "VPN 0x4 is not mapped; R changes mapped pages, P maps others");
    translate(6);
    is("page", 6, 422); /* nothing has changed */
    translate(4);
    assert_string_equal(r.where, "fault");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(lines_that_are_taken),
        TEST(lines_that_are_refused),
        TEST(a_frame_that_is_not_aligned_in_memory),
        TEST(the_three_modes),
        TEST(three_ranges_of_a_frame),
        TEST(permissions_divide),
        TEST(mapping_changes_no_bit_until_a_scan),
        TEST(a_scan_forgets_upper_levels_only),
        TEST(the_page_walk_cache),
        TEST(a_fault_keeps_upper_entries_only),
        TEST(the_msc_is_lru_in_its_sets),
        TEST(what_goes_into_the_msc),
        TEST(only_entries_that_cover_the_page_go),
        TEST(changes_that_are_refused),
    };
    return cmocka_run_group_tests_name("replay subregions", tests, NULL, NULL);
}
