/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels of CUDA C++ in common styles (cuda/), recorded as a user records them. Kernels of the same file
 * check the results and stop the recording if they are wrong. What is not supported is refused with its line.
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

static const struct {
    const char *file, *launches;
} cases[] = {
    {"vectors.cu", "--kernel saxpy --grid 4 --block 128 --arg int:1000 --arg float:2 --arg "
                   "buf:x:float:1024=iota --arg buf:y:float:1024=iota --kernel 'map<float, Scale<float> "
                   ">' --grid 4 --block 256 --arg buf:x --arg buf:z:float:1024 --arg uint:1024 --arg "
                   "struct:float:8 --kernel check --grid 10 --block 100 --arg buf:x --arg buf:y --arg "
                   "buf:z --arg int:1000  --kernel scale4 --grid 1 --block 64 --arg buf:float4:64 --arg "
                   "float:2 --kernel halves --grid 1 --block 32 --arg buf:half2:32=random --arg "
                   "buf:half2:32 --arg half:2 --kernel dots --grid 1 --block 64 --arg buf:int:64=random "
                   "--arg buf:int:64=random --arg buf:int:64"},
    {"matrices.cu", "--kernel 'matmul<16>' --grid 4,4 --block 16,16 --arg buf:a:float:4096=random:0:9 "
                    "--arg buf:b:float:4096=random:0:9 --arg buf:c:float:4096 --arg int:64 --kernel "
                    "check_product --grid 4,4 --block 16,16 --arg buf:a --arg buf:b --arg buf:c --arg "
                    "int:64 --kernel transpose --grid 5,3 --block 16,16 --shared 1088 --arg buf:int:3000 "
                    "--arg buf:int:3000=random --arg int:75 --arg int:40"},
    {"matrices.cu", "--kernel blur --grid 8 --block 64 --shared 272 --arg buf:a:float:512=random --arg "
                    "buf:b:float:512 --arg int:512 --kernel check_blur --grid 8 --block 64 --arg buf:a "
                    "--arg buf:b --arg int:512"},
    {"warps.cu", "--kernel 'reduce<int>' --grid 2 --block 128 --arg buf:x:int:256=random:-99:99 --arg "
                 "buf:s:int:1 --arg int:256 --kernel 'reduce<double>' --grid 2 --block 128 --arg "
                 "buf:double:256=iota --arg buf:d:double:1 --arg int:256 --kernel scan --grid 1 "
                 "--block 256 --arg buf:x --arg buf:y:int:256 --kernel check_scan --grid 1 --block 256 "
                 "--arg buf:x --arg buf:y --arg buf:s --arg buf:d --kernel compact --grid 2 --block "
                 "128 --arg buf:x --arg buf:z:int:256 --arg buf:n:uint:1 --kernel check_compact --grid "
                 "1 --block 256 --arg buf:x --arg buf:z --arg buf:n --arg int:256 --kernel tiles "
                 "--grid 1 --block 64 --arg buf:x"},
    {"graphs.cu", "--kernel histogram --grid 4 --block 64 --arg buf:x:uchar:4096=random --arg "
                  "buf:h:uint:256 --arg int:4096 --kernel check_histogram --grid 1 --block 256 --arg "
                  "buf:x --arg buf:h --arg int:4096 --kernel make_graph --grid 8 --block 128 --arg "
                  "buf:r:int:1025 --arg buf:c:int:2048 --arg buf:l:int:1024 --arg int:1024 --kernel "
                  "expand --grid 8 --block 128 --arg buf:r --arg buf:c --arg buf:l --arg buf:m:int:1 "
                  "--arg int:0 --kernel expand --grid 8 --block 128 --arg buf:r --arg buf:c --arg buf:l "
                  "--arg buf:m --arg int:1 --kernel expand --grid 8 --block 128 --arg buf:r --arg buf:c "
                  "--arg buf:l --arg buf:m --arg int:2 --kernel check_levels --grid 8 --block 128 --arg "
                  "buf:r --arg buf:c --arg buf:l --kernel spmv --grid 128 --block 256 --arg buf:r --arg "
                  "buf:c --arg buf:float:1024=random:0:9 --arg buf:float:1024 --arg int:1024 --kernel "
                  "bitonic --grid 1 --block 512 --shared 2048 --arg buf:uint:512=random"},
    {"symbols.cu",
     "--kernel scale --symbol factor:float=2.5 --symbol table:int=0,10,20,30 --grid 2 --block 32 --arg "
     "buf:x:float:64=iota --arg buf:y:float:64 --kernel check --grid 2 --block 32 --arg buf:x --arg buf:y "
     "--arg float:2.5 --arg uint:69 --kernel scale --symbol factor:float=-1 --symbol "
     "filters::weights:double=iota --symbol counter:uint=0 --grid 2 --block 32 --arg buf:x --arg buf:y "
     "--kernel check --grid 2 --block 32 --arg buf:x --arg buf:y --arg float:-1 --arg uint:64"},
    {"textures.cu",
     "--kernel copy --grid 2,2 --block 16,8 --arg image:a:float:32x16=iota --arg image:b:float:32x16 "
     "--arg int:32 --arg int:16 --kernel check --grid 2,2 --block 16,8 --arg image:a --arg image:b --arg "
     "int:32 --arg int:16 --kernel others --grid 1 --block 32 --arg image:l:float4:32=iota --arg "
     "image:uchar2:4x8=iota --arg image:float:4,linear,normalized=iota --arg image:int:4x1x8=iota --arg "
     "buf:float4:32=iota"},
    {"tensors.cu", "--kernel multiply --grid 2,2 --block 32 --arg buf:a:half:2048=random:0:9 --arg "
                   "buf:b:half:2048=random:0:9 --arg buf:c:float:1024 --arg int:32 --arg int:32 --arg int:64 "
                   "--kernel check --grid 1,32 --block 32 --arg buf:a --arg buf:b --arg buf:c --arg int:32 "
                   "--arg int:32 --arg int:64"},
    {"tensors.cu", "--kernel 'tile<16,16,half,float,nvcuda::wmma::row_major,nvcuda::wmma::row_major>' --grid "
                   "1 --block 32 --arg buf:half:256=random:0:9 --arg buf:half:256=random:0:9 --arg "
                   "buf:float:256=random:0:9 --arg buf:float:256 --arg int:1 --kernel "
                   "'tile<16,16,half,half,nvcuda::wmma::col_major,nvcuda::wmma::col_major>' --grid 1 --block "
                   "32 --arg buf:half:256=random:0:3 --arg buf:half:256=random:0:3 --arg "
                   "buf:half:256=random:0:9 --arg buf:half:256 --arg int:0"},
    {"tensors.cu", "--kernel 'tile<32,8,half,float,nvcuda::wmma::row_major,nvcuda::wmma::col_major>' --grid "
                   "1 --block 32 --arg buf:half:512=random:0:9 --arg buf:half:128=random:0:9 --arg "
                   "buf:float:256=random:0:9 --arg buf:float:256 --arg int:0 --kernel "
                   "'tile<8,32,half,float,nvcuda::wmma::col_major,nvcuda::wmma::row_major>' --grid 1 --block "
                   "32 --arg buf:half:128=random:0:9 --arg buf:half:512=random:0:9 --arg "
                   "buf:float:256=random:0:9 --arg buf:float:256 --arg int:1"},
    {"tensors.cu",
     "--kernel 'tile<16,16,signedchar,int,nvcuda::wmma::row_major,nvcuda::wmma::col_major>' --grid 1 --block "
     "32 --arg buf:char:256=random --arg buf:char:256=random --arg buf:int:256=random:0:9 --arg buf:int:256 "
     "--arg int:1 --kernel 'tile<8,32,unsignedchar,int,nvcuda::wmma::row_major,nvcuda::wmma::row_major>' "
     "--grid 1 --block 32 --arg buf:uchar:128=random --arg buf:uchar:512=random --arg buf:int:256=random:0:9 "
     "--arg buf:int:256 --arg int:0"},
    {"tensors.cu",
     "--kernel 'tile<16,16,__nv_bfloat16,float,nvcuda::wmma::row_major,nvcuda::wmma::col_major>' --grid 1 "
     "--block 32 --arg buf:bfloat:256=random:-9:9 --arg buf:bfloat:256=random:-9:9 --arg "
     "buf:float:256=random:-9:9 --arg buf:float:256 --arg int:0 --kernel "
     "'tile<32,8,__nv_bfloat16,float,nvcuda::wmma::col_major,nvcuda::wmma::col_major>' --grid 1 --block 32 "
     "--arg buf:bfloat:512=random:-9:9 --arg buf:bfloat:128=random:-9:9 --arg buf:float:256=random:-9:9 "
     "--arg buf:float:256 --arg int:1 --kernel "
     "'tile<8,32,__nv_bfloat16,float,nvcuda::wmma::row_major,nvcuda::wmma::row_major>' --grid 1 --block 32 "
     "--arg buf:bfloat:128=random:-9:9 --arg buf:bfloat:512=random:-9:9 --arg buf:float:256=random:-9:9 "
     "--arg buf:float:256 --arg int:1"},
    {"tensors.cu", "--kernel 'rounded<nvcuda::wmma::row_major,nvcuda::wmma::col_major>' --grid 1 --block 32 "
                   "--arg buf:float:128=random:-9:9 --arg buf:float:128=random:-9:9 --arg "
                   "buf:float:256=random:-9:9 --arg buf:float:256 --kernel "
                   "'rounded<nvcuda::wmma::col_major,nvcuda::wmma::row_major>' --grid 1 --block 32 --arg "
                   "buf:float:128=random:-9:9 --arg buf:float:128=random:-9:9 --arg "
                   "buf:float:256=random:-9:9 --arg buf:float:256"},
    {"bfloats.cu",
     "--kernel arithmetic --grid 32 --block 128 --arg buf:x:bfloat:4096=random:-9:9 --arg "
     "buf:bfloat:4096=random:-1:1 --arg buf:float:4096=random:-300:300 --arg int:4000 --kernel axpy --grid "
     "16 --block 128 --arg buf:bfloat2:2048=random --arg buf:x --arg struct:bfloat:-0.7 --arg int:2000 "
     "--kernel rms_norm --grid 4 --block 64 --arg buf:x --arg buf:w:bfloat:1024=random:1:1 --arg "
     "buf:y:bfloat:4096 --arg int:128 --arg float:1e-5 --kernel check_norm --grid 1 --block 4 --arg buf:y "
     "--arg int:1024"},
    {"copies.cu", "--kernel stages --grid 1 --block 64 --arg buf:x:float4:512=random --arg buf:s:float:64 "
                  "--arg int:8 --kernel check_stages --grid 1 --block 64 --arg buf:x --arg buf:s --arg int:8 "
                  "--kernel blocks --grid 2 --block 64 --shared 512 --arg buf:v:int:128=random --arg "
                  "buf:int:128 --arg int:64 --kernel groups --grid 1 --block 64 --arg buf:v"},
    {"models.cu",
     "--kernel layernorm --grid 8 --block 128 --arg buf:x:float4:1024=random --arg "
     "buf:y:float4:1024 --arg int:128 --arg float:1e-5 --kernel check_rows --grid 1 "
     "--block 8 --arg buf:y --arg int:512 --arg float:0 --arg float:512 --kernel softmax "
     "--grid 8 --block 128 --arg buf:x --arg buf:y --arg int:512 --kernel check_rows "
     "--grid 1 --block 8 --arg buf:y --arg int:512 --arg float:1 --arg float:-1 --kernel "
     "gather --grid 64 --block 32 --arg buf:float2:32000=random --arg "
     "buf:long:64=random:0:999 --arg buf:float2:2048 --arg int:32 --kernel attention "
     "--grid 4 --block 32 --arg buf:q:float:128=random --arg buf:k:float:16384=random "
     "--arg buf:v:float:16384=random --arg buf:t:int:8=random:0:7 --arg buf:o:float:128 "
     "--arg struct:int:100/int:16 --kernel check_attention --grid 4 --block 32 --arg buf:q "
     "--arg buf:k --arg buf:v --arg buf:t --arg buf:o --arg struct:int:100/int:16 --kernel "
     "first --grid 1 --block 32 --arg struct:buf:k/buf:v/buf:t/int:100/int:16 --arg buf:float:32 --kernel "
     "bodies --grid 2 --block 64 --arg buf:float4:128=random --arg buf:float:384 --arg "
     "int:128"},
};

