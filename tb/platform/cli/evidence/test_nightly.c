/* SPDX-License-Identifier: Apache-2.0 */
/* The checks that take long: which comes next, and what the table keeps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/evidence/nightly.h"

static char elf_program[NIGHTLY_PROGRAM] = "e1";

static void hash_of(const char *path, char program[NIGHTLY_PROGRAM])
{
    snprintf(program, NIGHTLY_PROGRAM, "%s", strcmp(path, "/b/elf") ? path : elf_program);
}

static struct nightly checks(const char *revision)
{
    struct nightly n = {.revision = revision, .machine = "a \"quick\" CPU, 2 GHz"};
    nightly_add(&n, NIGHTLY_LOCKSTEP, "star", "library", 1);
    nightly_add_tests(
        &n, NIGHTLY_FUZZ,
        "Test project x\n7: Test command: /b/elf \"-max_total_time=20\" \"/c\"\n7: Working Directory: "
        "/b\nLabels: fuzz\n  Test  #7: fuzz_elf\n\n12: Test command: /b/gdb\n  Test #12: "
        "fuzz_gdb\n\nTotal Tests: 2\n",
        hash_of);
    nightly_add(&n, NIGHTLY_PAPER, "star", NULL, 1);
    nightly_add(&n, NIGHTLY_PAPER, "dws", NULL, 1);
    return n;
}

static struct nightly_check *named(struct nightly *n, const char *name)
{
    for (unsigned i = 0; i < n->n; i++)
        if (!strcmp(n->check[i].name, name))
            return &n->check[i];
    fail_msg("no check %s", name);
    return NULL;
}

static void names_come_from_what_ctest_lists(void **state)
{
    (void)state;
    struct nightly n = checks("r");
    assert_int_equal(n.n, 5);
    assert_string_equal(n.check[0].name, "lockstep-star");
    assert_string_equal(n.check[1].name, "fuzz-elf");
    assert_string_equal(n.check[1].subject, "fuzz_elf");
    assert_string_equal(n.check[4].name, "paper-dws");
    nightly_add(&n, NIGHTLY_PAPER, "dws", NULL, 1); /* it is there */
    assert_int_equal(n.n, 5);
    assert_true(nightly_matches(&n.check[1], "fuzz") && nightly_matches(&n.check[1], "fuzz-elf"));
    assert_false(nightly_matches(&n.check[1], "fuzz_elf") || nightly_matches(&n.check[1], "lockstep"));
    nightly_free(&n);
}

static void the_next_check_is_furthest_from_its_goal(void **state)
{
    (void)state;
    struct nightly n = checks("r");
    assert_ptr_equal(nightly_next(&n), named(&n, "lockstep-star"));
    named(&n, "lockstep-star")->done = nightly_rules[NIGHTLY_LOCKSTEP].part;
    assert_ptr_equal(nightly_next(&n), named(&n, "fuzz-elf"));
    named(&n, "fuzz-elf")->failed = true;
    assert_ptr_equal(nightly_next(&n), named(&n, "fuzz-gdb"));
    named(&n, "fuzz-gdb")->done = nightly_rules[NIGHTLY_FUZZ].goal / 2;
    named(&n, "paper-star")->rests = true;
    named(&n, "paper-dws")->done = 1;
    assert_ptr_equal(nightly_next(&n), named(&n, "lockstep-star")); /* less than a half */
    named(&n, "lockstep-star")->done = nightly_rules[NIGHTLY_LOCKSTEP].goal;
    assert_ptr_equal(nightly_next(&n), named(&n, "fuzz-gdb"));
    named(&n, "fuzz-gdb")->done = nightly_rules[NIGHTLY_FUZZ].goal;
    assert_null(nightly_next(&n));
    assert_string_equal(nightly_verdict(named(&n, "fuzz-elf")), "failed");
    assert_string_equal(nightly_verdict(named(&n, "fuzz-gdb")), "passed");
    assert_string_equal(nightly_verdict(named(&n, "paper-star")), "partly");
    nightly_free(&n);
}

/* One part of a check is in flight at a time, and a test or a paper has the machine for itself. */
static void what_needs_all_processors_waits(void **state)
{
    (void)state;
    struct nightly n = checks("r");
    named(&n, "lockstep-star")->runs = true;
    assert_ptr_equal(nightly_next(&n), named(&n, "fuzz-elf"));
    named(&n, "fuzz-elf")->runs = true;
    named(&n, "fuzz-gdb")->done = nightly_rules[NIGHTLY_FUZZ].part;
    assert_null(nightly_next(&n)); /* a paper is furthest from its goal */
    named(&n, "lockstep-star")->runs = named(&n, "fuzz-elf")->runs = false;
    named(&n, "lockstep-star")->rests = named(&n, "fuzz-elf")->rests = true;
    assert_ptr_equal(nightly_next(&n), named(&n, "paper-star"));
    named(&n, "paper-star")->runs = true;
    assert_null(nightly_next(&n)); /* nothing starts next to it */
    nightly_free(&n);
}

