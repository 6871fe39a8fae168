/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MP_VM_FRAMES_COLOURED_H
#define MP_VM_FRAMES_COLOURED_H

#include <stdbool.h>

#include "vm/frames/allocator.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const struct mp_frame_allocator mp_frames_coloured, mp_frames_coloured_user;

/* Whether the page of an address is taken. `state` is that of mp_frames_coloured, pa in its memory. */
bool mp_coloured_is_taken(const void *state, uint64_t pa);

#ifdef __cplusplus
}
#endif
#endif
