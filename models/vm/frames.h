/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frame allocator of one instance's memory: pages come from the bottom in ascending order, as a driver that
 * serves large allocations at once hands them out, freed ones are used again last-in first-out; page tables
 * come from the top, so that both stay contiguous.
 */
#ifndef MP_VM_FRAMES_H
#define MP_VM_FRAMES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct mp_frames {
    uint64_t page_bytes;
    uint64_t low, high; /* the untouched middle, addresses */
    uint64_t *spare;    /* freed pages */
    uint64_t spares, room;
};

/* base and bytes: multiples of 2 MB. */
void mp_frames_init(struct mp_frames *f, uint64_t base, uint64_t bytes, uint64_t page_bytes);
void mp_frames_free(struct mp_frames *f);

/* 0 and the address, or -1 when the instance's memory is used up. */
int mp_frames_take_page(struct mp_frames *f, uint64_t *pa);
int mp_frames_take_table(struct mp_frames *f, uint64_t *pa);
int mp_frames_give_page(struct mp_frames *f, uint64_t pa); /* -1: the host's memory ran out */

#ifdef __cplusplus
}
#endif
#endif
