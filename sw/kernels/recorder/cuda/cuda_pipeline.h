/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asynchronous copies to shared memory (cp.async), from 4 to 16 bytes each. They are made at
 * once, each a load of that size; there is nothing to wait for.
 */
#ifndef MP_RECORDER_CUDA_PIPELINE_H
#define MP_RECORDER_CUDA_PIPELINE_H

#include "cuda_runtime.h"

template <typename W> RECORDER_F void recorder_copy_words(void *to, const void *from, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof(W); i++)
        ((W *)to)[i] = ((const W *)from)[i];
}
typedef unsigned recorder_words2 __attribute__((ext_vector_type(2)));
typedef unsigned recorder_words4 __attribute__((ext_vector_type(4)));

/* zeros: of the bytes, how many at the end are 0 and not loaded. */
RECORDER_F void __pipeline_memcpy_async(void *to, const void *from, size_t bytes, size_t zeros = 0)
{
    if (zeros) {
        for (size_t i = 0; i < bytes; i += 4)
            ((unsigned *)to)[i / 4] = i + 4 <= bytes - zeros ? ((const unsigned *)from)[i / 4] : 0;
        return;
    }
    if (bytes == 16)
        recorder_copy_words<recorder_words4>(to, from, bytes);
    else if (bytes == 8)
        recorder_copy_words<recorder_words2>(to, from, bytes);
    else
        recorder_copy_words<unsigned>(to, from, bytes);
}
RECORDER_F void __pipeline_commit() {}
RECORDER_F void __pipeline_wait_prior(size_t) {}

#endif
