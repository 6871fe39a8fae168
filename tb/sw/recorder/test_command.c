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
#include <unistd.h>

#include "command.h"
#include "trace/gwt.h"

static void bad_command_lines(void **state)
{
    (void)state;
    refused(2, "NOSUCH -o t.gwt", "NOSUCH: no such application; there are ATAX");
    refused(2, "ATAX", "-o: missing");
    refused(2, "ATAX BICG -o t.gwt", "BICG: a second application; one at a time");
    refused(2, "ATAX --size huge -o t.gwt",
            "--size huge: no such size; small, medium, paper, star, star-s, mesc, neidty, fgpu or uvm");
    refused(2, "GUPS --size mesc -o t.gwt", "--size mesc: GUPS has no such size; --list shows its sizes");
    refused(2, "ATAX --seed x -o t.gwt", "--seed x: not a seed; a number");
    refused(2, "ATAX --limit 0 -o t.gwt", "--limit 0: not a limit; a number of instructions");
    refused(2, "ATAX --lanes 48 -o t.gwt", "--lanes 48: not a warp's number of lanes; 32 or 64");
    refused(1, "ATAX --limit 1000 -o t.gwt",
            "of atax.cl, work-item (0,0,0): its warp has issued more than 1000 ");
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
    write_file("recursion.cl",
               "int f(int n)\n{\n    return n < 2 ? 1 : f(n - 1) + f(n - 2);\n}\n__kernel void "
               "k(__global int *a)\n{\n    a[0] = f(a[1]);\n}\n");
    refused(2, "--cl recursion.cl --kernel k --global 1 --local 1 -o t.gwt",
            "recursion.cl:7: kernel k calls f, which could not be inlined; recursion");
    write_file("texture.cl", "__kernel void f(write_only image2d_t i, sampler_t s)\n{\n}\n");
    write_file("image.cl", "__kernel void f(read_only image2d_depth_t i, __global float *a)\n{\n a[0] = "
                           "read_imagef(i, (int2)(0, 0));\n}\n");
    refused(2, "--cl nofile.cl --kernel f -o t.gwt", "nofile.cl: No such file");
    refused(2, "--cl bad.cl --kernel f --global 1 --local 1 -o t.gwt",
            "bad.cl:3:12: error: use of undeclared identifier 'b'");
    refused(2, "--cl empty.cl --kernel f --global 1 --local 1 -o t.gwt", "no kernel in it");
#define DEPTHS "--cl image.cl --kernel f --global 1 --local 1 -o t.gwt --arg image:"
    refused(2, DEPTHS "float2:4x4 --arg buf:float:1", "parameter i is of depths; a texel has one number");
    refused(2, DEPTHS "int:4x4 --arg buf:float:1", "parameter i is of depths; TEXEL is float or unorm16");
    refused(2, DEPTHS "float:4x4,samples=4 --arg buf:float:1",
            "parameter i is of type image2d_depth_t, an image without ,samples=N");
    refused(2, DEPTHS "float:4x4,levels=1 --arg buf:float:1", "the size is wrong; image:[NAME:]TEXEL:WxHxD");
    refused(2, K "-o t.gwt", "--kernel: missing");
    refused(2, K "--global 1 -o t.gwt", "--kernel begins a launch");
    refused(2, K "--kernel nosuch --global 1 --local 1 -o t.gwt", "nosuch: no such kernel; there are copy");
    refused(2, K "--kernel copy --local 32 -o t.gwt", "without --global");
    refused(2, K "--kernel copy --global 32x --local 32 -o t.gwt",
            "--global 32x: not a size; X, X,Y or X,Y,Z");
    refused(2, K "--kernel copy --global 32,2 --local 32 -o t.gwt", "both need the same number");
#define RUN K "--kernel copy --global 32 --local 32 -o t.gwt --arg buf:int:32 "
    refused(2, RUN, "copy: 1 arguments given; it takes 2");
    refused(2, RUN "--arg int:1", "parameter out is a buffer");
    refused(2, RUN "--arg buf:A", "no earlier buffer has that name");
    refused(2, "--cl texture.cl --kernel f --global 1 --local 1 --arg buf:int:4 --arg sampler:clamp -o t.gwt",
            "parameter i is an image; image:[NAME:]TEXEL:WxHxD");
    refused(
        2,
        "--cl texture.cl --kernel f --global 1 --local 1 --arg image:float3:4 --arg sampler:clamp -o t.gwt",
        "no such texel; ");
    refused(
        2,
        "--cl texture.cl --kernel f --global 1 --local 1 --arg image:float:4 --arg sampler:clamped -o t.gwt",
        "'clamped' is no word of a sampler; ");
    refused(2, RUN "--arg buf:A:integer:3", "no such type");
    refused(2, RUN "--arg buf:int:0", "the count is wrong");
    refused(2, RUN "--arg buf:int:32=nofile", "nofile: No such file");
    refused(2, RUN "--arg buf:int:32=bad.cl", "holds less; exactly 128 bytes");
    refused(
        1, RUN "--arg buf:int:31",
        "kernel copy, line 5, work-item (31,0,0): writes 4 bytes at device address 0x1001007c, byte 124 of "
        "argument out, which has 124 bytes");
#define STRIDED K "--kernel strided --global 32 --local 32 -o t.gwt --arg buf:float:320 "
    refused(2, STRIDED "--arg float:1", "parameter stride is a value of type int (4 bytes); int:VALUE");
    refused(2, STRIDED "--arg int:1.5", "not a value of int");
    refused(2, STRIDED "--arg int:3000000000", "not a value of int");
}

