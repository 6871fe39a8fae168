/* SPDX-License-Identifier: Apache-2.0 */
#include "gmmu.h"

#include <stddef.h>
#include <string.h>

#include "cpu.h"
#include "dma.h"
#include "gmem.h"
#include "gpu.h"
#include "trap.h"

/* An invalid entry that still has a frame; the GPU looks at the valid bit alone. */
#define PTE_GUARDED (1ull << 63)

/* Up to this number of pages are invalidated one by one; beyond it, the whole address space is invalidated.
 */
enum { FORGET_SINGLY = 8 };

static struct gmmu_space spaces[MP_MGMT_SPACES];

enum { MANAGED = 64 };
static struct managed { /* ranges */
    unsigned asid;
    uint64_t va, bytes;
} managed[MANAGED];
static unsigned managed_ranges;

/* Frames whose entries are cleared, but which the GPU may still reach through cached entries. */
struct retired {
    struct gmmu_space *space;
    unsigned count, pages; /* pages: number of them that are not tables */
    struct {
        uint64_t va, pa, bytes;
    } frame[64];
};

static uint64_t page_bytes(const struct gmmu_space *s)
{
    return 1ull << s->format->page_shift;
}

static bool meets_managed(unsigned asid, uint64_t va, uint64_t bytes)
{
    for (const struct managed *m = managed; m < managed + managed_ranges; m++)
        if (m->asid == asid && m->va < va + bytes && va < m->va + m->bytes)
            return true;
    return false;
}

static enum fw_error check_pages(unsigned asid, uint64_t va, uint64_t bytes)
{
    if (asid >= MP_MGMT_SPACES || !spaces[asid].open)
        return FW_ENOENT;
    uint64_t rest = page_bytes(&spaces[asid]) - 1, limit = 1ull << GMMU_VA_BITS;
    return !bytes || (va | bytes) & rest || va >= limit || bytes > limit - va ? FW_EINVAL : FW_OK;
}

static enum fw_error check(unsigned asid, uint64_t va, uint64_t bytes)
{
    const enum fw_error e = check_pages(asid, va, bytes);
    return !e && meets_managed(asid, va, bytes) ? FW_EBUSY : e;
}

/* --- entries -------------------------------------------------------------------------------------- */

static unsigned leaf_level(const struct gmmu_space *s)
{
    return s->format->levels - 1;
}

static bool has_frame(uint64_t entry)
{
    return entry & (MP_PTE_VALID | PTE_GUARDED);
}

static bool is_leaf(const struct gmmu_space *s, unsigned level)
{
    return level + 1 == s->format->levels || level + 1 == GMMU_LEVELS;
}

/* The level that va's walk reaches, and the address of its entry of that level. */
static unsigned find(const struct gmmu_space *s, uint64_t va, uint64_t *at)
{
    uint64_t table = s->root;
    for (unsigned level = 0;; level++) {
        *at = mp_pte_address(s->format, level, table, va);
        if (is_leaf(s, level))
            return level;
        uint64_t entry = gmem_read64(*at);
        if (!(entry & MP_PTE_VALID))
            return level;
        table = entry & MP_PTE_ADDRESS;
    }
}

/* The entry of the last level and its address; 0 if a table above it is missing. */
static uint64_t find_leaf(const struct gmmu_space *s, uint64_t va, uint64_t *at)
{
    return find(s, va, at) == leaf_level(s) ? gmem_read64(*at) : 0;
}

/* As find, to the last level. Makes missing tables, and empties each before the GPU can reach it. */
static enum fw_error make_leaf(struct gmmu_space *s, uint64_t va, uint64_t *at)
{
    uint64_t table = s->root;
    for (unsigned level = 0; level < leaf_level(s); level++) {
        uint64_t slot = mp_pte_address(s->format, level, table, va), entry = gmem_read64(slot);
        table = entry & MP_PTE_ADDRESS;
        if (entry & MP_PTE_VALID)
            continue;
        enum fw_error e = frames_take_table(s->frames, &table);
        if (e)
            return e;
        gmem_zero(table, FRAMES_BYTES);
        cpu_fence();
        gmem_write64(slot, table | MP_PTE_VALID);
    }
    *at = mp_pte_address(s->format, leaf_level(s), table, va);
    return FW_OK;
}

