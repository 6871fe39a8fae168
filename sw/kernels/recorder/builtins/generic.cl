/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in functions with generic pointers, of OpenCL C 2.0: those of named address spaces once more. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define GENERIC
#define A __attribute__((overloadable))
#include "pointer.cl"
#include "half_pointer.cl"
#include "memory.cl"
#undef A
#include "atomic11.cl"

/* Which memory a pointer is into. clang calls these functions so. */
uint record_space_of(ulong address);
__global void *__to_global(__generic void *p) { return record_space_of((ulong)p) == 1 ? (__global void *)p : 0; }
__local void *__to_local(__generic void *p) { return record_space_of((ulong)p) == 3 ? (__local void *)p : 0; }
__private void *__to_private(__generic void *p) { return record_space_of((ulong)p) == 0 ? (__private void *)p : 0; }
cl_mem_fence_flags __attribute__((overloadable)) get_fence(const __generic void *p)
{
    const uint space = record_space_of((ulong)p);
    return space == 1 ? CLK_GLOBAL_MEM_FENCE : space == 3 ? CLK_LOCAL_MEM_FENCE : 0; /* private memory needs none */
}
cl_mem_fence_flags __attribute__((overloadable)) get_fence(__generic void *p) { return get_fence((const __generic void *)p); }
