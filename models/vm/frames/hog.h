/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The history of a memory (MESC Sec. VI-E, memhog): processes that took pages and have given some back before
 * the application runs.
 */
#ifndef MP_VM_FRAMES_HOG_H
#define MP_VM_FRAMES_HOG_H

#include "vm/frames/free_blocks.h"

struct mp_hog_params {
    uint64_t percent; /* of memory that they hold */
    uint64_t turn;    /* pages that one of them faults before another does */
    uint64_t seed;
};

/* Takes pages until the memory is as the processes leave it. held: by page; 1 for those that they hold, else
 * it is unchanged. Returns -1 if memory runs out. */
int mp_hog_age(struct mp_free_blocks *f, uint8_t *held, const struct mp_hog_params *p);

#endif