/* --- invalidation --------------------------------------------------------------------------------- */

static enum fw_error invalidate(struct gmmu_space *s, struct mp_mgmt_invalidation i)
{
    uint64_t removed;
    i.asid = s->asid;
    enum fw_error e = gpu_invalidate(&i, &removed);
    s->invalidations++;
    s->removed += removed;
    return e;
}

static enum fw_error forget(struct gmmu_space *s, enum mp_mgmt_scope scope, uint64_t va, bool walk_cache)
{
    return invalidate(s, (struct mp_mgmt_invalidation){.scope = scope, .walk_cache = walk_cache, .va = va});
}

/* TLBs stay right if only upper levels have changed. */
static enum fw_error forget_tables(struct gmmu_space *s, enum mp_mgmt_scope scope, uint64_t va)
{
    return invalidate(
        s, (struct mp_mgmt_invalidation){.scope = scope, .walk_cache = true, .tlbs_stay = true, .va = va});
}

/* Gives the frames of [va, end) their contiguity bits, after their pages have changed and before the
 * invalidation. Returns whether bits have changed. */
static bool rescan(struct gmmu_space *s, uint64_t va, uint64_t end, struct contiguity *found)
{
    struct contiguity c = {0};
    if (!s->contiguity)
        return false;
    contiguity_scan(s->root, va, end, &c);
    s->read += c.read;
    s->rewritten += c.changed;
    if (found)
        *found = c;
    return c.changed;
}

/* Page walk caches hold upper levels only, so they matter when a table is freed or bits change. */
static enum fw_error forget_retired(const struct retired *r)
{
    bool tables = r->pages != r->count || r->space->contiguity;
    rescan(r->space, r->frame[0].va, r->frame[r->count - 1].va + 1, NULL); /* they ascend */
    if (r->pages != r->count || r->count > FORGET_SINGLY)
        return forget(r->space, MP_MGMT_ASID, 0, tables);
    for (unsigned i = 0; i < r->count; i++) {
        enum fw_error e = forget(r->space, MP_MGMT_PAGE, r->frame[i].va, tables);
        if (e)
            return e;
    }
    return FW_OK;
}

/* If the GPU does not confirm, the frames stay allocated, because they cannot be reused safely. */
static enum fw_error release(struct retired *r)
{
    enum fw_error e = r->count ? forget_retired(r) : FW_OK;
    for (unsigned i = 0; !e && i < r->count; i++)
        e = frames_give(r->space->frames, r->frame[i].pa, r->frame[i].bytes);
    r->count = r->pages = 0;
    return e;
}

/* The frame's entry is already cleared. */
static enum fw_error retire(struct retired *r, uint64_t va, uint64_t pa, uint64_t bytes, bool table)
{
    r->frame[r->count].va = va;
    r->frame[r->count].pa = pa;
    r->frame[r->count++].bytes = bytes;
    r->pages += !table;
    return r->count == sizeof r->frame / sizeof *r->frame ? release(r) : FW_OK;
}

/* --- unmapping ------------------------------------------------------------------------------------ */

static bool is_empty(const struct gmmu_space *s, unsigned level, uint64_t table)
{
    for (uint64_t i = 0; i < 1ull << s->format->bits[level]; i++)
        if (gmem_read64(table + 8 * i))
            return false;
    return true;
}

/* Clears the leaves of [va, end) below `table`, then the tables that are empty after that. */
static enum fw_error clear(struct retired *r, unsigned level, uint64_t table, uint64_t va, uint64_t end)
{
    struct gmmu_space *s = r->space;
    uint64_t span = 1ull << s->format->low_bit[level];
    enum fw_error e = FW_OK;
    for (uint64_t next; !e && va < end; va = next) {
        uint64_t slot = mp_pte_address(s->format, level, table, va), entry = gmem_read64(slot);
        uint64_t below = entry & MP_PTE_ADDRESS;
        next = (va & -span) + span;
        if (is_leaf(s, level)) {
            if (!has_frame(entry))
                continue;
            gmem_write64(slot, 0);
            s->pages--;
            e = retire(r, va, below, span, false);
        } else if (entry & MP_PTE_VALID) {
            e = clear(r, level + 1, below, va, next < end ? next : end);
            if (e || meets_managed(s->asid, va & -span, span) || !is_empty(s, level + 1, below))
                continue;
            gmem_write64(slot, 0);
            e = retire(r, va, below, FRAMES_BYTES, true);
        }
    }
    return e;
}

