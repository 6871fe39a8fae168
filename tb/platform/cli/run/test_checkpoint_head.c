/* SPDX-License-Identifier: Apache-2.0 */
/* The head of a checkpoint's file: it is read as it was written, and what is wrong in it is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/run/checkpoint_file.h"

#define HASH "00112233445566778899aabbccddeeff"
#define HEAD                                                                                                 \
    "mempath checkpoint 2\nkind run\nrevision abc Release\nprogram " HASH                                    \
    "\nlayout 0123456789abcdef\npoint 77\n"                                                                  \
    "force-tlm 1\nchannel 4\nsame " HASH " --check\nplugin " HASH " mine\ninput 7 722 " HASH                 \
    " /a path/t.gwt\nconfig 5\na: b\n\n"

static struct mp_error err;

static void a_head(void **state)
{
    (void)state;
    struct checkpoint_head h;
    char *text = NULL;
    size_t size = 0;
    assert_int_equal(checkpoint_parse(HEAD "memory", sizeof HEAD "memory" - 1, &h, &err), 0);
    assert_string_equal(h.revision, "abc Release");
    assert_true(h.program[1] == 0x0011223344556677 && h.program[0] == 0x8899aabbccddeeff);
    assert_true(h.layout == 0x0123456789abcdef && h.kind == CHECKPOINT_RUN && h.point == 77 && h.force_tlm &&
                h.channel == 4);
    assert_int_equal(h.nsame, 1);
    assert_string_equal(h.same[0].name, "--check");
    assert_int_equal(h.nplugins, 1);
    assert_string_equal(h.plugin[0].name, "mine");
    assert_true(h.plugin[0].hash[1] == 0x0011223344556677);
    assert_int_equal(h.ninputs, 1);
    assert_true(h.input[0].fd == 7 && h.input[0].offset == 722 && h.input[0].hash[0] == 0x8899aabbccddeeff);
    assert_string_equal(h.input[0].path, "/a path/t.gwt");
    assert_string_equal(h.config, "a: b\n");
    assert_int_equal(h.image, sizeof HEAD - 1);
    FILE *f = open_memstream(&text, &size);
    checkpoint_write_head(&h, f);
    fclose(f);
    assert_string_equal(text, HEAD);
    free(text);
    checkpoint_head_free(&h);
}

static void refused(const char *from, const char *to)
{
    struct checkpoint_head h;
    char text[1024];
    const char *at = strstr(HEAD, from);
    assert_non_null(at);
    int n = snprintf(text, sizeof text, "%.*s%s%s", (int)(at - HEAD), HEAD, to, at + strlen(from));
    if (!checkpoint_parse(text, (size_t)n, &h, &err))
        fail_msg("'%s' in place of '%s' is taken", to, from);
    assert_null(h.config);
    assert_non_null(strstr(err.text, "--checkpoint-at"));
}

/* What has another value, or none, in the checkpoint is named. */
static void same_values(void **state)
{
    (void)state;
    const struct checkpoint_head there = {.nsame = 2, .same = {{"image", {1, 2}}, {"--check", {0, 1}}}};
    struct checkpoint_head here = there;
    assert_int_equal(checkpoint_same_values("f", &there, &here, &err), 0);
    here.same[1].hash[0] = 1;
    assert_int_equal(checkpoint_same_values("f", &there, &here, &err), -1);
    assert_string_equal(err.text, "--from f: --check was another one there; the same");
    here = there;
    strcpy(here.same[0].name, "input");
    assert_int_equal(checkpoint_same_values("f", &there, &here, &err), -1);
    assert_string_equal(err.text, "--from f: input was another one there; the same");
}

static void mistakes(void **state)
{
    (void)state;
    struct checkpoint_head h;
    refused("checkpoint 2", "checkpoint 1");
    refused("kind run", "kind walk");
    refused("kind run\n", "");
    refused("revision abc Release\n", "");
    refused("point 77", "point 7x");
    refused("point 77", "point 99999999999999999999");
    refused("layout 0", "layout g");
    refused("force-tlm 1", "force-tlm 2");
    refused("channel 4", "channel 2");
    refused("channel 4", "channel -4");
    refused("input 7", "input 1");
    refused(" --check", "");
    refused(" --check", " a_name_of_more_than_thirty_two_bytes");
    refused(" mine", "mine");
    refused(" mine", " ");
    refused(" mine", " a_name_of_more_than_thirty_two_bytes");
    refused(" /a path/t.gwt", "");
    refused("config 5", "config 6000");
    refused("program ", "other ");
    for (size_t n = 0; n < sizeof HEAD - 1; n++)
        assert_int_equal(checkpoint_parse(HEAD, n, &h, &err), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_head), cmocka_unit_test(same_values),
                                       cmocka_unit_test(mistakes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
