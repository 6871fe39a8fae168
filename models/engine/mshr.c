/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/mshr.h"

#include <stdlib.h>

#include "engine/memory.h"

_Static_assert(sizeof(struct mp_mshr) == 32, "two entries fill a cache line");

int mp_mshr_init(struct mp_mshr_file *file, uint32_t entries, uint32_t merges)
{
    *file = (struct mp_mshr_file){0};
    if (entries > MP_MSHR_MOST)
        return -1;
    uint32_t buckets = 2;
    while (buckets < 2 * entries)
        buckets *= 2;
    *file = (struct mp_mshr_file){.entry = mp_calloc(entries, sizeof *file->entry),
                                  .bucket = mp_calloc(buckets, sizeof *file->bucket),
                                  .mask = buckets - 1,
                                  .capacity = entries,
                                  .merges = merges,
                                  .spare = 1};
    if (!file->entry || !file->bucket) {
        mp_mshr_free(file);
        return -1;
    }
    for (uint32_t i = 0; i < entries; i++)
        file->entry[i].chain = i + 1 < entries ? (uint16_t)(i + 2) : 0;
    return 0;
}

void mp_mshr_free(struct mp_mshr_file *file)
{
    free(file->entry);
    free(file->bucket);
    *file = (struct mp_mshr_file){0};
}
