/* SPDX-License-Identifier: Apache-2.0 */
#include "db/buffer.h"

#include <stdlib.h>
#include <string.h>

int mp_db_out_of_memory(struct mp_error *err)
{
    return mp_fail(err, "database: out of memory; free some memory");
}

int mp_db_grow(void **array, size_t count, size_t *room, size_t size, struct mp_error *err)
{
    if (count < *room)
        return 0;
    size_t more = *room ? 2 * *room : 64;
    void *moved = realloc(*array, more * size);
    if (!moved)
        return mp_db_out_of_memory(err);
    *array = moved;
    *room = more;
    return 0;
}

/* FNV-1a: the keys are short, and the order of the table reaches no result. */
static size_t slot_of(const struct mp_db_buffer *b, const char *path, size_t length)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)path[i]) * 0x100000001b3u;
    size_t mask = b->component_hash_size - 1, slot = (size_t)(h ^ h >> 32) & mask;
    while (b->component_hash[slot]) {
        const char *there = b->component[b->component_hash[slot] - 1].path;
        if (strlen(there) == length && !memcmp(there, path, length))
            break;
        slot = (slot + 1) & mask;
    }
    return slot;
}

/* Keeps the table at most half full. */
static int grow_hash(struct mp_db_buffer *b, struct mp_error *err)
{
    if (2 * (b->ncomponents + 1) <= b->component_hash_size)
        return 0;
    size_t size = b->component_hash_size ? 2 * b->component_hash_size : 256;
    size_t *table = calloc(size, sizeof *table);
    if (!table)
        return mp_db_out_of_memory(err);
    free(b->component_hash);
    b->component_hash = table;
    b->component_hash_size = size;
    for (size_t i = 0; i < b->ncomponents; i++)
        table[slot_of(b, b->component[i].path, strlen(b->component[i].path))] = i + 1;
    return 0;
}

int mp_db_buffer_find(const struct mp_db_buffer *b, const char *path, size_t length)
{
    return b->component_hash_size ? (int)b->component_hash[slot_of(b, path, length)] - 1 : -1;
}

struct mp_db_kind *mp_db_buffer_kind(struct mp_db_buffer *b, const char *name, size_t length,
                                     struct mp_error *err)
{
    for (size_t i = 0; i < b->nkinds; i++) {
        if (!strncmp(b->kind[i].name, name, length) && !b->kind[i].name[length])
            return &b->kind[i];
    }
    if (mp_db_grow((void **)&b->kind, b->nkinds, &b->kinds_room, sizeof *b->kind, err))
        return NULL;
    char *copy = strndup(name, length);
    if (!copy) {
        mp_db_out_of_memory(err);
        return NULL;
    }
    b->kind[b->nkinds] = (struct mp_db_kind){.name = copy};
    return &b->kind[b->nkinds++];
}

int mp_db_buffer_component(struct mp_db_buffer *b, const char *path, size_t length, const char *kind,
                           size_t kind_length, int parent, struct mp_error *err)
{
    if (grow_hash(b, err) || !mp_db_buffer_kind(b, kind, kind_length, err) ||
        mp_db_grow((void **)&b->component, b->ncomponents, &b->components_room, sizeof *b->component, err))
        return -1;
    struct mp_db_component new = {strndup(path, length), strndup(kind, kind_length), parent};
    if (!new.path || !new.kind) {
        free(new.path);
        free(new.kind);
        return mp_db_out_of_memory(err);
    }
    b->component_hash[slot_of(b, path, length)] = b->ncomponents + 1;
    b->component[b->ncomponents] = new;
    return (int)b->ncomponents++;
}

bool mp_db_buffer_pending(const struct mp_db_buffer *b)
{
    return b->components_written < b->ncomponents || b->values.count || b->epochs.count || b->nhists;
}

void mp_db_buffer_written(struct mp_db_buffer *b)
{
    for (size_t i = 0; i < b->nhists; i++)
        free(b->hist[i].bins);
    b->components_written = b->ncomponents;
    b->values.count = b->epochs.count = b->nhists = 0;
}

void mp_db_buffer_rolled_back(struct mp_db_buffer *b)
{
    for (size_t i = 0; i < b->nkinds; i++)
        b->kind[i].written = false;
    for (size_t i = 0; i < b->nmetrics; i++)
        b->metric[i].id = 0;
}

void mp_db_buffer_empty(struct mp_db_buffer *b)
{
    mp_db_buffer_written(b);
    for (size_t i = 0; i < b->ncomponents; i++) {
        free(b->component[i].path);
        free(b->component[i].kind);
    }
    if (b->component_hash_size)
        memset(b->component_hash, 0, b->component_hash_size * sizeof *b->component_hash);
    b->ncomponents = b->components_written = 0;
}

void mp_db_buffer_free(struct mp_db_buffer *b)
{
    mp_db_buffer_empty(b);
    for (size_t i = 0; i < b->nmetrics; i++) {
        free(b->metric[i].component_kind);
        free(b->metric[i].name);
        free(b->metric[i].unit);
        free(b->metric[i].description);
    }
    for (size_t i = 0; i < b->nkinds; i++) {
        free(b->kind[i].name);
        free(b->kind[i].kind);
    }
    free(b->kind);
    free(b->metric);
    free(b->component);
    free(b->component_hash);
    free(b->values.row);
    free(b->epochs.row);
    free(b->hist);
}
