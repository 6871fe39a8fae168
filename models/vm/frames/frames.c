/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "vm/frames/allocator.h"

int mp_frames_init(struct mp_frames *f, const struct mp_frame_allocator *allocator,
                   const struct mp_frames_params *params, struct mp_error *err)
{
    *f = (struct mp_frames){.allocator = allocator, .state = calloc(1, allocator->bytes)};
    if (!f->state)
        return mp_fail(err, "out of memory");
    if (!allocator->init(f->state, params, err))
        return 0;
    mp_frames_free(f);
    return -1;
}

void mp_frames_free(struct mp_frames *f)
{
    if (f->state)
        f->allocator->free(f->state);
    free(f->state);
    *f = (struct mp_frames){0};
}
