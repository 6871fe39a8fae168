/* SPDX-License-Identifier: Apache-2.0 */
/* Included before a user's kernels: built-in functions that the recorder has and clang does not declare. */
#define RECORDER_F __attribute__((overloadable, convergent))
#define RECORDER_FOLD(T, NAME)                                                                               \
    T RECORDER_F work_group_reduce_##NAME(T v);                                                              \
    T RECORDER_F work_group_scan_inclusive_##NAME(T v);                                                      \
    T RECORDER_F work_group_scan_exclusive_##NAME(T v);
#define RECORDER_WORK_GROUP(T)                                                                               \
    RECORDER_FOLD(T, add)                                                                                    \
    RECORDER_FOLD(T, min)                                                                                    \
    RECORDER_FOLD(T, max)                                                                                    \
    T RECORDER_F work_group_broadcast(T v, size_t x);                                                        \
    T RECORDER_F work_group_broadcast(T v, size_t x, size_t y);                                              \
    T RECORDER_F work_group_broadcast(T v, size_t x, size_t y, size_t z);
RECORDER_WORK_GROUP(int)
RECORDER_WORK_GROUP(uint)
RECORDER_WORK_GROUP(long)
RECORDER_WORK_GROUP(ulong)
RECORDER_WORK_GROUP(float)
RECORDER_WORK_GROUP(double)
int RECORDER_F work_group_any(int p);
int RECORDER_F work_group_all(int p);

/* cl_intel_subgroups */
#define RECORDER_SHUFFLE(T)                                                                                  \
    T RECORDER_F intel_sub_group_shuffle(T v, uint from);                                                    \
    T RECORDER_F intel_sub_group_shuffle_xor(T v, uint n);                                                   \
    T RECORDER_F intel_sub_group_shuffle_down(T v, T next, uint n);                                          \
    T RECORDER_F intel_sub_group_shuffle_up(T before, T v, uint n);
#define RECORDER_SHUFFLES(T)                                                                                 \
    RECORDER_SHUFFLE(T)                                                                                      \
    RECORDER_SHUFFLE(T##2)                                                                                   \
    RECORDER_SHUFFLE(T##3)                                                                                   \
    RECORDER_SHUFFLE(T##4)                                                                                   \
    RECORDER_SHUFFLE(T##8)                                                                                   \
    RECORDER_SHUFFLE(T##16)
RECORDER_SHUFFLES(char)
RECORDER_SHUFFLES(uchar)
RECORDER_SHUFFLES(short)
RECORDER_SHUFFLES(ushort)
RECORDER_SHUFFLES(int)
RECORDER_SHUFFLES(uint)
RECORDER_SHUFFLES(long)
RECORDER_SHUFFLES(ulong)
RECORDER_SHUFFLES(float)
RECORDER_SHUFFLE(double)
#define RECORDER_BLOCK(T, NAME)                                                                              \
    T RECORDER_F intel_sub_group_block_read##NAME(const __global T *p);                                      \
    T##2 RECORDER_F intel_sub_group_block_read##NAME##2(const __global T *p);                                \
    T##4 RECORDER_F intel_sub_group_block_read##NAME##4(const __global T *p);                                \
    T##8 RECORDER_F intel_sub_group_block_read##NAME##8(const __global T *p);                                \
    void RECORDER_F intel_sub_group_block_write##NAME(__global T *p, T v);                                   \
    void RECORDER_F intel_sub_group_block_write##NAME##2(__global T * p, T##2 v);                            \
    void RECORDER_F intel_sub_group_block_write##NAME##4(__global T * p, T##4 v);                            \
    void RECORDER_F intel_sub_group_block_write##NAME##8(__global T * p, T##8 v);
RECORDER_BLOCK(uint, )
RECORDER_BLOCK(uint, _ui)
RECORDER_BLOCK(uchar, _uc)
RECORDER_BLOCK(ushort, _us)
RECORDER_BLOCK(ulong, _ul)
#undef RECORDER_WORK_GROUP
#undef RECORDER_FOLD
#undef RECORDER_SHUFFLES
#undef RECORDER_SHUFFLE
#undef RECORDER_BLOCK
#undef RECORDER_F