/* Each step-th case. */
static void record_cases(const char *calls, size_t step)
{
    char said[2048];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i += step)
        if (run(said, "--cu " CUDA "/%s %s %s -o cuda.gwt.zst --quiet", cases[i].file, calls,
                cases[i].launches) != 0 ||
            said[0])
            fail_msg("%s: %s", cases[i].file, said);
    char path[128];
    path_in(path, "cuda.gwt.zst");
    unlink(path);
}

static void every_style_records(void **state)
{
    (void)state;
    record_cases("", 1);
}

/* A warp of 64 lanes is two of CUDA's, whose masks have 32 bits. */
static void functions_that_are_not_inlined_and_wide_warps_compute_the_same(void **state)
{
    (void)state;
    record_cases("--inline-limit 0 --lanes 64", 3);
}

static void wrong_results_are_found(void **state)
{
    (void)state;
    refused(1,
            "--cu " CUDA
            "/models.cu --kernel check_rows --grid 1 --block 8 --arg buf:float:64=iota --arg int:8 "
            "--arg float:1 --arg float:-1 -o t.gwt",
            "kernel check_rows, line");
    refused(1,
            "--cu " CUDA
            "/vectors.cu --kernel saxpy --grid 1 --block 64 --arg int:64 --arg float:2 --arg buf:float:64 "
            "--arg buf:float:63 -o t.gwt",
            "kernel saxpy, line 19, work-item (63,0,0): reads 4 bytes at device address 0x10010");
}

