/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of sub-groups, which are warps, and of work-groups. The runtime makes what takes more than one work-item. */
#include "../collective.h"

/* nomerge: calls on two ways are two collectives. */
ulong __attribute__((convergent, nomerge)) record_collective(uint what, ulong value, uint argument);

uint A get_sub_group_size(void) { return (uint)record_work_item.sub_lanes; }
uint A get_max_sub_group_size(void) { return (uint)record_work_item.lanes; }
uint A get_sub_group_id(void) { return (uint)record_work_item.sub_group; }
uint A get_sub_group_local_id(void) { return (uint)record_work_item.sub_lane; }
uint A record_cuda_lane(void) { return (uint)record_work_item.cuda_lane; }
uint A get_num_sub_groups(void)
{
    ulong items = record_work_item.local_size[0] * record_work_item.local_size[1] * record_work_item.local_size[2];
    return (uint)((items + record_work_item.lanes - 1) / record_work_item.lanes);
}
uint A get_enqueued_num_sub_groups(void) { return get_num_sub_groups(); }

void A sub_group_barrier(cl_mem_fence_flags f) { record_collective(COLLECTIVE_BARRIER, 0, 0); }
enum memory_scope { record_scope }; /* OpenCL C 2.0 has it; the name is a part of the function's */
void A sub_group_barrier(cl_mem_fence_flags f, enum memory_scope scope) { record_collective(COLLECTIVE_BARRIER, 0, 0); }

/* A value as 64 bits, and back. */
#define BITS_char(v) (uchar)(v)
#define FROM_char(v) (char)(v)
#define BITS_uchar(v) (v)
#define FROM_uchar(v) (uchar)(v)
#define BITS_short(v) (ushort)(v)
#define FROM_short(v) (short)(v)
#define BITS_ushort(v) (v)
#define FROM_ushort(v) (ushort)(v)
#define BITS_int(v) (uint)(v)
#define FROM_int(v) (int)(v)
#define BITS_uint(v) (v)
#define FROM_uint(v) (uint)(v)
#define BITS_long(v) (ulong)(v)
#define FROM_long(v) (long)(v)
#define BITS_ulong(v) (v)
#define FROM_ulong(v) (v)
#define BITS_half(v) as_ushort(v)
#define FROM_half(v) as_half((ushort)(v))
#define BITS_float(v) as_uint(v)
#define FROM_float(v) as_float((uint)(v))
#define BITS_double(v) as_ulong(v)
#define FROM_double(v) as_double(v)

/* ---- one value for another ---- */

#define RELATIVE(T, NAME, INDEX) \
    T A NAME(T v, uint n) { uint me = get_sub_group_local_id(); return sub_group_shuffle(v, INDEX); }
#define MOVES(T)                                                                                                     \
    T A sub_group_broadcast(T v, uint from) { return sub_group_shuffle(v, from); }                                   \
    T A sub_group_non_uniform_broadcast(T v, uint from) { return sub_group_shuffle(v, from); }                       \
    T A intel_sub_group_shuffle(T v, uint from) { return sub_group_shuffle(v, from); }                               \
    RELATIVE(T, sub_group_shuffle_xor, me ^ n)                                                                       \
    RELATIVE(T, sub_group_shuffle_up, me - n)                                                                        \
    RELATIVE(T, sub_group_shuffle_down, me + n)                                                                      \
    RELATIVE(T, intel_sub_group_shuffle_xor, me ^ n)                                                                 \
    T A sub_group_broadcast_first(T v) { return sub_group_shuffle(v, (uint)__builtin_ctzl(record_collective(COLLECTIVE_BALLOT, 1, 0))); }   \
    T A intel_sub_group_shuffle_down(T v, T next, uint n)                                                            \
    {                                                                                                                \
        uint from = get_sub_group_local_id() + n, all = get_sub_group_size();                                        \
        T here = sub_group_shuffle(v, from), there = sub_group_shuffle(next, from - all);                            \
        return from < all ? here : there;                                                                            \
    }                                                                                                                \
    T A intel_sub_group_shuffle_up(T before, T v, uint n)                                                            \
    {                                                                                                                \
        uint from = get_sub_group_local_id() - n, all = get_sub_group_size();                                        \
        T here = sub_group_shuffle(v, from), there = sub_group_shuffle(before, from + all);                          \
        return from < all ? here : there;                                                                            \
    }
