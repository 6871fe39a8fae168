/* SPDX-License-Identifier: Apache-2.0 */
/* Included before a user's kernels: built-in functions that the recorder has and clang does not declare. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable /* as GPUs' compilers do: `1.0h` needs it in the standard */
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
#define RECORDER_BLOCK_OF(AS, T, NAME)                                                                       \
    T RECORDER_F intel_sub_group_block_read##NAME(const AS T *p);                                            \
    T##2 RECORDER_F intel_sub_group_block_read##NAME##2(const AS T *p);                                      \
    T##4 RECORDER_F intel_sub_group_block_read##NAME##4(const AS T *p);                                      \
    T##8 RECORDER_F intel_sub_group_block_read##NAME##8(const AS T *p);                                      \
    T##16 RECORDER_F intel_sub_group_block_read##NAME##16(const AS T *p);                                    \
    void RECORDER_F intel_sub_group_block_write##NAME(AS T *p, T v);                                         \
    void RECORDER_F intel_sub_group_block_write##NAME##2(AS T * p, T##2 v);                                  \
    void RECORDER_F intel_sub_group_block_write##NAME##4(AS T * p, T##4 v);                                  \
    void RECORDER_F intel_sub_group_block_write##NAME##8(AS T * p, T##8 v);                                  \
    void RECORDER_F intel_sub_group_block_write##NAME##16(AS T * p, T##16 v);
#define RECORDER_BLOCK(T, NAME) RECORDER_BLOCK_OF(__global, T, NAME) RECORDER_BLOCK_OF(__local, T, NAME)
RECORDER_BLOCK(uint, )
RECORDER_BLOCK(uint, _ui)
RECORDER_BLOCK(uchar, _uc)
RECORDER_BLOCK(ushort, _us)
RECORDER_BLOCK(ulong, _ul)

/* cl_intel_subgroups_short, cl_intel_subgroups_char */
#define RECORDER_NARROW(T)                                                                                   \
    T RECORDER_F intel_sub_group_broadcast(T v, uint from);                                                  \
    T RECORDER_F intel_sub_group_reduce_add(T v);                                                            \
    T RECORDER_F intel_sub_group_reduce_min(T v);                                                            \
    T RECORDER_F intel_sub_group_reduce_max(T v);                                                            \
    T RECORDER_F intel_sub_group_scan_exclusive_add(T v);                                                    \
    T RECORDER_F intel_sub_group_scan_exclusive_min(T v);                                                    \
    T RECORDER_F intel_sub_group_scan_exclusive_max(T v);                                                    \
    T RECORDER_F intel_sub_group_scan_inclusive_add(T v);                                                    \
    T RECORDER_F intel_sub_group_scan_inclusive_min(T v);                                                    \
    T RECORDER_F intel_sub_group_scan_inclusive_max(T v);
RECORDER_NARROW(char)
RECORDER_NARROW(uchar)
RECORDER_NARROW(short)
RECORDER_NARROW(ushort)

/* cl_qcom_subgroup_shuffle: `other` where there is no lane to take from. Only whole sub-groups. */
#define CLK_SUB_GROUP_SHUFFLE_WIDTH_WAVE_SIZE_QCOM 0u
#define RECORDER_QCOM(T)                                                                                     \
    T RECORDER_F qcom_sub_group_shuffle_xor(T v, uint n, uint width, T other);                               \
    T RECORDER_F qcom_sub_group_shuffle_up(T v, uint n, uint width, T other);                                \
    T RECORDER_F qcom_sub_group_shuffle_down(T v, uint n, uint width, T other);
RECORDER_QCOM(char)
RECORDER_QCOM(uchar)
RECORDER_QCOM(short)
RECORDER_QCOM(ushort)
RECORDER_QCOM(int)
RECORDER_QCOM(uint)
RECORDER_QCOM(long)
RECORDER_QCOM(ulong)
RECORDER_QCOM(half)
RECORDER_QCOM(float)
RECORDER_QCOM(double)

/* cl_qcom_extra_vector_types: vectors of 32, for files that name the extension (wide.h). */
#ifdef cl_qcom_extra_vector_types
#define RECORDER_32(T) typedef T T##32 __attribute__((ext_vector_type(32)));
RECORDER_32(char)
RECORDER_32(uchar)
RECORDER_32(short)
RECORDER_32(ushort)
RECORDER_32(int)
RECORDER_32(uint)
RECORDER_32(half)
RECORDER_32(float)
#undef RECORDER_32
#endif

/* cl_arm_integer_dot_product_... and cl_amd_media_ops */
#define RECORDER_DOT(T, R)                                                                                   \
    R RECORDER_C arm_dot(T a, T b);                                                                          \
    R RECORDER_C arm_dot_acc(T a, T b, R sum);                                                               \
    R RECORDER_C arm_dot_acc_sat(T a, T b, R sum);
#define RECORDER_C __attribute__((overloadable, const))
RECORDER_DOT(char4, int)
RECORDER_DOT(uchar4, uint)
int RECORDER_C arm_dot_acc(short2 a, short2 b, int sum);
uint RECORDER_C arm_dot_acc(ushort2 a, ushort2 b, uint sum);
uint RECORDER_C amd_bitalign(uint high, uint low, uint bits);
uint RECORDER_C amd_bytealign(uint high, uint low, uint bytes);
uint RECORDER_C amd_bfe(uint v, uint from, uint bits);
int RECORDER_C amd_bfe(int v, uint from, uint bits);
#undef RECORDER_C
#undef RECORDER_DOT
#undef RECORDER_QCOM
#undef RECORDER_NARROW
#undef RECORDER_BLOCK_OF
#undef RECORDER_WORK_GROUP
#undef RECORDER_FOLD
#undef RECORDER_SHUFFLES
#undef RECORDER_SHUFFLE
#undef RECORDER_BLOCK
#undef RECORDER_F