/* Vectors of 16 bytes are one access, shared memory is none, and dynamic shared memory counts for the
 * work-group. */
static void accesses(void **state)
{
    (void)state;
    char said[2048], path[128];
    struct gwt_reader *r;
    struct gwt_record record;
    struct gwt_event e;
    struct mp_error err;
    if (run(said, "--cu " CUDA
                  "/vectors.cu --kernel scale4 --grid 1 --block 32 --shared 500 --arg buf:float4:32 --arg "
                  "float:2 -o t.gwt --quiet") != 0)
        fail_msg("%s", said);
    path_in(path, "t.gwt");
    if (gwt_open(&r, path, &err))
        fail_msg("%s", err.text);
    do
        assert_int_equal(gwt_next(r, &record, &err), 0);
    while (record.kind != GWT_KERNEL);
    assert_string_equal(record.kernel->name, "scale4");
    assert_int_equal(record.kernel->local_bytes, 500);
    assert_int_equal(record.kernel->npcs, 2);
    assert_int_equal(record.kernel->pcs[0].line, 37);
    assert_int_equal(gwt_next(r, &record, &err), 0);
    for (unsigned i = 0; i < 2; i++) {
        assert_true(gwt_warp_next(record.cta->warp[0], &e));
        assert_int_equal(e.op, i ? GWT_STORE : GWT_LOAD);
        assert_int_equal(e.bytes, 16);
        assert_int_equal(e.stride, 16);
    }
    gwt_cta_release(r, record.cta);
    gwt_close(r);
    unlink(path);
}

