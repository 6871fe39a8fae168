/* SPDX-License-Identifier: Apache-2.0 */
#include "uvm_space.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "ce.h"
#include "gmmu.h"
#include "mig.h"

/* The frames of an instance's pool. */
struct frames_of_pool {
    unsigned instance, chunks;
    uint32_t unit_bytes, per_block, frames;
    uint64_t *chunk; /* addresses */
    uint64_t *fence; /* by frame: it is free when MP_CE_OUT has it */
    uint32_t *spare; /* a ring of numbers of frames, in the order in which they became free */
    uint32_t spares, oldest;
    bool overlaps;   /* the oldest is taken, whose copy out ended long ago; else the one that was used last */
    uint32_t *frame; /* by unit: its number plus 1; 0: it has none */
};

/* Pools share the ranges, and blocks of the host's memory. */
static struct {
    struct frames_of_pool pool[MP_MGMT_INSTANCES];
    unsigned pools;
    struct uvm_block *block;
    struct uvm_range range[UVM_RANGES];
    unsigned ranges;
} space;

/* ---- the pool ---- */

static void forget(struct frames_of_pool *p)
{
    free(p->chunk);
    free(p->fence);
    free(p->spare);
    free(p->frame);
    memset(p, 0, sizeof *p);
    if (--space.pools)
        return;
    free(space.block);
    space.block = NULL;
    space.ranges = 0;
}

void uvm_space_init(void)
{
    for (unsigned i = 0; i < MP_MGMT_INSTANCES; i++)
        if (space.pool[i].chunk)
            forget(&space.pool[i]);
}

static uint64_t address_of(const struct frames_of_pool *p, uint32_t frame)
{
    return p->chunk[frame / p->per_block] + (uint64_t)(frame % p->per_block) * p->unit_bytes;
}

static uint32_t take_spare(struct frames_of_pool *p)
{
    const uint32_t at = p->overlaps ? 0 : p->spares - 1, frame = p->spare[(p->oldest + at) % p->frames];
    p->oldest = (p->oldest + p->overlaps) % p->frames;
    p->spares--;
    return frame;
}

static void give_spare(struct frames_of_pool *p, uint32_t frame)
{
    p->spare[(p->oldest + p->spares++) % p->frames] = frame;
}

static enum fw_error take_chunks(struct frames_of_pool *p, unsigned chunks)
{
    for (; p->chunks < chunks; p->chunks++) {
        enum fw_error e = mig_take(p->instance, UVM_BLOCK_BYTES, &p->chunk[p->chunks]);
        if (e)
            return e;
    }
    for (uint32_t i = 0; i < p->frames; i++) /* the first is the next */
        give_spare(p, p->overlaps ? i : p->frames - 1 - i);
    return FW_OK;
}

enum fw_error uvm_space_begin(unsigned instance, const struct uvm_setup *setup, uint32_t unit_bytes)
{
    const uint32_t unit = unit_bytes > setup->page_bytes ? unit_bytes : (uint32_t)setup->page_bytes,
                   per_block = UVM_BLOCK_BYTES / unit, all = setup->chunks * per_block + setup->overlaps;
    const unsigned chunks = setup->chunks + setup->overlaps; /* a unit of the last one is used */
    struct frames_of_pool *p = &space.pool[instance];
    *p = (struct frames_of_pool){.instance = instance,
                                 .unit_bytes = unit,
                                 .per_block = per_block,
                                 .frames = all,
                                 .overlaps = setup->overlaps,
                                 .chunk = calloc(chunks, sizeof *p->chunk),
                                 .fence = calloc(all, sizeof *p->fence),
                                 .spare = calloc(all, sizeof *p->spare),
                                 .frame = calloc((size_t)UVM_BLOCKS * per_block, sizeof *p->frame)};
    space.pools++;
    if (!space.block)
        space.block = calloc(UVM_BLOCKS, sizeof *space.block);
    enum fw_error e =
        p->chunk && p->fence && p->spare && p->frame && space.block ? take_chunks(p, chunks) : FW_ENOMEM;
    if (e)
        uvm_space_end(instance);
    return e;
}

void uvm_space_end(unsigned instance)
{
    struct frames_of_pool *p = &space.pool[instance];
    for (unsigned i = 0; i < p->chunks; i++)
        mig_give(instance, UVM_BLOCK_BYTES, p->chunk[i]);
    forget(p);
}

uint32_t uvm_spare_frames(unsigned instance)
{
    return space.pool[instance].spares - space.pool[instance].overlaps;
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
    **range = (struct uvm_range){asid, gmmu_space(asid)->instance, va, bytes, read_only, first};
    return FW_OK;
}

void uvm_range_close(struct uvm_range *r)
{
    const uint32_t unit = space.pool[r->instance].unit_bytes;
    for (uint64_t at = r->va & -(uint64_t)unit; at < r->va + r->bytes; at += unit)
        uvm_frame_give(r, at, 0);
    *r = space.range[--space.ranges];
}

struct uvm_range *uvm_range(unsigned i)
{
    return i < space.ranges ? &space.range[i] : NULL;
}

bool uvm_has_ranges(unsigned instance)
{
    for (const struct uvm_range *r = space.range; r < space.range + space.ranges; r++)
        if (r->instance == instance)
            return true;
    return false;
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
    const struct frames_of_pool *p = &space.pool[r->instance];
    return &p->frame[block_index(r, va) * p->per_block + va % UVM_BLOCK_BYTES / p->unit_bytes];
}

uint64_t uvm_frame_of(const struct uvm_range *r, uint64_t va)
{
    const struct frames_of_pool *p = &space.pool[r->instance];
    return address_of(p, *unit_of(r, va) - 1) + va % p->unit_bytes;
}

enum fw_error uvm_frame_take(const struct uvm_range *r, uint64_t va, uint64_t *fence)
{
    struct frames_of_pool *p = &space.pool[r->instance];
    uint32_t *frame = unit_of(r, va);
    if (!*frame && !p->spares)
        return FW_ENOMEM;
    if (!*frame)
        *frame = take_spare(p) + 1;
    *fence = p->fence[*frame - 1];
    return FW_OK;
}

void uvm_frame_give(const struct uvm_range *r, uint64_t va, uint64_t fence)
{
    struct frames_of_pool *p = &space.pool[r->instance];
    uint32_t *frame = unit_of(r, va);
    if (!*frame)
        return;
    if (fence)
        p->fence[*frame - 1] = fence;
    give_spare(p, *frame - 1);
    *frame = 0;
}