static enum fw_error clear_range(struct gmmu_space *s, uint64_t va, uint64_t bytes)
{
    struct retired r = {.space = s};
    enum fw_error e = clear(&r, 0, s->root, va, va + bytes);
    return e ? e : release(&r);
}

/* --- address spaces ------------------------------------------------------------------------------- */

void gmmu_init(void)
{
    memset(spaces, 0, sizeof spaces);
    managed_ranges = 0;
}

const struct gmmu_space *gmmu_space(unsigned asid)
{
    return asid < MP_MGMT_SPACES && spaces[asid].open ? &spaces[asid] : NULL;
}

enum fw_error gmmu_open(unsigned asid, unsigned instance, struct frames *frames, uint64_t bytes)
{
    const struct mp_page_format *format = mp_page_format(bytes);
    if (asid >= MP_MGMT_SPACES || !format)
        return FW_EINVAL;
    if (spaces[asid].open)
        return FW_EEXIST;
    struct gmmu_space s = {.open = true,
                           .asid = asid,
                           .instance = instance,
                           .format = format,
                           .frames = frames,
                           .contiguity = bytes == 4096 && gpu_uses_contiguity()};
    enum fw_error e = frames_take_table(frames, &s.root);
    if (e)
        return e;
    gmem_zero(s.root, FRAMES_BYTES);
    e = gpu_space_set(asid, &(struct mp_mgmt_space){true, instance, s.root, bytes, false});
    if (e) {
        frames_give(frames, s.root, FRAMES_BYTES);
        return e;
    }
    spaces[asid] = s;
    return FW_OK;
}

/* The root is removed last, so that everything before it can be invalidated by its asid. */
enum fw_error gmmu_close(unsigned asid)
{
    if (!gmmu_space(asid))
        return FW_ENOENT;
    if (gpu_in_use(asid) || meets_managed(asid, 0, 1ull << GMMU_VA_BITS))
        return FW_EBUSY;
    struct gmmu_space *s = &spaces[asid];
    enum fw_error e = clear_range(s, 0, 1ull << GMMU_VA_BITS);
    if (!e)
        e = forget(s, MP_MGMT_ASID, 0, true);
    if (!e)
        e = gpu_space_set(asid, &(struct mp_mgmt_space){false, s->instance, s->root, page_bytes(s), false});
    if (!e)
        e = frames_give(s->frames, s->root, FRAMES_BYTES);
    if (!e)
        s->open = false;
    return e;
}

/* --- pages ---------------------------------------------------------------------------------------- */

/* As make_leaf, for a page that has no frame. */
static enum fw_error make_empty_leaf(struct gmmu_space *s, uint64_t va, uint64_t *slot)
{
    enum fw_error e = make_leaf(s, va, slot);
    return !e && has_frame(gmem_read64(*slot)) ? FW_EEXIST : e;
}

/* Takes frames that follow each other for the first pages of [va, end): one page's, or the largest aligned
 * run, if contiguity is of use. */
static enum fw_error take_run(struct gmmu_space *s, uint64_t va, uint64_t end, uint64_t *pa, uint64_t *bytes)
{
    enum fw_error e;
    *bytes = page_bytes(s);
    while (s->contiguity && *bytes < 2097152 && !(va & (2 * *bytes - 1)) && 2 * *bytes <= end - va)
        *bytes *= 2;
    while ((e = frames_take_page(s->frames, *bytes, pa)) == FW_ENOMEM && *bytes > page_bytes(s))
        *bytes /= 2;
    return e;
}

