/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that are kept as calls: the trace is that of the same kernel with everything inlined, mistakes in
 * them are reported, recursion is refused, and a kernel that inlining would make enormous compiles in
 * seconds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "command.h"
#include "trace/gwt.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define KEPT "--inline-limit 0"

static void record(const char *calls, const char *launches, const char *trace)
{
    char said[2048];
    if (run(said, "--cl " USER_KERNELS "/calls.cl %s %s -o %s --quiet", calls, launches, trace) != 0 ||
        said[0])
        fail_msg("%s", said);
}

static struct gwt_reader *open_trace(const char *name)
{
    char path[128];
    struct mp_error err;
    struct gwt_reader *r;
    path_in(path, name);
    if (gwt_open(&r, path, &err))
        fail_msg("%s", err.text);
    unlink(path);
    return r;
}

static void compare_needs(const struct gwt_kernel *a, const struct gwt_kernel *b)
{
    assert_non_null(a->needs.end);
    assert_non_null(b->needs.end);
    for (uint32_t i = 0; i < a->npcs; i++)
        assert_int_equal(a->needs.end[i], b->needs.end[i]);
    for (uint32_t i = 0; i < a->needs.end[a->npcs - 1]; i++)
        assert_int_equal(a->needs.pc[i], b->needs.pc[i]);
}

/* The numbers of instructions differ where inlining makes code simpler. */
static void compare_kernels(const struct gwt_kernel *a, const struct gwt_kernel *b)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->npcs, b->npcs);
    assert_int_equal(a->local_bytes, b->local_bytes);
    for (uint32_t i = 0; i < a->npcs; i++) {
        assert_int_equal(a->pcs[i].kind, b->pcs[i].kind);
        assert_int_equal(a->pcs[i].space, b->pcs[i].space);
        assert_int_equal(a->pcs[i].line, b->pcs[i].line);
    }
    compare_needs(a, b);
}

static unsigned compare_warps(struct gwt_warp *a, struct gwt_warp *b)
{
    struct gwt_event x, y;
    unsigned n = 0;
    for (; gwt_warp_next(a, &x); n++) {
        assert_true(gwt_warp_next(b, &y));
        assert_int_equal(x.kind, y.kind);
        assert_int_equal(x.active, y.active);
        if (x.kind != GWT_ACCESS)
            continue;
        assert_int_equal(x.op, y.op);
        assert_int_equal(x.pc, y.pc);
        assert_int_equal(x.bytes, y.bytes);
        assert_int_equal(x.mode, y.mode);
        assert_int_equal(x.mask, y.mask);
        assert_int_equal(x.base, y.base);
        assert_int_equal(x.stride, y.stride);
        assert_memory_equal(x.lane, y.lane, x.mode == GWT_SCATTER ? x.active * sizeof *x.lane : 0);
    }
    assert_false(gwt_warp_next(b, &y));
    return n;
}

static unsigned compare_traces(const char *a, const char *b)
{
    struct gwt_reader *x = open_trace(a), *y = open_trace(b);
    struct gwt_record p, q;
    struct mp_error err;
    unsigned events = 0;
    do {
        assert_int_equal(gwt_next(x, &p, &err), 0);
        assert_int_equal(gwt_next(y, &q, &err), 0);
        assert_int_equal(p.kind, q.kind);
        if (p.kind == GWT_KERNEL)
            compare_kernels(p.kernel, q.kernel);
        if (p.kind != GWT_CTA)
            continue;
        assert_int_equal(p.cta->nwarps, q.cta->nwarps);
        for (uint32_t w = 0; w < p.cta->nwarps; w++)
            events += compare_warps(p.cta->warp[w], q.cta->warp[w]);
        gwt_cta_release(x, p.cta);
        gwt_cta_release(y, q.cta);
    } while (p.kind != GWT_END);
    gwt_close(x);
    gwt_close(y);
    return events;
}

static void accesses_are_those_of_inlined_functions(void **state)
{
    (void)state;
    static const char launches[] =
        "--kernel hash --global 256 --local 64 --arg buf:t:uint:256=random --arg buf:s:uint:4=random "
        "--arg buf:o:uint:256 --kernel rehash --global 200 --local 50 --arg buf:t --arg buf:s --arg buf:o";
    record("", launches, "inlined.gwt");
    record(KEPT, launches, "kept.gwt");
    assert_true(compare_traces("inlined.gwt", "kept.gwt") > 1000);
}

static void read_all(const char *name, char bytes[65536], size_t *n)
{
    char path[128];
    path_in(path, name);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    *n = fread(bytes, 1, 65536, f);
    fclose(f);
    unlink(path);
}

static void the_trace_is_the_same_where_inlining_simplifies_nothing(void **state)
{
    (void)state;
    static const char launches[] =
        "--kernel same --global 256 --local 64 --arg buf:uint:256=random --arg buf:uint:256";
    static char a[65536], b[65536];
    size_t na, nb;
    record("", launches, "inlined.gwt");
    record(KEPT, launches, "kept.gwt");
    read_all("inlined.gwt", a, &na);
    read_all("kept.gwt", b, &nb);
    assert_true(na > 1000);
    assert_int_equal(na, nb);
    assert_memory_equal(a, b, na);
}

