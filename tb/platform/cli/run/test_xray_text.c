/* SPDX-License-Identifier: Apache-2.0 */
/* An X-ray as text, JSON and a graph. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/run/xray.h"

/* The link on which the requests have been sent. */
static uint32_t out;

static void show(const void *model, const struct mp_xray *x)
{
    const unsigned *requests = model;
    mp_xray_room(x, "MSHRs", *requests, 3);
    for (unsigned i = 0; i < *requests; i++) {
        const struct mp_req req = {.va = 0x5000 + i * 0x1000, .sent = 10 + i, .sm = 4, .warp = 2};
        struct mp_xray_wait wait = mp_xray_wait_of("MSHR", &req);
        wait.out = out;
        wait.asks = req.va;
        x->wait(x->self, &wait);
    }
}

static const struct mp_block_kind kind = {.name = "tlb", .in = MP_LINK_TRANSLATION, .xray = show};

/* Two TLBs with 1 and 3 requests, which a third one, without requests, has lost. */
static const struct mp_plan_block blocks[] = {
    {.path = "gpu.few", .kind = &kind, .links = 1},
    {.path = "gpu.many", .kind = &kind, .first_link = 1, .links = 1},
    {.path = "gpu.l2<b>", .kind = &kind}};
static const struct mp_plan_link links[] = {{.from = 0, .to = 2}, {.from = 1, .to = 2}};
static const unsigned requests[] = {1, 3, 0};
static struct xray_about about = {"name<&>", "stuck at cycle 500", 7, "mempath run x --until 500"};

static void take(struct mp_xray_report *r)
{
    static const struct mp_plan plan = {3, 2, (struct mp_plan_block *)(uintptr_t)blocks,
                                        (struct mp_plan_link *)(uintptr_t)links};
    assert_int_equal(mp_xray_init(r, &plan, 500, 4096, 128), 0);
    for (unsigned i = 0; i < 3; i++)
        mp_xray_show(r, &requests[i]);
    assert_int_equal(mp_xray_finish(r), 0);
}

/* The output, which the next call replaces. rows: of the text. */
static const char *output(void (*write)(const struct mp_xray_report *r, const struct xray_about *a, FILE *f),
                          uint32_t rows)
{
    static char text[8192];
    struct mp_xray_report r;
    FILE *f = fmemopen(text, sizeof text, "w");
    take(&r);
    if (write)
        write(&r, &about, f);
    else
        xray_text(&r, &about, rows, f);
    assert_false(ferror(f));
    fclose(f);
    mp_xray_free(&r);
    return text;
}

static void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no '%s' in\n%s", part, text);
}

static void test_text(void **state)
{
    (void)state;
    const char *text = output(NULL, XRAY_ALL);
    assert_has(text, "X-ray of run 7, name<&>, at cycle 500: stuck at cycle 500\n");
    assert_has(
        text,
        "  gpu.few: MSHR, since cycle 10; gpu.l2<b> does not have it: the request or its answer is lost\n");
    assert_has(text, "block     requests  what is taken\ngpu.many         3  MSHRs 3 of 3 (full)\n");
    assert_has(text, "gpu.many  gpu.l2<b>         3                  10\n"
                     "gpu.few   gpu.l2<b>         1                  10\n");
    assert_has(text, "\n4 requests wait, the oldest first:\n");
    assert_has(text,
               "         12     488       0  load      4     2   0x7000                 -  gpu.many  MSHR\n");
    assert_has(text, "\nagain, to this cycle: mempath run x --until 500\n");
    assert_null(strstr(text, " more; "));
}

static void test_text_with_few_rows(void **state)
{
    (void)state;
    const char *text = output(NULL, 1);
    assert_has(text, "  and 1 more; --xray FILE.txt has all\n");
    assert_has(text, "  and 3 more; --xray FILE.txt has all\n");
    assert_null(strstr(text, "0x7000"));
}

static void test_json(void **state)
{
    (void)state;
    const char *text = output(xray_json, 0);
    assert_has(text, "\"name\": \"name<&>\"");
    assert_has(text, "\"stuck\": \"stuck at cycle 500\"");
    assert_has(text, "\"path\": \"gpu.l2<b>\"");
    assert_has(text, "\"waits_for\": null");
    assert_has(text, "\"virtual\": 28672");
}

static void test_graph(void **state)
{
    (void)state;
    const char *text = output(xray_draw, 0);
    assert_has(text, "<b>name&lt;&amp;&gt;</b>");
    assert_has(text, "<b>gpu.l2&lt;b&gt;</b>");
    assert_null(strstr(text, "<font point-size=\"10\"></font>")); /* Graphviz refuses it */
    assert_has(text, "n1 -> n2 [label=\" 3, since 10\\n3 not there\", style=dashed");
    assert_int_equal(strcmp(text + strlen(text) - 2, "}\n"), 0);
}

/* A request that no block has is on the way. It is lost only in a machine that is stuck. */
static void test_graph_of_a_machine_that_runs(void **state)
{
    (void)state;
    about.why = NULL;
    const char *text = output(xray_draw, 0);
    assert_has(text, "n1 -> n2 [label=\" 3, since 10\\n3 on the way\"];\n");
    assert_null(strstr(text, "not there"));
    assert_null(strstr(text, "dashed"));
    out = MP_XRAY_ANY;
    text = output(xray_draw, 0);
    assert_has(text, "<b>gpu.many</b><br/>3 requests, 3 on the way<");
    assert_has(text, "n0 -> n2 [style=dotted];\n");
    assert_has(text, "n1 -> n2 [style=dotted];\n");
    out = 0;
    about.why = "stuck at cycle 500";
}

static void test_files(void **state)
{
    struct mp_error err;
    struct mp_xray_report r;
    char line[64];
    (void)state;
    assert_int_equal(xray_check("a/x.svg", &err), 0);
    assert_int_equal(xray_check("x.json", &err), 0);
    assert_int_equal(xray_check(".txt", &err), -1);
    assert_int_equal(xray_check("x.gif", &err), -1);
    assert_non_null(strstr(err.text, ".txt, .json, .svg, .png, .pdf or .dot"));
    take(&r);
    assert_int_equal(xray_write(&r, &about, "test_xray_text.txt"), 0);
    assert_int_not_equal(xray_write(&r, &about, "no/such/folder/x.txt"), 0);
    mp_xray_free(&r);
    FILE *f = fopen("test_xray_text.txt", "r");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f));
    fclose(f);
    unlink("test_xray_text.txt");
    assert_string_equal(line, "X-ray of run 7, name<&>, at cycle 500: stuck at cycle 500\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_text_with_few_rows),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_graph),
        cmocka_unit_test(test_graph_of_a_machine_that_runs),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
