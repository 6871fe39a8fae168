/* SPDX-License-Identifier: Apache-2.0 */
/* Designs: finding them and their parameters, and reading and checking values. */
#include "fakes.h"

#include <string.h>

#include "engine/design.h"

static const struct mp_design_param params[] = {
    {"depth", "pages", NULL, 4, 1, 16, "test", "how far it looks", 0},
    {".lazy", NULL, NULL, 1, 0, 1, "test", "whether it waits", 0},
    {"mode", NULL, "near|far", 0, 0, 0, "test", "which way", 0},
    {"step", "pages", NULL, 2, 1, 4, "test", "how far it goes", MP_DESIGN_POWER_OF_TWO},
    {0},
};
static const struct mp_design first = {.name = "first"},
                              second = {.name = "second", .params = params, .places = 4};
static const struct mp_design *const list[] = {&first, &second, NULL};

static void finds_designs_and_their_parameters(void **state)
{
    (void)state;
    assert_int_equal(mp_design_find(list, "first"), 0);
    assert_int_equal(mp_design_find(list, "second"), 1);
    assert_int_equal(mp_design_find(list, "sec"), -1);
    assert_int_equal(mp_design_nparams(&first), 0);
    assert_int_equal(mp_design_nparams(&second), 4);
    assert_int_equal(mp_design_param_find(&second, "depth", 5), 0);
    assert_int_equal(mp_design_param_find(&second, "lazy", 4), 1);
    assert_int_equal(mp_design_param_find(&second, "l3_tlb.lazy", 11), -1);
    assert_int_equal(mp_design_param_find(&first, "depth", 5), -1);
    assert_true(mp_design_fits(&first, 0) && mp_design_fits(&first, 3));
    assert_true(mp_design_fits(&second, 2) && !mp_design_fits(&second, 1));
}

static void reads_values(void **state)
{
    static const struct {
        unsigned param;
        const char *text;
        uint64_t value;
        const char *error; /* NULL: it is read */
    } cases[] = {
        {0, "16", 16, NULL},
        {0, "0x2", 2, NULL},
        {0, "17", 0, "depth: '17' is too large; 1 to 16"},
        {0, "0", 0, "depth: '0' is too small; 1 to 16"},
        {0, "deep", 0, "depth: 'deep' is not a whole number; 1 to 16"},
        {3, "4", 4, NULL},
        {3, "3", 0, "step: '3' is not a power of two; 1 to 4"},
        {1, "true", 1, NULL},
        {1, "false", 0, NULL},
        {1, "1", 0, "lazy: '1' is no choice; false|true"},
        {2, "far", 1, NULL},
        {2, "fa", 0, "mode: 'fa' is no choice; near|far"},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mp_error err = {""};
        uint64_t value = 0;
        int status =
            mp_design_read(&params[cases[i].param], cases[i].text, strlen(cases[i].text), &value, &err);
        assert_int_equal(status, cases[i].error ? -1 : 0);
        if (!status)
            assert_int_equal(value, cases[i].value);
        assert_string_equal(err.text, cases[i].error ? cases[i].error : "");
    }
}

static void checks_every_value(void **state)
{
    struct mp_error err;
    struct mp_design_values v = mp_design_defaults(&second);
    (void)state;
    assert_int_equal(v.v[0], 4);
    assert_int_equal(v.v[1], 1);
    assert_int_equal(mp_design_check(&second, &v, &err), 0);
    v.v[0] = 17;
    assert_int_equal(mp_design_check(&second, &v, &err), -1);
    assert_string_equal(err.text, "depth: 17 is too large; 1 to 16");
    v.v[0] = 0;
    assert_int_equal(mp_design_check(&second, &v, &err), -1);
    assert_string_equal(err.text, "depth: 0 is too small; 1 to 16");
    v = mp_design_defaults(&second);
    v.v[2] = 2;
    assert_int_equal(mp_design_check(&second, &v, &err), -1);
    assert_string_equal(err.text, "mode: 2 is too large; 0 to 1");
    v.v[2] = 1;
    v.v[3] = 3;
    assert_int_equal(mp_design_check(&second, &v, &err), -1);
    assert_string_equal(err.text, "step: 3 is not a power of two; 1 to 4");
}

struct toy {
    void (*either)(void), (*each)(void), (*other)(void);
};

static void nothing(void) {}

static void says_which_function_is_missing(void **state)
{
    (void)state;
    static const struct mp_design_need needs[] = {
        {"each", offsetof(struct toy, each), NULL, 0},
        {"other", offsetof(struct toy, other), "either", offsetof(struct toy, either)},
        {0}};
    static const struct mp_design_kind kind = {.name = "toy", .needs = needs};
    assert_string_equal(mp_design_lacks(&kind, &(const struct toy){.either = nothing})->name, "each");
    assert_null(mp_design_lacks(&kind, &(const struct toy){.each = nothing}));
    assert_null(mp_design_lacks(&kind, &(const struct toy){.each = nothing, .other = nothing}));
    const struct toy half = {.each = nothing, .either = nothing};
    assert_string_equal(mp_design_lacks(&kind, &half)->name, "other");
    assert_string_equal(mp_design_lacks(&kind, &half)->with, "either");
    assert_null(mp_design_lacks(&kind, &(const struct toy){nothing, nothing, nothing}));
}

static void lists_of_names_have_room(void **state)
{
    (void)state;
    char names[MP_DESIGN_NAMES] = "first|second", long_name[300];
    assert_true(mp_design_add_name(names, "third"));
    assert_string_equal(names, "first|second|third");
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    assert_true(mp_design_add_name(names, long_name));
    size_t used = strlen(names);
    assert_false(mp_design_add_name(names, long_name));
    assert_int_equal(strlen(names), used);
    long_name[MP_DESIGN_NAMES - 1 - used - 1] = '\0';
    assert_true(mp_design_add_name(names, long_name));
    assert_int_equal(strlen(names), MP_DESIGN_NAMES - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_designs_and_their_parameters),
        cmocka_unit_test(reads_values),
        cmocka_unit_test(checks_every_value),
        cmocka_unit_test(says_which_function_is_missing),
        cmocka_unit_test(lists_of_names_have_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