/* Errors are reported once, as bad input and not as a wrong result. */
static void bad_graphs(void **state)
{
    (void)state;
    write_file("bad.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 3\n");
    write_file("bad.gr", "p sp 2 1\na 1 2\n");
    refused(2, "BFS --input bad.mtx -o t.gwt", "mempath: record: bad.mtx:3: the column is missing");
    refused(2, "PR --input bad.mtx -o t.gwt", "mempath: record: bad.mtx:3: the column is missing");
    refused(2, "BFS --input bad.gr -o t.gwt", "mempath: record: bad.gr:2: the arc's weight is missing");
    refused(2, "BFS --input bad.cl -o t.gwt", "bad.cl: a graph file of unknown kind");
}

static void macros_and_includes(void **state)
{
    (void)state;
    char said[2048], path[128];
    write_file("twice.h", "REAL twice(REAL x)\n{\n    return x / ZERO;\n}\n");
    write_file("macros.cl", "#include <twice.h>\n__kernel void f(__global REAL *a)\n{\n    __local REAL "
                            "tile[SIZE];\n    tile[get_local_id(0)] = 1;\n    a[0] = twice(tile[0]);\n}\n");
#define MACROS(flags)                                                                                        \
    "--cl macros.cl " flags " --kernel f --global 32 --local 32 -o t.gwt --quiet --arg buf:int:32"
    refused(2, MACROS(""), "; -I FOLDER names where to look for it");
    refused(2, MACROS("-I."), "error: unknown type name 'REAL'; -D NAME=TYPE defines a macro");
    refused(2, MACROS("-I. -DREAL=int -D ZERO=2"),
            "macros.cl:4:23: error: use of undeclared identifier 'SIZE'; -D NAME=VALUE defines a macro");
    refused(1, MACROS("-I . -D REAL=int -DZERO=2 -D SIZE=16"),
            "macros.cl: kernel f, line 5, work-item (16,0,0): writes 4 bytes at byte 64 of local array tile");
    refused(1, MACROS("-I . -D REAL=int '-DZERO=get_local_id(0)' -D SIZE=32"),
            "macros.cl: kernel f, line 3 of twice.h, work-item (0,0,0): divides"); /* lines of other files */
    refused(2, MACROS("-D ''"), "-D: no value; -D NAME[=VALUE] or -I FOLDER is needed");
    refused(2, "ATAX -DX=1 -o t.gwt", "-DX=1: only with --cl");
    assert_int_equal(run(said, "%s", MACROS("-I. -DREAL=int -DZERO=2 -DSIZE=32")), 0);
    path_in(path, "t.gwt");
    unlink(path);
}

