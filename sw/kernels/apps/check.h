/* SPDX-License-Identifier: Apache-2.0 */
/* Compares a kernel's results with the reference. The first element that differs is printed; the functions
 * then return -1. */
#ifndef MP_KERNELS_CHECK_H
#define MP_KERNELS_CHECK_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

int check_failed(const char *what, size_t index, double expected, double got, double tolerance);

/* `what` names the array in the message ("ATAX: y"); the index counts elements. Integers, and floats that
 * hold small integers, are compared exactly. */
static inline int check_int(const char *what, size_t index, int64_t expected, int64_t got)
{
    return expected == got ? 0 : check_failed(what, index, (double)expected, (double)got, 0);
}

/* The tolerance is absolute; 0 demands equality. A NaN never passes. */
static inline int check_float(const char *what, size_t index, double expected, double got, double tolerance)
{
    return fabs(expected - got) <= tolerance ? 0 : check_failed(what, index, expected, got, tolerance);
}

#endif
