/* SPDX-License-Identifier: Apache-2.0 */
#include "vm/frames.h"

#include <stdlib.h>

#include "vm/physmem.h"

void mp_frames_init(struct mp_frames *f, uint64_t base, uint64_t bytes, uint64_t page_bytes)
{
    *f = (struct mp_frames){.page_bytes = page_bytes, .low = base, .high = base + bytes};
}

void mp_frames_free(struct mp_frames *f)
{
    free(f->spare);
    *f = (struct mp_frames){0};
}

int mp_frames_take_page(struct mp_frames *f, uint64_t *pa)
{
    if (f->spares) {
        *pa = f->spare[--f->spares];
        return 0;
    }
    if (f->high - f->low < f->page_bytes)
        return -1;
    *pa = f->low;
    f->low += f->page_bytes;
    return 0;
}

int mp_frames_take_table(struct mp_frames *f, uint64_t *pa)
{
    if (f->high - f->low < MP_FRAME_BYTES)
        return -1;
    f->high -= MP_FRAME_BYTES;
    *pa = f->high;
    return 0;
}

int mp_frames_give_page(struct mp_frames *f, uint64_t pa)
{
    if (f->spares == f->room) {
        uint64_t room = f->room ? 2 * f->room : 1024;
        uint64_t *spare = realloc(f->spare, room * sizeof *spare);
        if (!spare)
            return -1;
        f->spare = spare;
        f->room = room;
    }
    f->spare[f->spares++] = pa;
    return 0;
}
