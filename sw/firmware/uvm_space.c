/* SPDX-License-Identifier: Apache-2.0 */
#include "uvm_space.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "ce.h"
#include "gmmu.h"
#include "mig.h"

static struct {
    unsigned instance, chunks;
    uint32_t unit_bytes, per_block;
    uint64_t *chunk;         /* addresses */
    uint64_t *fence;         /* by frame: it is free when MP_CE_OUT has it */
    uint32_t *spare, spares; /* numbers of frames, the last used first */
    uint32_t *frame;         /* by unit: its number plus 1; 0: it has none */
    struct uvm_block *block;
    struct uvm_range range[UVM_RANGES];
    unsigned ranges;
} space;

/* ---- the pool ---- */

static void forget(void)
{
    free(space.chunk);
    free(space.fence);
    free(space.spare);
    free(space.frame);
    free(space.block);
    memset(&space, 0, sizeof space);
}

void uvm_space_init(void)
{
    if (space.chunk)
        forget();
}

static uint32_t frames(void)
{
    return space.chunks * space.per_block;
}

static uint64_t address_of(uint32_t frame)
{
    return space.chunk[frame / space.per_block] + (uint64_t)(frame % space.per_block) * space.unit_bytes;
}

static enum fw_error take_chunks(unsigned chunks)
{
    for (; space.chunks < chunks; space.chunks++) {
        enum fw_error e = mig_take(space.instance, UVM_BLOCK_BYTES, &space.chunk[space.chunks]);
        if (e)
            return e;
    }
    for (uint32_t i = frames(); i-- > 0;)
        space.spare[space.spares++] = i;
    return FW_OK;
}

enum fw_error uvm_space_begin(unsigned instance, unsigned chunks, uint64_t page_bytes, uint32_t unit_bytes)
{
    const uint32_t unit = unit_bytes > page_bytes ? unit_bytes : (uint32_t)page_bytes,
                   per_block = UVM_BLOCK_BYTES / unit;
    const size_t all = (size_t)chunks * per_block;
    memset(&space, 0, sizeof space);
    space.instance = instance;
    space.unit_bytes = unit;
    space.per_block = per_block;
    space.chunk = calloc(chunks, sizeof *space.chunk);
    space.fence = calloc(all, sizeof *space.fence);
    space.spare = calloc(all, sizeof *space.spare);
    space.frame = calloc((size_t)UVM_BLOCKS * per_block, sizeof *space.frame);
    space.block = calloc(UVM_BLOCKS, sizeof *space.block);
    enum fw_error e = space.chunk && space.fence && space.spare && space.frame && space.block
                          ? take_chunks(chunks)
                          : FW_ENOMEM;
    if (e)
        uvm_space_end();
    return e;
}

void uvm_space_end(void)
{
    for (unsigned i = 0; i < space.chunks; i++)
        mig_give(space.instance, UVM_BLOCK_BYTES, space.chunk[i]);
    forget();
}

uint32_t uvm_spare_frames(void)
{
    return space.spares;
}

/* ---- ranges ---- */

static uint32_t blocks_of(uint64_t va, uint64_t bytes)
{
    return (uint32_t)((va + bytes - 1) / UVM_BLOCK_BYTES - va / UVM_BLOCK_BYTES + 1);
}

/* Whether no range has any of these blocks. */
static bool is_free(uint32_t first, uint64_t blocks)
{
    if (first + blocks > UVM_BLOCKS)
        return false;
    for (const struct uvm_range *r = space.range; r < space.range + space.ranges; r++)
        if (r->first < first + blocks && first < r->first + blocks_of(r->va, r->bytes))
            return false;
    return true;
}

/* The first blocks that are free begin at 0, or where a range ends. */
static bool find_blocks(uint64_t blocks, uint32_t *first)
{
    *first = UVM_BLOCKS;
    if (is_free(0, blocks))
        *first = 0;
    for (const struct uvm_range *r = space.range; r < space.range + space.ranges; r++) {
        const uint32_t end = r->first + blocks_of(r->va, r->bytes);
        if (end < *first && is_free(end, blocks))
            *first = end;
    }
    return *first < UVM_BLOCKS;
}

enum fw_error uvm_range_open(unsigned asid, uint64_t va, uint64_t bytes, bool read_only,
                             struct uvm_range **range)
{
    uint32_t first;
    if (space.ranges == UVM_RANGES || !find_blocks(blocks_of(va, bytes), &first))
        return FW_ENOMEM;
    memset(&space.block[first], 0, blocks_of(va, bytes) * sizeof *space.block);
    *range = &space.range[space.ranges++];
    **range = (struct uvm_range){asid, va, bytes, read_only, first};
    return FW_OK;
}

void uvm_range_close(struct uvm_range *r)
{
    for (uint64_t at = r->va & -(uint64_t)space.unit_bytes; at < r->va + r->bytes; at += space.unit_bytes)
        uvm_frame_give(r, at, 0);
    *r = space.range[--space.ranges];
}

struct uvm_range *uvm_range(unsigned i)
{
    return i < space.ranges ? &space.range[i] : NULL;
}

struct uvm_range *uvm_range_at(unsigned asid, uint64_t va)
{
    for (struct uvm_range *r = space.range; r < space.range + space.ranges; r++)
        if (r->asid == asid && va - r->va < r->bytes)
            return r;
    return NULL;
}

static uint32_t block_index(const struct uvm_range *r, uint64_t va)
{
    return r->first + (uint32_t)(va / UVM_BLOCK_BYTES - r->va / UVM_BLOCK_BYTES);
}

struct uvm_block *uvm_block_of(const struct uvm_range *r, uint64_t va)
{
    return &space.block[block_index(r, va)];
}

uint64_t uvm_host_of(const struct uvm_range *r, uint64_t va)
{
    return MP_CE_HOST + (uint64_t)block_index(r, va) * UVM_BLOCK_BYTES + va % UVM_BLOCK_BYTES;
}

/* ---- frames of units ---- */

static uint32_t *unit_of(const struct uvm_range *r, uint64_t va)
{
    return &space.frame[block_index(r, va) * space.per_block + va % UVM_BLOCK_BYTES / space.unit_bytes];
}

uint64_t uvm_frame_of(const struct uvm_range *r, uint64_t va)
{
    return address_of(*unit_of(r, va) - 1) + va % space.unit_bytes;
}

enum fw_error uvm_frame_take(const struct uvm_range *r, uint64_t va, uint64_t *fence)
{
    uint32_t *frame = unit_of(r, va);
    if (!*frame && !space.spares)
        return FW_ENOMEM;
    if (!*frame)
        *frame = space.spare[--space.spares] + 1;
    *fence = space.fence[*frame - 1];
    return FW_OK;
}

void uvm_frame_give(const struct uvm_range *r, uint64_t va, uint64_t fence)
{
    uint32_t *frame = unit_of(r, va);
    if (!*frame)
        return;
    if (fence)
        space.fence[*frame - 1] = fence;
    space.spare[space.spares++] = *frame - 1;
    *frame = 0;
}