/* A warp's accesses of one size at a line. */
static unsigned count(const char *trace, unsigned line, unsigned bytes)
{
    char path[128];
    struct gwt_reader *r;
    struct gwt_record record;
    struct mp_error err;
    const struct gwt_kernel *running = NULL;
    unsigned n = 0;
    path_in(path, trace);
    if (gwt_open(&r, path, &err))
        fail_msg("%s", err.text);
    do {
        assert_int_equal(gwt_next(r, &record, &err), 0);
        running = record.kind == GWT_KERNEL ? record.kernel : running;
        if (record.kind != GWT_CTA)
            continue;
        for (struct gwt_event e; gwt_warp_next(record.cta->warp[0], &e);)
            n += e.kind == GWT_ACCESS && running->pcs[e.pc].line == line && e.bytes == bytes;
        gwt_cta_release(r, record.cta);
    } while (record.kind != GWT_END);
    gwt_close(r);
    return n;
}

/* Pairs of halves and of floats, as the layout of fragments in matrix.h says. */
static void accesses_of_tensor_cores(void **state)
{
    (void)state;
    char said[2048], path[128];
    if (run(said,
            "--cu " CUDA "/tensors.cu --kernel multiply --grid 1 --block 32 --arg buf:half:256 --arg "
            "buf:half:256 --arg buf:float:256 --arg int:16 --arg int:16 --arg int:16 -o t.gwt --quiet") != 0)
        fail_msg("%s", said);
    assert_int_equal(count("t.gwt", 18, 4), 4);
    assert_int_equal(count("t.gwt", 19, 4), 4);
    assert_int_equal(count("t.gwt", 24, 8), 4);
    if (run(said, "--cu " CUDA
                  "/tensors.cu --kernel 'rounded<nvcuda::wmma::row_major,nvcuda::wmma::col_major>' --grid 1 "
                  "--block 32 --arg buf:float:128 --arg buf:float:128 --arg buf:float:256 --arg "
                  "buf:float:256 -o t.gwt --quiet") != 0)
        fail_msg("%s", said);
    assert_int_equal(count("t.gwt", 75, 4), 4); /* no pairs */
    path_in(path, "t.gwt");
    unlink(path);
}