/* The kernels write outside a buffer if a member or an element is wrong. */
static void structures_and_ranges(void **state)
{
    (void)state;
    char said[2048], path[128];
    write_file(
        "values.cl",
        "struct inner { int n; float4 v; };\n"
        "struct parameters { uchar c; struct inner in; double d; short s[2]; };\n"
        "__kernel void take(__global int *a, struct parameters p)\n{\n"
        "    const int ok = p.c == 200 && p.in.n == -5 && p.in.v.x == 1 && p.in.v.w == 4 && p.d == 0.5 &&\n"
        "        p.s[0] == 7 && p.s[1] == 8;\n"
        "    a[ok ? 0 : 1000] = 1;\n}\n"
        "__kernel void within(__global int *i, __global uchar2 *u, __global float *f, __global long *l)\n{\n"
        "    const int g = get_global_id(0);\n"
        "    const int ok = i[g] >= -3 && i[g] <= 3 && u[g].x >= 250 && u[g].y >= 250 && f[g] >= -2 &&\n"
        "        f[g] < -1 && l[g] == -9000000000;\n"
        "    i[ok ? g : 1000000] = 1;\n}\n");
    write_file("members", "0123456789");
#define TAKE "--cl values.cl --quiet -o t.gwt --kernel take --global 1 --local 1 --arg buf:int:1 --arg "
    refused(2, TAKE "int:1",
            "parameter p is a value of type struct parameters (64 bytes); bytes:FILE or struct:TYPE:VALUE/");
    refused(2, TAKE "bytes:members", "members holds less; exactly 64 bytes");
    refused(2, TAKE "bytes:nofile", "nofile: No such file");
    refused(2, TAKE "struct:uchar:200/int:-5", "2 members; struct parameters has 6");
    refused(2, TAKE "struct:uchar:200/float4:1,2,3,4",
            "member 2 as float4 has 16 bytes; in struct parameters it has 4");
    refused(2, TAKE "struct:uchar:256", "member 1 is not a value of uchar");
    refused(2, TAKE "struct:200", "member 1 is not TYPE:VALUE");
#define MEMBERS "struct:uchar:200/int:-5/float4:1,2,3,4/double:0.5/short:7/short:"
    refused(2, TAKE MEMBERS "8/int:9", "more members than struct parameters has; 6");
    refused(1, TAKE MEMBERS "9", " bytes at device address ");
    assert_int_equal(run(said, "%s", TAKE MEMBERS "8"), 0);
#define WITHIN                                                                                               \
    "--cl values.cl --quiet -o t.gwt --kernel within --global 1024 --local 64 --arg buf:int:1024=random:"
#define REST                                                                                                 \
    " --arg buf:uchar2:1024=random:250:255 --arg buf:float:1024=random:-2:-1 "                               \
    "--arg buf:long:1024=random:-9000000000:-9000000000"
    assert_int_equal(run(said, "%s", WITHIN "-3:3" REST), 0);
    path_in(path, "t.gwt");
    unlink(path);
    refused(1, WITHIN "-4:3" REST, " bytes at device address "); /* all values occur */
    refused(1, WITHIN "-3:4" REST, " bytes at device address ");
    refused(2, WITHIN "3:-3" REST, "a wrong range; random:LOW:HIGH, two values of int, the lower one first");
    refused(2, WITHIN "3" REST, "a wrong range");
    refused(2, WITHIN "0:3000000000" REST, "a wrong range");
}

