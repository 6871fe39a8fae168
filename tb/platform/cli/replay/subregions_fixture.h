/* SPDX-License-Identifier: Apache-2.0 */
/* A machine of replay subregions, driven by lines. */
#ifndef MP_TB_SUBREGIONS_FIXTURE_H
#define MP_TB_SUBREGIONS_FIXTURE_H

#include "../../../models/engine/fakes.h"

#include "cli/replay/replay.h"

static struct replay_subregions_machine *m;
static struct replay_subregions_response r;

static inline const struct replay_subregions_design *design(const char *name)
{
    unsigned i = 0;
    while (strcmp(replay_subregions_designs[i].name, name))
        i++;
    return &replay_subregions_designs[i];
}

static inline struct replay_subregions_params standard(const char *name)
{
    return (struct replay_subregions_params){.design = design(name),
                                             .l1 = 32,
                                             .sets = 32,
                                             .ways = 16,
                                             .sub_ways = 8,
                                             .msc = 512,
                                             .msc_ways = 8,
                                             .pwc = 64};
}

static inline int end(void **state)
{
    (void)state;
    if (m)
        replay_subregions_free(m);
    m = NULL;
    return 0;
}

static inline void begin_with(struct replay_subregions_params p)
{
    struct mp_error err = {""};
    if (replay_subregions_check(&p, &err))
        fail_msg("%s", err.text);
    end(NULL);
    m = replay_subregions_new(&p);
    assert_non_null(m);
}

static inline void begin(const char *name)
{
    begin_with(standard(name));
}

static inline void line(const char *text)
{
    struct replay_subregions_stimulus s;
    struct mp_error err = {""};
    if (replay_subregions_parse(text, strlen(text), &s, &err) || replay_subregions_apply(m, &s, &r, &err))
        fail_msg("%s: %s", text, err.text);
}

static inline void map(uint64_t vpn, uint64_t pfn, const char *permission, uint64_t pages)
{
    char text[96];
    snprintf(text, sizeof text, "P %ju %ju %s %ju", (uintmax_t)vpn, (uintmax_t)pfn, permission,
             (uintmax_t)pages);
    line(text);
}

static inline void translate(uint64_t vpn)
{
    char text[32];
    snprintf(text, sizeof text, "T %ju", (uintmax_t)vpn);
    line(text);
}

static inline void is(const char *where, uint64_t pfn, uint32_t cycles)
{
    assert_string_equal(r.where, where);
    assert_int_equal(r.pfn, pfn);
    assert_int_equal(r.cycles, cycles);
}

static inline void l1_got(uint64_t first, uint32_t pages)
{
    assert_int_equal(r.l1.pages, pages);
    assert_int_equal(r.l1.first, first);
}

static inline void iommu_got(bool sub, uint64_t first, uint32_t pages)
{
    assert_int_equal(r.iommu.pages, pages);
    assert_int_equal(r.iommu.first, first);
    assert_int_equal(r.sub, sub);
}

static inline void gone(uint64_t l1, uint64_t iommu, uint64_t sub, uint64_t msc, uint64_t pwc)
{
    assert_int_equal(r.gone.l1, l1);
    assert_int_equal(r.gone.iommu, iommu);
    assert_int_equal(r.gone.sub, sub);
    assert_int_equal(r.gone.msc, msc);
    assert_int_equal(r.gone.pwc, pwc);
}

/* The frame of Fig. 9. */
static inline void map_figure_9(void)
{
    map(0x80000, 0xf87, "rw", 256);
    map(0x80100, 0x201d, "rw", 64);
    map(0x80140, 0x5000, "rw", 63);
    map(0x8017f, 0x9000, "rw", 64);
    map(0x801bf, 0x7000, "rw", 1);
    map(0x801c0, 0x205d, "rw", 64);
    line("S");
}

/* Frames with two contiguous subregions and six without pages. */
static inline void map_alternating(uint64_t frames)
{
    for (uint64_t f = 0; f < frames; f++)
        map(f * 512, f * 1024, "rw", 128);
    line("S");
}

#define TEST(name) cmocka_unit_test_teardown(name, end)

#endif
