/* SPDX-License-Identifier: Apache-2.0 */
/* The evaluation of Fractional GPUs: its numbers are of figures that exist, every machine of every figure is
 * valid, and each variant is what its name says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/paper/reproduce.h"

static const struct paper_context paper_size = {.size = PAPER_PAPER};

static const struct figure *figure_named(const char *name)
{
    for (unsigned f = 0; f < reproduce_fgpu.nfigures; f++)
        if (!strcmp(reproduce_fgpu.figure[f].name, name))
            return &reproduce_fgpu.figure[f];
    return NULL;
}

static void numbers_and_statements_are_of_figures(void **state)
{
    (void)state;
    const struct paper_data *data = paper_data("fgpu");
    unsigned n = 0;
    for (const struct mp_db_point *p = data->point; p->paper; p++, n++)
        assert_non_null(figure_named(p->figure));
    assert_true(n > 30);
    for (const struct paper_claim *c = data->claim; c->figure; c++)
        if (!figure_named(c->figure))
            fail_msg("no figure %s", c->figure);
    assert_int_equal(data->nworkloads, 7);
    for (unsigned i = 0; i < data->nworkloads; i++)
        assert_string_equal(data->workload[i].set[0], "stats.runs=warm");
}

static bool has(const char *label, const char *word)
{
    return strstr(label, word) != NULL;
}

static void is_choice(const char *path, uint64_t value, const char *name)
{
    assert_string_equal(mp_choice(path, (uint32_t)value), name);
}

/* Four partitions, or two; each has an equal share, and all but the first run the application of the label.
 */
static void check_tenants(const struct mp_config *c, const char *label)
{
    static const char *const corunners[] = {"MMS", "FWT", "VA", "ALEXNET"};
    const uint64_t all = c->machine.tpcs_per_slice * c->machine.sms_per_tpc, n = label[0] == '4' ? 4 : 2;
    const uint64_t share = has(label, "timeslice") || has(label, "baseline") ? all : all / n;
    const char *corunner = NULL;
    for (unsigned i = 0; i < 4; i++)
        corunner = has(label, corunners[i]) ? corunners[i] : corunner;
    assert_int_equal(c->ntenants, !corunner ? 1 : n);
    assert_int_equal(c->tenant[0].sms, share);
    assert_string_equal(c->tenant[0].app, "SN");
    for (unsigned t = 1; t < c->ntenants; t++) {
        assert_string_equal(c->tenant[t].app, corunner);
        assert_string_equal(c->tenant[t].size, "fgpu");
        assert_int_equal(c->tenant[t].sms, share);
    }
}

static void check_variant(const struct figure *f, const struct variant *v)
{
    const char *const set[] = {"tenants.0.app=SN", "tenants.0.size=fgpu", "stats.runs=warm", f->set};
    struct mp_config c;
    if (figure_config(&c, &paper_size, f->machine, v, f->set ? 4 : 3, set))
        fail_msg("%s: %s is no machine", f->name, v->label);
    const bool colours = has(v->label, "CMP"), threads = has(v->label, "MPS");
    const bool user = has(v->label, "user"), slices = has(v->label, "timeslice");
    check_tenants(&c, v->label);
    is_choice("machine.sharing", c.machine.sharing, threads ? "threads" : slices ? "timeslice" : "mps");
    is_choice("machine.dispatch", c.machine.dispatch,
              has(v->label, "CP") || colours ? "persistent" : "breadth_first");
    is_choice("vm.frames", c.vm.frames, user ? "coloured-user" : colours ? "coloured" : "ascending");
    assert_int_equal(c.machine.page_bytes, (colours && !user) || has(v->label, "4 KB") ? 4096 : 2097152);
    assert_int_equal(c.l2d.mshrs, strncmp(f->name, "ext-64-", 7) ? 16 : 64);
    mp_config_free(&c);
}

static void variants_are_what_they_are_called(void **state)
{
    unsigned checked = 0;
    (void)state;
    for (unsigned i = 0; i < reproduce_fgpu.nfigures; i++) {
        const struct figure *f = &reproduce_fgpu.figure[i];
        if (f->measure)
            continue;
        for (unsigned v = 0; v < f->nvariants; v++, checked++)
            check_variant(f, &reproduce_fgpu.variant[f->variant[v]]);
        for (unsigned v = 0; v < 2 * f->nover; v++)
            check_variant(f, &reproduce_fgpu.variant[f->over[v / 2][v % 2]]);
        check_variant(f, &reproduce_fgpu.variant[0]);
    }
    assert_true(checked > 80);
}

/* Variation is that of three pairs of each scheme, or of four for the inference. */
static void every_scheme_has_its_pairs(void **state)
{
    (void)state;
    for (unsigned i = 0; i < reproduce_fgpu.nfigures; i++) {
        const struct figure *f = &reproduce_fgpu.figure[i];
        if (f->measure || f->metric != METRIC_VARIATION)
            continue;
        for (unsigned v = 0; v < f->nvariants; v++) {
            const char *alone = reproduce_fgpu.variant[f->variant[v]].label;
            unsigned pairs = 0;
            for (unsigned k = 0; k < f->nover; k++) {
                const char *together = reproduce_fgpu.variant[f->over[k][0]].label;
                if (f->over[k][1] != f->variant[v])
                    continue;
                pairs++;
                assert_int_equal(strncmp(together, alone, strlen(alone)), 0);
                assert_int_equal(f->over[k][0] - f->over[k][1], pairs);
            }
            assert_int_equal(pairs, strcmp(f->workloads, "7") ? 3 : 4);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_and_statements_are_of_figures),
                                       cmocka_unit_test(variants_are_what_they_are_called),
                                       cmocka_unit_test(every_scheme_has_its_pairs)};
    return cmocka_run_group_tests_name("paper_fgpu", tests, NULL, NULL);
}
