/* SPDX-License-Identifier: Apache-2.0 */
/* mempath-record as a command: users' kernels, keys, and its one-line refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/gwt.h"

static char folder[] = "/tmp/record-commandXXXXXX";

/* Runs mempath-record with these arguments (a shell line); its exit code, and how what it said begins. */
static int run(char output[2048], const char *format, ...)
{
    char arguments[1024], line[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(arguments, sizeof arguments, format, args);
    va_end(args);
    snprintf(line, sizeof line, "cd %s && %s %s 2>&1", folder, MEMPATH_RECORD, arguments);
    FILE *f = popen(line, "r");
    assert_non_null(f);
    output[fread(output, 1, 2047, f)] = 0;
    while (fgetc(f) != EOF) /* the list of applications is longer */
        ;
    const int status = pclose(f);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void path_in(char path[128], const char *name)
{
    snprintf(path, 128, "%s/%s", folder, name);
}

static void write_file(const char *name, const char *text)
{
    char path[128];
    path_in(path, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void refused(int code, const char *arguments, const char *says)
{
    char said[2048], path[128];
    const int got = run(said, "%s", arguments);
    if (got != code || !strstr(said, says))
        fail_msg("%s: exit code %d, '%s'; expected %d, '%s'", arguments, got, said, code, says);
    assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1); /* one line */
    assert_null(strstr(said, "runtime error"));
    path_in(path, "t.gwt");
    assert_int_not_equal(access(path, F_OK), 0);
}

static void bad_command_lines(void **state)
{
    (void)state;
    refused(2, "NOSUCH -o t.gwt", "NOSUCH: no such application; there are ATAX");
    refused(2, "ATAX", "-o: missing");
    refused(2, "ATAX BICG -o t.gwt", "BICG: one application at a time");
    refused(2, "ATAX --size huge -o t.gwt", "--size huge: small, medium, paper, medium/8 or paper/8");
    refused(2, "ATAX --seed x -o t.gwt", "--seed x: a number");
    refused(2, "ATAX --bogus 1 -o t.gwt", "--bogus: no such option");
    refused(2, "ATAX -o", "-o: no value");
    refused(2, "ATAX --input x -o t.gwt", "only applications on graphs take a file");
    refused(2, "BFS --input nofile -o t.gwt", "nofile: No such file");
    refused(2, "ATAX -o nofolder/t.gwt", "nofolder/t.gwt");
}

static void bad_user_kernels(void **state)
{
    (void)state;
#define K "--cl " KERNELS " "
    write_file("bad.cl", "__kernel void f(__global int *a)\n{\n    a[0] = b;\n}\n");
    write_file("empty.cl", "int x(void) { return 1; }\n");
    write_file("image.cl", "__kernel void f(read_only image2d_t i, __global float *a)\n{\n a[0] = "
                           "read_imagef(i, (int2)(0, 0)).x;\n}\n");
    refused(2, "--cl nofile.cl --kernel f -o t.gwt", "nofile.cl: No such file");
    refused(2, "--cl bad.cl --kernel f --global 1 --local 1 -o t.gwt",
            "bad.cl:3:12: error: use of undeclared identifier 'b'");
    refused(2, "--cl empty.cl --kernel f --global 1 --local 1 -o t.gwt", "no kernel in it");
    refused(2, "--cl image.cl --kernel f --global 1 --local 1 -o t.gwt", "image.cl");
    refused(2, K "-o t.gwt", "--kernel: missing");
    refused(2, K "--global 1 -o t.gwt", "--kernel begins a launch");
    refused(2, K "--kernel nosuch --global 1 --local 1 -o t.gwt", "nosuch: no such kernel; there are copy");
    refused(2, K "--kernel copy --local 32 -o t.gwt", "without --global");
    refused(2, K "--kernel copy --global 32x --local 32 -o t.gwt", "--global 32x: X, X,Y or X,Y,Z");
    refused(2, K "--kernel copy --global 32,2 --local 32 -o t.gwt", "the same number");
#define RUN K "--kernel copy --global 32 --local 32 -o t.gwt --arg buf:int:32 "
    refused(2, RUN, "copy: 1 arguments given; it takes 2");
    refused(2, RUN "--arg int:1", "parameter out is a buffer");
    refused(2, RUN "--arg buf:A", "no earlier buffer has that name");
    refused(2, RUN "--arg buf:A:integer:3", "no such type");
    refused(2, RUN "--arg buf:int:0", "the count is wrong");
    refused(2, RUN "--arg buf:int:32=nofile", "nofile: No such file");
    refused(2, RUN "--arg buf:int:32=bad.cl", "holds less than the buffer; exactly 128 bytes");
    refused(1, RUN "--arg buf:int:31",
            "line 5 of its source: a work-item writes 4 bytes at device address 0x1001007c");
#define STRIDED K "--kernel strided --global 32 --local 32 -o t.gwt --arg buf:float:320 "
    refused(2, STRIDED "--arg float:1", "parameter stride is a value; int:VALUE");
    refused(2, STRIDED "--arg int:1.5", "not a value of int");
    refused(2, STRIDED "--arg int:3000000000", "not a value of int");
}

static void a_sequence_of_launches(void **state)
{
    (void)state;
    char said[2048], path[128];
    const char *command = K "-o u.gwt.zst --quiet --kernel copy --global 64 --local 32 --arg buf:int:64=iota "
                            "--arg buf:B:int:64 --kernel sum --global 64 --local 64 --arg buf:B "
                            "--arg buf:out:int:1 --kernel vectors --global 8 --local 8 "
                            "--arg buf:float4:8=random --arg buf:float:1 --arg buf:char:24";
    assert_int_equal(run(said, "%s", command), 0);
    assert_string_equal(said, "");
    struct gwt_reader *r;
    struct mp_error err;
    path_in(path, "u.gwt.zst");
    assert_int_equal(gwt_open(&r, path, &err), 0);
    const struct gwt_totals *t = gwt_totals(r);
    assert_int_equal(t->kernels, 3);
    assert_int_equal(t->ctas, 4);
    assert_int_equal(t->lane_accesses, 64 * 2 + 64 + 1 + 8 * 6);
    const uint64_t digest = t->digest[0];
    gwt_close(r);
    assert_int_equal(run(said, "%s", command), 0); /* again, over the old file: the same */
    assert_int_equal(gwt_open(&r, path, &err), 0);
    assert_int_equal(gwt_totals(r)->digest[0], digest);
    gwt_close(r);
    unlink(path);
}

static void keys(void **state)
{
    (void)state;
    char key[6][2048];
    write_file("a.gr", "p sp 2 1\na 1 2 1\n");
    write_file("b.gr", "p sp 2 1\na 2 1 1\n");
    static const char *const commands[] = {
        "--key ATAX", "--key ATAX --size medium", "--key ATAX --seed 2",
        "--key BICG", "--key BFS --input a.gr",   "--key BFS --input b.gr"};
    for (unsigned i = 0; i < 6; i++) {
        assert_int_equal(run(key[i], "%s", commands[i]), 0);
        assert_int_equal(strspn(key[i], "0123456789abcdef"), 32);
        assert_string_equal(key[i] + 32, "\n");
        for (unsigned j = 0; j < i; j++)
            assert_string_not_equal(key[i], key[j]);
    }
    char again[2048];
    assert_int_equal(run(again, "--key atax --size small --seed 1"), 0);
    assert_string_equal(again, key[0]);
}

static void listing(void **state)
{
    (void)state;
    char said[2048];
    assert_int_equal(run(said, "--list"), 0);
    assert_non_null(strstr(said, "ATAX"));
    assert_int_equal(run(said, "--list --json"), 0);
    assert_int_equal(said[0], '[');
    assert_non_null(strstr(said, "\"name\": \"ATAX\""));
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    static const char *const files[] = {"bad.cl", "empty.cl", "image.cl", "a.gr", "b.gr"};
    char path[128];
    for (unsigned i = 0; i < sizeof files / sizeof *files; i++) {
        path_in(path, files[i]);
        unlink(path);
    }
    return rmdir(folder); /* fails if anything was left behind */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_command_lines),
        cmocka_unit_test(bad_user_kernels),
        cmocka_unit_test(a_sequence_of_launches),
        cmocka_unit_test(keys),
        cmocka_unit_test(listing),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