/* A block whose transactions take twenty times as long has a twentieth of them. */
static void slower_checks_have_smaller_goals(void **state)
{
    (void)state;
    struct nightly n = checks("r");
    nightly_add(&n, NIGHTLY_LOCKSTEP, "mesc-scan", "library", 20);
    struct nightly_check *c = named(&n, "lockstep-mesc-scan");
    assert_int_equal(c->goal, 50000000);
    assert_int_equal(c->part, 50000);
    c->done = c->goal - 1;
    assert_false(nightly_is_done(c));
    c->done++;
    assert_true(nightly_is_done(c));
    assert_string_equal(nightly_verdict(c), "passed");
    assert_int_equal(named(&n, "lockstep-star")->goal, 1000000000);
    nightly_free(&n);
}

static void papers_share_what_is_left(void **state)
{
    (void)state;
    struct nightly n = checks("r");
    assert_true(nightly_share(&n, named(&n, "paper-star"), 100) == 50);
    assert_true(nightly_share(&n, named(&n, "fuzz-elf"), 100) == 100);
    named(&n, "paper-dws")->done = 1;
    assert_true(nightly_share(&n, named(&n, "paper-star"), 100) == 100);
    nightly_free(&n);
}

/* A lockstep and a fuzzer are what their programs are, at whichever revision; a paper is its revision. */
static void what_the_same_program_has_done_counts(void **state)
{
    (void)state;
    char path[] = "/tmp/test-nightly-XXXXXX";
    struct mp_error err;
    close(mkstemp(path));
    unlink(path);
    struct nightly first = checks("r1");
    assert_int_equal(nightly_load(&first, path, &err), 0); /* there is no table yet */
    named(&first, "fuzz-elf")->done = 40;
    named(&first, "fuzz-elf")->seconds = 41.5;
    assert_int_equal(nightly_save(&first, named(&first, "fuzz-elf"), &err), 0);
    named(&first, "fuzz-elf")->done = 60; /* replaces the row */
    assert_int_equal(nightly_save(&first, named(&first, "fuzz-elf"), &err), 0);
    named(&first, "fuzz-gdb")->failed = true;
    assert_int_equal(nightly_save(&first, named(&first, "fuzz-gdb"), &err), 0);
    named(&first, "paper-dws")->done = 1;
    assert_int_equal(nightly_save(&first, named(&first, "paper-dws"), &err), 0);

    struct nightly again = checks("r2");
    assert_int_equal(nightly_load(&again, path, &err), 0);
    assert_int_equal(again.nrows, 3);
    assert_int_equal(named(&again, "fuzz-elf")->done, 60);
    assert_true(named(&again, "fuzz-elf")->seconds == 41.5);
    assert_true(named(&again, "fuzz-gdb")->failed);
    assert_int_equal(named(&again, "lockstep-star")->done, 0);
    assert_int_equal(named(&again, "paper-dws")->done, 0); /* of another revision */
    named(&again, "fuzz-elf")->done = 80;
    assert_int_equal(nightly_save(&again, named(&again, "fuzz-elf"), &err), 0);
    assert_int_equal(again.nrows, 3);
    assert_string_equal(again.row[0].revision, "r2"); /* that of the last part */

    strcpy(elf_program, "e2");
    struct nightly other = checks("r2");
    assert_int_equal(nightly_load(&other, path, &err), 0);
    assert_int_equal(named(&other, "fuzz-elf")->done, 0);
    named(&other, "fuzz-elf")->done = 20;
    assert_int_equal(nightly_save(&other, named(&other, "fuzz-elf"), &err), 0);
    assert_int_equal(other.nrows, 4); /* the other program's row is kept */
    nightly_free(&first);
    nightly_free(&again);
    nightly_free(&other);
    unlink(path);
}

static void a_wrong_row_is_refused_with_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *row, *message;
    } cases[] = {
        {"a,b,c", "3 fields; 9 are needed: check,program,revision,machine,done,goal,unit,seconds,verdict"},
        {"a,p,b,c,x,1,s,1,passed", "done, goal or seconds is not a number; as 5000000,1000000000,...,31.5"},
        {"a,p,b,c,1,1,s,soon,passed",
         "done, goal or seconds is not a number; as 5000000,1000000000,...,31.5"},
    };
    char path[] = "/tmp/test-nightly-XXXXXX", expected[256];
    struct mp_error err;
    close(mkstemp(path));
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        FILE *f = fopen(path, "w");
        fprintf(f, "# comment\n%s\n", cases[i].row);
        fclose(f);
        struct nightly n = checks("r");
        assert_int_equal(nightly_load(&n, path, &err), -1);
        snprintf(expected, sizeof expected, "%s:2: %s", path, cases[i].message);
        assert_string_equal(err.text, expected);
        nightly_free(&n);
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_come_from_what_ctest_lists),
        cmocka_unit_test(the_next_check_is_furthest_from_its_goal),
        cmocka_unit_test(what_needs_all_processors_waits),
        cmocka_unit_test(slower_checks_have_smaller_goals),
        cmocka_unit_test(papers_share_what_is_left),
        cmocka_unit_test(what_the_same_program_has_done_counts),
        cmocka_unit_test(a_wrong_row_is_refused_with_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
