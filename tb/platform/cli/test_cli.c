/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/out.h"
#include "cli/run/results.h"
#include "cli/task.h"

static void test_table_aligns_numbers_right(void **state)
{
    (void)state;
    static const char *const heads[] = {"app", "count", "note"};
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    struct out_table *t = out_table_new(3, heads);
    out_cell(t, "MT");
    out_count(t, 1234567);
    out_cell(t, "x");
    out_cell(t, "B\xc3\xa9zier"); /* six characters in seven bytes */
    out_count(t, 12);
    out_cell(t, "yy");
    out_table_print(t, f);
    fclose(f);
    assert_string_equal(text, "app         count  note\n"
                              "MT      1,234,567  x\n"
                              "B\xc3\xa9zier         12  yy\n");
    free(text);
}

static void test_json_escapes_and_nests(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    struct out_json j = {.f = f};
    json_object(&j, NULL);
    json_text(&j, "a", "\"\\\n");
    json_text(&j, "b", NULL);
    json_array(&j, "c");
    json_count(&j, NULL, UINT64_MAX);
    json_real(&j, NULL, NAN);
    json_flag(&j, NULL, true);
    json_end_array(&j);
    json_array(&j, "d");
    json_end_array(&j);
    json_end_object(&j);
    fclose(f);
    assert_string_equal(text, "{\n  \"a\": \"\\\"\\\\\\u000a\",\n  \"b\": null,\n  \"c\": [\n    "
                              "18446744073709551615,\n    null,\n    true\n  ],\n  \"d\": []\n}\n");
    free(text);
}

static void test_nearest_knows_typos_from_other_words(void **state)
{
    (void)state;
    static const char *const names[] = {"run", "record", "reproduce", NULL};
    assert_string_equal(cli_nearest("rcord", names), "record");
    assert_string_equal(cli_nearest("reprodcue", names), "reproduce");
    assert_string_equal(cli_nearest("rnu", names), "run");
    assert_null(cli_nearest("zzzzzz", names));
    assert_null(cli_nearest("", names));
    struct mp_error err;
    assert_int_equal(cli_unknown(&err, "rcord", names, "see there", "%s: no verb '%s'", "x", "rcord"), -1);
    assert_string_equal(err.text, "x: no verb 'rcord'; did you mean 'record'?");
    assert_int_equal(cli_unknown(&err, "zzzzzz", names, "see there", "x: none"), -1);
    assert_string_equal(err.text, "x: none; see there");
}

static void test_numbers(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "", "-1", "+1", " 1", "1x", "0x", "abc", "1.5", "18446744073709551616", "101"};
    struct mp_error err;
    uint64_t value = 0;
    assert_int_equal(cli_number("--n", "100", 0, 100, &value, &err), 0);
    assert_int_equal(value, 100);
    assert_int_equal(cli_number("--n", "0x10", 0, 100, &value, &err), 0);
    assert_int_equal(value, 16);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(cli_number("--n", bad[i], 0, 100, &value, &err), -1);
        assert_non_null(strstr(err.text, "--n: "));
        assert_non_null(strstr(err.text, "0 to 100"));
    }
    assert_int_equal(value, 16);
}

/* The work of each child of the pool, by its place. */
static int work(struct task *task, int channel)
{
    uint64_t place = *(const uint64_t *)task->context, answer[3] = {place * place, place, 7};
    for (uint64_t i = 0; i <= place; i++)
        task_progress(channel, i, place);
    if (place == 3)
        abort();
    if (place == 4)
        return CLI_USAGE;
    task_answer(channel, answer, sizeof answer);
    return CLI_DONE;
}

static void test_pool_keeps_answers_and_deaths_apart(void **state)
{
    (void)state;
    enum { N = 9 };
    static const struct cli cli = {.progress = CLI_PROGRESS_NONE};
    for (unsigned parallel = 1; parallel <= 4; parallel += 3) {
        struct task tasks[N];
        uint64_t place[N];
        for (uint64_t i = 0; i < N; i++) {
            place[i] = i;
            tasks[i] = (struct task){.label = "x", .child = work, .context = &place[i]};
        }
        assert_int_equal(tasks_run(&cli, "things", tasks, N, parallel), N - 2);
        for (uint64_t i = 0; i < N; i++) {
            assert_true(tasks[i].started);
            assert_int_equal(tasks[i].answered, i != 3 && i != 4);
            assert_int_equal(tasks[i].exit_code, i == 3 ? 128 + SIGABRT : i == 4 ? CLI_USAGE : 0);
            if (tasks[i].answered)
                assert_int_equal(tasks[i].answer[0], i * i);
        }
    }
}

