/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels of many styles (kernels/), recorded as a user records them. Each file has a kernel that checks the
 * others' results and stops the recording if they are wrong. The accesses of the traces are compared with
 * the numbers that follow from the loops.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "command.h"
#include "trace/gwt.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 8 };

#define SUB_GROUP(KERNEL) "--kernel " KERNEL " --global 200 --local 100 --arg buf:x "
#define SUB_GROUPS                                                                                           \
    "--kernel places --global 200 --local 100 --arg buf:x:int:200=random:-1000:1000 " SUB_GROUP(             \
        "sums") "--arg buf:float:200=random:0:9 " SUB_GROUP("moves") SUB_GROUP("ways") SUB_GROUP("votes")    \
        SUB_GROUP("groups") "--arg local:400"

static const struct user_case {
    const char *file, *options, *launches;
    struct {
        const char *kernel;
        unsigned line; /* 0: of the whole kernel */
        char kind;     /* as in the trace: 'L', 'S', 'C' */
        uint64_t lane_accesses;
    } expected[MOST];
} cases[] = {
    {"saxpy.cl",
     "",
     "--kernel saxpy --global 1024 --local 128 --arg float:2 --arg buf:float:1024=random --arg "
     "buf:float:1024",
     {{"saxpy", 6, 'L', 2 * 1024}, {"saxpy", 6, 'S', 1024}}},
    {"generic.cl",
     "",
     "--kernel spaces --global 128 --local 64 --arg buf:in:int:128=random:0:99 --arg buf:out:int:128 "
     "--arg buf:n:int:1 --kernel check --global 128 --local 64 --arg buf:in --arg buf:out --arg buf:n",
     {{"spaces", 9, 'L', 64 * 4}, /* not those of odd work-items, nor of private memory */
      {"spaces", 23, 'C', 128},   /* nor those of a local counter */
      {"spaces", 33, 'L', 128},
      {"spaces", 39, 'L', 128}, /* the second element, which is all that is needed of vload4 */
      {"spaces", 39, 'S', 128}}},
    {"fences.cl",
     "",
     "--kernel ask --global 64 --local 32 --arg buf:int:64 --arg local:128",
     {{"ask", 15, 'L', 16}, {"ask", 25, 'S', 64}}},
    {"calls.cl",
     "",
     "--kernel steps --global 64 --local 64 --arg buf:uint:256=random:1:15 --arg buf:uint:4 --arg "
     "buf:uint:64",
     {{"steps", 26, 'L', 64}, {"steps", 23, 'L', 2 * 64}, {"steps", 0, 'S', 64}}},
    {"variables.cl",
     "",
     "--kernel count --global 128 --local 64 --arg buf:out:int:128 "
     "--kernel check --global 64 --local 64 --arg buf:out",
     {{"count", 10, 'S', 128}, {"count", 11, 'C', 128}, {"count", 11, 'S', 128}, {"check", 0, 'L', 64 * 4}}},
    {"image.cl",
     "",
     "--kernel prepare --global 32 --local 32 --arg buf:b:float:32=random "
     "--kernel draw --global 32,8 --local 32,1 --arg image:flat:float4:32x8 --arg image:bytes:unorm8_4:32x8 "
     "--arg image:solid:int:32x8x2 --arg image:layers:uchar2:32x8x2 --arg image:line:half:32 "
     "--kernel check --global 32,8 --local 32,1 --arg image:flat --arg image:bytes --arg image:solid "
     "--arg image:layers --arg image:line --arg image:buf:b:float --arg sampler:clamp_to_edge --arg buf:b",
     {{"draw", 22, 'S', 256},
      {"draw", 23, 'S', 256},
      {"draw", 25, 'S', 512},
      {"draw", 28, 'S', 32},
      {"check", 36, 'L', 256},
      {"check", 37, 'L', 0},       /* the border is not in memory */
      {"check", 38, 'L', 4 * 256}, /* a linear filter reads four */
      {"check", 46, 'L', 2 * 256}}},
    {"textures.cl",
     "",
     "--kernel draw --global 16,8 --local 16,8 --arg image:mip:float4:16x8,levels=5 --arg "
     "image:layers:ushort2:4x4x2,levels=3 --arg image:depth:float:16x8 "
     "--kernel check --global 16,8 --local 16,2 --arg image:mip --arg image:layers --arg image:depth "
     "--kernel samples --global 16,8 --local 16,8 --arg image:float2:16x8,samples=4=iota "
     "--arg image:float:16x8x2,samples=2=iota",
     {{"draw", 19, 'S', 128 + 32 + 8 + 2 + 1},
      {"draw", 24, 'S', 128},
      {"check", 32, 'L', 7 * 128},
      {"check", 35, 'L', 128},
      {"check", 38, 'L', 128},
      {"samples", 49, 'L', 4 * 128},
      {"samples", 52, 'L', 128}}},
    {"tile.cl",
     "-DTILE=8",
     "--kernel transpose --global 64,32 --local 8,8 --arg buf:a:int:2048=random --arg buf:b:int:2048 "
     "--arg struct:int:64/int:32 "
     "--kernel check --global 64,32 --local 8,8 --arg buf:a --arg buf:b --arg struct:int:64/int:32",
     {{"transpose", 12, 'L', 2048}, {"transpose", 15, 'S', 2048}, {"check", 21, 'L', 2 * 2048}}},
    {"stencil.cl",
     "-D REAL=float -DBLOCK=64 -DRADIUS=3",
     "--kernel stencil --global 256 --local 64 --arg buf:a:float:256=random:-9:9 --arg buf:b:float:256 "
     "--arg buf:w:float:7=iota --arg int:256 "
     "--kernel check --global 256 --local 256 --arg buf:a --arg buf:b --arg buf:w --arg int:256",
     {{"stencil", 23, 'L', 256 + 3 * 2 * 3}, /* the tiles, and halos at three borders between work-groups */
      {"stencil", 13, 'L', 256 * 7},
      {"stencil", 26, 'S', 256}}},
    {"levels.cl",
     "",
     "--kernel prepare --global 64 --local 64 --arg buf:v:int2:64 --arg buf:t:int:128 --arg buf:l:int:64 "
     "--arg buf:m:uchar:64 "
     "--kernel expand --global 64 --local 32 --arg buf:v --arg buf:t --arg buf:l --arg buf:m --arg "
     "buf:n:uchar:64 "
     "--kernel advance --global 64 --local 32 --arg buf:m --arg buf:n --arg buf:more:int:1 "
     "--kernel expand --global 64 --local 32 --arg buf:v --arg buf:t --arg buf:l --arg buf:m --arg buf:n "
     "--kernel advance --global 64 --local 32 --arg buf:m --arg buf:n --arg buf:more "
     "--kernel check --global 64 --local 64 --arg buf:l",
     {{"prepare", 0, 'S', 6 * 64},
      {"expand", 24, 'L', 2 * 64}, /* the flags; two vertices expand, */
      {"expand", 30, 'L', 4},      /* with two arcs each, */
      {"expand", 32, 'S', 3},      /* which lead to three new ones */
      {"expand", 33, 'S', 3},
      {"advance", 41, 'L', 2 * 64},
      {"advance", 0, 'S', 3 * 3},
      {"check", 0, 'L', 64}}},
    {"reduce.cl",
     "",
     "--kernel reduce --global 256 --local 64 --arg buf:int4:256=iota --arg buf:sum:int:1 --arg local:256 "
     "--kernel check --global 1 --local 1 --arg buf:sum --arg int:523776", /* 1023 * 1024 / 2 */
     {{"reduce", 17, 'L', 256}, {"reduce", 22, 'C', 4}, {"check", 0, 'L', 1}}},
    {"histogram.cl",
     "-DBINS=16",
     "--kernel histogram --global 128 --local 32 --arg buf:in:uchar4:128=random:0:99 --arg buf:bin:uint:16 "
     "--kernel check --global 16 --local 16 --arg buf:in --arg buf:bin --arg int:512",
     {{"histogram", 12, 'L', 128}, {"histogram", 19, 'C', 4 * 16}, {"check", 27, 'L', 512 * 16}}},
    {"scan.cl",
     "",
     "--kernel groups --global 512 --local 64 --arg buf:in:int:512=random:-9:9 --arg buf:out:int:512 "
     "--arg buf:sum:int:8 --arg local:256 "
     "--kernel sums --global 8 --local 8 --arg buf:sum --arg local:32 "
     "--kernel add --global 512 --local 64 --arg buf:out --arg buf:sum "
     "--kernel check --global 512 --local 64 --arg buf:in --arg buf:out",
     {{"groups", 0, 'L', 512},
      {"groups", 0, 'S', 512 + 8},
      {"sums", 0, 'L', 8},
      {"sums", 0, 'S', 8},
      {"add", 36, 'L', 2 * 7 * 64},
      {"add", 36, 'S', 7 * 64},
      {"check", 42, 'L', 512 + 512 + 511}}},
    {"bitonic.cl",
     "-DHALF=64",
     "--kernel sort --global 128 --local 64 --arg buf:key:uint:256=random "
     "--kernel check --global 256 --local 64 --arg buf:key",
     {{"sort", 0, 'L', 256}, {"sort", 0, 'S', 256}, {"check", 0, 'L', 2 * (256 - 2)}}},
    {"spmv.cl",
     "-DREAL=long -DTHREADS=8",
     "--kernel rows --global 65 --local 65 --arg buf:row:int:65 --arg int:20 "
     "--kernel scalar --global 64 --local 32 --arg buf:row --arg buf:col:int:1280=random:0:63 "
     "--arg buf:val:long:1280=random:-99:99 --arg buf:x:long:64=random:-99:99 --arg buf:y:long:64 "
     "--kernel vectors --global 512 --local 64 --arg buf:row --arg buf:col --arg buf:val --arg buf:x "
     "--arg buf:z:long:64 --arg local:512 "
     "--kernel check --global 64 --local 64 --arg buf:y --arg buf:z",
     {{"rows", 0, 'S', 65},
      {"scalar", 16, 'L', 3 * 1280},
      {"scalar", 0, 'S', 64},
      {"vectors", 26, 'L', 3 * 1280},
      {"vectors", 0, 'S', 64},
      {"check", 0, 'L', 2 * 64}}},
    {"clusters.cl",
     "-D CLUSTERS=5",
     "--kernel assign --global 128 --local 64 --arg buf:p:float2:128=random --arg buf:c:float2:5=random "
     "--arg buf:o:int2:128 --arg int:1 "
     "--kernel check --global 128 --local 64 --arg buf:p --arg buf:c --arg buf:o --arg int:1",
     {{"assign", 0, 'L', 128 * (1 + 5)}, {"assign", 29, 'L', 128 * 5}, {"assign", 36, 'S', 2 * 128}}},
    {"solve.cl",
     "-DBLOCK_SIZE=32",
     "--kernel forward --global 32 --local 32 --arg buf:m:int:1024=random:0:1 --arg buf:x:int:32=iota "
     "--kernel check --global 32 --local 32 --arg buf:m --arg buf:x",
     {{"forward", 0, 'L', 32 * 32 + 32}, {"forward", 23, 'S', 32}, {"check", 0, 'L', 32 + 2 * 31 * 32 / 2}}},
    {"path.cl",
     "-DHALO=2",
     "--kernel cheapest --global 128 --local 16 --arg buf:int:192=random:3:3 --arg buf:int:96=random:7:7 "
     "--arg buf:to:int:96 --arg int:96 --arg int:0 --arg int:2 --arg local:64 --arg local:64 "
     "--kernel check --global 96 --local 96 --arg buf:to --arg int:13",
     {{"cheapest", 12, 'L', 14 + 6 * 16 + 14},
      {"cheapest", 17, 'L', (13 + 6 * 14 + 13) + 8 * 12}, /* one column less on either side in each row */
      {"cheapest", 26, 'S', 96}}},
    {"bodies.cl",
     "",
     "--kernel place --global 64 --local 64 --arg buf:b:float4:64 "
     "--kernel forces --global 64 --local 32 --arg buf:b --arg buf:f:float4:64 --arg local:512 "
     "--arg struct:int:64/float:1/float4:0,5,0,0 "
     "--kernel check --global 64 --local 64 --arg buf:f --arg struct:int:64/float:1/float4:0,5,0,0",
     {{"place", 0, 'S', 64}, {"forces", 0, 'L', 64 + 2 * 64}, {"forces", 0, 'S', 64}}},
    {"keys.cl",
     "-DROUNDS=6 -DMASK=63",
     "--kernel find --global 64 --local 64 --arg buf:k:uint:64 --arg uint:1000 "
     "--kernel check --global 64 --local 64 --arg buf:k --arg uint:1000",
     {{"find", 0, 'L', 0}, {"find", 0, 'S', 64}}},
    {"volume.cl",
     "",
     "--kernel neighbours --global 8,6,4 --local 4,2,2 --arg buf:double:192=iota --arg buf:o:double:192 "
     "--arg struct:int:8/int:6/int:4 "
     "--kernel check --global 6,4,2 --local 3,2,1 --arg buf:o --arg struct:int:8/int:6/int:4",
     {{"neighbours", 0, 'L', 6 * 6 * 4 * 2},
      {"neighbours", 17, 'S', 6 * 4 * 2},
      {"check", 0, 'L', 6 * 4 * 2}}},
    {"product.cl",
     "-DTILE=8 -DDOUBLE",
     "--kernel product --global 32,32 --local 8,8 --arg buf:a:double:1024=random --arg "
     "buf:b:double:1024=random "
     "--arg buf:c:double:1024 --arg int:32 --arg double:2 --arg double:0 "
     "--kernel check --global 32,32 --local 32,1 --arg buf:a --arg buf:b --arg buf:c --arg int:32 --arg "
     "double:2",
     {{"product", 20, 'L', 32 * 32 * 4},
      {"product", 21, 'L', 32 * 32 * 4},
      {"product", 28, 'L', 32 * 32},
      {"product", 28, 'S', 32 * 32},
      {"check", 36, 'L', 32 * 32 * 32 * 2}}},
    {"resample.cl",
     "",
     "--kernel resample --global 128 --local 64 --arg buf:double:100=iota --arg buf:x:double:100=random "
     "--arg buf:o:double:100 --arg buf:c:int:100 --arg int:100 --arg double:0.5 "
     "--kernel check --global 100 --local 100 --arg buf:x --arg buf:o --arg buf:c --arg int:100 --arg "
     "double:0.5",
     {{"resample", 28, 'S', 100}, {"resample", 29, 'L', 100}, {"resample", 29, 'S', 100}}},
    {"flux.cl",
     "-DREAL=float -DDIMENSIONS=3",
     "--kernel flux --global 64 --local 32 --arg buf:int:256=random:5:5 --arg buf:float:320=random:2:2 "
     "--arg buf:o:float:320 --arg int:64 "
     "--kernel check --global 320 --local 64 --arg buf:o",
     {{"flux", 33, 'L', 4 * 64}, {"flux", 0, 'L', 4 * 64 + 64 * 5 * (1 + 4)}, {"flux", 0, 'S', 64 * 5}}},
    {"queue.cl",
     "-DROOM=64",
     "--kernel collect --global 256 --local 64 --arg buf:int:256=iota --arg buf:o:int:100 --arg buf:t:int:1 "
     "--arg int:100 "
     "--kernel check --global 100 --local 100 --arg buf:o --arg buf:t --arg int:100",
     {{"collect", 12, 'L', 256}, {"collect", 17, 'C', 4}, {"collect", 20, 'S', 100}, {"check", 0, 'L', 200}}},
    {"ellipse.cl",
     "-DPOINTS=8",
     "--kernel contrast --global 16,8 --local 16,1 --arg buf:i:uchar:240=random --arg buf:o:ushort:240 "
     "--arg int:20 --arg local:16 "
     "--kernel check --global 16,8 --local 16,1 --arg buf:i --arg buf:o --arg int:20",
     {{"contrast", 11, 'L', 16 * 8}, {"contrast", 13, 'L', 16 * 8 * 8}, {"contrast", 16, 'S', 16 * 8}}},
    {"bytes.cl",
     "",
     "--kernel invert --global 64 --local 64 --arg buf:a:uchar:6400=random --arg buf:b:uchar:6400 "
     "--arg int:100 "
     "--kernel check --global 6400 --local 64 --arg buf:a --arg buf:b",
     {{"invert", 9, 'L', 6400}, {"invert", 9, 'S', 6400}, {"check", 0, 'L', 2 * 6400}}},
    {"builtins.cl",
     "",
     "--kernel functions --global 32 --local 32 --arg buf:float4:1 --arg float:1 "
     "--kernel halves --global 1 --local 1 --arg buf:half:16 --arg buf:half:16=iota --arg float:1 "
     "--kernel copies --global 64 --local 32 --arg buf:int2:96=random --arg buf:int2:192 --arg local:384",
     {{"halves", 103, 'L', 3},
      {"copies", 118, 'L', 96},
      {"copies", 120, 'S', 96},
      {"copies", 123, 'L', 2 * 96}}},
    {"sub_group.cl", "-DLANES=32", SUB_GROUPS, {{"groups", 107, 'L', 200}}},
    {"sub_group.cl", "-DLANES=64 --lanes 64", SUB_GROUPS, {{"groups", 107, 'L', 200}}},
    {"vendors.cl",
     "",
     "--kernel lanes --global 128 --local 64 --arg buf:x:int:128=random --kernel blocks --global 32 --local "
     "32 "
     "--arg buf:ushort:1024=random --arg buf:ushort:256 --kernel numbers --global 1 --local 1 --arg buf:x",
     {{"blocks", 36, 'L', 16 * 32}, {"blocks", 43, 'S', 4 * 32}}},
    {"vendors.cl",
     "-D cl_qcom_reqd_sub_group_size --lanes 64",
     "--kernel lanes --global 128 --local 64 --arg buf:x:int:128=random --kernel blocks --global 64 --local "
     "64 "
     "--arg buf:ushort:1024=random --arg buf:ushort:256 --kernel numbers --global 1 --local 1 --arg buf:x",
     {{"blocks", 36, 'L', 16 * 64}, {"blocks", 43, 'S', 4 * 64}}},
    {"wide.cl",
     "",
     "--kernel product --global 64 --local 64 --arg buf:x:float:512=random --arg buf:y:float16:16=random "
     "--arg buf:o:float:2048 --kernel check --global 32,64 --local 32,2 --arg buf:x --arg buf:y --arg buf:o "
     "--kernel halves --global 16 --local 16 --arg buf:half:16=iota --arg buf:half:16",
     {{"product", 16, 'L', 8 * 64}, {"product", 22, 'S', 64}}},
    {"atomics2.cl",
     "",
     "--kernel count --global 256 --local 64 --arg buf:s:int:1 --arg buf:m:uint:1 --arg buf:float:1 --arg "
     "buf:l:int:8 "
     "--kernel check --global 1 --local 1 --arg buf:s --arg buf:m --arg buf:l --arg int:256 "
     "--kernel halves --global 16 --local 16 --arg buf:half:64=random:0:3 --arg buf:half:64 "
     "--kernel bits --global 1 --local 1",
     {{"count", 17, 'C', 4}, {"count", 18, 'C', 256}, {"halves", 36, 'L', 16}}},
};

