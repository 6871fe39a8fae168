/* SPDX-License-Identifier: Apache-2.0 */
#include "walk/records.h"

#include <stdio.h>
#include <stdlib.h>

static int resize(struct mp_walk_records *r, uint32_t size)
{
    struct mp_walk_record *record = realloc(r->record, size * sizeof *record);
    if (!record)
        return -1;
    r->record = record;
    uint16_t *spare = realloc(r->spare, size * sizeof *spare);
    if (!spare)
        return -1;
    r->spare = spare;
    for (uint32_t slot = size; slot-- > r->size;)
        r->spare[r->spares++] = (uint16_t)slot;
    r->size = size;
    return 0;
}

int mp_walk_records_init(struct mp_walk_records *r, uint64_t size)
{
    *r = (struct mp_walk_records){0};
    return resize(r, size < MP_WALK_RECORDS ? (uint32_t)size : MP_WALK_RECORDS);
}

void mp_walk_records_free(struct mp_walk_records *r)
{
    free(r->record);
    free(r->spare);
    *r = (struct mp_walk_records){0};
}

void mp_walk_records_grow(struct mp_walk_records *r)
{
    uint32_t size = r->size < MP_WALK_RECORDS / 2 ? 2 * r->size : MP_WALK_RECORDS;
    if (size > r->size && !resize(r, size))
        return;
    fputs("mempath: walk: more than 65536 requests at once, or out of memory for them\n", stderr);
    abort();
}
