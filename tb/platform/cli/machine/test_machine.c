/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/machine/machine.h"

static void check_pattern(const char *path, const char *wanted)
{
    char pattern[64];
    machine_pattern(path, pattern);
    assert_string_equal(pattern, wanted);
}

static void test_patterns(void **state)
{
    (void)state;
    check_pattern("gpu.gpc0.tpc11.l1_tlb", "gpu.gpc*.tpc*.l1_tlb");
    check_pattern("gpu.gpc0.tpc1.sm0.l1d", "gpu.gpc*.tpc*.sm*.l1d");
    check_pattern("gpu.l2_tlb3", "gpu.l2_tlb*");
    check_pattern("gpu", "gpu");
    check_pattern("12", "*");
    check_pattern("", "");
}

static void check_text(struct machine_param p, const char *wanted)
{
    char text[MACHINE_TEXT];
    assert_string_equal(machine_param_text(&p, text), wanted);
}

static void test_values_with_units(void **state)
{
    (void)state;
    check_text((struct machine_param){.unit = "ways", .number = 16}, "16 ways");
    check_text((struct machine_param){.unit = "ways", .number = 1}, "1 way");
    check_text((struct machine_param){.unit = "entries", .number = 1}, "1 entry");
    check_text((struct machine_param){.unit = "entries", .number = 0}, "0 entries");
    check_text((struct machine_param){.unit = "B", .number = 2048}, "2 KiB");
    check_text((struct machine_param){.unit = "B", .number = 3 << 20}, "3 MiB");
    check_text((struct machine_param){.unit = "B", .number = 1000}, "1000 B");
    check_text((struct machine_param){.name = "policy", .text = "star"}, "star");
    check_text((struct machine_param){.name = "policy", .text = "star", .named = true}, "policy star");
}

/* Two rings, one per tenant, that send to one hub, and the hub back to the first ring. No table of parameters
 * knows these kinds. */
static const struct mp_block_kind ring = {.name = "ring", .in = MP_LINK_TRANSLATION};
static const struct mp_block_kind hub = {.name = "hub", .in = MP_LINK_MEMORY};

static struct mp_plan_block block_of(const char *path, const struct mp_block_kind *kind, uint32_t tenants,
                                     uint32_t ins, uint32_t links)
{
    struct mp_plan_block b = {.kind = kind, .tenants = tenants, .ins = ins, .links = links};
    snprintf(b.level, sizeof b.level, "%s", kind->name);
    snprintf(b.path, sizeof b.path, "%s", path);
    return b;
}

static void test_groups_of_a_plan(void **state)
{
    (void)state;
    struct mp_plan_block blocks[] = {block_of("gpu.gpc0.ring", &ring, 1, 1, 2),
                                     block_of("gpu.gpc1.ring", &ring, 2, 0, 2),
                                     block_of("gpu.hub7", &hub, 3, 4, 1)};
    struct mp_plan_link links[] = {{0, 0, 2, 0, 1, MP_LINK_MEMORY},
                                   {0, 1, 2, 1, 1, MP_LINK_MEMORY},
                                   {1, 0, 2, 2, 2, MP_LINK_MEMORY},
                                   {1, 1, 2, 3, 2, MP_LINK_MEMORY},
                                   {2, 0, 0, 0, 3, MP_LINK_TRANSLATION}};
    const struct mp_plan plan = {.blocks = 3, .links = 5, .block = blocks, .link = links};
    struct machine_groups g;
    machine_groups_init(&g, &plan, false);
    assert_int_equal(g.groups, 2);
    assert_string_equal(g.group[0].pattern, "gpu.gpc*.ring");
    assert_int_equal(g.group[0].blocks, 2);
    assert_int_equal(g.group[0].links, 4);
    assert_int_equal(g.group[0].tenants, 3);
    assert_int_equal(g.group[0].shared, 0);
    assert_int_equal(g.group[0].most_tenants, 1);
    assert_int_equal(g.group[0].least_ins, 0);
    assert_int_equal(g.group[0].most_ins, 1);
    assert_string_equal(g.group[1].pattern, "gpu.hub7"); /* one block has its path */
    assert_int_equal(g.group[1].shared, 3);
    assert_int_equal(g.group[1].most_tenants, 2);
    assert_int_equal(g.of[1], 0);
    assert_int_equal(g.of[2], 1);
    assert_int_equal(g.bundles, 2);
    assert_int_equal(g.bundle[0].links, 4);
    assert_int_equal(g.bundle[1].links, 1);
    assert_int_equal(g.bundle[1].kind, MP_LINK_TRANSLATION);
    machine_groups_free(&g);

    machine_groups_init(&g, &plan, true); /* tenants apart; without the way back there is no circle */
    assert_int_equal(g.groups, 3);
    assert_int_equal(g.bundles, 3);
    machine_groups_free(&g);
    const struct mp_plan forward = {.blocks = 3, .links = 4, .block = blocks, .link = links};
    machine_groups_init(&g, &forward, true);
    assert_int_equal(g.group[0].depth, 0);
    assert_int_equal(g.group[2].depth, 1);
    assert_int_equal(g.depths, 2);
    machine_groups_free(&g);
}

static void load(struct machine *m, const char *name, const char *change)
{
    struct mp_error err = {""};
    if (machine_load(m, name, change ? 1 : 0, &change, &err))
        fail_msg("%s %s: %s", name, change ? change : "", err.text);
}

static uint32_t groups_of(const struct machine_groups *g, const char *level)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->groups; i++)
        n += !strcmp(g->group[i].block->level, level);
    return n;
}