/* Lane accesses of that kernel, of that kind, at that line. */
static uint64_t count(const char *path, const char *kernel, unsigned line, char kind)
{
    struct gwt_reader *r;
    struct gwt_record record;
    struct mp_error err;
    const struct gwt_kernel *running = NULL;
    uint64_t n = 0;
    if (gwt_open(&r, path, &err))
        fail_msg("%s", err.text);
    do {
        if (gwt_next(r, &record, &err))
            fail_msg("%s", err.text);
        if (record.kind == GWT_KERNEL)
            running = record.kernel;
        if (record.kind != GWT_CTA || !running)
            continue;
        for (uint32_t w = 0; w < record.cta->nwarps; w++)
            for (struct gwt_event e; gwt_warp_next(record.cta->warp[w], &e);) {
                if (e.kind != GWT_ACCESS || strcmp(running->name, kernel) != 0)
                    continue;
                const struct gwt_pc *pc = &running->pcs[e.pc];
                n += pc->kind == kind && (line == 0 || pc->line == line) ? e.active : 0;
            }
        gwt_cta_release(r, record.cta);
    } while (record.kind != GWT_END);
    gwt_close(r);
    return n;
}

static void record_all(const char *calls)
{
    char said[2048], path[128];
    path_in(path, "user.gwt.zst");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct user_case *c = &cases[i];
        if (run(said, "--cl " USER_KERNELS "/%s -I " USER_KERNELS "/include %s %s %s -o user.gwt.zst --quiet",
                c->file, c->options, calls, c->launches) != 0 ||
            said[0])
            fail_msg("%s: %s", c->file, said);
        for (unsigned k = 0; k < MOST && c->expected[k].kernel; k++) {
            const uint64_t got = count(path, c->expected[k].kernel, c->expected[k].line, c->expected[k].kind);
            if (got != c->expected[k].lane_accesses)
                fail_msg("%s: kernel %s, line %u, %c: %llu lane accesses, expected %llu", c->file,
                         c->expected[k].kernel, c->expected[k].line, c->expected[k].kind,
                         (unsigned long long)got, (unsigned long long)c->expected[k].lane_accesses);
        }
    }
    unlink(path);
}

static void every_style_records(void **state)
{
    (void)state;
    record_all("");
}

static void functions_that_are_not_inlined_access_the_same(void **state)
{
    (void)state;
    record_all("--inline-limit 0");
}

/* The checking kernels find a wrong result: here their parameters differ from those of the computation. */
static void wrong_results_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct user_case *c = &cases[i];
        if (strcmp(c->file, "reduce.cl") != 0 && strcmp(c->file, "queue.cl") != 0)
            continue;
        char line[2048];
        snprintf(line, sizeof line,
                 "--cl " USER_KERNELS "/%s -I " USER_KERNELS "/include %s %.*s1 -o t.gwt --quiet", c->file,
                 c->options, (int)strlen(c->launches), c->launches); /* 5237761, 1001 */
        refused(1, line, "kernel check, line");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_style_records),
        cmocka_unit_test(functions_that_are_not_inlined_access_the_same),
        cmocka_unit_test(wrong_results_are_found),
    };
    return cmocka_run_group_tests(tests, command_begin, command_end);
}