static int wait_for_stop(struct task *task, int channel)
{
    (void)task;
    (void)channel;
    for (int i = 0; i < 300 && !cli_stop; i++)
        usleep(100000);
    return cli_stop ? 7 : 0;
}

static int ask_parent_to_stop(struct task *task, int channel)
{
    kill(getppid(), SIGTERM);
    return wait_for_stop(task, channel);
}

static void test_pool_ends_cleanly_when_asked(void **state)
{
    (void)state;
    static const struct cli cli = {.progress = CLI_PROGRESS_NONE};
    struct task tasks[] = {{.label = "a", .child = wait_for_stop},
                           {.label = "b", .child = ask_parent_to_stop},
                           {.label = "c", .child = wait_for_stop}};
    cli_catch_signals();
    assert_int_equal(tasks_run(&cli, "things", tasks, 3, 2), 0);
    assert_int_equal(tasks[0].exit_code, 7);
    assert_int_equal(tasks[1].exit_code, 7);
    assert_false(tasks[2].started);
    cli_stop = 0;
    signal(SIGTERM, SIG_DFL);
    signal(SIGINT, SIG_DFL);
}

static void test_relative_performance(void **state)
{
    (void)state;
    char a[] = "MT", b[] = "ST", small[] = "small", paper[] = "paper";
    struct run_job job = {.config = {.ntenants = 2,
                                     .tenant = {{.app = a, .size = paper, .slices = 3},
                                                {.app = b, .size = small, .slices = 2}}},
                          .result = {.tenant = {{.cycles = 400}, {.cycles = 150}}}};
    struct run_job alone[] = {
        {.config = {.ntenants = 1, .tenant = {{.app = b, .size = paper, .slices = 2}}},
         .result = {.tenant = {{.cycles = 1}}}},
        {.config = {.ntenants = 1, .tenant = {{.app = b, .size = small, .slices = 3}}},
         .result = {.tenant = {{.cycles = 1}}}},
        {.config = {.ntenants = 1, .tenant = {{.app = b, .size = small, .slices = 2}}},
         .result = {.tenant = {{.cycles = 75}}}},
        {.config = {.ntenants = 1, .tenant = {{.app = a, .size = paper, .slices = 3}}},
         .result = {.tenant = {{.cycles = 100}}}},
    };
    assert_float_equal(results_relative(&job, 0, alone, 4), 0.25, 1e-12);
    assert_float_equal(results_relative(&job, 1, alone, 4), 0.5, 1e-12);
    assert_float_equal(results_harmonic(&job, alone, 4), 2 / (4.0 + 2.0), 1e-12);
    assert_true(isnan(results_relative(&job, 0, alone, 3)));
    assert_true(isnan(results_harmonic(&job, alone, 3)));
    alone[3].result.tenant[0].cycles = 0; /* it was stopped */
    assert_true(isnan(results_relative(&job, 0, alone, 4)));
}

static void test_alone_keeps_machine_and_instance(void **state)
{
    (void)state;
    struct mp_config config;
    struct mp_error err;
    assert_int_equal(mp_config_load(&config, "star/w2", 0, NULL, &err), 0);
    assert_int_equal(config.ntenants, 3);
    for (unsigned t = 0; t < 3; t++) {
        struct run_job job;
        assert_int_equal(runs_alone(&job, &config, t), CLI_DONE);
        assert_int_equal(job.config.ntenants, 1);
        assert_true(runs_same_tenant(&job.config.tenant[0], &config.tenant[t]));
        assert_memory_equal(&job.config.machine, &config.machine, sizeof config.machine);
        assert_memory_equal(&job.config.l3_tlb, &config.l3_tlb, sizeof config.l3_tlb);
        assert_non_null(strstr(job.config.name, config.tenant[t].app));
        mp_config_free(&job.config);
    }
    mp_config_free(&config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_aligns_numbers_right),
        cmocka_unit_test(test_json_escapes_and_nests),
        cmocka_unit_test(test_nearest_knows_typos_from_other_words),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_pool_keeps_answers_and_deaths_apart),
        cmocka_unit_test(test_pool_ends_cleanly_when_asked),
        cmocka_unit_test(test_relative_performance),
        cmocka_unit_test(test_alone_keeps_machine_and_instance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
