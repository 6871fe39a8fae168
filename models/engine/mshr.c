/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/mshr.h"

#include <stdlib.h>
#include <string.h>

int mp_mshr_init(struct mp_mshr_file *file, uint32_t entries, uint32_t merges)
{
    *file = (struct mp_mshr_file){0};
    if (entries > MP_MSHR_MOST)
        return -1;
    uint32_t buckets = 2;
    while (buckets < 2 * entries)
        buckets *= 2;
    *file = (struct mp_mshr_file){.entry = aligned_alloc(64, entries * sizeof *file->entry),
                                  .bucket = calloc(buckets, sizeof *file->bucket),
                                  .mask = buckets - 1,
                                  .capacity = entries,
                                  .merges = merges,
                                  .spare = 1};
    if (!file->entry || !file->bucket) {
        mp_mshr_free(file);
        return -1;
    }
    memset(file->entry, 0, entries * sizeof *file->entry);
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

struct mp_mshr *mp_mshr_take(struct mp_mshr_file *file, uint64_t key)
{
    if (!file->spare)
        return NULL;
    uint16_t index = file->spare;
    struct mp_mshr *m = &file->entry[index - 1];
    file->spare = m->chain;
    uint16_t *bucket = &file->bucket[mp_mix(key) & file->mask];
    m->key = key;
    m->chain = *bucket;
    m->waiting = (struct mp_req_queue){0};
    m->write = false;
    *bucket = index;
    file->used++;
    return m;
}

void mp_mshr_release(struct mp_mshr_file *file, struct mp_mshr *m)
{
    uint16_t index = (uint16_t)(m - file->entry + 1);
    uint16_t *link = &file->bucket[mp_mix(m->key) & file->mask];
    while (*link != index)
        link = &file->entry[*link - 1].chain;
    *link = m->chain;
    m->chain = file->spare;
    file->spare = index;
    file->used--;
}