static void mistakes_in_kept_functions_are_found(void **state)
{
    (void)state;
    write_file("wrong.cl", "uint get(local uint *tile, uint i, uint n)\n{\n    return tile[i] / n;\n}\n"
                           "kernel void k(global uint *x, local uint *a)\n{\n    local uint b[32];\n"
                           "    const uint i = get_local_id(0);\n    a[i] = b[i] = i;\n"
                           "    x[i] = get(i & 1 ? a : b, i, 1) + get(a, x[0], 1) + get(b, 0, x[1]);\n}\n");
    refused(1,
            "--cl wrong.cl " KEPT
            " --kernel k --global 32 --local 32 --arg buf:uint:32=iota --arg local:64 -o t.gwt",
            "kernel k, line 9");
    refused(1,
            "--cl wrong.cl " KEPT
            " --kernel k --global 32 --local 32 --arg buf:uint:32=random:32:40 --arg local:128 "
            "-o t.gwt",
            "kernel k, line 3, work-item (0,0,0): reads 4 bytes of local memory outside of every array");
    refused(1,
            "--cl wrong.cl " KEPT
            " --kernel k --global 32 --local 32 --arg buf:uint:32 --arg local:128 -o t.gwt",
            "kernel k, line 3, work-item (0,0,0): divides");
}

static void recursion_is_refused(void **state)
{
    (void)state;
    write_file("again.cl",
               "uint odd(uint n, global uint *x);\n"
               "uint even(uint n, global uint *x) { return n ? odd(n - 1, x) + odd(n / 2, x) : x[0]; }\n"
               "uint odd(uint n, global uint *x) { return n ? even(n - 1, x) * even(n / 2, x) : x[1]; }\n"
               "kernel void k(global uint *x) { x[2] = odd(x[3], x) + odd(x[4], x); }\n");
    refused(2, "--cl again.cl " KEPT " --kernel k --global 1 --local 1 --arg buf:uint:8 -o t.gwt",
            "recursion and calls of launched kernels are not supported");
    refused(2, "--cl again.cl --kernel k --global 1 --local 1 --arg buf:uint:8 -o t.gwt",
            "recursion and calls of launched kernels are not supported");
    refused(2, "--cl again.cl --inline-limit few --kernel k --global 1 --local 1 --arg buf:uint:8 -o t.gwt",
            "--inline-limit few: not a limit");
}

enum { LEVELS = 4, FAN = 8, ROUNDS = 40 };

/* 8^4 calls of the innermost function, each of ROUNDS rounds with a branch. */
static void write_growing(void)
{
    static char text[16384];
    size_t n = 0;
#define ADD(...) n += (size_t)snprintf(text + n, sizeof text - n, __VA_ARGS__)
    ADD("static uint mix0(uint a, uint b)\n{\n");
    for (unsigned i = 0; i < ROUNDS; i++)
        ADD("    a += b ^ (a << %u);\n    b = rotate(b, %uu) ^ a;\n    if (a > b)\n        a ^= b * %uu;\n",
            i % 7 + 1, i % 11 + 1, 2 * i + 1);
    ADD("    return a + b;\n}\n");
    for (unsigned l = 1; l <= LEVELS; l++) {
        ADD("static uint mix%u(uint a, uint b)\n{\n", l);
        for (unsigned f = 0; f < FAN; f++)
            ADD("    a = mix%u(a, b + %u);\n    b ^= a;\n", l - 1, f);
        ADD("    return a;\n}\n");
    }
    ADD("kernel void hash(global const uint *in, global uint *out)\n{\n    const size_t i = "
        "get_global_id(0);\n"
        "    out[i] = mix%d(in[i], (uint)i);\n}\n",
        LEVELS);
#undef ADD
    write_file("grow.cl", text);
}

static double children_seconds(void)
{
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    return (double)used.ru_utime.tv_sec + 1e-6 * (double)used.ru_utime.tv_usec;
}

static void code_that_inlining_multiplies_compiles(void **state)
{
    (void)state;
    char said[2048], path[128];
    write_growing();
    const double begun = children_seconds();
    if (run(said,
            "--cl grow.cl --kernel hash --global 64 --local 64 --arg buf:uint:64=random --arg buf:uint:64 "
            "-o t.gwt --quiet") != 0)
        fail_msg("%s", said);
    const double seconds = children_seconds() - begun;
    print_message("%.2f s\n", seconds);
    path_in(path, "t.gwt");
    unlink(path);
    assert_true(seconds < 20); /* inlined, one level less takes 40 s */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accesses_are_those_of_inlined_functions),
        cmocka_unit_test(the_trace_is_the_same_where_inlining_simplifies_nothing),
        cmocka_unit_test(mistakes_in_kept_functions_are_found),
        cmocka_unit_test(recursion_is_refused),
        cmocka_unit_test(code_that_inlining_multiplies_compiles),
    };
    return cmocka_run_group_tests(tests, command_begin, command_end);
}
