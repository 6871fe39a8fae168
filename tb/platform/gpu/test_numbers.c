/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers that registers have for schedulers and policies, and the choices of the configuration: each has
 * the other, whatever the order of the choices is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/configure.h"
#include "soc/regs.h"
#include "walk/scheduler/scheduler.h"

static bool is_choice(const char *path, const char *name)
{
    const char *choice;
    for (uint32_t i = 0; (choice = mp_choice(path, i)); i++)
        if (!strcmp(choice, name))
            return true;
    return false;
}

/* Number of this choice; fails without one. */
static unsigned number_of(enum mp_soc_enum e, const char *choice)
{
    const struct mp_reg_enum *of = &mp_soc_enums[e];
    for (unsigned i = 0; i < of->values; i++)
        if (!strcmp(of->value[i].choice, choice))
            return of->value[i].value;
    fail_msg("'%s' has no number in %s of models/soc/regs/gpu.def", choice, of->name);
    return 0;
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
    const char *choice;
    for (uint32_t i = 0; (choice = mp_choice("walk.scheduler", i)); i++) {
        unsigned number = number_of(MP_ENUM_OF_mgmt_scheduler, choice);
        assert_string_equal(p.walk_scheduler[number].scheduler->design.name, choice);
    }
    for (unsigned i = 0; i < e->values; i++)
        if (!is_choice("walk.scheduler", e->value[i].choice))
            fail_msg("%s_%s: walk.scheduler has no '%s'", e->prefix, e->value[i].name, e->value[i].choice);
    assert_null(p.walk_scheduler[e->values].scheduler);
}

static void policies(void **state)
{
    (void)state;
    static const char *const paths[] = {"l1_tlb.policy", "l2_tlb.policy", "l3_tlb.policy"};
    const struct mp_machine p = machine();
    const struct mp_reg_enum *e = &mp_soc_enums[MP_ENUM_OF_mgmt_policy];
    const char *choice;
    for (unsigned level = 1; level <= 3; level++) {
        for (uint32_t i = 0; (choice = mp_choice(paths[level - 1], i)); i++) {
            unsigned number = number_of(MP_ENUM_OF_mgmt_policy, choice);
            const struct mp_tlb_policy *policy = p.tlb_policy[number].policy;
            assert_non_null(policy);
            assert_string_equal(policy->design.name, choice);
        }
        for (unsigned i = 0; i < e->values; i++)
            assert_int_equal(mp_design_fits(&p.tlb_policy[e->value[i].value].policy->design, level),
                             is_choice(paths[level - 1], e->value[i].choice));
    }
    for (unsigned i = 0; i < e->values; i++)
        if (!is_choice("l3_tlb.policy", e->value[i].choice))
            fail_msg("%s_%s: l3_tlb.policy has no '%s'", e->prefix, e->value[i].name, e->value[i].choice);
    assert_null(p.tlb_policy[e->values].policy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(schedulers), cmocka_unit_test(policies)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
