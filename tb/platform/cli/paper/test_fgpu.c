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
#include "vm/frames/coloured.h"

#define E (*reproduce_evaluation("fgpu"))

static const struct paper_context paper_size = {.size = PAPER_PAPER};

static const struct figure *figure_named(const char *name)
{
    for (unsigned f = 0; f < E.nfigures; f++)
        if (!strcmp(E.figure[f].name, name))
            return &E.figure[f];
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

static const char *const corunners[] = {"MMS", "FWT", "VA", "ALEXNET"};

/* The application on the other partitions by the label, or NULL. */
static const char *corunner_of(const char *label)
{
    for (unsigned i = 0; i < 4; i++)
        if (has(label, corunners[i]))
            return corunners[i];
    return NULL;
}

static void check_other(const struct mp_config *c, const char *label)
{
    const char *corunner = corunner_of(label);
    assert_int_equal(c->ntenants, corunner ? 2 : 1);
    if (corunner)
        assert_string_equal(c->tenant[1].app, corunner);
}

/* "MIG", "MIG colours": two instances of half the GPU, which share L2 and DRAM. */
static void check_instances(const struct mp_config *c, const char *label)
{
    check_other(c, label);
    for (unsigned t = 0; t < c->ntenants; t++)
        assert_int_equal(c->tenant[t].slices, c->machine.slices / 2);
    is_choice("machine.sharing", c->machine.sharing, "mig");
    is_choice("l2d.per", mp_config_value(c, "l2d.per"), "machine");
    is_choice("dram.per", mp_config_value(c, "dram.per"), "machine");
    is_choice("vm.frames", c->vm.frames, has(label, "colours") ? "coloured" : "ascending");
    assert_int_equal(c->machine.page_bytes, 4096);
}

/* "3 of 8 VA": as many colours, and as much of the SMs; the other partition has the rest. */
static void check_shares(const struct mp_config *c, const char *label)
{
    const uint64_t sms = c->machine.tpcs_per_slice * c->machine.sms_per_tpc;
    unsigned own, all;
    assert_int_equal(sscanf(label, "%u of %u", &own, &all), 2);
    check_other(c, label);
    assert_int_equal(c->tenant[0].colours, own);
    assert_int_equal(c->tenant[0].sms, sms * own / all);
    if (c->ntenants == 2) {
        assert_int_equal(c->tenant[1].colours, all - own);
        assert_int_equal(c->tenant[1].sms, sms - sms * own / all);
    }
    assert_int_equal(mp_config_values(c, &mp_frames_coloured.design).v[0], all);
    is_choice("machine.dispatch", c->machine.dispatch, "persistent");
    is_choice("vm.frames", c->vm.frames, "coloured");
    assert_int_equal(c->machine.page_bytes, 4096);
}

/* Four partitions, or two; each has an equal share, and all but the first run the application of the label.
 */
static void check_tenants(const struct mp_config *c, const char *label)
{
    const uint64_t all = c->machine.tpcs_per_slice * c->machine.sms_per_tpc, n = label[0] == '4' ? 4 : 2;
    const uint64_t share = has(label, "timeslice") || has(label, "baseline") ? all : all / n;
    const char *corunner = corunner_of(label);
    assert_int_equal(c->ntenants, !corunner ? 1 : n);
    assert_int_equal(c->tenant[0].sms, share);
    assert_string_equal(c->tenant[0].app, "SN");
    for (unsigned t = 1; t < c->ntenants; t++) {
        assert_string_equal(c->tenant[t].app, corunner);
        assert_string_equal(c->tenant[t].size, "fgpu");
        assert_int_equal(c->tenant[t].sms, share);
    }
}

/* With the microsecond until a kernel begins, 10 us of the host's time, or as many as the figure's name says.
 */
static void check_host(const struct mp_config *c, const struct figure *f)
{
    unsigned us;
    int end = 0;
    (void)sscanf(f->name, "ext-%uus-%n", &us, &end);
    us = end ? us : 10;
    assert_int_equal(mp_config_value(c, "machine.host_sync"), (us - 1) * c->machine.clock_mhz);
}

static void check_scheme(const struct mp_config *c, const struct figure *f, const char *label)
{
    const bool colours = has(label, "CMP"), threads = has(label, "MPS");
    const bool user = has(label, "user"), slices = has(label, "timeslice");
    check_tenants(c, label);
    is_choice("machine.sharing", c->machine.sharing, threads ? "threads" : slices ? "timeslice" : "mps");
    is_choice("machine.dispatch", c->machine.dispatch,
              has(label, "CP") || colours ? "persistent"
              : has(label, "SMs")         ? "emptiest"
                                          : "breadth_first");
    is_choice("vm.frames", c->vm.frames, user ? "coloured-user" : colours ? "coloured" : "ascending");
    assert_int_equal(c->machine.page_bytes, (colours && !user) || has(label, "4 KB") ? 4096 : 2097152);
    assert_int_equal(mp_config_values(c, &mp_frames_coloured.design).v[1], has(label, "tables"));
    const bool wide = f->machine && !strcmp(f->machine, "fgpu-v100");
    const unsigned usual = wide ? 64 : 16, other = 80 - usual;
    assert_int_equal(mp_config_value(c, "l2d.mshrs"),
                     strncmp(f->name, wide ? "ext-16-" : "ext-64-", 7) ? usual : other);
    check_host(c, f);
}

static void check_variant(const struct figure *f, const struct variant *v)
{
    const char *const set[] = {"tenants.0.app=SN", "tenants.0.size=fgpu", "stats.runs=warm", f->set};
    struct mp_config c;
    if (figure_config(&c, &paper_size, f->machine, v, f->set ? 4 : 3, set))
        fail_msg("%s: %s is no machine", f->name, v->label);
    if (has(v->label, "MIG"))
        check_instances(&c, v->label);
    else if (has(v->label, " of "))
        check_shares(&c, v->label);
    else
        check_scheme(&c, f, v->label);
    mp_config_free(&c);
}

static void variants_are_what_they_are_called(void **state)
{
    unsigned checked = 0;
    (void)state;
    for (unsigned i = 0; i < E.nfigures; i++) {
        const struct figure *f = &E.figure[i];
        if (f->measure)
            continue;
        for (unsigned v = 0; v < f->nvariants; v++, checked++)
            check_variant(f, &E.variant[f->variant[v]]);
        for (unsigned v = 0; v < 2 * f->nover; v++)
            check_variant(f, &E.variant[f->over[v / 2][v % 2]]);
        if (strcmp(f->name, "ext-mig") != 0) /* its machine has no partitions of SMs */
            check_variant(f, &E.variant[0]);
    }
    assert_true(checked > 80);
}

/* Variation is that of three pairs of each scheme, or of four for the inference. */
static void every_scheme_has_its_pairs(void **state)
{
    (void)state;
    for (unsigned i = 0; i < E.nfigures; i++) {
        const struct figure *f = &E.figure[i];
        if (f->measure || f->metric != METRIC_VARIATION)
            continue;
        for (unsigned v = 0; v < f->nvariants; v++) {
            const char *alone = E.variant[f->variant[v]].label;
            unsigned pairs = 0;
            for (unsigned k = 0; k < f->nover; k++) {
                const char *together = E.variant[f->over[k][0]].label;
                if (f->over[k][1] != f->variant[v])
                    continue;
                assert_int_equal(strncmp(together, alone, strlen(alone)), 0);
                assert_string_equal(corunner_of(together), corunners[pairs++]);
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