#define MOVE1(T)                                                                                                     \
    T A sub_group_shuffle(T v, uint from) { return FROM_##T(record_collective(COLLECTIVE_SHUFFLE, BITS_##T(v), from)); }         \
    MOVES(T)
#define S(n) sub_group_shuffle(v.s##n, from)
#define MOVE(T)                                                                                                      \
    MOVE1(T)                                                                                                         \
    T##2 A sub_group_shuffle(T##2 v, uint from) { return (T##2)(S(0), S(1)); }                                       \
    T##3 A sub_group_shuffle(T##3 v, uint from) { return (T##3)(S(0), S(1), S(2)); }                                 \
    T##4 A sub_group_shuffle(T##4 v, uint from) { return (T##4)(S(0), S(1), S(2), S(3)); }                           \
    T##8 A sub_group_shuffle(T##8 v, uint from)                                                                      \
    {                                                                                                                \
        return (T##8)(S(0), S(1), S(2), S(3), S(4), S(5), S(6), S(7));                                               \
    }                                                                                                                \
    T##16 A sub_group_shuffle(T##16 v, uint from)                                                                    \
    {                                                                                                                \
        return (T##16)(S(0), S(1), S(2), S(3), S(4), S(5), S(6), S(7), S(8), S(9), S(a), S(b), S(c), S(d), S(e),     \
                       S(f));                                                                                        \
    }                                                                                                                \
    MOVES(T##2)                                                                                                      \
    MOVES(T##3)                                                                                                      \
    MOVES(T##4)                                                                                                      \
    MOVES(T##8)                                                                                                      \
    MOVES(T##16)
MOVE(char)
MOVE(uchar)
MOVE(short)
MOVE(ushort)
MOVE(int)
MOVE(uint)
MOVE(long)
MOVE(ulong)
MOVE(half)
MOVE(float)
MOVE(double)

/* ---- votes ---- */

/* A mask of all lanes of a warp; an OpenCL mask has 128 bits. */
#define EVERY record_collective(COLLECTIVE_BALLOT, 1, 0)
static uint4 mask4(ulong m) { return (uint4)((uint)m, (uint)(m >> 32), 0, 0); }
static ulong mask64(uint4 m) { return m.x | (ulong)m.y << 32; }
static ulong below(uint n) { return n < 64 ? (1ul << n) - 1 : ~0ul; }

int A sub_group_any(int p) { return record_collective(COLLECTIVE_BALLOT, p != 0, 0) != 0; }
int A sub_group_all(int p) { return record_collective(COLLECTIVE_BALLOT, p == 0, 0) == 0; }
int A sub_group_non_uniform_any(int p) { return sub_group_any(p); }
int A sub_group_non_uniform_all(int p) { return sub_group_all(p); }
int A sub_group_elect(void) { return (uint)__builtin_ctzl(EVERY) == get_sub_group_local_id(); }
#define EQUAL(T) \
    int A sub_group_non_uniform_all_equal(T v) { ulong same = record_collective(COLLECTIVE_MATCH, BITS_##T(v), 0); return same == EVERY; }
EQUAL(char)
EQUAL(uchar)
EQUAL(short)
EQUAL(ushort)
EQUAL(int)
EQUAL(uint)
EQUAL(long)
EQUAL(ulong)
EQUAL(half)
EQUAL(float)
EQUAL(double)
uint4 A sub_group_ballot(int p) { return mask4(record_collective(COLLECTIVE_BALLOT, p != 0, 0)); }
int A sub_group_inverse_ballot(uint4 m) { return mask64(m) >> get_sub_group_local_id() & 1; }
int A sub_group_ballot_bit_extract(uint4 m, uint i) { return mask64(m) >> i & 1; }
uint A sub_group_ballot_bit_count(uint4 m) { return popcount(mask64(m) & below(get_sub_group_size())); }
uint A sub_group_ballot_inclusive_scan(uint4 m) { return popcount(mask64(m) & below(get_sub_group_local_id() + 1)); }
uint A sub_group_ballot_exclusive_scan(uint4 m) { return popcount(mask64(m) & below(get_sub_group_local_id())); }
uint A sub_group_ballot_find_lsb(uint4 m) { return (uint)__builtin_ctzl(mask64(m)); }
uint A sub_group_ballot_find_msb(uint4 m) { return 63 - clz(mask64(m)); }
uint4 A get_sub_group_eq_mask(void) { return mask4(1ul << get_sub_group_local_id()); }
uint4 A get_sub_group_lt_mask(void) { return mask4(below(get_sub_group_local_id())); }
uint4 A get_sub_group_le_mask(void) { return mask4(below(get_sub_group_local_id() + 1)); }
uint4 A get_sub_group_ge_mask(void)
{
    return mask4(below(get_sub_group_size()) & ~below(get_sub_group_local_id()));
}
uint4 A get_sub_group_gt_mask(void)
{
    return mask4(below(get_sub_group_size()) & ~below(get_sub_group_local_id() + 1));
}

/* ---- sums and scans ---- */

#define WHAT(FORM, TYPE, HOW) (COLLECTIVE_##FORM | COLLECTIVE_TYPE(COLLECTIVE_##TYPE) | COLLECTIVE_COMBINE(COLLECTIVE_##HOW))
/* T: the function's type, W: what the runtime combines */
#define FOLD(T, W, TYPE, NAME, HOW)                                                                                  \
    T A sub_group_reduce_##NAME(T v) { return (T)FROM_##W(record_collective(WHAT(REDUCE, TYPE, HOW), BITS_##W((W)v), 0)); }\
    T A sub_group_scan_inclusive_##NAME(T v)                                                                         \
    {                                                                                                                \
        return (T)FROM_##W(record_collective(WHAT(INCLUSIVE, TYPE, HOW), BITS_##W((W)v), 0));                              \
    }                                                                                                                \
    T A sub_group_scan_exclusive_##NAME(T v)                                                                         \
    {                                                                                                                \
        return (T)FROM_##W(record_collective(WHAT(EXCLUSIVE, TYPE, HOW), BITS_##W((W)v), 0));                              \
    }                                                                                                                \
    T A sub_group_non_uniform_reduce_##NAME(T v) { return sub_group_reduce_##NAME(v); }                              \
    T A sub_group_non_uniform_scan_inclusive_##NAME(T v) { return sub_group_scan_inclusive_##NAME(v); }              \
    T A sub_group_non_uniform_scan_exclusive_##NAME(T v) { return sub_group_scan_exclusive_##NAME(v); }              \
    T A sub_group_clustered_reduce_##NAME(T v, uint n)                                                               \
    {                                                                                                                \
        return (T)FROM_##W(record_collective(WHAT(REDUCE, TYPE, HOW), BITS_##W((W)v), n));                                 \
    }                                                                                                                \
    T A work_group_reduce_##NAME(T v)                                                                                \
    {                                                                                                                \
        return (T)FROM_##W(record_collective(WHAT(REDUCE, TYPE, HOW) | COLLECTIVE_GROUP, BITS_##W((W)v), 0));                    \
    }                                                                                                                \
    T A work_group_scan_inclusive_##NAME(T v)                                                                        \
    {                                                                                                                \
        return (T)FROM_##W(record_collective(WHAT(INCLUSIVE, TYPE, HOW) | COLLECTIVE_GROUP, BITS_##W((W)v), 0));                 \
    }                                                                                                                \
    T A work_group_scan_exclusive_##NAME(T v)                                                                        \
    {                                                                                                                \
        return (T)FROM_##W(record_collective(WHAT(EXCLUSIVE, TYPE, HOW) | COLLECTIVE_GROUP, BITS_##W((W)v), 0));                 \
    }
#define FOLDS(T, W, TYPE)                                                                                            \
    FOLD(T, W, TYPE, add, ADD)                                                                                       \
    FOLD(T, W, TYPE, min, MIN)                                                                                       \
    FOLD(T, W, TYPE, max, MAX)                                                                                       \
    FOLD(T, W, TYPE, mul, MUL)
#define FOLDS_OF_BITS(T, W, TYPE)                                                                                    \
    FOLDS(T, W, TYPE)                                                                                                \
    FOLD(T, W, TYPE, and, AND)                                                                                       \
    FOLD(T, W, TYPE, or, OR)                                                                                         \
    FOLD(T, W, TYPE, xor, XOR)
FOLDS_OF_BITS(char, int, INT)
FOLDS_OF_BITS(uchar, uint, UINT)
FOLDS_OF_BITS(short, int, INT)
FOLDS_OF_BITS(ushort, uint, UINT)
FOLDS_OF_BITS(int, int, INT)
FOLDS_OF_BITS(uint, uint, UINT)
FOLDS_OF_BITS(long, long, LONG)
FOLDS_OF_BITS(ulong, ulong, ULONG)
FOLDS(half, float, FLOAT)
FOLDS(float, float, FLOAT)
FOLDS(double, double, DOUBLE)

/* ---- blocks (cl_intel_subgroups): each lane takes its element, then the one a warp further ---- */

#define READ(T, N) p[get_sub_group_local_id() + (N) * get_max_sub_group_size()]
#define READ4(T, N) READ(T, N), READ(T, N + 1), READ(T, N + 2), READ(T, N + 3)
#define WRITES(AS, T, NAME, N)                                                                                       \
    void A intel_sub_group_block_write##NAME##N(AS T * p, T##N v)                                                    \
    {                                                                                                                \
        for (uint i = 0; i < N; i++)                                                                                 \
            READ(T, i) = v[i];                                                                                       \
    }
#define BLOCK_OF(AS, T, NAME)                                                                                        \
    T A intel_sub_group_block_read##NAME(const AS T *p) { return READ(T, 0); }                                       \
    T##2 A intel_sub_group_block_read##NAME##2(const AS T * p) { return (T##2)(READ(T, 0), READ(T, 1)); }            \
    T##4 A intel_sub_group_block_read##NAME##4(const AS T * p) { return (T##4)(READ4(T, 0)); }                       \
    T##8 A intel_sub_group_block_read##NAME##8(const AS T * p) { return (T##8)(READ4(T, 0), READ4(T, 4)); }          \
    T##16 A intel_sub_group_block_read##NAME##16(const AS T * p)                                                     \
    {                                                                                                                \
        return (T##16)(READ4(T, 0), READ4(T, 4), READ4(T, 8), READ4(T, 12));                                         \
    }                                                                                                                \
    void A intel_sub_group_block_write##NAME(AS T *p, T v) { READ(T, 0) = v; }                                       \
    void A intel_sub_group_block_write##NAME##2(AS T * p, T##2 v)                                                    \
    {                                                                                                                \
        READ(T, 0) = v.x;                                                                                            \
        READ(T, 1) = v.y;                                                                                            \
    }                                                                                                                \
    WRITES(AS, T, NAME, 4)                                                                                           \
    WRITES(AS, T, NAME, 8)                                                                                           \
    WRITES(AS, T, NAME, 16)
#define BLOCK(T, NAME) BLOCK_OF(__global, T, NAME) BLOCK_OF(__local, T, NAME)
BLOCK(uint, )
BLOCK(uint, _ui)
BLOCK(uchar, _uc)
BLOCK(ushort, _us)
BLOCK(ulong, _ul)

/* ---- vendors' names for the same ---- */

#define NARROW_FOLD(T, NAME)                                                                                         \
    T A intel_sub_group_reduce_##NAME(T v) { return sub_group_reduce_##NAME(v); }                                    \
    T A intel_sub_group_scan_exclusive_##NAME(T v) { return sub_group_scan_exclusive_##NAME(v); }                    \
    T A intel_sub_group_scan_inclusive_##NAME(T v) { return sub_group_scan_inclusive_##NAME(v); }
#define NARROW(T)                                                                                                    \
    T A intel_sub_group_broadcast(T v, uint from) { return sub_group_shuffle(v, from); }                             \
    NARROW_FOLD(T, add)                                                                                              \
    NARROW_FOLD(T, min)                                                                                              \
    NARROW_FOLD(T, max)
NARROW(char)
NARROW(uchar)
NARROW(short)
NARROW(ushort)

#define QCOM1(T, NAME, FROM)                                                                                         \
    T A qcom_sub_group_shuffle_##NAME(T v, uint n, uint width, T other)                                              \
    {                                                                                                                \
        const uint me = get_sub_group_local_id(), from = FROM;                                                       \
        const T there = sub_group_shuffle(v, from);                                                                  \
        return from < get_sub_group_size() ? there : other;                                                          \
    }
#define QCOM(T)                                                                                                      \
    QCOM1(T, xor, me ^ n)                                                                                            \
    QCOM1(T, up, me - n)                                                                                             \
    QCOM1(T, down, me + n)
QCOM(char)
QCOM(uchar)
QCOM(short)
QCOM(ushort)
QCOM(int)
QCOM(uint)
QCOM(long)
QCOM(ulong)
QCOM(half)
QCOM(float)
QCOM(double)

/* ---- work-groups ---- */

int A work_group_any(int p) { return record_collective(WHAT(REDUCE, UINT, OR) | COLLECTIVE_GROUP, p != 0, 0) != 0; }
int A work_group_all(int p) { return record_collective(WHAT(REDUCE, UINT, OR) | COLLECTIVE_GROUP, p == 0, 0) == 0; }
#define WORK_GROUP(T)                                                                                                \
    T A work_group_broadcast(T v, size_t x)                                                                          \
    {                                                                                                                \
        return FROM_##T(record_collective(COLLECTIVE_SHUFFLE | COLLECTIVE_GROUP, BITS_##T(v), (uint)x));                               \
    }                                                                                                                \
    T A work_group_broadcast(T v, size_t x, size_t y)                                                                \
    {                                                                                                                \
        return work_group_broadcast(v, x + y * get_local_size(0));                                                   \
    }                                                                                                                \
    T A work_group_broadcast(T v, size_t x, size_t y, size_t z)                                                      \
    {                                                                                                                \
        return work_group_broadcast(v, x + (y + z * get_local_size(1)) * get_local_size(0));                         \
    }
WORK_GROUP(int)
WORK_GROUP(uint)
WORK_GROUP(long)
WORK_GROUP(ulong)
WORK_GROUP(half)
WORK_GROUP(float)
WORK_GROUP(double)

/* Logical combinations of 0 and 1. */
#define LOGICAL(NAME, HOW)                                                                                           \
    int A sub_group_non_uniform_reduce_logical_##NAME(int p) { return sub_group_reduce_##HOW((int)(p != 0)); }       \
    int A sub_group_non_uniform_scan_inclusive_logical_##NAME(int p)                                                 \
    {                                                                                                                \
        return sub_group_scan_inclusive_##HOW((int)(p != 0));                                                        \
    }                                                                                                                \
    int A sub_group_non_uniform_scan_exclusive_logical_##NAME(int p)                                                 \
    {                                                                                                                \
        return sub_group_scan_exclusive_##HOW((int)(p != 0)) & 1;                                                    \
    }                                                                                                                \
    int A sub_group_clustered_reduce_logical_##NAME(int p, uint n)                                                   \
    {                                                                                                                \
        return sub_group_clustered_reduce_##HOW((int)(p != 0), n);                                                   \
    }
LOGICAL(and, and)
LOGICAL(or, or)
LOGICAL(xor, xor)
