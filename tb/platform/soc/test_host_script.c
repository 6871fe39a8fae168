/* SPDX-License-Identifier: Apache-2.0 */
/* Scripts of the host: what each step becomes, and what is refused with which line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "soc/host_script.h"
#include "soc/mgmt.h"

static struct mp_host_script s;

static void parse(const char *text)
{
    struct mp_error err = {""};
    if (mp_host_script_parse(&s, "s.yaml", text, strlen(text), &err))
        fail_msg("%s", err.text);
}

static void commands(void **state)
{
    (void)state;
    parse("- create: {instance: 1, slices: 3}\n"
          "- open: {instance: 1, space: 2}\n"
          "- open: {instance: 1, space: 3, page: 2M}\n"
          "- protect: {space: 2, va: 0x40000000, bytes: 64K, access: read, status: not_there, within: 5us}\n"
          "- invalidate: {scope: all}\n"
          "- policy: {level: 3, policy: star}\n"
          "- scheduler: {instance: 1, scheduler: dws++}\n"
          "- launch:\n"
          "    instance: 1\n"
          "    space: 2\n"
          "    workload: 0\n"
          "    tag: 0xffffffff\n"
          "- quit:\n");
    assert_int_equal(s.steps, 9);
    assert_int_equal(s.step[0].opcode, MP_HOST_DO_CREATE);
    assert_int_equal(s.step[0].operand[MP_HOST_CREATE_SLICES], 3);
    assert_int_equal(s.step[0].within, UINT64_C(10000000000));
    assert_int_equal(s.step[0].status, MP_HOST_STATUS_OK);
    assert_int_equal(s.step[1].operand[MP_HOST_OPEN_PAGE], 65536);
    assert_int_equal(s.step[2].operand[MP_HOST_OPEN_PAGE], 2097152);
    assert_int_equal(s.step[3].operand[MP_HOST_PROTECT_VA], 0x40000000);
    assert_int_equal(s.step[3].operand[MP_HOST_PROTECT_BYTES], 65536);
    assert_int_equal(s.step[3].operand[MP_HOST_PROTECT_ACCESS], MP_HOST_ACCESS_READ);
    assert_int_equal(s.step[3].status, MP_HOST_STATUS_NOT_THERE);
    assert_int_equal(s.step[3].within, 5000);
    assert_int_equal(s.step[4].operand[MP_HOST_INVALIDATE_SCOPE], MP_HOST_SCOPE_ALL);
    assert_int_equal(s.step[5].operand[MP_HOST_POLICY_POLICY], MP_MGMT_POLICY_STAR);
    assert_int_equal(s.step[6].operand[MP_HOST_SCHEDULER_SCHEDULER], MP_MGMT_SCHEDULER_DWSPP);
    assert_int_equal(s.step[7].operand[MP_HOST_LAUNCH_TAG], UINT32_MAX);
    assert_int_equal(s.step[7].line, 8);
    assert_int_equal(s.step[8].opcode, MP_HOST_DO_QUIT);
    assert_string_equal(mp_host_step_word(&s.step[6]), "scheduler");
    mp_host_script_free(&s);
}

static void others(void **state)
{
    (void)state;
    parse("# comment\n"
          "- expect: {counter: L1_TLB_misses, space: 4, least: 1}\n"
          "- expect: {counter: walks, space: 0, most: 7}\n"
          "- expect: {counter: walks, space: 0, is: 7}\n"
          "- pause: 20ms\n");
    assert_int_equal(s.steps, 5);
    assert_int_equal(s.step[0].kind, MP_HOST_STEP_EXPECT);
    assert_int_equal(s.step[0].counter, MP_MGMT_L1_TLB_MISSES);
    assert_int_equal(s.step[0].operand[0], 4);
    assert_int_equal(s.step[0].least, 1);
    assert_int_equal(s.step[0].most, UINT64_MAX);
    assert_int_equal(s.step[1].least, 0);
    assert_int_equal(s.step[1].most, 7);
    assert_int_equal(s.step[2].least, 7);
    assert_int_equal(s.step[2].most, 7);
    assert_int_equal(s.step[3].kind, MP_HOST_STEP_PAUSE);
    assert_int_equal(s.step[3].within, 20000000);
    assert_string_equal(mp_host_step_word(&s.step[3]), "pause");
    assert_int_equal(s.step[4].opcode, MP_HOST_DO_QUIT); /* it is added */
    assert_int_equal(s.step[4].line, 5);
    mp_host_script_free(&s);
}

