/* SPDX-License-Identifier: Apache-2.0 */
/* Managed ranges and their blocks, and the quotas of spaces. */
#include "uvm/state.h"

#include <inttypes.h>
#include <string.h>

/* ---- which range, which block ---- */

/* The first range that ends after this address of the space; p->ranges if there is none. */
static uint32_t position(const struct mp_uvm_pool *p, uint8_t asid, uint64_t va)
{
    uint32_t low = 0, high = p->ranges;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        const struct mp_uvm_range *r = &p->range[middle];
        if (r->asid < asid || (r->asid == asid && r->va + r->bytes <= va))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct mp_uvm_range *mp_uvm_range_at(const struct mp_uvm_pool *p, uint8_t asid, uint64_t va)
{
    const uint32_t i = position(p, asid, va);
    struct mp_uvm_range *r = &p->range[i];
    return i < p->ranges && r->asid == asid && r->va <= va ? r : NULL;
}

uint32_t mp_uvm_find(const struct mp_uvm *u, uint8_t asid, uint64_t page, uint32_t *index)
{
    const uint64_t va = page << u->pool.page_shift;
    const struct mp_uvm_range *r = mp_uvm_range_at(&u->pool, asid, va);
    *index = (uint32_t)(page % u->pages);
    return r ? r->first + (uint32_t)(va / MP_UVM_BLOCK_BYTES - r->va / MP_UVM_BLOCK_BYTES) : MP_UVM_NONE;
}

/* ---- numbers of blocks ---- */

/* n consecutive blocks; MP_UVM_NONE: there are none. */
static uint32_t take_blocks(struct mp_uvm *u, uint32_t n)
{
    uint32_t i = 0;
    while (i < u->gaps && u->gap[i].blocks < n)
        i++;
    if (i == u->gaps)
        return MP_UVM_NONE;
    const uint32_t first = u->gap[i].first;
    u->gap[i] = (struct mp_uvm_gap){first + n, u->gap[i].blocks - n};
    if (!u->gap[i].blocks)
        memmove(&u->gap[i], &u->gap[i + 1], (--u->gaps - i) * sizeof *u->gap);
    return first;
}

static void give_blocks(struct mp_uvm *u, uint32_t first, uint32_t n)
{
    uint32_t i = 0;
    while (i < u->gaps && u->gap[i].first < first)
        i++;
    const bool after = i && u->gap[i - 1].first + u->gap[i - 1].blocks == first;
    const bool ahead = i < u->gaps && first + n == u->gap[i].first;
    if (after)
        u->gap[i - 1].blocks += n + (ahead ? u->gap[i].blocks : 0);
    else if (ahead)
        u->gap[i] = (struct mp_uvm_gap){first, n + u->gap[i].blocks};
    if (after && ahead) {
        memmove(&u->gap[i], &u->gap[i + 1], (--u->gaps - i) * sizeof *u->gap);
    } else if (!after && !ahead) {
        memmove(&u->gap[i + 1], &u->gap[i], (u->gaps++ - i) * sizeof *u->gap);
        u->gap[i] = (struct mp_uvm_gap){first, n};
    }
}

/* ---- quotas ---- */

/* Units that would be reserved if this space reserved `reserve`. */
static uint64_t reserved(const struct mp_uvm_pool *p, uint8_t asid, uint32_t reserve)
{
    uint64_t all = reserve;
    for (uint32_t s = 0; s < MP_UVM_SPACES; s++)
        all += s == asid ? 0 : p->reserve[s];
    return all;
}

static int reserve_units(struct mp_uvm_pool *p, uint8_t asid, uint32_t reserve, uint32_t limit,
                         struct mp_error *err)
{
    const uint64_t all = reserved(p, asid, reserve) / p->per_block;
    if (all > p->units / p->per_block)
        return mp_fail(err,
                       "reserve: %" PRIu64 " chunks would be reserved in all; at most %" PRIu32 ", the pool",
                       all, p->units / p->per_block);
    p->has[asid] = true;
    p->kept += reserve - (uint64_t)p->reserve[asid]; /* it uses none yet */
    p->reserve[asid] = reserve;
    p->limit[asid] = limit;
    return 0;
}

int mp_uvm_quota(struct mp_uvm *u, uint8_t asid, uint32_t reserve, uint32_t limit, struct mp_error *err)
{
    struct mp_uvm_pool *p = &u->pool;
    if (p->used[asid])
        return mp_fail(err, "quota: space %u has %" PRIu32 " units of the pool; only a space without any",
                       asid, p->used[asid]);
    if (!reserve || reserve > u->p.chunks)
        return mp_fail(err, "reserve: %" PRIu32 " is out of range; 1 to %" PRIu32 " chunks", reserve,
                       u->p.chunks);
    if (limit < reserve || limit > u->p.chunks)
        return mp_fail(err,
                       "limit: %" PRIu32 " is out of range; %" PRIu32 ", the reserve, to %" PRIu32 " chunks",
                       limit, reserve, u->p.chunks);
    return reserve_units(p, asid, reserve * p->per_block, limit * p->per_block, err);
}

/* ---- ranges ---- */

static int check_range(const struct mp_uvm *u, uint8_t asid, uint64_t va, uint64_t bytes,
                       struct mp_error *err)
{
    const struct mp_uvm_pool *p = &u->pool;
    const uint64_t top = UINT64_C(1) << MP_UVM_VA_BITS;
    if (!bytes || va % u->p.page_bytes || bytes % u->p.page_bytes)
        return mp_fail(
            err, "range: 0x%" PRIx64 " and %" PRIu64 " B are not whole pages; multiples of %" PRIu32 " B", va,
            bytes, u->p.page_bytes);
    if (va >= top || bytes > top - va)
        return mp_fail(err, "range: it does not end below 2^%u", MP_UVM_VA_BITS);
    const uint32_t i = position(p, asid, va);
    if (i < p->ranges && p->range[i].asid == asid && p->range[i].va < va + bytes)
        return mp_fail(err, "range: it overlaps the one at 0x%" PRIx64 " of %" PRIu64 " B", p->range[i].va,
                       p->range[i].bytes);
    if (p->ranges == u->p.ranges)
        return mp_fail(err, "range: there is no room for another; at most %" PRIu32, u->p.ranges);
    return 0;
}

static void open_blocks(struct mp_uvm *u, const struct mp_uvm_range *r)
{
    const uint64_t number = r->va / MP_UVM_BLOCK_BYTES, end = r->va + r->bytes;
    for (uint32_t i = 0; i < r->blocks; i++) {
        const uint64_t base = (number + i) * MP_UVM_BLOCK_BYTES;
        struct mp_uvm_block *b = &u->pool.block[r->first + i];
        *b = (struct mp_uvm_block){.number = number + i, .asid = r->asid, .read_only = r->read_only};
        b->first = (uint16_t)((i ? 0 : r->va - base) >> u->pool.page_shift);
        b->end = (uint16_t)(end - base < MP_UVM_BLOCK_BYTES ? (end - base) >> u->pool.page_shift : u->pages);
    }
}

uint32_t mp_uvm_open(struct mp_uvm *u, uint8_t asid, uint64_t va, uint64_t bytes, bool read_only,
                     struct mp_error *err)
{
    struct mp_uvm_pool *p = &u->pool;
    if (check_range(u, asid, va, bytes, err))
        return 0;
    const uint64_t blocks = (va + bytes - 1) / MP_UVM_BLOCK_BYTES - va / MP_UVM_BLOCK_BYTES + 1;
    const uint32_t first = blocks > p->blocks ? MP_UVM_NONE : take_blocks(u, (uint32_t)blocks);
    if (first == MP_UVM_NONE) {
        mp_fail(err, "range: there is no room for its %" PRIu64 " blocks of 2 MB; at most %" PRIu32 " in all",
                blocks, p->blocks);
        return 0;
    }
    if (!p->has[asid] && reserve_units(p, asid, p->per_block, p->units, err)) {
        give_blocks(u, first, (uint32_t)blocks);
        return 0;
    }
    const uint32_t i = position(p, asid, va);
    memmove(&p->range[i + 1], &p->range[i], (p->ranges++ - i) * sizeof *p->range);
    p->range[i] = (struct mp_uvm_range){va, bytes, first, (uint32_t)blocks, asid, read_only};
    open_blocks(u, &p->range[i]);
    return (uint32_t)blocks;
}

int mp_uvm_close(struct mp_uvm *u, uint8_t asid, uint64_t va, struct mp_uvm_freed *freed,
                 struct mp_error *err)
{
    struct mp_uvm_pool *p = &u->pool;
    const struct mp_uvm_range *r = mp_uvm_range_at(p, asid, va);
    *freed = (struct mp_uvm_freed){0};
    if (!r || r->va != va)
        return mp_fail(err, "range: none of space %u begins at 0x%" PRIx64, asid, va);
    for (uint32_t i = r->first; i < r->first + r->blocks; i++) {
        freed->pages += mp_uvm_count(&p->block[i].gpu);
        freed->units += mp_uvm_free_block(p, i);
        mp_uvm_untrack(u, i);
    }
    give_blocks(u, r->first, r->blocks);
    memmove(&p->range[r - p->range], r + 1, (size_t)(p->range + --p->ranges - r) * sizeof *r);
    return 0;
}

/* ---- what there is ---- */

uint32_t mp_uvm_units(const struct mp_uvm *u, uint8_t asid)
{
    return u->pool.used[asid];
}

void mp_uvm_dump(const struct mp_uvm *u, uint8_t asid,
                 void (*block)(void *context, const struct mp_uvm_state *state), void *context)
{
    const struct mp_uvm_pool *p = &u->pool;
    for (uint32_t k = position(p, asid, 0); k < p->ranges && p->range[k].asid == asid; k++)
        for (uint32_t i = p->range[k].first; i < p->range[k].first + p->range[k].blocks; i++) {
            const struct mp_uvm_block *b = &p->block[i];
            const struct mp_uvm_state s = {b->number, b->gpu, b->remote, mp_uvm_thrashing(u, b),
                                           mp_uvm_pinned(u, b)};
            if (mp_uvm_any(&s.gpu) || mp_uvm_any(&s.remote) || mp_uvm_any(&s.thrashing) ||
                mp_uvm_any(&s.pinned))
                block(context, &s);
        }
}