/* Types that clang or the source calls by other names than --arg. The kernel stops if a value is wrong. */
static void types_of_values(void **state)
{
    (void)state;
    char said[2048], path[128];
    write_file(
        "types.cl",
        "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
        "typedef enum { RED, GREEN } colour;\nenum sign { MINUS = -1, PLUS };\n"
        "typedef float real;\ntypedef float4 vector;\n"
        "__kernel void take(__global half *a, real r, vector v, colour c, enum sign s, size_t z,\n"
        "                   ptrdiff_t p, uchar3 u, half h)\n{\n"
        "    if (r != 2.5f || v.x != 1 || v.w != 4 || c != GREEN || s != MINUS || z != 5 || p != -3 ||\n"
        "        u.z != 9 || (float)h != 0.25f || (float)a[2] != 2)\n        __builtin_trap();\n"
        "    a[0] = h + (half)r;\n"
        "    a[1] = (half)((double)(float)a[1] * 3.0);\n}\n");
#define TYPES(values)                                                                                        \
    "--cl types.cl --quiet -o t.gwt --kernel take --global 1 --local 1 --arg buf:half:3=iota " values
#define REAL4  "--arg float:2.5 --arg float4:1,2,3,4 "
#define OTHERS "--arg int:-1 --arg size_t:5 --arg long:-3 --arg uchar3:7,8,9 --arg half:0.25"
    path_in(path, "t.gwt");
    assert_int_equal(run(said, "%s", TYPES(REAL4 "--arg int:1 " OTHERS)), 0);
    assert_int_equal(run(said, "%s", TYPES(REAL4 "--arg uint:1 " OTHERS)), 0);
    unlink(path);
    refused(1, TYPES(REAL4 "--arg uint:0 " OTHERS), "types.cl: kernel take, line 11");
    refused(2, TYPES("--arg int:1 --arg float4:1,2,3,4 --arg int:1 " OTHERS),
            "parameter r is a value of type float (4 bytes); float:VALUE");
    refused(2, TYPES("--arg float:1 --arg float:1 --arg int:1 " OTHERS),
            "parameter v is a value of type float4 (16 bytes); float4:VALUE,VALUE,VALUE,VALUE");
    refused(2, TYPES(REAL4 "--arg float:1 " OTHERS),
            "parameter c is a value of type colour (4 bytes); int:VALUE or uint:VALUE");
    refused(2, TYPES(REAL4 "--arg long:1 " OTHERS), "int:VALUE or uint:VALUE");
    refused(2, TYPES("--arg float:1 --arg float4:1,2,3 --arg int:1 " OTHERS),
            "not a value of float4; 4 numbers");
    refused(2, TYPES("--arg float:1 --arg float4x:1,2,3,4 --arg int:1 " OTHERS), "float4:VALUE,VALUE");
}

/* Kernels that are not launched may use functions and types that the recorder lacks. */
static void other_kernels_of_a_file(void **state)
{
    (void)state;
    char said[2048], path[128];
    write_file(
        "others.cl",
        "int missing(int);\n"
        "int helper(int n)\n{\n    return n < 2 ? 1 : helper(n - 1) + missing(n);\n}\n"
        "__kernel void good(__global int *a) { a[0] = 1; }\n"
        "__kernel void vendor(__global int *a)\n{\n    int __attribute__((overloadable)) special(int);\n"
        "    a[0] = special(a[1]);\n}\n"
        "__kernel void calls(__global int *a)\n{\n    a[0] = missing(a[1]);\n}\n"
        "__kernel void recursive(__global int *a) { a[0] = helper(a[1]); }\n"
        "__kernel void nested(__global int *a)\n{\n    good(a);\n}\n");
#define OTHER(name) "--cl others.cl --quiet -o t.gwt --kernel " name " --global 1 --local 1 --arg buf:int:2"
    path_in(path, "t.gwt");
    assert_int_equal(run(said, "%s", OTHER("good")), 0);
    unlink(path);
    refused(2, OTHER("vendor"), "others.cl:10: kernel vendor calls special with arguments for which");
    refused(2, OTHER("calls"), "others.cl:14: calls calls missing, which is declared but not defined");
    refused(2, OTHER("recursive"), "others.cl:4: helper calls missing");
    assert_int_equal(run(said, "%s", OTHER("nested")), 0); /* it calls a kernel that is not launched */
    unlink(path);
    refused(2, OTHER("nosuch"), "others.cl: nosuch: no such kernel; there are good vendor calls");
}

