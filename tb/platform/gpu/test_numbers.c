/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers that registers have for schedulers and policies name choices of the configuration, whatever the
 * order of the choices is. Every design of the program's lists has one; those of plugins have none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/configure.h"
#include "soc/regs.h"
#include "tlb/policy.h"
#include "walk/scheduler/scheduler.h"

static bool is_choice(const char *path, const char *name)
{
    const char *choice;
    for (uint32_t i = 0; (choice = mp_choice(path, i)); i++)
        if (!strcmp(choice, name))
            return true;
    return false;
}

/* Each design of a list can be chosen by its number. */
static void all_have_numbers(const struct mp_design *const *designs, unsigned list)
{
    const struct mp_reg_enum *e = &mp_soc_enums[list];
    for (; *designs; designs++) {
        unsigned i = 0;
        while (i < e->values && strcmp(e->value[i].choice, (*designs)->name) != 0)
            i++;
        if (i == e->values)
            fail_msg("%s has no number; models/soc/regs/gpu.def gives the next to it, in %s_",
                     (*designs)->name, e->prefix);
    }
}

static struct mp_machine machine(void)
{
    struct mp_config config;
    struct mp_error err;
    struct mp_machine p;
    assert_int_equal(mp_config_load(&config, "star-a100-mig", 0, NULL, &err), 0);
    mp_machine_configure(&p, &config);
    mp_config_free(&config);
    return p;
}

static void schedulers(void **state)
{
    (void)state;
    const struct mp_machine p = machine();
    const struct mp_reg_enum *e = &mp_soc_enums[MP_ENUM_OF_mgmt_scheduler];
    for (unsigned i = 0; i < e->values; i++) {
        const struct mp_reg_value *v = &e->value[i];
        if (!is_choice("walk.scheduler", v->choice))
            fail_msg("%s_%s: walk.scheduler has no '%s'", e->prefix, v->name, v->choice);
        assert_string_equal(p.walk_scheduler[v->value].scheduler->design.name, v->choice);
    }
    assert_null(p.walk_scheduler[e->values].scheduler);
    all_have_numbers(mp_walk_scheduler_designs, MP_ENUM_OF_mgmt_scheduler);
}

static void policies(void **state)
{
    (void)state;
    static const char *const paths[] = {"l1_tlb.policy", "l2_tlb.policy", "l3_tlb.policy"};
    const struct mp_machine p = machine();
    const struct mp_reg_enum *e = &mp_soc_enums[MP_ENUM_OF_mgmt_policy];
    for (unsigned i = 0; i < e->values; i++) {
        const struct mp_reg_value *v = &e->value[i];
        if (!is_choice("l3_tlb.policy", v->choice))
            fail_msg("%s_%s: l3_tlb.policy has no '%s'", e->prefix, v->name, v->choice);
        const struct mp_design *design = &p.tlb_policy[v->value].policy->design;
        assert_string_equal(design->name, v->choice);
        for (unsigned level = 1; level <= 3; level++)
            assert_int_equal(mp_design_fits(design, level), is_choice(paths[level - 1], v->choice));
    }
    assert_null(p.tlb_policy[e->values].policy);
    all_have_numbers(mp_tlb_policy_designs, MP_ENUM_OF_mgmt_policy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(schedulers), cmocka_unit_test(policies)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