/* Maps the first pages of [va, end) and moves va behind them. A run does not leave its table. */
static enum fw_error map_run(struct gmmu_space *s, uint64_t *va, uint64_t end)
{
    uint64_t slot, pa, bytes, page = page_bytes(s);
    enum fw_error e = make_empty_leaf(s, *va, &slot);
    if (!e)
        e = take_run(s, *va, end, &pa, &bytes);
    if (e)
        return e;
    for (; bytes && !has_frame(gmem_read64(slot)); bytes -= page, pa += page, *va += page, slot += 8) {
        gmem_write64(slot, pa | MP_PTE_VALID | MP_PTE_LEAF);
        s->pages++;
    }
    e = bytes ? FW_EEXIST : FW_OK;
    for (; bytes; bytes -= page, pa += page)
        frames_give(s->frames, pa, page);
    return e;
}

enum fw_error gmmu_map(unsigned asid, uint64_t va, uint64_t bytes)
{
    enum fw_error e = check(asid, va, bytes);
    if (e)
        return e;
    struct gmmu_space *s = &spaces[asid];
    uint64_t at = va;
    while (!e && at < va + bytes)
        e = map_run(s, &at, va + bytes);
    if (e == FW_ENOMEM)
        at += page_bytes(s); /* map_run may have made tables for this page */
    if (e && at > va)
        clear_range(s, va, at - va);
    s->unscanned |= !e && s->contiguity;
    cpu_fence();
    return e;
}

enum fw_error gmmu_unmap(unsigned asid, uint64_t va, uint64_t bytes)
{
    enum fw_error e = check(asid, va, bytes);
    if (e)
        return e;
    uint64_t before = spaces[asid].pages;
    e = clear_range(&spaces[asid], va, bytes);
    return e ? e : spaces[asid].pages == before ? FW_ENOENT : FW_OK;
}

/* The page gets this entry; bits of its frame that change are found by the next walk. */
static enum fw_error set_page(struct gmmu_space *s, uint64_t va, uint64_t slot, uint64_t entry)
{
    cpu_fence();
    gmem_write64(slot, entry);
    return rescan(s, va, va + 1, NULL) ? forget_tables(s, MP_MGMT_PAGE, va) : FW_OK;
}

/* The page's old frame is copied when no access can write it any more. */
static enum fw_error remap_page(struct gmmu_space *s, uint64_t va)
{
    uint64_t slot, pa, bytes = page_bytes(s);
    uint64_t old = find_leaf(s, va, &slot);
    if (!has_frame(old))
        return FW_ENOENT;
    enum fw_error e = frames_take_page(s->frames, bytes, &pa);
    if (e)
        return e;
    gmem_write64(slot, (old & ~MP_PTE_VALID) | PTE_GUARDED);
    rescan(s, va, va + 1, NULL);
    e = forget(s, MP_MGMT_PAGE, va, s->contiguity);
    if (!e)
        e = dma_copy(gmem_address(old & MP_PTE_ADDRESS), gmem_address(pa), bytes);
    if (e) {
        set_page(s, va, slot, old);
        frames_give(s->frames, pa, bytes);
        return e;
    }
    e = set_page(s, va, slot, (old & ~MP_PTE_ADDRESS) | pa);
    enum fw_error given = frames_give(s->frames, old & MP_PTE_ADDRESS, bytes);
    return e ? e : given;
}

enum fw_error gmmu_remap(unsigned asid, uint64_t va, uint64_t bytes)
{
    enum fw_error e = check(asid, va, bytes);
    for (uint64_t done = 0; !e && done < bytes; done += page_bytes(&spaces[asid]))
        e = remap_page(&spaces[asid], va + done);
    return e;
}

/* --- managed pages -------------------------------------------------------------------------------- */

enum fw_error gmmu_manage(unsigned asid, uint64_t va, uint64_t bytes)
{
    enum { BLOCK = 2097152 };
    enum fw_error e = check(asid, va, bytes);
    struct gmmu_space *s = &spaces[asid];
    uint64_t slot;
    if (e)
        return e;
    if (managed_ranges == MANAGED)
        return FW_ENOMEM;
    if (page_bytes(s) >= BLOCK)
        return FW_EUNSUPPORTED;
    for (uint64_t at = va, span; at < va + bytes; at = (at & -span) + span) {
        const unsigned level = find(s, at, &slot);
        span = 1ull << s->format->low_bit[level];
        if (level == leaf_level(s) && has_frame(gmem_read64(slot)))
            return FW_EEXIST;
    }
    for (uint64_t at = va; !e && at < va + bytes; at = (at & -(uint64_t)BLOCK) + BLOCK)
        e = make_leaf(s, at, &slot);
    if (e)
        clear_range(s, va, bytes); /* the tables that are empty */
    else
        managed[managed_ranges++] = (struct managed){asid, va, bytes};
    return e;
}

