/* SPDX-License-Identifier: Apache-2.0 */
/* OpenCL C 1.2's built-in functions in OpenCL C. They are linked into every recorded kernel and inlined. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#include "work_item.cl"
#include "math.cl"
#include "integer.cl"
#include "atomic.cl"
#include "convert.cl"
#include "half.cl"
#include "memory.cl"
#include "sub_group.cl"
