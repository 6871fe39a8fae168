/* SPDX-License-Identifier: Apache-2.0 */
/* Copy engine: one copy at a time, its end by interrupt. Addresses are the bus's (io_address, gmem_address).
 */
#ifndef FW_DMA_H
#define FW_DMA_H

#include <stdint.h>

#include "error.h"

enum fw_error dma_init(void);
/* Less than 4 GB; FW_EBUSY while another is under way. */
enum fw_error dma_start(uint64_t source, uint64_t target, uint64_t bytes);
/* Sleeps until the copy has ended. FW_EBUS: `*copied` (may be NULL) says how far it came. */
enum fw_error dma_wait(uint64_t *copied);
/* Ends the copy under way; FW_ENOENT without one. */
enum fw_error dma_stop(void);
/* Both of the first. */
enum fw_error dma_copy(uint64_t source, uint64_t target, uint64_t bytes);

#endif