void gmmu_unmanage(unsigned asid, uint64_t va)
{
    for (struct managed *m = managed; m < managed + managed_ranges; m++)
        if (m->asid == asid && m->va == va) {
            const uint64_t bytes = m->bytes;
            *m = managed[--managed_ranges];
            clear_range(&spaces[asid], va, bytes);
            return;
        }
}

bool gmmu_is_managed(unsigned asid, uint64_t va)
{
    return meets_managed(asid, va, 1);
}

enum fw_error gmmu_enter(unsigned asid, uint64_t va, uint64_t bytes, uint64_t pa, bool read_only)
{
    struct gmmu_space *s = &spaces[asid];
    const uint64_t bits = MP_PTE_VALID | MP_PTE_LEAF | (read_only ? MP_PTE_READ_ONLY : 0),
                   pages = bytes >> s->format->page_shift;
    uint64_t slot;
    enum fw_error e = make_leaf(s, va, &slot);
    if (e)
        return e;
    cpu_fence();
    gmem_fill64(slot, pa | bits, page_bytes(s), pages);
    s->pages += pages;
    return rescan(s, va, va + bytes, NULL) ? forget_tables(s, MP_MGMT_PAGE, va) : FW_OK;
}

void gmmu_clear(unsigned asid, uint64_t va, uint64_t bytes)
{
    struct gmmu_space *s = &spaces[asid];
    uint64_t slot;
    if (find(s, va, &slot) == leaf_level(s)) /* no managed page is guarded */
        s->pages -= gmem_clear64(slot, bytes >> s->format->page_shift);
}

enum fw_error gmmu_confirm(unsigned asid, uint64_t va, uint64_t bytes)
{
    struct gmmu_space *s = &spaces[asid];
    uint64_t removed = 0;
    rescan(s, va, va + bytes, NULL);
    const struct mp_mgmt_invalidation i = {
        .scope = MP_MGMT_PAGE, .walk_cache = s->contiguity, .asid = asid, .va = va, .bytes = bytes};
    const enum fw_error e = gpu_invalidate_run(&i, &removed);
    s->invalidations++;
    s->removed += removed;
    return e;
}

/* --- errors of the memory --------------------------------------------------------------------------- */

/* An entry that cannot be read is as one that is not valid. */
static uint64_t read_entry(uint64_t at)
{
    uint64_t entry;
    return trap_read(gmem_address(at), sizeof entry, &entry) ? entry : 0;
}

/* Below `table`, which begins at va. */
static bool find_page(const struct gmmu_space *s, unsigned level, uint64_t table, uint64_t pa, uint64_t *va)
{
    const uint64_t span = 1ull << s->format->low_bit[level], begin = *va;
    for (uint64_t i = 0; i < 1ull << s->format->bits[level]; i++) {
        const uint64_t entry = read_entry(table + 8 * i), below = entry & MP_PTE_ADDRESS;
        *va = begin + i * span;
        if (is_leaf(s, level) ? has_frame(entry) && pa - below < span
                              : entry & MP_PTE_VALID && find_page(s, level + 1, below, pa, va))
            return true;
    }
    return false;
}

bool gmmu_find(uint64_t pa, unsigned *asid, uint64_t *va, uint64_t *bytes)
{
    for (*asid = 0; *asid < MP_MGMT_SPACES; ++*asid) {
        *va = 0;
        if (!gmmu_space(*asid) || !find_page(&spaces[*asid], 0, spaces[*asid].root, pa, va))
            continue;
        *bytes = page_bytes(&spaces[*asid]);
        *va &= -*bytes;
        return true;
    }
    return false;
}

