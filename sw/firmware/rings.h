/* SPDX-License-Identifier: Apache-2.0 */
/* A ring in an instance's memory, of its faults or its notices (soc/gpu_ring.h), as its reader. */
#ifndef FW_RINGS_H
#define FW_RINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "gpu.h"
#include "soc/gpu_ring.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ring {
    enum gpu_ring of;
    unsigned instance;
    uint64_t base; /* the GPU's address */
    uint32_t entries;
    uint32_t get, put;   /* put: as it was read last */
    uint64_t late, lost; /* entries whose valid bits were awaited, and never came */
};

/* What it is of enters the ring from now on, which is empty; entries 0: as for gpu_ring_begin. Its memory is
 * the caller's. */
enum fw_error ring_begin(struct ring *r, enum gpu_ring of, unsigned instance, uint64_t base,
                         uint32_t entries);
/* Reads where the GPU writes next. Returns the number of entries that have not been taken. */
uint32_t ring_look(struct ring *r);
/*
 * Takes the next entry of those that ring_look has found; false: there is none. An entry may become valid
 * after later ones. patient: its valid bit is awaited for a bounded time, after which the entry is left out.
 * Otherwise the result is false if it is not valid. entry: a struct mp_gpu_fault_entry or
 * mp_gpu_notice_entry.
 */
bool ring_take(struct ring *r, bool patient, void *entry);
/* As a patient ring_take, of which only the last word is needed. */
bool ring_drop(struct ring *r, uint64_t *info);
/* Gives the entries that were taken back to the GPU. */
void ring_release(struct ring *r);

#ifdef __cplusplus
}
#endif
#endif
