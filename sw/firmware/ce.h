/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The copy engines of the link to the host: one to the GPU (MP_CE_IN), one to the host (MP_CE_OUT). Addresses
 * are the GPU's; from MP_CE_HOST on they are the host's memory. Each engine copies in the order of its queue,
 * and both copy at once.
 */
#ifndef FW_CE_H
#define FW_CE_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "soc/ce_ring.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Empties the queues. Returns FW_EBUSY if an engine still has copies to make. */
enum fw_error ce_init(void);
/* Queues a copy of at most 2 MB; sleeps while the queue is full. Returns its fence, for ce_wait, or 0 if the
 * engine has hung. *lost becomes true if the copy fails, also when it is tried again, and exists until the
 * copy has ended. */
uint64_t ce_copy(enum mp_ce_engine engine, uint64_t source, uint64_t target, uint32_t bytes, bool *lost);
/* Queues zeros for the target, in the GPU's memory, on engine MP_CE_IN. */
uint64_t ce_zero(uint64_t target, uint32_t bytes, bool *lost);
/* Sleeps until the copy with this fence has ended, and all before it. Returns FW_ETIMEOUT if the engine has
 * hung. */
enum fw_error ce_wait(enum mp_ce_engine engine, uint64_t fence);
/* Sleeps until both engines have ended all copies. Returns FW_EBUSY if one hangs: it may still write. */
enum fw_error ce_drain(void);
/* Number of copies that have ended, of both engines. */
uint64_t ce_copies(void);

#ifdef __cplusplus
}
#endif
#endif
