/* SPDX-License-Identifier: Apache-2.0 */
/* Units of the pool: who may take one, and who has to leave for it. */
#include "uvm/lists.h"
#include "uvm/state.h"

/* ---- who may take a unit ---- */

static uint32_t minus(uint32_t a, uint32_t b)
{
    return a > b ? a - b : 0;
}

/* The units that are free and not reserved for other spaces. */
static bool may_take(const struct mp_uvm_pool *p, uint8_t asid)
{
    if (p->used[asid] >= p->limit[asid])
        return false;
    return p->kept - minus(p->reserve[asid], p->used[asid]) < p->units;
}

/* Spaces whose units may leave: at its limit only its own, else also those of spaces above their reserve. */
static uint32_t victim_spaces(const struct mp_uvm_pool *p, uint8_t asid)
{
    uint32_t spaces = UINT32_C(1) << asid;
    if (p->used[asid] < p->limit[asid])
        for (uint32_t s = 0; s < MP_UVM_SPACES; s++)
            spaces |= (uint32_t)(p->used[s] > p->reserve[s]) << s;
    return spaces;
}

/* ---- a unit leaves ---- */

/* A unit is the block, or a part of a word: at most 16 pages. */
static struct mp_uvm_mask pages_of(const struct mp_uvm_pool *p, uint32_t unit)
{
    const uint32_t first = unit % p->per_block * p->unit_pages;
    const struct mp_uvm_mask *gpu = &p->block[mp_uvm_block_of(p, unit)].gpu;
    struct mp_uvm_mask m = {{0}};
    if (p->per_block == 1)
        return *gpu;
    m.w[first / 64] = gpu->w[first / 64] & mp_uvm_part(first / 64, first, first + p->unit_pages);
    return m;
}

static bool has_pages(const struct mp_uvm_pool *p, uint32_t unit)
{
    if (p->per_block == 1)
        return mp_uvm_any(&p->block[unit].gpu);
    const struct mp_uvm_mask pages = pages_of(p, unit);
    return mp_uvm_any(&pages);
}

static void give_back(struct mp_uvm_pool *p, uint32_t unit, bool loaded)
{
    if (loaded)
        p->design->emptied(p, unit);
    else
        mp_uvm_unlink(p, unit);
    p->unit[unit].order = 0;
    const uint8_t asid = mp_uvm_space_of(p, unit);
    p->kept -= --p->used[asid] >= p->reserve[asid];
}

static void count_evictions(const struct mp_uvm *u, struct mp_uvm_block *b, const struct mp_uvm_mask *pages)
{
    for (uint32_t bigs = mp_uvm_bigs(pages, u->big); bigs; bigs &= bigs - 1) {
        uint8_t *n = &b->evictions[__builtin_ctz(bigs)];
        *n = (uint8_t)(*n + (*n < 63));
    }
}

static void evict(struct mp_uvm *u, uint32_t unit, const struct mp_uvm_report *report)
{
    struct mp_uvm_pool *p = &u->pool;
    const uint32_t block = mp_uvm_block_of(p, unit);
    struct mp_uvm_block *b = &p->block[block];
    const struct mp_uvm_mask pages = pages_of(p, unit);
    struct mp_uvm_victim v = {.asid = b->asid, .block = b->number};
    struct mp_uvm_mask dirty;
    MP_UVM_EACH (i) {
        v.back.w[i] = u->p.write_back_dirty ? pages.w[i] & b->dirty.w[i] : pages.w[i];
        v.drop.w[i] = pages.w[i] & ~v.back.w[i];
        b->host.w[i] |= v.back.w[i];
        if (u->p.migrate->threshold)
            b->remote.w[i] |= pages.w[i] & b->host.w[i];
        b->gpu.w[i] &= ~pages.w[i];
        dirty.w[i] = b->dirty.w[i] & ~pages.w[i];
    }
    count_evictions(u, b, &pages);
    give_back(p, unit, mp_uvm_any(&pages));
    mp_uvm_dirty(p, block, &dirty);
    p->evicted = true;
    report->evicted(report->context, &v);
}