static uint64_t count_pages(const struct gmmu_space *s, unsigned level, uint64_t table)
{
    uint64_t pages = 0;
    for (uint64_t i = 0; i < 1ull << s->format->bits[level]; i++) {
        const uint64_t entry = read_entry(table + 8 * i);
        if (is_leaf(s, level))
            pages += has_frame(entry);
        else if (entry & MP_PTE_VALID)
            pages += count_pages(s, level + 1, entry & MP_PTE_ADDRESS);
    }
    return pages;
}

/* Which space it is of shows in the number of its pages. */
void gmmu_drop_entry(uint64_t at)
{
    gmem_write64(at, 0);
    for (unsigned a = 0; a < MP_MGMT_SPACES; a++) {
        struct gmmu_space *s = &spaces[a];
        const uint64_t pages = s->open ? count_pages(s, 0, s->root) : 0;
        if (!s->open || pages == s->pages)
            continue;
        s->pages = pages;
        forget(s, MP_MGMT_ASID, 0, true);
    }
}

/* --- colours --------------------------------------------------------------------------------------- */

/* A copy of the table replaces it, which no access notices, because only this driver writes tables. Walks and
 * walk caches forget the old one before it is freed. Returns the new table's address in *table. */
static enum fw_error move_table(struct gmmu_space *s, uint64_t va, uint64_t slot, uint64_t *table)
{
    uint64_t pa, old = *table;
    enum fw_error e = frames_take_table(s->frames, &pa);
    if (e)
        return e;
    e = dma_copy(gmem_address(old), gmem_address(pa), FRAMES_BYTES);
    cpu_fence();
    if (!e && old == s->root)
        e = gpu_space_set(s->asid, &(struct mp_mgmt_space){true, s->instance, pa, page_bytes(s), false});
    else if (!e)
        gmem_write64(slot, (gmem_read64(slot) & ~MP_PTE_ADDRESS) | pa);
    if (e) {
        frames_give(s->frames, pa, FRAMES_BYTES);
        return e;
    }
    s->root = old == s->root ? pa : s->root;
    s->tables_moved++;
    *table = pa;
    e = forget_tables(s, MP_MGMT_ASID, va);
    return e ? e : frames_give(s->frames, old, FRAMES_BYTES);
}

/* Moves the tables of va's walk where they must be moved. Returns the level that it reaches, and the address
 * of its entry there. */
static enum fw_error move_tables(struct gmmu_space *s, uint64_t va, unsigned *level, uint64_t *at)
{
    uint64_t table = s->root;
    *at = 0;
    for (*level = 0;; ++*level) {
        if (!frames_wanted(s->frames, table, FRAMES_BYTES)) {
            enum fw_error e = move_table(s, va, *at, &table);
            if (e)
                return e;
        }
        *at = mp_pte_address(s->format, *level, table, va);
        uint64_t entry = is_leaf(s, *level) ? 0 : gmem_read64(*at);
        if (!(entry & MP_PTE_VALID))
            return FW_OK;
        table = entry & MP_PTE_ADDRESS;
    }
}

enum fw_error gmmu_recolour(unsigned asid, uint64_t *va, unsigned most)
{
    struct gmmu_space *s = &spaces[asid];
    const uint64_t end = 1ull << GMMU_VA_BITS;
    if (!gmmu_space(asid))
        return FW_ENOENT;
    if (meets_managed(asid, 0, end))
        return FW_EBUSY;
    for (unsigned level; *va < end && most;) {
        uint64_t at, span;
        enum fw_error e = move_tables(s, *va, &level, &at);
        uint64_t entry = !e && level == leaf_level(s) ? gmem_read64(at) : 0;
        if (!e && has_frame(entry) && !frames_wanted(s->frames, entry & MP_PTE_ADDRESS, page_bytes(s))) {
            e = remap_page(s, *va);
            s->moved += !e;
            most--;
        }
        if (e)
            return e;
        span = 1ull << s->format->low_bit[level];
        *va = (*va & -span) + span;
    }
    return FW_OK;
}

