/* SPDX-License-Identifier: Apache-2.0 */
/* Copy engine: one copy at a time; its end interrupts. Addresses are bus addresses (io_address,
 * gmem_address).
 */
#ifndef FW_DMA_H
#define FW_DMA_H

#include <stdint.h>

#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum fw_error dma_init(void);
/* Starts a copy of less than 4 GB; returns FW_EBUSY while another copy runs. */
enum fw_error dma_start(uint64_t source, uint64_t target, uint64_t bytes);
/* Sleeps until the copy has ended. After FW_EBUS, `*copied` (may be NULL) is the number of bytes copied. */
enum fw_error dma_wait(uint64_t *copied);
/* Aborts the running copy; returns FW_ENOENT if none runs. */
enum fw_error dma_stop(void);
/* Starts a copy and waits for its end; tries it again after a bus error. */
enum fw_error dma_copy(uint64_t source, uint64_t target, uint64_t bytes);

#ifdef __cplusplus
}
#endif
#endif
