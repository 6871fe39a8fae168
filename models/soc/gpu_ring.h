/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of the rings that the GPU writes into its memory, as regs/gpu.def describes them. Firmware includes
 * this header. An entry is four words of 64 bits, little-endian, at the ring's base + index * 32. The GPU
 * writes the last word, which has the valid bit, after the others. */
#ifndef MP_SOC_GPU_RING_H
#define MP_SOC_GPU_RING_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    MP_GPU_RING_FEWEST = 64,    /* entries of a ring, a power of two */
    MP_GPU_RING_MOST = 1 << 20, /* at most */
    MP_GPU_RING_ENTRY_BYTES = 32,
    MP_GPU_RING_LAST = 24 /* offset of an entry's last word */
};

#define MP_GPU_RING_VALID (UINT64_C(1) << 63) /* in the last word */

/* How an access that faulted uses its page, by intrusiveness. */
enum mp_gpu_access { MP_GPU_ACCESS_PREFETCH, MP_GPU_ACCESS_READ, MP_GPU_ACCESS_WRITE, MP_GPU_ACCESS_ATOMIC };

struct mp_gpu_fault_entry {
    uint64_t va;    /* of the page */
    uint64_t entry; /* as FAULT_ENTRY */
    uint64_t ns;    /* time of the fault */
    uint64_t info;  /* bits 31:0 as FAULT_INFO, then MP_GPU_FAULT_ACCESS, MP_GPU_RING_VALID */
};

#define MP_GPU_FAULT_ACCESS_LOW 32
#define MP_GPU_FAULT_ACCESS     (UINT64_C(3) << MP_GPU_FAULT_ACCESS_LOW) /* enum mp_gpu_access */

/* A notice of an access counter. */
struct mp_gpu_notice_entry {
    uint64_t va; /* of the granule */
    uint64_t ns; /* time of the notice */
    /* Bits 31:0: which 64 KB of the aligned 2 MB were accessed, of those of the granule; 47:32: count. */
    uint64_t met;
    uint64_t info; /* bits 7:0: address space; MP_GPU_RING_VALID */
};

#define MP_GPU_NOTICE_COUNT_LOW 32

#ifdef __cplusplus
}
#endif
#endif
