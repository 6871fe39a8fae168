/* SPDX-License-Identifier: Apache-2.0 */
/* GPU memory through its window on the bus. `pa` is the GPU's physical address, in bytes from 0. */
#ifndef FW_GMEM_H
#define FW_GMEM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The bus address of pa, for the copy engine. */
uint64_t gmem_address(uint64_t pa);
/* Aligned words. */
uint64_t gmem_read64(uint64_t pa);
void gmem_write64(uint64_t pa, uint64_t value);
void gmem_zero(uint64_t pa, uint64_t bytes);
/* n words, as io_fill64 and io_clear64. */
void gmem_fill64(uint64_t pa, uint64_t value, uint64_t step, uint64_t n);
uint64_t gmem_clear64(uint64_t pa, uint64_t n);

#ifdef __cplusplus
}
#endif
#endif
