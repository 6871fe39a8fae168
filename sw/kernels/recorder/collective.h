/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collectives: what work-items of a warp, or of a work-group, do together, such as shuffles, votes and sums.
 * The built-in functions (OpenCL C, CUDA C++) call ulong record_collective(uint what, ulong value, uint
 * argument) where `what` is a constant, of these numbers; the kernel compiler gives the place to the runtime
 * (collective.c).
 */
#ifndef MP_RECORDER_COLLECTIVE_H
#define MP_RECORDER_COLLECTIVE_H

/* Of a warp, those that are at the same place take part; of a work-group, all. */
#define COLLECTIVE_BARRIER   0u /* nothing more */
#define COLLECTIVE_SHUFFLE   1u /* the value of number `argument`; its own if that one takes no part */
#define COLLECTIVE_BALLOT    2u /* of a warp: a mask of those whose value is not 0 */
#define COLLECTIVE_MATCH     3u /* of a warp: a mask of those with the same value */
#define COLLECTIVE_REDUCE    4u /* the combination of all values; with `argument` N, of each N neighbours */
#define COLLECTIVE_INCLUSIVE 5u /* that of those before and its own, likewise */
#define COLLECTIVE_EXCLUSIVE 6u /* that of those before, likewise; the neutral value for the first */
#define COLLECTIVE_MATRIX                                                                                    \
    7u /* of 32 lanes: the value is the address of a struct recorder_multiply (matrix.h) */
#define COLLECTIVE_FORM 0x7fu

#define COLLECTIVE_GROUP 0x80u /* of the work-group: a barrier, too */

/* Of each 32 lanes of a warp, as CUDA has them: a warp of 64 is two of CUDA's. `argument` counts within them.
 */
#define COLLECTIVE_CUDA 0x80000000u
#define CUDA_LANES      32u

#define COLLECTIVE_TYPE(t) ((t) << 8)
#define COLLECTIVE_INT     0u
#define COLLECTIVE_UINT    1u
#define COLLECTIVE_LONG    2u
#define COLLECTIVE_ULONG   3u
#define COLLECTIVE_FLOAT   4u
#define COLLECTIVE_DOUBLE  5u

#define COLLECTIVE_COMBINE(c) ((c) << 16)
#define COLLECTIVE_ADD        0u
#define COLLECTIVE_MIN        1u
#define COLLECTIVE_MAX        2u
#define COLLECTIVE_AND        3u
#define COLLECTIVE_OR         4u
#define COLLECTIVE_XOR        5u
#define COLLECTIVE_MUL        6u

#endif
