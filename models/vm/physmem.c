/* SPDX-License-Identifier: Apache-2.0 */
#include "vm/physmem.h"

#include <stdlib.h>
#include <string.h>

#define FRAMES_PER_CHUNK 512u
#define CHUNK_BYTES      ((uint64_t)FRAMES_PER_CHUNK * MP_FRAME_BYTES)

int mp_physmem_init(struct mp_physmem *m, uint64_t bytes)
{
    *m = (struct mp_physmem){.bytes = bytes, .chunks = (bytes + CHUNK_BYTES - 1) / CHUNK_BYTES};
    m->chunk = calloc(m->chunks, sizeof *m->chunk);
    return m->chunk ? 0 : -1;
}

void mp_physmem_free(struct mp_physmem *m)
{
    for (uint64_t c = 0; m->chunk && c < m->chunks; c++) {
        for (unsigned f = 0; m->chunk[c] && f < FRAMES_PER_CHUNK; f++)
            free(m->chunk[c][f]);
        free(m->chunk[c]);
    }
    free(m->chunk);
    *m = (struct mp_physmem){0};
}

static uint8_t *frame_at(const struct mp_physmem *m, uint64_t address)
{
    if (address >= m->bytes)
        return NULL;
    uint8_t **chunk = m->chunk[address / CHUNK_BYTES];
    return chunk ? chunk[address / MP_FRAME_BYTES % FRAMES_PER_CHUNK] : NULL;
}

static uint8_t *make_frame(struct mp_physmem *m, uint64_t address)
{
    if (address >= m->bytes)
        return NULL;
    uint8_t ***chunk = &m->chunk[address / CHUNK_BYTES];
    if (!*chunk && !(*chunk = calloc(FRAMES_PER_CHUNK, sizeof **chunk)))
        return NULL;
    uint8_t **frame = &(*chunk)[address / MP_FRAME_BYTES % FRAMES_PER_CHUNK];
    if (!*frame && (*frame = calloc(1, MP_FRAME_BYTES)))
        m->present++;
    return *frame;
}

uint64_t mp_physmem_read64(const struct mp_physmem *m, uint64_t address)
{
    uint64_t value = 0;
    const uint8_t *frame = frame_at(m, address);
    if (frame)
        memcpy(&value, frame + address % MP_FRAME_BYTES / 8 * 8, 8);
    return value;
}

int mp_physmem_write64(struct mp_physmem *m, uint64_t address, uint64_t value)
{
    uint8_t *frame = make_frame(m, address);
    if (!frame)
        return -1;
    memcpy(frame + address % MP_FRAME_BYTES / 8 * 8, &value, 8);
    return 0;
}

static size_t piece(uint64_t address, size_t bytes)
{
    size_t left = MP_FRAME_BYTES - address % MP_FRAME_BYTES;
    return bytes < left ? bytes : left;
}

void mp_physmem_read(const struct mp_physmem *m, uint64_t address, void *to, size_t bytes)
{
    for (size_t n; bytes; address += n, to = (char *)to + n, bytes -= n) {
        n = piece(address, bytes);
        const uint8_t *frame = frame_at(m, address);
        if (frame)
            memcpy(to, frame + address % MP_FRAME_BYTES, n);
        else
            memset(to, 0, n);
    }
}

int mp_physmem_write(struct mp_physmem *m, uint64_t address, const void *from, size_t bytes)
{
    for (size_t n; bytes; address += n, from = (const char *)from + n, bytes -= n) {
        n = piece(address, bytes);
        uint8_t *frame = make_frame(m, address);
        if (!frame)
            return -1;
        memcpy(frame + address % MP_FRAME_BYTES, from, n);
    }
    return 0;
}