/* One choice of victims, of which there are some. Returns their number. */
static uint32_t evict_some(struct mp_uvm *u, const struct mp_uvm_wanted *wanted,
                           const struct mp_uvm_report *report)
{
    struct mp_uvm_pool *p = &u->pool;
    uint32_t victim[MP_UVM_VICTIMS] = {mp_uvm_oldest(p, MP_UVM_EMPTIED, wanted)}, n = 1;
    if (victim[0] == MP_UVM_NONE)
        n = p->design->victims(p, wanted, victim);
    for (uint32_t i = 0; i < n; i++)
        evict(u, victim[i], report);
    return n;
}

uint32_t mp_uvm_spare_units(const struct mp_uvm *u)
{
    uint32_t used = 0;
    for (uint32_t s = 0; s < MP_UVM_SPACES; s++)
        used += u->pool.used[s];
    return u->pool.units - used;
}

uint32_t mp_uvm_evict_ahead(struct mp_uvm *u, const struct mp_uvm_report *report)
{
    struct mp_uvm_wanted wanted = {.block = MP_UVM_NONE};
    for (uint32_t s = 0; s < MP_UVM_SPACES; s++)
        wanted.spaces |= (uint32_t)(u->pool.used[s] > u->pool.reserve[s]) << s;
    return wanted.spaces ? evict_some(u, &wanted, report) : 0;
}

/* ---- units of a block ---- */

static void load(struct mp_uvm *u, uint32_t block, uint32_t unit, const struct mp_uvm_report *report)
{
    struct mp_uvm_pool *p = &u->pool;
    if (has_pages(p, unit))
        return;
    if (p->unit[unit].order) { /* the host has emptied it */
        mp_uvm_unlink(p, unit);
    } else {
        while (!may_take(p, p->block[block].asid)) {
            const struct mp_uvm_wanted wanted = {block, victim_spaces(p, p->block[block].asid)};
            evict_some(u, &wanted, report);
        }
        const uint8_t asid = p->block[block].asid;
        p->kept += p->used[asid]++ >= p->reserve[asid];
    }
    p->unit[unit].order = ++p->touch;
    p->design->loaded(p, unit);
}

void mp_uvm_load(struct mp_uvm *u, uint32_t block, const struct mp_uvm_mask *pages,
                 const struct mp_uvm_report *report)
{
    const uint32_t size = u->pool.unit_pages;
    for (uint32_t p = mp_uvm_next(pages, 0); p < MP_UVM_PAGES; p = mp_uvm_next(pages, p / size * size + size))
        load(u, block, mp_uvm_unit_of(&u->pool, block, p), report);
}

void mp_uvm_touch(struct mp_uvm_pool *p, uint32_t unit, bool access)
{
    p->touch++;
    if (p->design->touched)
        p->design->touched(p, unit, access);
}

void mp_uvm_dirty(struct mp_uvm_pool *p, uint32_t block, const struct mp_uvm_mask *dirty)
{
    struct mp_uvm_block *b = &p->block[block];
    const bool had = mp_uvm_any(&b->dirty), has = mp_uvm_any(dirty);
    b->dirty = *dirty;
    if (had != has && p->design->dirtied && mp_uvm_any(&b->gpu))
        p->design->dirtied(p, block * p->per_block);
}

void mp_uvm_unload(struct mp_uvm_pool *p, uint32_t block, const struct mp_uvm_mask *pages)
{
    const uint32_t size = p->unit_pages;
    for (uint32_t i = mp_uvm_next(pages, 0); i < MP_UVM_PAGES;
         i = mp_uvm_next(pages, i / size * size + size)) {
        const uint32_t unit = mp_uvm_unit_of(p, block, i);
        if (has_pages(p, unit))
            continue;
        p->design->emptied(p, unit);
        p->unit[unit].order = ++p->touch;
        mp_uvm_append(p, MP_UVM_EMPTIED, unit);
    }
}

uint32_t mp_uvm_free_block(struct mp_uvm_pool *p, uint32_t block)
{
    uint32_t n = 0;
    for (uint32_t unit = block * p->per_block; unit < (block + 1) * p->per_block; unit++)
        if (p->unit[unit].order) {
            give_back(p, unit, has_pages(p, unit));
            n++;
        }
    return n;
}