/* Instances of 3, 2 and 2 slices: L2 data caches of two sizes, apart one for each tenant. */
static void test_blocks_with_other_parameters_are_another_group(void **state)
{
    (void)state;
    struct machine m;
    load(&m, "demo", NULL);
    for (unsigned apart = 0; apart < 2; apart++) {
        struct machine_groups g;
        uint32_t blocks = 0, links = 0, bundled = 0;
        machine_groups_init(&g, &m.plan, apart);
        assert_int_equal(groups_of(&g, "l2d"), apart ? 3 : 2);
        assert_int_equal(groups_of(&g, "sm"), apart ? 3 : 1);
        assert_int_equal(groups_of(&g, "l3_tlb"), 1);
        for (uint32_t i = 0; i < g.groups; i++) {
            blocks += g.group[i].blocks;
            links += g.group[i].links;
        }
        for (uint32_t i = 0; i < g.bundles; i++)
            bundled += g.bundle[i].links;
        assert_int_equal(blocks, m.plan.blocks);
        assert_int_equal(links, m.plan.links);
        assert_int_equal(bundled, m.plan.links);
        machine_groups_free(&g);
    }
    machine_free(&m);
}

static const struct machine_param *param_of(const struct machine *m, const char *path, const char *name,
                                            struct machine_param list[MACHINE_PARAMS])
{
    uint32_t block = mp_plan_find(&m->plan, path);
    assert_int_not_equal(block, MP_PLAN_NONE);
    unsigned n = machine_params(&m->plan.block[block], list);
    for (unsigned i = 0; i < n; i++)
        if (!strcmp(list[i].name, name))
            return &list[i];
    fail_msg("%s has no %s", path, name);
    return NULL;
}

/* Parameters of slices are those of the block: 8 walkers per slice are 24 of an instance of three. */
static void test_parameters_are_the_blocks(void **state)
{
    (void)state;
    struct machine m;
    struct machine_param list[MACHINE_PARAMS];
    load(&m, "demo", "l3_tlb.policy=star");
    assert_int_equal(param_of(&m, "gpu.mig0.walk", "walkers", list)->number, 24);
    assert_int_equal(param_of(&m, "gpu.mig1.dram", "channels", list)->number, 16);
    assert_int_equal(param_of(&m, "gpu.mig2.l2d", "bytes", list)->number, 4 << 20);
    assert_string_equal(param_of(&m, "gpu.l3_tlb", "policy", list)->text, "star");
    assert_int_equal(param_of(&m, "gpu.l3_tlb", "star.base_latency", list)->number, 10);
    machine_free(&m);
}

static char *drawn(const struct machine *m)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    machine_draw(m, f);
    fclose(f);
    return text;
}

static unsigned count(const char *text, const char *word)
{
    unsigned n = 0;
    while ((text = strstr(text, word))) {
        n++;
        text++;
    }
    return n;
}

static void test_picture(void **state)
{
    (void)state;
    struct machine m;
    load(&m, "demo", NULL);
    free(m.config.description);
    m.config.description = strdup("a<b & \"c\"");
    char *text = drawn(&m);
    assert_non_null(strstr(text, "a&lt;b &amp; \"c\""));
    assert_int_equal(count(text, "subgraph cluster"), 3);
    assert_int_equal(count(text, "<b>Page-walk system</b>"), 3);
    assert_int_equal(count(text, "<b>Third-level TLB</b>"), 1);
    assert_non_null(strstr(text, "21 &#215; l1_tlb, one per TPC"));
    free(text);
    machine_free(&m);

    load(&m, "demo", "l2_tlb.per=tenant");
    text = drawn(&m);
    assert_non_null(strstr(text, "3 &#215; l2_tlb, one per tenant and GPC"));
    free(text);
    machine_free(&m);

    load(&m, "star-a100-mig", "l3_tlb.per=none"); /* without tenants: no clusters */
    assert_true(m.bare);
    text = drawn(&m);
    assert_int_equal(count(text, "subgraph cluster"), 0);
    assert_int_equal(count(text, "Third-level TLB"), 0);
    assert_int_equal(count(text, "<b>Page-walk system</b>"), 1);
    free(text);
    machine_free(&m);
}

static void test_bare_machines_are_whole(void **state)
{
    (void)state;
    static const char *const names[] = {"star-a100-mig", "dws-30sm"};
    for (size_t i = 0; i < 2; i++) {
        struct machine m;
        uint32_t sms = 0;
        load(&m, names[i], NULL);
        for (uint32_t b = 0; b < m.plan.blocks; b++)
            sms += m.plan.block[b].kind == &mp_sm_kind;
        assert_int_equal(sms, m.config.machine.slices * m.config.machine.tpcs_per_slice *
                                  m.config.machine.sms_per_tpc);
        machine_free(&m);
    }
}

static void test_names_of_pictures(void **state)
{
    (void)state;
    struct mp_error err = {""};
    assert_int_equal(machine_picture_check("a.b/machine.svg", &err), 0);
    assert_int_equal(machine_picture_check("m.dot", &err), 0);
    assert_int_equal(machine_picture_check("machine", &err), -1);
    assert_int_equal(machine_picture_check("machine.gif", &err), -1);
    assert_non_null(strstr(err.text, ".svg, .png, .pdf or .dot"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_values_with_units),
        cmocka_unit_test(test_groups_of_a_plan),
        cmocka_unit_test(test_blocks_with_other_parameters_are_another_group),
        cmocka_unit_test(test_parameters_are_the_blocks),
        cmocka_unit_test(test_picture),
        cmocka_unit_test(test_bare_machines_are_whole),
        cmocka_unit_test(test_names_of_pictures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