/* A pair of bf16 is one access. */
static void accesses_of_pairs(void **state)
{
    (void)state;
    char said[2048], path[128];
    if (run(said, "--cu " CUDA "/bfloats.cu --kernel axpy --grid 1 --block 32 --arg buf:bfloat2:32 --arg "
                  "buf:bfloat2:32 --arg struct:bfloat:2 --arg int:32 -o t.gwt --quiet") != 0)
        fail_msg("%s", said);
    assert_int_equal(count("t.gwt", 51, 4), 3);
    path_in(path, "t.gwt");
    unlink(path);
}

/* A symbol's file has exactly its bytes. */
static void a_symbol_from_a_file(void **state)
{
    (void)state;
    char said[2048], path[128];
    write_file("ten", "\n\n\n\n"); /* 0x0a0a0a0a */
    write_file("file.cu", "__constant__ int ten;\n__global__ void k()\n{\n    if (ten != 0x0a0a0a0a)\n"
                          "        __trap();\n}\n");
    if (run(said, "--cu file.cu --kernel k --grid 1 --block 32 --symbol ten:int=ten -o t.gwt --quiet") != 0)
        fail_msg("%s", said);
    path_in(path, "t.gwt");
    unlink(path);
    refused(1, "--cu file.cu --kernel k --grid 1 --block 32 --symbol ten:int=zero -o t.gwt",
            "kernel k, line 5");
    refused(2, "--cu file.cu --kernel k --grid 1 --block 32 --symbol ten:int=file.cu -o t.gwt",
            "--symbol ten:int=file.cu: file.cu holds more; exactly 4 bytes");
}

