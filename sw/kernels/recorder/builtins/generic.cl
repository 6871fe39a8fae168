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
