/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Meetings: what work-items of a warp, or of a work-group, do together, such as shuffles, votes and sums. The
 * built-in functions (OpenCL C, CUDA C++) call ulong record_meet(uint what, ulong value, uint argument) where
 * `what` is a constant, of these numbers; the kernel compiler gives the place to the runtime (meet.c).
 */
#ifndef MP_RECORDER_MEET_H
#define MP_RECORDER_MEET_H

/* Of a warp, those that are at the same place take part; of a work-group, all. */
#define MEET_BARRIER   0u /* nothing more */
#define MEET_SHUFFLE   1u /* the value of number `argument`; its own if that one takes no part */
#define MEET_BALLOT    2u /* of a warp: a mask of those whose value is not 0 */
#define MEET_MATCH     3u /* of a warp: a mask of those with the same value */
#define MEET_REDUCE    4u /* the combination of all values; with `argument` N, of each N neighbours */
#define MEET_INCLUSIVE 5u /* that of those before and its own, likewise */
#define MEET_EXCLUSIVE 6u /* that of those before, likewise; the neutral value for the first */
#define MEET_FORM      0x7fu

#define MEET_GROUP 0x80u /* of the work-group: a barrier, too */

#define MEET_TYPE(t) ((t) << 8)
#define MEET_INT     0u
#define MEET_UINT    1u
#define MEET_LONG    2u
#define MEET_ULONG   3u
#define MEET_FLOAT   4u
#define MEET_DOUBLE  5u

#define MEET_COMBINE(c) ((c) << 16)
#define MEET_ADD        0u
#define MEET_MIN        1u
#define MEET_MAX        2u
#define MEET_AND        3u
#define MEET_OR         4u
#define MEET_XOR        5u
#define MEET_MUL        6u

#endif