/* A file with vectors of 32 is compiled from a copy: its lines, strings and included files are the
 * original's. */
static void vectors_of_32(void **state)
{
    (void)state;
    char said[2048], path[128];
    write_file("part.h", "#define PART 3\n");
    write_file(
        "wide.cl",
        "#pragma OPENCL EXTENSION cl_qcom_extra_vector_types : enable\n#include \"part.h\"\n"
        "__kernel void k(__global float *x)\n{\n    float32 v = (float32)(PART);\n    v.sv = v.lo.s1 + 1;\n"
        "    if (get_global_id(0) + OTHER == 1)\n        printf(\"%.0f%.0f \\\".sv\\n\", v.sv, v.sg);\n"
        "    x[get_global_id(0)] = v.sv;\n}\n");
#define WIDE "--cl wide.cl --quiet -o t.gwt --kernel k --global 64 --local 64 --arg buf:float:"
    path_in(path, "t.gwt");
    assert_int_equal(run(said, "%s", WIDE "64 -DOTHER=1"), 0);
    assert_string_equal(said, "43 \".sv\n");
    unlink(path);
    refused(2, WIDE "64", "wide.cl:7:28: error: use of undeclared identifier 'OTHER'");
    refused(1, WIDE "32 -DOTHER=2", "wide.cl: kernel k, line 9, work-item (32,0,0): writes 4 bytes");
    write_file("wide.cl", "__kernel void k(__global float *x)\n{\n    float32 v = (float32)(0);\n}\n");
    refused(2, WIDE "64", "wide.cl:3:12: error: expected ");
}

static void printing(void **state)
{
    (void)state;
    char said[2048], path[128];
    write_file(
        "print.cl",
        "__kernel void p(__global float4 *v, int n)\n{\n    v[0] = (float4)(1, 2, 3, n + 0.5f);\n"
        "    printf(\"%v4f|%5.1v2hlf|%+d %s\\n\", v[0], v[0].zw, n, \"text\");\n"
        "    printf(\"%v3hhx %v2hd %v2ld %c%% %hhd %u %v4f\\n\", (uchar3)(1, 255, n), (short2)(-n, 2),\n"
        "           (long2)(n, -1), 'x', 300, -1);\n}\n");
    assert_int_equal(run(said,
                         "--cl print.cl --quiet -o t.gwt --kernel p --global 1 --local 1 --arg buf:float4:1 "
                         "--arg int:4"),
                     0);
    assert_string_equal(said, "1.000000,2.000000,3.000000,4.500000|  3.0,  4.5|+4 text\n"
                              "1,ff,4 -4,2 4,-1 x% 44 4294967295 %v4f\n");
    path_in(path, "t.gwt");
    unlink(path);
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
    char key[7][2048];
    write_file("a.gr", "p sp 2 1\na 1 2 1\n");
    write_file("b.gr", "p sp 2 1\na 2 1 1\n");
    static const char *const commands[] = {
        "--key ATAX",           "--key ATAX --size medium", "--key ATAX --seed 2",
        "--key BICG",           "--key BFS --input a.gr",   "--key BFS --input b.gr",
        "--key ATAX --lanes 64"};
    for (unsigned i = 0; i < 7; i++) {
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_command_lines),
        cmocka_unit_test(bad_user_kernels),
        cmocka_unit_test(bad_graphs),
        cmocka_unit_test(macros_and_includes),
        cmocka_unit_test(structures_and_ranges),
        cmocka_unit_test(types_of_values),
        cmocka_unit_test(other_kernels_of_a_file),
        cmocka_unit_test(vectors_of_32),
        cmocka_unit_test(printing),
        cmocka_unit_test(a_sequence_of_launches),
        cmocka_unit_test(keys),
        cmocka_unit_test(listing),
    };
    return cmocka_run_group_tests(tests, command_begin, command_end);
}