static void refusals(void **state)
{
    static const struct {
        const char *text, *error;
    } bad[] = {
        {"", "s.yaml:1: no steps; "},
        {"create: {instance: 0}\n", "s.yaml:1: no steps; "},
        {"[]", "s.yaml:1: no steps; "},
        {"- create\n", "s.yaml:1: no step: 'create'; one word with its keys"},
        {"- ping:\n- {ping: , quit: }\n", "s.yaml:2: no step: ''; one word"},
        {"- fly: {}\n", "s.yaml:1: unknown step 'fly'; ping, query, "},
        {"- ping:\n- create: {instance: 0}\n",
         "s.yaml:2: missing key 'slices'; instance, slices, status, within"},
        {"- create: {instance: 0, slices: 1, tag: 1}\n", "s.yaml:1: unknown key 'tag'; instance, slices"},
        {"- create: 3\n", "s.yaml:1: no keys after 'create'; instance"},
        {"- create: [3]\n", "s.yaml:1: no keys after 'create'; instance"},
        {"- close: {space: [1]}\n", "s.yaml:1: no value for 'space'; "},
        {"- close: {space: x}\n", "s.yaml:1: no number: 'x'; decimal or 0x"},
        {"- close: {space: 0x}\n", "s.yaml:1: no number: '0x'; "},
        {"- close: {space: -1}\n", "s.yaml:1: no number: '-1'; "},
        {"- close: {space: 1k}\n", "s.yaml:1: no number: '1k'; "},
        {"- close: {space: 18446744073709551616}\n", "s.yaml:1: no number: "},
        {"- close: {space: 17179869184G}\n", "s.yaml:1: no number: "},
        {"- ping: {within: 5}\n", "s.yaml:1: no time: '5'; 1us to 1000s"},
        {"- ping: {within: 0us}\n", "s.yaml:1: no time: '0us'; "},
        {"- pause: 1001s\n", "s.yaml:1: no time: '1001s'; "},
        {"- pause: {}\n", "s.yaml:1: no value for 'pause'; "},
        {"- ping: {status: fine}\n", "s.yaml:1: unknown word 'fine'; ok, bad_value, "},
        {"- policy: {level: 3, policy: best}\n", "s.yaml:1: unknown word 'best'; "},
        {"- counters: {space: 0, at: 64}\n", "s.yaml:1: unknown key 'at'; space, status"},
        {"- expect: {counter: walks, space: 0}\n", "s.yaml:1: no values are expected of 'expect'; least: N"},
        {"- expect: {counter: walks, space: 0, is: 1, least: 1}\n", "s.yaml:1: no values are expected"},
        {"- expect: {counter: walks, space: 0, least: 2, most: 1}\n", "s.yaml:1: no values are expected"},
        {"- expect: {counter: hits, space: 0, is: 1}\n", "s.yaml:1: unknown word 'hits'; cycles, "},
        {"- ping: {value: 1, value: 2}\n", "s.yaml:1: "},
        {"- ping: {value: 1\n", "s.yaml:2: not YAML"},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct mp_error err = {""};
        assert_int_equal(mp_host_script_parse(&s, "s.yaml", bad[i].text, strlen(bad[i].text), &err), -1);
        if (strncmp(err.text, bad[i].error, strlen(bad[i].error)) != 0 || strchr(err.text, '\n'))
            fail_msg("'%s', not '%s'", err.text, bad[i].error);
        assert_null(s.step);
        assert_null(s.name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(commands), cmocka_unit_test(others),
                                       cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