static void count_colours(const struct gmmu_space *s, unsigned level, uint64_t table,
                          const struct frames_colours *colours, uint64_t pages[])
{
    for (uint64_t i = 0; i < 1ull << s->format->bits[level]; i++) {
        uint64_t entry = gmem_read64(table + 8 * i), below = entry & MP_PTE_ADDRESS;
        if (is_leaf(s, level) && has_frame(entry) && below < gpu_memory()) /* not the host's */
            pages[frames_colour_of(colours, below)]++;
        else if (!is_leaf(s, level) && entry & MP_PTE_VALID)
            count_colours(s, level + 1, below, colours, pages);
    }
}

void gmmu_count_colours(unsigned asid, const struct frames_colours *colours, uint64_t pages[])
{
    if (gmmu_space(asid))
        count_colours(&spaces[asid], 0, spaces[asid].root, colours, pages);
}

enum fw_error gmmu_protect(unsigned asid, uint64_t va, uint64_t bytes, enum gmmu_access access)
{
    static const uint64_t bits_of[] = {[GMMU_GUARDED] = PTE_GUARDED,
                                       [GMMU_READ] = MP_PTE_VALID | MP_PTE_READ_ONLY,
                                       [GMMU_FREE] = MP_PTE_VALID};
    enum fw_error e = check(asid, va, bytes);
    if (e)
        return e;
    struct gmmu_space *s = &spaces[asid];
    const uint64_t access_bits = MP_PTE_VALID | MP_PTE_READ_ONLY | PTE_GUARDED;
    uint64_t found = 0, cached = 0;
    for (uint64_t at = va, end = va + bytes, slot; at < end;) {
        unsigned level = find(s, at, &slot);
        uint64_t span = 1ull << s->format->low_bit[level];
        at = (at & -span) + span;
        uint64_t entry = level == leaf_level(s) ? gmem_read64(slot) : 0;
        uint64_t wanted = (entry & ~access_bits) | bits_of[access];
        found += has_frame(entry);
        if (!has_frame(entry) || entry == wanted)
            continue;
        gmem_write64(slot, wanted);
        cached |= entry & MP_PTE_VALID;
    }
    if (!found)
        return FW_ENOENT;
    bool rewritten = rescan(s, va, va + bytes, NULL);
    return cached      ? forget(s, MP_MGMT_ASID, 0, s->contiguity)
           : rewritten ? forget_tables(s, MP_MGMT_ASID, 0)
                       : FW_OK;
}

enum fw_error gmmu_scan(unsigned asid, struct contiguity *found)
{
    if (!gmmu_space(asid))
        return FW_ENOENT;
    struct gmmu_space *s = &spaces[asid];
    if (!s->contiguity)
        return FW_EUNSUPPORTED;
    s->unscanned = false;
    return rescan(s, 0, 1ull << GMMU_VA_BITS, found) ? forget_tables(s, MP_MGMT_ASID, 0) : FW_OK;
}

enum fw_error gmmu_forget(unsigned asid, uint64_t va)
{
    return !gmmu_space(asid) ? FW_ENOENT : forget(&spaces[asid], MP_MGMT_PAGE, va, false);
}

enum fw_error gmmu_walk(unsigned asid, uint64_t va, struct gmmu_walk *w)
{
    const struct gmmu_space *s = gmmu_space(asid);
    *w = (struct gmmu_walk){0};
    if (!s)
        return FW_ENOENT;
    if (va >> GMMU_VA_BITS)
        return FW_EINVAL;
    uint64_t table = s->root, entry;
    do {
        w->at[w->levels] = mp_pte_address(s->format, w->levels, table, va);
        entry = w->entry[w->levels] = gmem_read64(w->at[w->levels]);
        table = entry & MP_PTE_ADDRESS;
    } while (++w->levels < s->format->levels && entry & MP_PTE_VALID);
    bool leaf = w->levels == s->format->levels;
    w->mapped = leaf && entry & MP_PTE_VALID;
    w->guarded = leaf && entry & PTE_GUARDED;
    w->read_only = w->mapped && entry & MP_PTE_READ_ONLY;
    w->pa = leaf && has_frame(entry) ? table | (va & (page_bytes(s) - 1)) : 0;
    return FW_OK;
}