static void what_is_not_supported_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *options, *says;
    } wrong[] = {
        {"#include <mma.h>\n__global__ void k(float *x)\n{\n"
         "    nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 8, float> f;\n}\n",
         "--kernel k --grid 1 --block 32 --arg buf:float:1",
         "wrong.cu:4:70: error: implicit instantiation of undefined template"},
        {"#include <mma.h>\nusing namespace nvcuda::wmma;\n__global__ void k(float *x)\n{\n"
         "    fragment<matrix_a, 16, 16, 16, precision::tf32, row_major> f;\n}\n",
         "--kernel k --grid 1 --block 32 --arg buf:float:1",
         "wrong.cu:5:64: error: implicit instantiation of undefined template"},
        {"#include <mma.h>\nusing namespace nvcuda::wmma;\n__global__ void k(float *x)\n{\n"
         "    fragment<accumulator, 8, 8, 4, double> f;\n}\n",
         "--kernel k --grid 1 --block 32 --arg buf:float:1",
         "wrong.cu:5:44: error: implicit instantiation of undefined template"},
        {"#include <mma.h>\nusing namespace nvcuda::wmma;\n__global__ void k(float *x)\n{\n"
         "    fragment<matrix_a, 16, 16, 16, __nv_bfloat16, row_major> a;\n"
         "    fragment<matrix_b, 16, 16, 16, __nv_bfloat16, row_major> b;\n"
         "    fragment<accumulator, 16, 16, 16, half> c;\n    mma_sync(c, a, b, c);\n}\n",
         "--kernel k --grid 1 --block 32 --arg buf:float:1",
         "wrong.cu:8:5: error: no matching function for call to 'mma_sync'"},
        {"#include <cuda_bf16.h>\n__global__ void k(__nv_bfloat16 *x)\n{\n    x[0] = __hfma_sat(x[0], x[1], "
         "x[2]);\n}\n",
         "--kernel k --grid 1 --block 32 --arg buf:bfloat:3",
         "wrong.cu:4:12: error: use of undeclared identifier '__hfma_sat'"},
        {"#include <cooperative_groups.h>\n__global__ void k(float *x)\n{\n"
         "    auto &g = cooperative_groups::this_grid();\n}\n",
         "--kernel k --grid 1 --block 32 --arg buf:float:1",
         "wrong.cu:4:35: error: 'this_grid' is unavailable: synchronisation of the whole grid"},
        {"__global__ void inner() {}\n__global__ void k() { inner<<<1, 32>>>(); }\n",
         "--kernel k --grid 1 --block 32", "wrong.cu:2:"},
        {"__device__ int f(int *x) { asm volatile(\"membar.gl;\"); return *x; }\n"
         "__global__ void k(int *x)\n{\n    x[0] = f(x + 1) + f(x + 2);\n}\n",
         "--inline-limit 0 --kernel k --grid 1 --block 32 --arg buf:int:3",
         "wrong.cu:1: kernel k has inline assembly"},
        {"__global__ void k(int *x)\n{\n    asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(*x));\n}\n",
         "--kernel k --grid 1 --block 32 --arg buf:int:1", "wrong.cu:3: kernel k has inline assembly"},
        {"__device__ int deep(int n) { return n ? deep(n - 1) + n * deep(n / 2) : 1; }\n"
         "__global__ void k(int *x) { *x = deep(*x); }\n",
         "--kernel k --grid 1 --block 32 --arg buf:int:1",
         "recursion and calls of launched kernels are not supported"},
        {"texture<float, 1> t;\n__global__ void k(float *x) { *x = tex1Dfetch(t, 0); }\n",
         "--kernel k --grid 1 --block 32 --arg buf:float:1",
         "wrong.cu:1:1: error: no template named 'texture'"},
        {"__constant__ float3 f;\n__device__ char c;\n__global__ void k(float *x) { *x = f.y; }\n",
         "--kernel k --grid 1 --block 32 --symbol c:char=1 --arg buf:float:1",
         "--symbol c:char=1: no launched kernel uses a variable of that name"},
        {"__constant__ float3 f;\n__global__ void k(float *x) { *x = f.y; }\n",
         "--kernel k --grid 1 --block 32 --symbol f:float=1,2 --arg buf:float:1",
         "--symbol f:float=1,2: not 3 numbers of type float with commas"},
        {"__constant__ float3 f;\n__global__ void k(float *x) { *x = f.y; }\n",
         "--kernel k --grid 1 --block 32 --symbol f:double=1 --arg buf:float:1",
         "--symbol f:double=1: the variable has 12 bytes"},
        {"__constant__ float3 f;\n__global__ void k(float *x) { *x = f.y; }\n",
         "--kernel k --grid 1 --block 32 --symbol f=1 --arg buf:float:1",
         "--symbol f=1: not a name, a type and a value"},
        {"__global__ void k(cudaTextureObject_t t, float *x) { *x = tex1Dfetch<float>(t, 0); }\n",
         "--kernel k --grid 1 --block 32 --arg image:float:4,smooth --arg buf:float:1",
         "--arg image:float:4,smooth: the size is wrong"},
        {"template <typename T> __global__ void k(T *x) { *x = 1; }\ntemplate __global__ void k<int>(int "
         "*);\n",
         "--kernel k --grid 1 --block 32 --arg buf:int:1", "k: no such kernel; there are k<int>"},
        {"__global__ void k(int *x) { *x = 1; }\n", "--kernel k --block 32 --arg buf:int:1",
         "without --global (or --grid)"},
        {"__global__ void k(int *x) { *x = 1; }\n",
         "--kernel k --grid 1 --block 32 --shared 300000 --arg buf:int:1",
         "--shared 300000: not a size; bytes, at most 232448"},
        {"struct S { int *p; };\n__global__ void k(S s) { *s.p = 1; }\n",
         "--kernel k --grid 1 --block 32 --arg struct:buf:x",
         "member 1: no earlier buffer has that name; buf:NAME"},
        {"__global__ void k(float x) {}\n", "--kernel k --grid 1 --block 32 --arg int:1",
         "parameter x is a value of type float (4 bytes)"},
    };
    char path[128], line[1024];
    path_in(path, "wrong.cu");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        fprintf(f, "%s", wrong[i].text);
        fclose(f);
        snprintf(line, sizeof line, "--cu wrong.cu %s -o t.gwt", wrong[i].options);
        refused(2, line, wrong[i].says);
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_style_records),
        cmocka_unit_test(functions_that_are_not_inlined_and_wide_warps_compute_the_same),
        cmocka_unit_test(wrong_results_are_found),
        cmocka_unit_test(accesses),
        cmocka_unit_test(accesses_of_tensor_cores),
        cmocka_unit_test(accesses_of_pairs),
        cmocka_unit_test(a_symbol_from_a_file),
        cmocka_unit_test(what_is_not_supported_is_named),
    };
    return cmocka_run_group_tests(tests, command_begin, command_end);
}
