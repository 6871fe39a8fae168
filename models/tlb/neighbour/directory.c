/* SPDX-License-Identifier: Apache-2.0 */
#include "tlb/neighbour/directory.h"

#include <stdlib.h>
#include <string.h>

int mp_directory_init(struct mp_directory *d, uint32_t entries, uint32_t tag_bits)
{
    *d = (struct mp_directory){
        .capacity = entries, .tag_bits = tag_bits, .entry = calloc(entries, sizeof *d->entry)};
    return d->entry ? 0 : -1;
}

void mp_directory_free(struct mp_directory *d)
{
    free(d->entry);
    *d = (struct mp_directory){0};
}

uint64_t mp_directory_tag(uint32_t tag_bits, uint16_t asid, uint64_t vpn)
{
    uint64_t tag = 0, mask = (UINT64_C(1) << tag_bits) - 1;
    for (; vpn; vpn >>= tag_bits)
        tag ^= vpn & mask;
    for (uint32_t k = 0; asid >> k; k++)
        tag ^= (uint64_t)(asid >> k & 1) << (tag_bits - 1 - k % tag_bits);
    return tag;
}

struct mp_directory_entry *mp_directory_find(const struct mp_directory *d, uint64_t tag)
{
    for (uint32_t i = 0; i < d->count; i++)
        if (d->entry[i].tag == tag)
            return &d->entry[i];
    return NULL;
}

static void remove_entry(struct mp_directory *d, uint32_t i)
{
    d->count--;
    memmove(&d->entry[i], &d->entry[i + 1], (d->count - i) * sizeof *d->entry);
}

static enum mp_directory_victim evict(struct mp_directory *d)
{
    uint32_t i = 0;
    while (i < d->count && !(d->entry[i].bits & MP_DIRECTORY_LOCAL))
        i++;
    bool local = i < d->count;
    remove_entry(d, local ? i : 0);
    return local ? MP_VICTIM_LOCAL : MP_VICTIM_OLDEST;
}

enum mp_directory_victim mp_directory_allocate(struct mp_directory *d, uint64_t tag, uint8_t bits)
{
    enum mp_directory_victim victim = d->count == d->capacity ? evict(d) : MP_VICTIM_NONE;
    d->entry[d->count++] = (struct mp_directory_entry){tag, bits};
    return victim;
}

void mp_directory_clear(struct mp_directory *d, uint64_t tag, enum mp_directory_bit neighbour)
{
    struct mp_directory_entry *e = mp_directory_find(d, tag);
    if (!e)
        return;
    e->bits &= (uint8_t)~neighbour;
    if (!(e->bits & MP_DIRECTORY_NEIGHBOURS))
        remove_entry(d, (uint32_t)(e - d->entry));
}

void mp_directory_set_local(struct mp_directory *d, uint64_t tag, bool holds)
{
    struct mp_directory_entry *e = mp_directory_find(d, tag);
    if (e)
        e->bits = (uint8_t)((e->bits & ~MP_DIRECTORY_LOCAL) | (holds ? MP_DIRECTORY_LOCAL : 0));
}

void mp_directory_drop(struct mp_directory *d, uint64_t tag)
{
    struct mp_directory_entry *e = mp_directory_find(d, tag);
    if (e)
        remove_entry(d, (uint32_t)(e - d->entry));
}

void mp_directory_empty(struct mp_directory *d)
{
    d->count = 0;
}
