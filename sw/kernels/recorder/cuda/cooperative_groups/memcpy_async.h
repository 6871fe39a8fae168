/* SPDX-License-Identifier: Apache-2.0 */
/* Copies by a group of threads: neighbouring threads copy neighbouring pieces of 16 bytes, if all is a
 * multiple of it. */
#ifndef MP_RECORDER_MEMCPY_ASYNC_H
#define MP_RECORDER_MEMCPY_ASYNC_H

#include "../cooperative_groups.h"
#include "../cuda_pipeline.h"

template <typename W, typename G>
RECORDER_F void recorder_copy_by(G group, void *to, const void *from, size_t bytes)
{
    for (size_t i = group.thread_rank(); i < bytes / sizeof(W); i += group.size())
        ((W *)to)[i] = ((const W *)from)[i];
}
template <typename G> RECORDER_F void recorder_group_copy(G group, void *to, const void *from, size_t bytes)
{
    const size_t all = (size_t)to | (size_t)from | bytes;
    if (all % 16 == 0)
        recorder_copy_by<recorder_words4>(group, to, from, bytes);
    else if (all % 4 == 0)
        recorder_copy_by<unsigned>(group, to, from, bytes);
    else
        recorder_copy_by<char>(group, to, from, bytes);
}

namespace cooperative_groups
{
template <typename G, typename T> RECORDER_F void memcpy_async(G group, T *to, const T *from, size_t bytes)
{
    recorder_group_copy(group, to, from, bytes);
}
template <typename G> RECORDER_F void wait(G group)
{
    group.sync();
}
template <unsigned N, typename G> RECORDER_F void wait_prior(G group)
{
    group.sync();
}
} // namespace cooperative_groups

#endif
